package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"paicode/pkg/scripttest"
)

// shapes are plans whose changes undo or follow one another, so that what
// is in the tree doesn't tell how far they got: a step a line.
var shapes = map[string]string{
	"swap":                     "MV a t\nMV b a\nMV t b",
	"swap with a directory":    "MV d t\nMV a d\nMV t a",
	"cycle":                    "MV a t\nMV b a\nMV c b\nMV t c",
	"shift":                    "MV a z\nMV b a\nMV c b",
	"onto":                     "MV a b\nMV c a",
	"the same again":           "RM a\nWRITE a A",
	"another in its place":     "MV a n\nWRITE a new",
	"file for directory":       "RM d\nWRITE d file",
	"directory for file":       "RM a\nWRITE a/x deep\nMV b a/y",
	"directory for directory":  "MV d/x b2\nRM d\nMKDIR d/q\nMV b2 d/x",
	"link":                     "RM l\nWRITE l file\nMODIFY a aa\nMV a m\nMODIFY m mm",
	"nested":                   "MV d/sub s\nMV d s/d",
	"of all":                   "MODIFY a new\nRM d/sub\nWRITE n/m/x x\nMV d/x n/y\nTOUCH d/t\nRM c",
	"what was made moves away": "WRITE w w\nMV w v\nWRITE w w2",
}

func shapePlan(t *testing.T, shape string) []byte {
	t.Helper()
	var steps []map[string]any
	for line := range strings.Lines(shape) {
		words := strings.Fields(line)
		step := map[string]any{"action": words[0], "target": words[1]}
		switch words[0] {
		case "MV":
			step["destination"] = words[2]
		case "WRITE", "MODIFY":
			step["content"] = words[2] + "\n"
		}
		steps = append(steps, step)
	}
	data, err := json.Marshal(map[string]any{"execution_plan": map[string]any{"steps": steps}})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func shapeTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "d/sub/e"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c", "d/x", "d/sub/y"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ToUpper(filepath.Base(name))+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("d/x", filepath.Join(dir, "l")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sweepKills kills pai-exec at every system call of a kind, in a commit and in
// an undo and a redo of each shape: the next start leaves the tree before or the one
// after, says nothing of changes that nobody made, and what is after can be
// undone.
func sweepKills(t *testing.T, shapes map[string]string, calls ...string) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("no strace")
	}
	bin := filepath.Join(scripttest.Build(t), "pai-exec")
	log := filepath.Join(t.TempDir(), "strace")
	kills := 0
	for name, shape := range shapes {
		dir, plan := shapeTree(t), shapePlan(t, shape)
		run := func(command ...string) (string, int) {
			cmd := exec.Command(command[0], command[1:]...)
			cmd.Dir, cmd.Stdin = dir, bytes.NewReader(plan)
			out, _ := cmd.CombinedOutput()
			return string(out), cmd.ProcessState.ExitCode()
		}
		must := func(command ...string) {
			t.Helper()
			if out, code := run(command...); code != 0 {
				t.Fatalf("%s: %v: %s", name, command, out)
			}
		}
		before := hashTree(t, dir)
		must(bin, "--yes", "--no-sync")
		after := hashTree(t, dir)
		must(bin, "--undo")
		for _, args := range [][]string{{"--yes", "--no-sync"}, {"--undo"}, {"--undo", "--force"}, {"--redo"}} {
			for _, call := range calls {
				for place := 1; ; place++ {
					if args[0] != "--yes" {
						must(bin, "--yes", "--no-sync")
					}
					if args[0] == "--redo" {
						must(bin, "--undo")
					}
					run(append([]string{"strace", "-f", "-qq", "-o", log, "-e", "trace=" + call, "-e",
						fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, place), bin}, args...)...)
					traced, err := os.ReadFile(log)
					if err != nil {
						t.Fatal(err)
					}
					where := fmt.Sprintf("%s: %v killed at %s %d", name, args, call, place)
					out, code := run(bin, "--log")
					if code != 0 || strings.Contains(out, "left ") {
						t.Fatalf("%s: exit code %d\n%s", where, code, out)
					}
					switch hashTree(t, dir) {
					case before:
					case after:
						must(bin, "--undo")
						if hashTree(t, dir) != before {
							t.Fatalf("%s: the undo isn't whole", where)
						}
					default:
						t.Fatalf("%s: the tree is torn", where)
					}
					if !bytes.Contains(traced, []byte("killed by SIGKILL")) {
						break
					}
					kills++
				}
			}
		}
	}
	t.Logf("%d kills in %d shapes: 0 torn trees", kills, len(shapes))
}

func TestSweepKills(t *testing.T) {
	few := make(map[string]string)
	for _, name := range []string{"swap", "the same again"} {
		few[name] = shapes[name]
	}
	sweepKills(t, few, "renameat2", "unlinkat")
}
