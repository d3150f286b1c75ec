package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"paicode/pkg/scripttest"
)

// killPlan touches files in every way that a commit knows.
func killPlan(t *testing.T, files int) []byte {
	t.Helper()
	var steps []map[string]any
	add := func(step map[string]any) {
		step["step_number"] = len(steps) + 1
		steps = append(steps, step)
	}
	for i := range files {
		name := fmt.Sprintf("d%d/f%d.txt", i%7, i)
		switch i % 4 {
		case 0:
			add(map[string]any{"action": "MODIFY", "target": name, "content": fmt.Sprintf("changed %d\n", i)})
		case 1:
			add(map[string]any{"action": "MV", "target": name, "destination": fmt.Sprintf("moved/%d/f", i)})
		case 2:
			add(map[string]any{"action": "RM", "target": name})
		default:
			add(map[string]any{"action": "WRITE", "target": fmt.Sprintf("new%d/x", i), "content": "new\n"})
		}
	}
	add(map[string]any{"action": "RM", "target": "tree"})
	data, err := json.Marshal(map[string]any{"execution_plan": map[string]any{"steps": steps}})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func killTree(t *testing.T, dir string, files int) {
	t.Helper()
	for i := range files {
		for _, name := range []string{fmt.Sprintf("d%d/f%d.txt", i%7, i), fmt.Sprintf("tree/%d/x", i)} {
			p := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p, []byte("before\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// hashTree hashes a tree without Pai's own directory.
func hashTree(t *testing.T, dir string) string {
	t.Helper()
	sum, err := scripttest.HashTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// killCommits kills pai-exec at random moments of a commit: after the next
// start the tree is the one before or the one after.
func killCommits(t *testing.T, rounds, files int) {
	bin := filepath.Join(scripttest.Build(t), "pai-exec")
	dir := t.TempDir()
	killTree(t, dir, files)
	before := hashTree(t, dir)
	plan := killPlan(t, files)
	pai := func(args ...string) *exec.Cmd {
		cmd := exec.Command(bin, args...)
		cmd.Dir, cmd.Stdin = dir, bytes.NewReader(plan)
		return cmd
	}
	timed := func(args ...string) time.Duration {
		start := time.Now()
		if out, err := pai(args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return time.Since(start)
	}
	timed("--yes")
	after := hashTree(t, dir)
	undo := func() {
		if out, err := pai("--undo").CombinedOutput(); err != nil {
			t.Fatalf("undo: %v\n%s", err, out)
		}
		if hashTree(t, dir) != before {
			t.Fatal("undo didn't give the tree before")
		}
	}
	undo()
	modes := [][]string{{"--yes"}, {"--yes", "--no-sync"}}
	var whole []time.Duration
	for _, args := range modes {
		whole = append(whole, timed(args...))
		undo()
	}
	r := rand.New(rand.NewPCG(5, uint64(rounds)))
	made, midway := 0, 0
	for i := range rounds {
		cmd := pai(modes[i%2]...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.Int64N(int64(whole[i%2]))))
		cmd.Process.Kill()
		cmd.Wait()
		torn := hashTree(t, dir)
		out, err := pai("--log").CombinedOutput()
		if err != nil {
			t.Fatalf("recovery: %v\n%s", err, out)
		}
		if torn != before && torn != after {
			midway++
			if !strings.Contains(string(out), "took back the transaction") {
				t.Fatalf("nothing was said of the recovery:\n%s", out)
			}
		}
		switch hashTree(t, dir) {
		case before:
		case after:
			made++
			undo()
		default:
			t.Fatal("the tree is torn")
		}
	}
	t.Logf("%d kills in commits of %d files: 0 torn trees; %d were caught midway and taken back, %d were made", rounds, files, midway, made)
}

func TestKill(t *testing.T) { killCommits(t, 12, 40) }

// TestKillDuringACheck kills pai-exec while a check runs, also as somebody whom
// modes hold back: the next start takes the change back.
func TestKillDuringACheck(t *testing.T) {
	bin := filepath.Join(scripttest.Build(t), "pai-exec")
	dir := t.TempDir()
	file, ready := filepath.Join(dir, "a"), filepath.Join(dir, "ready")
	if err := os.WriteFile(file, []byte("before\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	pai := func(args ...string) *exec.Cmd {
		cmd := exec.Command(bin, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir+"-state")
		cmd.Stdin = strings.NewReader(`{"execution_plan": {"steps": [{"action": "MODIFY", "target": "a", "content": "after\n"}]}}`)
		if os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		return cmd
	}
	if os.Geteuid() == 0 {
		for _, p := range []string{dir, file} {
			if err := os.Chown(p, nobody, nobody); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range []string{bin, dir} {
			for p = filepath.Dir(p); p != os.TempDir() && p != "/"; p = filepath.Dir(p) {
				os.Chmod(p, 0o755) // test folders are their maker's alone
			}
		}
	}
	cmd := pai("--check", "touch ready; sleep 60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 500 {
		if _, err := os.Stat(ready); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if text, _ := os.ReadFile(file); string(text) != "after\n" {
		t.Fatalf("the check doesn't see the change but %q", text)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if out, err := pai("--log").CombinedOutput(); err != nil || !strings.Contains(string(out), "took back the transaction") {
		t.Fatalf("recovery: %v\n%s", err, out)
	}
	if text, _ := os.ReadFile(file); string(text) != "before\n" {
		t.Fatalf("it holds %q", text)
	}
}
