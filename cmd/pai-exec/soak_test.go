//go:build soak

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"paicode/pkg/scripttest"
)

func TestSoakKill(t *testing.T) { killCommits(t, 1000, 200) }

func TestSoakSweepKills(t *testing.T) {
	sweepKills(t, shapes, "renameat2", "unlinkat", "mkdirat", "syncfs", "write", "openat")
}

func TestSoakChurn(t *testing.T) { churn(t, 10_000) }

// TestSoakFaults has every system call of a commit that can change something
// fail in every place, in every way: the tree is the one before or the one
// after, and a success means the one after.
func TestSoakFaults(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("no strace")
	}
	const most = 60 // of the places where one call is made to fail
	bin := filepath.Join(scripttest.Build(t), "pai-exec")
	dir, plan := t.TempDir(), killPlan(t, 9)
	killTree(t, dir, 9)
	before := hashTree(t, dir)
	run := func(command ...string) ([]byte, int) {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir, cmd.Stdin = dir, bytes.NewReader(plan)
		out, _ := cmd.CombinedOutput()
		return out, cmd.ProcessState.ExitCode()
	}
	if out, code := run(bin, "--yes"); code != 0 {
		t.Fatalf("%s", out)
	}
	after := hashTree(t, dir)
	run(bin, "--undo")
	log := filepath.Join(t.TempDir(), "strace")
	faults, applied := 0, 0
	for _, call := range []string{"openat", "openat2", "mkdirat", "renameat2", "write", "fsync", "syncfs", "fchmod", "unlinkat", "ftruncate"} {
		for _, fault := range []string{"ENOSPC", "EACCES", "EROFS", "EMFILE", "EIO"} {
			for place := 1; place <= most; place++ {
				out, code := run("strace", "-f", "-qq", "-o", log, "-e", "trace="+call, "-e",
					fmt.Sprintf("inject=%s:error=%s:when=%d", call, fault, place), bin, "--yes")
				traced, err := os.ReadFile(log)
				if err != nil {
					t.Fatal(err)
				}
				if code == 0 && hashTree(t, dir) != after {
					t.Fatalf("%s of %s %d: success without the change", fault, call, place)
				}
				run(bin, "--log")
				switch hashTree(t, dir) {
				case before:
				case after:
					applied++
					if out, code := run(bin, "--undo"); code != 0 || hashTree(t, dir) != before {
						t.Fatalf("%s of %s %d: can't be undone: %s", fault, call, place, out)
					}
				default:
					t.Fatalf("%s of %s %d: the tree is torn; it said\n%s", fault, call, place, out)
				}
				if !bytes.Contains(traced, []byte("(INJECTED)")) {
					break
				}
				faults++
			}
		}
	}
	t.Logf("%d faults injected: 0 losses; %d times the change was made all the same", faults, applied)
}

func TestSoakRot(t *testing.T) {
	for _, who := range users() {
		for name, at := range rotten() {
			refused, mended := rot(t, who, 3, at.place, at.undo)
			t.Logf("as %s, %s: %d changed journals: %d refused, %d taken back, 0 torn trees", who, name, refused+mended, refused, mended)
		}
	}
}

// TestSoakUndoFaults has every system call of an undo, and of a recovery, fail in every place.
func TestSoakUndoFaults(t *testing.T) {
	faults := []string{"EIO", "ENOSPC", "EACCES"}
	calls := []string{"openat", "openat2", "mkdirat", "renameat2", "write", "fsync", "syncfs", "fchmod", "unlinkat", "ftruncate", "newfstatat", "statx"}
	for _, who := range users() {
		for _, force := range []bool{false, true} {
			n := undoFaults(t, who, force, calls, faults, 60)
			t.Logf("as %s: %d faults injected, force %v: 0 trees between that nothing mends", who, n, force)
		}
		t.Logf("as %s: %d faults injected into recovery: 0 trees between that nothing mends", who, recoveryFaults(t, who, calls, faults, 60))
	}
}

