package overlay

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/cmd/pai-exec/internal/journal"
	"paicode/pkg/scripttest"
	"paicode/pkg/turn"
)

const canary = "canary in a coal mine"

// trap makes a project full of traps and returns its root and what is
// around it.
func trap(t testing.TB) (around, root string) {
	t.Helper()
	around = t.TempDir()
	root = filepath.Join(around, "project")
	for name, text := range map[string]string{
		"outside": canary, "project-evil/x": canary,
		"project/main.py": "print(1)\n", "project/src/a.py": "a\n", "project/src/deep/b.py": "b\n",
		"project/.git/config": canary, "project/.env": canary, "project/src/.env.local": canary, "project/id_rsa": canary,
		"project/src/.git/HEAD": canary, "project/venv/lib/x": canary,
	} {
		p := filepath.Join(around, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"up": "..", "evil": "../project-evil", "abs": around, "safe": ".git", "env": "src/../.env", "in": "src", "loop": "loop",
		"src/back": "../main.py", "src/out": "../../outside",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	return around, root
}

// guarded reads everything in and around the project that the guard must
// keep: what is outside, and what is denied.
func guarded(t testing.TB, around string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(around, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(around, p)
		inside, isInside := strings.CutPrefix(rel, "project/")
		secret := !isInside
		for _, part := range strings.Split(inside, "/") {
			secret = secret || guard.DenyRule("", part) != ""
		}
		if !secret || strings.HasPrefix(inside, ".pai_history/") {
			return nil
		}
		data, err := os.ReadFile(p)
		b.WriteString(rel + "=" + string(data) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// FuzzGuard does steps with paths of every kind on a project full of traps,
// and commits them: nothing outside or denied is read or changed.
func FuzzGuard(f *testing.F) {
	actions := turn.Actions()
	for i := range actions {
		for _, p := range []string{"main.py", "in/a.py", "up/outside", "../outside", "safe/config", "env", "src/out", "src/back", "loop",
			".GIT/config", "src", "venv", "new/x", "in", "abs/outside", "src/.env.local", "evil/x", "./main.py", "src/./deep"} {
			f.Add(i, p, "moved/"+p, i, "src/deep")
			f.Add(i, p, "in/x", 7, p)
		}
	}
	f.Fuzz(func(t *testing.T, first int, target, destination string, second int, other string) {
		around, dir := trap(t)
		before := guarded(t, around)
		root, err := disk.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		tree := NewTree(root, Options{MaxFileBytes: DefaultMaxFileBytes})
		content := "x\n"
		steps := []turn.Step{
			{Action: actions[uint(first)%10], Target: target, Destination: destination},
			{Action: actions[uint(second)%10], Target: other, Destination: target},
		}
		for i, s := range steps {
			if s.Action != turn.ActionMove {
				s.Destination = ""
			}
			if s.Action == turn.ActionWrite || s.Action == turn.ActionModify {
				s.Content = &content
			}
			if guard.CheckStep(s, &guard.Rules{}) != nil {
				return
			}
			result, err := tree.Do(i, s, false)
			if strings.Contains(result.Output, canary) {
				t.Fatalf("%s %q read a secret", s.Action, s.Target)
			}
			if err != nil {
				return
			}
		}
		net, err := tree.Net()
		if err != nil {
			return
		}
		for _, f := range net.Files {
			if patch, _ := f.Unified(f.Diff(), true); strings.Contains(patch, canary) && !strings.Contains(patch, "venv") {
				t.Fatalf("a secret stands in a diff: %s", patch)
			}
		}
		if _, err := journal.New(root, guard.Rules{}, journal.Outside{}).Commit(t.Context(), net.Ops, net.Paths, journal.Options{NoSync: true}); err != nil {
			t.Logf("commit: %v", err)
		}
		if after := guarded(t, around); guardedButEnvironments(after) != guardedButEnvironments(before) {
			t.Fatalf("steps %+v changed what is guarded:\n%s\nbefore:\n%s", steps, after, before)
		}
	})
}

// guardedButEnvironments leaves out what may be included with a directory.
func guardedButEnvironments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "venv/") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// TestCommitTakesBack proves that a failure in the middle of a commit leaves
// the tree before.
func TestCommitTakesBack(t *testing.T) {
	_, dir := trap(t)
	root, err := disk.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	tree := NewTree(root, Options{MaxFileBytes: DefaultMaxFileBytes})
	content := "new\n"
	for i, s := range []turn.Step{
		{Action: turn.ActionModify, Target: "main.py", Content: &content},
		{Action: turn.ActionWrite, Target: "made/x", Content: &content},
		{Action: turn.ActionMove, Target: "src/a.py", Destination: "made/a.py"},
		{Action: turn.ActionRemove, Target: "src/deep"},
		{Action: turn.ActionWrite, Target: "last", Content: &content},
	} {
		if _, err := tree.Do(i, s, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "last"), []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.New(root, guard.Rules{}, journal.Outside{}).Commit(t.Context(), tree.ops, nil, journal.Options{}); err == nil {
		t.Fatal("a WRITE went over a file that came meanwhile")
	}
	for name, want := range map[string]string{"main.py": "print(1)\n", "src/a.py": "a\n", "src/deep/b.py": "b\n", "last": "theirs"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
		t.Error("the directory made stayed")
	}
	left, err := os.ReadDir(filepath.Join(dir, ".pai_history", "transactions"))
	if err != nil || len(left) != 0 {
		t.Errorf("the transaction's directory stayed: %v, %v", left, err)
	}
}

// FuzzUndo applies steps of every kind and undoes them: the tree is the one
// before.
func FuzzUndo(f *testing.F) {
	paths := []string{"main.py", "in/a.py", "src", "new/x", "src/back", "loop", "src/deep", "made/deep/y", "up"}
	for i, p := range paths {
		for j, q := range paths {
			f.Add(i, p, q, j, q, "z"+p)
		}
	}
	actions := turn.Actions()
	f.Fuzz(func(t *testing.T, first int, target, destination string, second int, other, another string) {
		_, dir := trap(t)
		before, err := scripttest.HashTree(dir)
		if err != nil {
			t.Fatal(err)
		}
		root, err := disk.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		tree := NewTree(root, Options{MaxFileBytes: DefaultMaxFileBytes})
		content := "x\n"
		for i, s := range []turn.Step{
			{Action: actions[uint(first)%10], Target: target, Destination: destination},
			{Action: actions[uint(second)%10], Target: other, Destination: another},
			{Action: turn.ActionWrite, Target: "added/here"},
			{Action: turn.ActionModify, Target: "src/a.py"},
		} {
			if s.Action != turn.ActionMove {
				s.Destination = ""
			}
			if s.Action == turn.ActionWrite || s.Action == turn.ActionModify {
				s.Content = &content
			}
			if guard.CheckStep(s, &guard.Rules{}) != nil {
				return
			}
			if _, err := tree.Do(i, s, false); err != nil {
				return
			}
		}
		net, err := tree.Net()
		if err != nil {
			return
		}
		o := journal.Options{LockWait: time.Second, KeepFor: time.Hour, KeepBytes: 1 << 30, NoSync: true}
		id, err := journal.New(root, guard.Rules{}, journal.Outside{}).Commit(t.Context(), net.Ops, net.Paths, o)
		if err == nil && id != "" {
			_, err = journal.New(root, guard.Rules{}, journal.Outside{}).Undo(t.Context(), id, false, "", time.Second)
		}
		if err != nil {
			t.Fatal(err)
		}
		after, err := scripttest.HashTree(dir)
		if err != nil || after != before {
			t.Fatalf("undoing didn't give the tree before: %v", err)
		}
	})
}
