package disk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/pkg/turn"
)

// TestWalkWithoutOpenat2 runs the resolver's other way: it refuses the same.
func TestWalkWithoutOpenat2(t *testing.T) {
	around := t.TempDir()
	dir := filepath.Join(around, "project")
	for name, text := range map[string]string{"outside": "x", "project/main.py": "x", "project/src/deep/b.py": "x", "project/.git/config": "x"} {
		p := filepath.Join(around, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"up": "..", "safe": ".git", "in": "src", "loop": "loop", "src/out": "../../outside"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := disk.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	root.WithoutOpenat2()
	for p, want := range map[string]string{
		"main.py": "", "in/deep/b.py": "", "up/outside": "leads outside", "safe/config": "git's own data", "src/out": "leads outside", "loop": "too many links",
	} {
		tree := overlay.NewTree(root, overlay.Options{MaxFileBytes: overlay.DefaultMaxFileBytes})
		_, err := tree.Do(0, turn.Step{Action: turn.ActionRead, Target: p}, false)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("READ %s: %v, want %q", p, err, want)
		}
	}
	if _, err := root.Open("in/deep/b.py", 0, 0); err == nil {
		t.Error("the walk followed a link")
	}
}