// TestSoakSwap swaps directories and files with links to what is outside
// and to secrets, while pai-exec reads and changes them.
func TestSoakSwap(t *testing.T) {
	const long = 60 * time.Second
	const canary = "canary in a coal mine"
	bin := filepath.Join(scripttest.Build(t), "pai-exec")
	around := t.TempDir()
	root, outside := filepath.Join(around, "project"), filepath.Join(around, "outside")
	for name, text := range map[string]string{"outside/f": canary, "outside/secret": canary, "project/d/f": "text\n",
		"project/.env": canary, "project/f": "text\n", "project/d/sub/g": "text\n"} {
		p := filepath.Join(around, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"evil-d": "../outside", "evil-f": ".env"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	guarded := hashTree(t, outside)
	plan := []byte(`{"execution_plan": {"steps": [
		{"action": "READ", "target": "d/f"}, {"action": "READ", "target": "f"}, {"action": "TREE", "target": "d"},
		{"action": "MODIFY", "target": "d/f", "content": "text\nmore\n"}, {"action": "MODIFY", "target": "f", "content": "more\n"},
		{"action": "WRITE", "target": "d/new", "content": "x"}, {"action": "RM", "target": "d/sub"}]}}`)
	stop := make(chan struct{})
	var swaps int
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			for _, pair := range [][2]string{{"d", "evil-d"}, {"f", "evil-f"}} {
				unix.Renameat2(unix.AT_FDCWD, filepath.Join(root, pair[0]), unix.AT_FDCWD, filepath.Join(root, pair[1]), unix.RENAME_EXCHANGE)
				swaps++
			}
		}
	})
	codes := make(map[int]int)
	for deadline := time.Now().Add(long); time.Now().Before(deadline); {
		cmd := exec.Command(bin, "--yes", "--no-sync", "--no-landlock")
		cmd.Dir, cmd.Stdin = root, bytes.NewReader(plan)
		out, _ := cmd.CombinedOutput()
		codes[cmd.ProcessState.ExitCode()]++
		if bytes.Contains(out, []byte(canary)) {
			t.Fatalf("a secret was read:\n%s", out)
		}
		if hashTree(t, outside) != guarded {
			t.Fatal("something outside changed")
		}
		if cmd.ProcessState.ExitCode() == 0 {
			undo := exec.Command(bin, "--undo", "--force", "--no-landlock")
			undo.Dir = root
			undo.Run()
		}
	}
	close(stop)
	wg.Wait()
	secret, err := os.ReadFile(filepath.Join(root, ".env"))
	if other, otherErr := os.ReadFile(filepath.Join(root, "f")); err != nil && otherErr == nil {
		secret, err = other, nil
	}
	if err != nil || string(secret) != canary {
		t.Errorf("the secret holds %q, %v", secret, err)
	}
	t.Logf("%d swaps in %s: 0 reads and 0 writes outside; exit codes %v", swaps, long, codes)
}

