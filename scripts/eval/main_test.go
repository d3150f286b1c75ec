package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"paicode/pkg/scripttest"
)

// evaluate runs the program with Pai's commands in PATH.
func evaluate(t *testing.T, args ...string) (string, error) {
	t.Helper()
	t.Setenv("PATH", scripttest.Build(t)+":"+os.Getenv("PATH"))
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	var out strings.Builder
	err := run(args, &out)
	return out.String(), err
}

// TestScenarios does the five scenarios three times, and once more from what was recorded, with
// neither server nor key.
func TestScenarios(t *testing.T) {
	recorded := t.TempDir()
	first, err := evaluate(t, "-tasks", "tasks", "-scripted", "-jobs", "2", "--", "--record", recorded)
	if err != nil {
		t.Fatal(err)
	}
	again, err := evaluate(t, "-tasks", "tasks", "--", "--model", "replay:"+recorded)
	if err != nil {
		t.Fatal(err)
	}
	seconds := regexp.MustCompile(`[\d.]+ ±[\d.]+ +`)
	for _, out := range []string{first, again} {
		if !regexp.MustCompile(`(?m)^all +15 +15/15 \(80–100%\).* 12/12 .* 9/9 `).MatchString(out) {
			t.Errorf("it says\n%s", out)
		}
	}
	_, first, _ = strings.Cut(first, "hand.\n")
	if last := func(s string) string { return seconds.ReplaceAllString(s[strings.Index(s, "\nall"):], "") }; last(first) != last(again) {
		t.Errorf("played again it says\n%s\nbefore\n%s", again, first)
	}
}

// TestFailures has runs fail in each way that counts.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"tasks/check/request": "write a", "tasks/check/check": "echo not good; exit 1",
		"tasks/code/request": "write a", "tasks/code/check": "exit 0", "tasks/code/code": "4\n",
		"tasks/keeps/request": "write a", "tasks/keeps/check": "exit 0", "tasks/keeps/keeps": ".\n", "tasks/keeps/start/b": "x",
		"tasks/gone/request": "write a", "tasks/gone/check": "exit 0", "tasks/gone/keeps": "b\n", "tasks/gone/start/b": "x", "tasks/gone/options": "--check\nrm -f b\n",
		"tasks/hangs/request": "write a", "tasks/hangs/check": "sleep 20",
		"tasks/model/request": "unknown", "tasks/model/check": "exit 0",
		"model.rules": "when: (?s)chat or a task.*write a\n---\n{\"kind\": \"task\", \"acknowledgment\": \"ok\"}\n===\nwhen: (?s)Plan the fewest.*write a\n---\n" +
			"{\"goal\": \"g\", \"steps\": [{\"action\": \"WRITE\", \"targets\": [\"a\"], \"do\": \"x\"}]}\n===\nwhen: these steps\n---\n## 1 WRITE a\n```\na\n```\n",
	}
	write(t, dir, files)
	out, err := evaluate(t, "-tasks", dir+"/tasks", "-scripted", "-runs", "1", "-timeout", "5s", "-jobs", "6")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`(?m)^check +1 +0/1 .*code 0: not good`,
		`(?m)^code +1 +0/1 .*code 0`,
		`(?m)^keeps +1 +0/1 .* 0/1 \(`,
		`(?m)^model +1 +0/1 .*code 7`,
		`(?m)^hangs +1 +0/1 `,
		`(?m)^gone +1 +0/1 .* 0/1 \(`,
		`(?m)^all +6 +0/6 `,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%s isn't in\n%s", want, out)
		}
	}
}

// TestExercism makes tasks of an exercise and does them, with the tests hidden and shown.
func TestExercism(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"track/leap/.docs/instructions.md": "# Instructions\n\nSay whether a year is a leap year.\n\n---\n\nOr not.\n",
		"track/leap/.meta/config.json":     `{"authors": [], "files": {"solution": ["leap.py"], "test": ["leap_test.py"], "example": [".meta/example.py"]}}`,
		"track/leap/.meta/example.py":      "secret = 1\n",
		"track/leap/leap.py":               "def leap_year(year):\n    pass\n",
		"track/leap/leap_test.py":          "from leap import leap_year\n\nassert leap_year(2000) and leap_year(1996) and not leap_year(1900)\n",
		"evil/x/.docs/instructions.md":     "x",
		"evil/x/.meta/config.json":         `{"files": {"solution": ["../../x"], "test": ["y"]}}`,
	})
	const rules = "when: chat or a task\n---\n{\"kind\": \"task\", \"acknowledgment\": \"ok\"}\n===\nwhen: Plan the fewest\n---\n" +
		"{\"goal\": \"g\", \"steps\": [{\"action\": \"MODIFY\", \"targets\": [\"leap.py\"], \"do\": \"x\"}]}\n===\nwhen: AssertionError\n---\n" +
		"## 1 MODIFY leap.py\n```\ndef leap_year(year):\n    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)\n```\n===\n" +
		"when: these steps\n---\n## 1 MODIFY leap.py\n```\ndef leap_year(year):\n    return year % 4 == 0\n```\n"
	write(t, dir, map[string]string{"shown/model.rules": rules, "hidden/model.rules": rules})
	for _, args := range [][]string{{dir + "/track", dir + "/shown/tasks"}, {"-hidden", dir + "/track", dir + "/hidden/tasks"}} {
		if _, err := evaluate(t, append([]string{"exercism", "-test", "python3 leap_test.py"}, args...)...); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := evaluate(t, "exercism", "-test", "true", dir+"/evil", dir+"/none"); err == nil || !strings.Contains(err.Error(), "escapes") {
		t.Errorf("the evil one: %v", err)
	}
	// What the tests say makes the second answer right; hidden ones can't.
	for name, want := range map[string]string{"shown": "leap  1     1/1", "hidden": "leap  1     0/1"} {
		out, err := evaluate(t, "-tasks", dir+"/"+name+"/tasks", "-scripted", "-runs", "1")
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func TestIntervals(t *testing.T) {
	for _, tt := range []struct {
		held, all int
		low, high float64
	}{{0, 10, 0, 0.2775}, {15, 15, 0.7961, 1}, {5, 10, 0.2366, 0.7634}} {
		low, high := wilson(tt.held, tt.all)
		if math.Abs(low-tt.low) > 1e-4 || math.Abs(high-tt.high) > 1e-4 {
			t.Errorf("%d of %d: %f to %f", tt.held, tt.all, low, high)
		}
	}
	if mean, half := interval([]float64{1, 2, 3}); mean != 2 || math.Abs(half-2.4843) > 1e-3 {
		t.Errorf("%f ± %f", mean, half)
	}
	if mean, half := interval([]float64{7}); mean != 7 || half != 0 {
		t.Errorf("%f ± %f", mean, half)
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
