package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"paicode/pkg/scripttest"
)

// TestExamples has the example stages and the example generator work in the pipe.
func TestExamples(t *testing.T) {
	dir, env := demonstration(t)
	examples, err := filepath.Abs("examples")
	if err != nil {
		t.Fatal(err)
	}
	answer := filepath.Join(t.TempDir(), "answer")
	if err := os.WriteFile(answer, []byte("## 1 MODIFY calculator.py\n<<<<<<< SEARCH\n    return a / b\n=======\n"+
		"    return a / b\n\n\ndef power(a, b):\n    return a ** b\n>>>>>>> REPLACE\n## 2 FINISH\nDone by hand.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	env = append(env, "E="+examples, "ASK=cat >/dev/null; cat "+answer)
	before, err := scripttest.HashTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	const plan = `echo "add a power function to calculator.py" | pai-plan | $E/paths.sh | `
	for _, tt := range []struct{ command, want string }{
		{plan + `$E/scope.py src | pai-exec --yes >/dev/null; echo $?`, "scope: 'calculator.py' is out of scope\n3\n"},
		{plan + `$E/scope.py src calculator.py | pai-exec --dry-run --generator $E/generator.sh | jq -c '[.x_paths, .exec.applied, .exec.steps[0].added, .exec.steps[1].output]'`,
			`[["calculator.py"],false,4,"Done by hand."]` + "\n"},
	} {
		cmd := exec.Command("/bin/sh", "-c", tt.command)
		cmd.Dir, cmd.Env = dir, env
		got, err := cmd.CombinedOutput()
		if err != nil || !strings.HasSuffix(string(got), tt.want) {
			t.Errorf("%s prints\n%s, %v; want\n%s", tt.command, got, err, tt.want)
		}
	}
	if after, err := scripttest.HashTree(dir); err != nil || after != before {
		t.Errorf("the tree changed, %v", err)
	}
}