// TestSoakInstances has eight instances change one file: those that report
// success did, one after the other, and the others changed nothing.
func TestSoakInstances(t *testing.T) {
	bin := filepath.Join(scripttest.Build(t), "pai-exec")
	applied, stale := 0, 0
	for range 40 {
		dir := t.TempDir()
		file := filepath.Join(dir, "list")
		if err := os.WriteFile(file, []byte("end\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		var want []string
		for i := range 8 {
			wg.Go(func() {
				plan := fmt.Sprintf(`{"execution_plan": {"steps": [{"action": "MODIFY", "target": "list", "edits": [{"search": "end\n", "replace": "line %d\nend\n"}]},
					{"action": "WRITE", "target": "own%d/file", "content": "x"}]}}`, i, i)
				cmd := exec.Command(bin)
				cmd.Dir, cmd.Stdin = dir, strings.NewReader(plan)
				out, _ := cmd.CombinedOutput()
				mu.Lock()
				defer mu.Unlock()
				switch code := cmd.ProcessState.ExitCode(); code {
				case 0:
					want = append(want, fmt.Sprintf("line %d\n", i))
				case 6:
					stale++
					if _, err := os.Stat(filepath.Join(dir, fmt.Sprintf("own%d", i))); err == nil {
						t.Errorf("instance %d was refused and changed something", i)
					}
				default:
					t.Errorf("instance %d: exit code %d\n%s", i, code, out)
				}
			})
		}
		wg.Wait()
		applied += len(want)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Collect(strings.Lines(strings.TrimSuffix(string(data), "end\n")))
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("the file holds %q, the instances that succeeded wrote %q", got, want)
		}
	}
	t.Logf("320 runs, eight at a time: %d applied, %d refused as stale, the results equal an order of them", applied, stale)
}

// TestSoakLargeFile removes a file of more than 1 GB, as --max-file-bytes allows.
func TestSoakLargeFile(t *testing.T) {
	cmd := exec.Command(filepath.Join(scripttest.Build(t), "pai-exec"), "--yes", "--max-file-bytes", "2000000000")
	cmd.Dir, cmd.Stdin = t.TempDir(), strings.NewReader(`{"execution_plan": {"steps": [{"action": "RM", "target": "large"}]}}`)
	large := filepath.Join(cmd.Dir, "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 1_100_000_000); err != nil {
		t.Fatal(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := os.Lstat(large); err == nil {
		t.Error("the file is still there")
	}
}

// TestSoakScale prints time and memory of large work, and holds its growth
// against linear.
func TestSoakScale(t *testing.T) {
	bin := filepath.Join(scripttest.Build(t), "pai-exec")
	run := func(dir, plan string, args ...string) (time.Duration, int64) {
		t.Helper()
		cmd := exec.Command(bin, args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(plan)
		var out bytes.Buffer
		cmd.Stderr = &out
		start := time.Now()
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		return time.Since(start), cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
	}
	var took []time.Duration
	for _, n := range []int{1000, 10_000} {
		var steps []string
		for i := range n {
			steps = append(steps, fmt.Sprintf(`{"action": "WRITE", "target": "d%d/f%d", "content": "x\n"}`, i%50, i))
		}
		d, rss := run(t.TempDir(), `{"execution_plan": {"steps": [`+strings.Join(steps, ",")+`]}}`)
		t.Logf("%d steps: %s, %d MiB", n, d.Round(time.Millisecond), rss)
		took = append(took, d)
	}
	if took[1] > 20*took[0] {
		t.Errorf("ten times the steps took %.1f times as long", float64(took[1])/float64(took[0]))
	}
	dir := t.TempDir()
	var lines strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&lines, "line %d of a long file\n", i)
	}
	large := lines.String()
	if err := os.WriteFile(filepath.Join(dir, "lines"), []byte(large), 0o644); err != nil {
		t.Fatal(err)
	}
	d, rss := run(dir, `{"execution_plan": {"steps": [{"action": "MODIFY", "target": "lines", "edits": [{"search": "line 500000 of", "replace": "line 500000 changed of"}]}]}}`)
	t.Logf("one edit in a file of 1,000,000 lines, %d MiB: %s, %d MiB", len(large)>>20, d.Round(time.Millisecond), rss)
	huge := strings.Repeat("0123456789abcdef0123456789abcde\n", 2<<20)
	if err := os.WriteFile(filepath.Join(dir, "huge"), []byte(huge[:64<<20-5]+"last\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d, rss = run(dir, `{"execution_plan": {"steps": [{"action": "MODIFY", "target": "huge", "edits": [{"search": "last", "replace": "LAST"}]}]}}`)
	t.Logf("one edit in a file of 64 MiB: %s, %d MiB", d.Round(time.Millisecond), rss)
	for i := range 100_000 {
		p := filepath.Join(dir, "many", fmt.Sprint(i%300))
		if i < 300 {
			if err := os.MkdirAll(p, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(p, fmt.Sprint(i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d, rss = run(dir, "look around", "--observe")
	t.Logf("observation of 100,000 files: %s, %d MiB", d.Round(time.Millisecond), rss)
	d, rss = run(dir, `{"execution_plan": {"steps": [{"action": "RM", "target": "many"}]}}`, "--yes")
	t.Logf("RM of 100,000 files: %s, %d MiB", d.Round(time.Millisecond), rss)
	d, rss = run(dir, "", "--undo")
	t.Logf("undoing it: %s, %d MiB", d.Round(time.Millisecond), rss)
}
