package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paicode/pkg/turn"
)

func TestDenyRule(t *testing.T) {
	for name, denied := range map[string]bool{
		".git": true, ".GIT": true, "git~1": true, ".git ": true, ".git.": true, ".git:stream": true, ".g\u200cit": true,
		"．ｇｉｔ": true, ".gi\u0074\u00ad": true, ".vſcode": true, "\u212Aey": false, "server.\u212Aey": true,
		".env": true, ".env.local": true, ".ENV.production": true, ".env.example": false, ".env.sample": false, ".env.template": false,
		"venv": true, ".venv": true, "VENV": true, "__pycache__": true, "node_modules": true, ".pai_history": true, ".idea": true, ".vscode": true,
		"id_rsa": true, "id_ed25519": true, "id_rsa.bak": true, "id_rsa.pub": false, "a.pem": true, "b.KEY": true,
		".ssh": true, ".aws": true, ".gnupg": true, ".netrc": true, ".pypirc": true, "credentials.json": true, "credentials-x.json": true,
		"..foo": false, ".gitignore": false, ".github": false, "my.git": false, "venv.py": false, "monkey": false, "keys.txt": false,
		"می\u200cخواهم": false, "🐍.py": false, ".envrc": false, "credentials.py": false,
	} {
		if got := denyRule(name) != ""; got != denied {
			t.Errorf("%q denied: %v, want %v", name, got, denied)
		}
	}
}

const canary = "canary in a coal mine"

// trap makes a project full of traps and returns its root and what lies
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
// keep: what lies outside, and what is denied.
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
			secret = secret || denyRule(part) != ""
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
		root, err := OpenRoot(dir, Rules{})
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
			if CheckStep(s, &Rules{}) != nil {
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
		if _, err := tree.Commit(net, CommitOptions{NoSync: true}); err != nil {
			t.Logf("commit: %v", err)
		}
		if after := guarded(t, around); guardedButEnvironments(after) != guardedButEnvironments(before) {
			t.Fatalf("steps %+v changed what is guarded:\n%s\nbefore:\n%s", steps, after, before)
		}
	})
}

// guardedButEnvironments leaves out what may go along with a directory.
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
	root, err := OpenRoot(dir, Rules{})
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
	if _, err := tree.Commit(Net{}, CommitOptions{}); err == nil {
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

// TestWalkWithoutOpenat2 runs the resolver's other way.
func TestWalkWithoutOpenat2(t *testing.T) {
	_, dir := trap(t)
	root, err := OpenRoot(dir, Rules{})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	root.walk = true
	for p, want := range map[string]string{
		"main.py": "", "in/deep/b.py": "", "up/outside": "leads outside", "safe/config": "git's own data", "src/out": "leads outside", "loop": "too many links",
	} {
		tree := NewTree(root, Options{MaxFileBytes: DefaultMaxFileBytes})
		_, err := tree.Do(0, turn.Step{Action: turn.ActionRead, Target: p}, false)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("READ %s: %v, want %q", p, err, want)
		}
	}
	if _, err := root.open("in/a.py", 0, 0); err == nil {
		t.Error("the walk followed a link")
	}
}
