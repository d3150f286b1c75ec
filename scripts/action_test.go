package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paicode/pkg/scripttest"
)

// job is a step of the action on a checkout of its own.
type job struct {
	t      *testing.T
	dir    string
	env    []string
	script string
}

// run runs the action's script and returns its exit code and what it says.
func (j job) run(args ...string) (code int, says string) {
	cmd := exec.Command(j.script, args...)
	cmd.Dir, cmd.Env = j.dir, j.env
	out, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		j.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func (j job) want(code int, args ...string) string {
	j.t.Helper()
	got, says := j.run(args...)
	if got != code {
		j.t.Errorf("%q: exit code %d, want %d\n%s", args, got, code, says)
	}
	return says
}

// TestAction plans with a key, checks without one and applies what was shown, each on a
// checkout of its own, and refuses another document.
func TestAction(t *testing.T) {
	dir, env := demonstration(t)
	script := must(filepath.Abs("../.github/actions/pai/pai.sh"))
	shell(t, dir, env, "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm x")
	checkout := func() job {
		clone := t.TempDir()
		shell(t, clone, env, "git clone -q "+dir+" .")
		return job{t, clone, append(env, "PAI_PLAN="+dir+"/../plan.json", "GITHUB_OUTPUT="+dir+"/../output"), script}
	}
	plan := checkout()
	plan.want(0, "plan", "add a power function to calculator.py")
	shown, output := read(t, dir+"/../plan.md"), read(t, dir+"/../output")
	if !strings.Contains(shown, "```diff\n") || !strings.Contains(shown, "+def power(a, b):\n") || !strings.Contains(output, "changes=true") {
		t.Errorf("shown is %s\noutput %s", shown, output)
	}
	clean(t, plan)
	_, sum, _ := strings.Cut(strings.Split(output, "\n")[0], "sha256=")

	check := checkout()
	check.env = append(check.env, "PAI_SHA256="+sum, "GEMINI_API_KEY=", "GITHUB_OUTPUT=")
	check.want(0, "check", `python3 -c 'import calculator; assert calculator.power(2, 3) == 8'`)
	clean(t, check)
	check.want(9, "check", "grep -q nothing calculator.py")
	clean(t, check)
	check.want(0, "check", "echo '# formatted' >> calculator.py")
	clean(t, check)

	apply := checkout()
	apply.env = check.env
	other := apply
	other.env = append(other.env, "PAI_SHA256="+strings.Repeat("0", 64))
	if says := other.want(6, "apply"); !strings.Contains(says, "isn't the document") {
		t.Error(says)
	}
	clean(t, other)
	apply.want(0, "apply")
	if !strings.Contains(read(t, apply.dir+"/calculator.py"), "def power") {
		t.Error("nothing was applied")
	}
	apply.want(0, "apply")
	apply.want(2, "aply")
	// A check of what changes nothing takes nothing back.
	shell(t, apply.dir, env, `echo '{"pai":"turn/1","request":"x","intent":{"kind":"chat","reply":"hi"}}' > ../chat.json`)
	chat := apply
	chat.env = append(slices.Clone(env), "PAI_PLAN=../chat.json")
	chat.want(0, "check", "true")
	if !strings.Contains(read(t, apply.dir+"/calculator.py"), "def power") {
		t.Error("an earlier change was taken back")
	}

	stale := checkout()
	shell(t, stale.dir, env, "echo >> calculator.py && git -c user.name=a -c user.email=a@b commit -qam y")
	stale.want(6, "apply")
	clean(t, stale)
}

// TestShown has a model write what would be Markdown in a comment, if it weren't behind a fence.
func TestShown(t *testing.T) {
	dir, env := project(t, "when: chat or a task\n---\n"+`{"kind": "task", "acknowledgment": "ok"}`+"\n===\nwhen: Plan the fewest\n---\n"+
		`{"goal": "`+"```\\n@everyone ````` <img src=x>\u202e"+`", "steps": [], "question": "Which?\n`+"``````\\n# Done"+`"}`+"\n")
	j := job{t, dir, append(env, "PAI_PLAN=../plan.json"), must(filepath.Abs("../.github/actions/pai/pai.sh"))}
	before, err := scripttest.HashTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	j.want(3, "plan", "do it")
	shown := read(t, dir+"/../plan.md")
	_, inside, _ := strings.Cut(shown, "\n```````diff\n")
	if !strings.HasSuffix(inside, "\n```````\n") || !strings.Contains(inside, "# Done") || !strings.Contains(inside, "[U+8238]") || strings.Count(shown, "```````") != 2 {
		t.Error(shown)
	}
	if after, _ := scripttest.HashTree(dir); after != before {
		t.Error("the tree changed")
	}
}

// clean checks that a checkout is what was committed.
func clean(t *testing.T, j job) {
	t.Helper()
	if out := shell(t, j.dir, j.env, "git status --porcelain"); out != "" {
		t.Errorf("the checkout isn't clean: %s", out)
	}
}

func shell(t *testing.T, dir string, env []string, command string) string {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
