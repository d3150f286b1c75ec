package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func undoPlan() []byte {
	return []byte(`{"execution_plan": {"steps": [{"action": "WRITE", "target": "a", "content": "new\n"}, {"action": "MODIFY", "target": "m", "content": "changed\n"},
		{"action": "RM", "target": "x"}, {"action": "MV", "target": "y", "destination": "d/e/y"}, {"action": "RM", "target": "tree"}]}}`)
}

// undoFaults makes a plan, and has each call of its undo fail in every place, once. The tree
// is the one before or the one after then, or the error names the transaction; the next start
// mends that, and then the undo works. With force somebody changed the tree between.
func undoFaults(t *testing.T, who user, force bool, calls, faults []string, most int) (injected int) {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("no strace")
	}
	bin := who.binary(t)
	plan := undoPlan()
	args := []string{bin, "--undo"}
	if force {
		args = append(args, "--force")
	}
	log := filepath.Join(who.tempDir(t), "strace")
	for _, call := range calls {
		for _, fault := range faults {
			for place := 1; place <= most; place++ {
				dir := who.tempDir(t)
				run := func(command ...string) (string, int) {
					cmd := who.command(dir, command...)
					cmd.Stdin = bytes.NewReader(plan)
					out, _ := cmd.CombinedOutput()
					return string(out), cmd.ProcessState.ExitCode()
				}
				undoTree(t, dir)
				who.own(t, dir)
				before := hashTree(t, dir)
				if out, code := run(bin, "--yes"); code != 0 {
					t.Fatal(out)
				}
				if force {
					undoWrite(t, dir, map[string]string{"a": "theirs\n", "m": "theirs\n", "x": "theirs\n"})
					who.own(t, dir)
				}
				after := hashTree(t, dir)
				what := fmt.Sprintf("%s of %s %d, force %v", fault, call, place, force)
				out, code := run(append([]string{"strace", "-f", "-qq", "-o", log, "-e", "trace=" + call, "-e", fmt.Sprintf("inject=%s:error=%s:when=%d", call, fault, place)}, args...)...)
				traced, err := os.ReadFile(log)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Contains(traced, []byte("(INJECTED)")) {
					break
				}
				injected++
				switch now := hashTree(t, dir); {
				case now == before, now == after && code != 0:
				case strings.Contains(out, "can't be rolled back as a whole"):
				default:
					t.Fatalf("%s: exit %d, and the tree is between; it said\n%s", what, code, out)
				}
				if out, code := run(bin, "--log"); code != 0 {
					t.Fatalf("%s: the next start: %s", what, out)
				}
				if now := hashTree(t, dir); now != before && now != after {
					t.Fatalf("%s: the next start leaves the tree between; the undo had said\n%s", what, out)
				}
				if hashTree(t, dir) == after {
					if out, code := run(args...); code != 0 || hashTree(t, dir) != before {
						t.Fatalf("%s: another undo is refused: %s", what, out)
					}
				}
			}
		}
	}
	return injected
}

// recoveryFaults cuts a commit short, and has each call of the recovery fail in every place,
// once: the tree is the one before, as always where a change fails, which is tried once more, or
// the error says that it is between and names the transaction; the next start mends that.
func recoveryFaults(t *testing.T, who user, calls, faults []string, most int) (injected int) {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("no strace")
	}
	bin := who.binary(t)
	log := filepath.Join(who.tempDir(t), "strace")
	for _, call := range calls {
		for _, fault := range faults {
			for place := 1; place <= most; place++ {
				dir := who.tempDir(t)
				run := func(command ...string) (string, int) {
					cmd := who.command(dir, command...)
					cmd.Stdin = bytes.NewReader(undoPlan())
					out, _ := cmd.CombinedOutput()
					return string(out), cmd.ProcessState.ExitCode()
				}
				undoTree(t, dir)
				who.own(t, dir)
				before := hashTree(t, dir)
				cutShort(t, dir, 12, run, bin, "--yes")
				out, code := run("strace", "-f", "-qq", "-o", log, "-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:error=%s:when=%d", call, fault, place), bin, "--log")
				traced, err := os.ReadFile(log)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Contains(traced, []byte("(INJECTED)")) {
					break
				}
				injected++
				what := fmt.Sprintf("%s of %s %d", fault, call, place)
				once := bytes.Count(traced, []byte("(INJECTED)")) == 1 // strace counts the calls of each thread
				if now := hashTree(t, dir); now != before && (code == 0 || call == "renameat2" && once) {
					t.Fatalf("%s: a tree between, exit code %d; it said\n%s", what, code, out)
				}
				if out, code := run(bin, "--log"); code != 0 || hashTree(t, dir) != before {
					t.Fatalf("%s: the next start leaves the tree between: %s", what, out)
				}
			}
		}
	}
	return injected
}

// cutShort kills a commit at one of its renames and returns the transaction's directory. Strace
// counts the calls of each thread, so that a commit may get through: then it is undone, and
// made again.
func cutShort(t *testing.T, dir string, place int, run func(command ...string) (string, int), bin, doing string) string {
	t.Helper()
	for range 100 {
		run("strace", "-f", "-qq", "-E", "GOMAXPROCS=1", "-o", "/dev/null", "-e", "trace=renameat2", "-e", fmt.Sprintf("inject=renameat2:signal=KILL:when=%d", place), bin, doing)
		all, err := filepath.Glob(filepath.Join(dir, ".pai_history/transactions/*.pending"))
		if err != nil {
			t.Fatal(err)
		}
		if len(all) == 1 {
			return all[0]
		}
		again := map[string]string{"--yes": "--undo", "--undo": "--yes"}[doing]
		run(bin, again)
	}
	t.Fatal("no commit was interrupted")
	return ""
}

func TestRecoveryFaults(t *testing.T) {
	if n := recoveryFaults(t, user{}, []string{"renameat2"}, []string{"EIO"}, 40); n == 0 {
		t.Error("nothing was made to fail")
	}
}

func undoTree(t *testing.T, dir string) {
	t.Helper()
	undoWrite(t, dir, map[string]string{"m": "before\n", "x": "x\n", "y": "y\n", "tree/1/f": "f\n", "tree/g": "g\n"})
}

func undoWrite(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUndoFaults(t *testing.T) {
	undoFaults(t, user{}, false, []string{"renameat2"}, []string{"EIO"}, 40)
	undoFaults(t, user{}, true, []string{"renameat2"}, []string{"EIO"}, 40)
}
