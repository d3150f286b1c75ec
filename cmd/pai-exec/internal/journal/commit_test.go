package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/pkg/scripttest"
	"paicode/pkg/turn"
)

// commitOptions are those of a person who says nothing.
func commitOptions() Options {
	return Options{LockWait: time.Second, KeepFor: time.Hour, KeepBytes: 1 << 30}
}

// resolved does steps on the tree under a directory.
func resolved(t testing.TB, dir string, steps ...turn.Step) (*disk.Root, *overlay.Tree, overlay.Net) {
	t.Helper()
	root, err := disk.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(root.Close)
	tree := overlay.NewTree(root, overlay.Options{MaxFileBytes: overlay.DefaultMaxFileBytes})
	for i, s := range steps {
		if _, err := tree.Do(i, s, false); err != nil {
			t.Fatal(err)
		}
	}
	net, err := tree.Net()
	if err != nil {
		t.Fatal(err)
	}
	return root, tree, net
}

// TestAttributesStay holds owner, mode, extended attributes, and the mtime of
// what a commit doesn't change.
func TestAttributesStay(t *testing.T) {
	dir := t.TempDir()
	p, other := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, name := range []string{p, other} {
		if err := os.WriteFile(name, []byte("old\n"), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	xattrs := unix.Setxattr(p, "user.pai", []byte("kept"), 0) == nil
	owned := os.Geteuid() == 0 && os.Chown(p, 65534, 65534) == nil
	long := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(other, long, long); err != nil {
		t.Fatal(err)
	}
	content, same := "new\n", "old\n"
	root, _, net := resolved(t, dir,
		turn.Step{Action: turn.ActionModify, Target: "a", Content: &content},
		turn.Step{Action: turn.ActionModify, Target: "b", Content: &same})
	if _, err := New(root, guard.Rules{}, Outside{}).Commit(t.Context(), net.Ops, net.Paths, commitOptions()); err != nil {
		t.Fatal(err)
	}
	var st unix.Stat_t
	if err := unix.Stat(p, &st); err != nil || st.Mode&0o777 != 0o640 || owned && (st.Uid != 65534 || st.Gid != 65534) {
		t.Errorf("mode %o, owner %d:%d, %v", st.Mode&0o777, st.Uid, st.Gid, err)
	}
	value := make([]byte, 10)
	if n, err := unix.Getxattr(p, "user.pai", value); xattrs && (err != nil || string(value[:n]) != "kept") {
		t.Errorf("the attribute holds %q, %v", value[:max(n, 0)], err)
	}
	if info, err := os.Stat(other); err != nil || !info.ModTime().Equal(long) {
		t.Errorf("what didn't change has the time %v, %v", info.ModTime(), err)
	}
}

// TestSaveInTheLastMoment has somebody save a file between the comparison and
// the commit: the save stays, and nothing else is changed.
func TestSaveInTheLastMoment(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	content := "new\n"
	root, _, net := resolved(t, dir,
		turn.Step{Action: turn.ActionModify, Target: "a", Content: &content},
		turn.Step{Action: turn.ActionModify, Target: "b", Content: &content})
	h, err := New(root, guard.Rules{}, Outside{}).hold(t.Context(), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	c, err := h.begin(t.Context(), net.Ops, net.Paths, true)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if err := os.WriteFile(filepath.Join(dir, "b"), []byte("saved\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	err = c.takeBack(c.makeAll(t.Context()))
	if stale, ok := err.(*disk.StaleError); !ok || strings.Join(stale.Paths, " ") != "b" {
		t.Errorf("the error is %v", err)
	}
	for name, want := range map[string]string{"a": "old\n", "b": "saved\n"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
		}
	}
}

// TestWhatCameAfter has somebody put a file into a directory, or change one in it, between the
// comparison and the moment in which it is taken away: it comes back, and nothing is changed.
func TestWhatCameAfter(t *testing.T) {
	for name, step := range map[string]turn.Step{
		"removed": {Action: turn.ActionRemove, Target: "d"},
		"moved":   {Action: turn.ActionMove, Target: "d", Destination: "e"},
	} {
		for what, change := range map[string]func(dir string) error{
			"a new file": func(dir string) error {
				return os.WriteFile(filepath.Join(dir, "d/sub/.env"), []byte("secret\n"), 0o600)
			},
			"a changed file": func(dir string) error { return os.WriteFile(filepath.Join(dir, "d/sub/f"), []byte("saved\n"), 0o600) },
			"a touched file": func(dir string) error { return os.Chmod(filepath.Join(dir, "d/sub/f"), 0o640) },
			"a removed one":  func(dir string) error { return os.Remove(filepath.Join(dir, "d/sub/f")) },
		} {
			dir := t.TempDir()
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, "d/sub"), 0o755), os.WriteFile(filepath.Join(dir, "d/sub/f"), []byte("old\n"), 0o644),
				os.WriteFile(filepath.Join(dir, "d/a"), nil, 0o644), os.WriteFile(filepath.Join(dir, "d/z"), nil, 0o644), os.WriteFile(filepath.Join(dir, "d/sub/g"), nil, 0o644)); err != nil {
				t.Fatal(err)
			}
			root, _, net := resolved(t, dir, step)
			if strings.HasPrefix(what, "a new") { // before the lock is taken it is named
				if err := change(dir); err != nil {
					t.Fatal(err)
				}
				_, err := New(root, guard.Rules{}, Outside{}).Commit(t.Context(), net.Ops, net.Paths, commitOptions())
				if stale, ok := err.(*disk.StaleError); !ok || strings.Join(stale.Paths, " ") != "d/sub/.env" {
					t.Errorf("%s, %s: under the lock the error is %v", name, what, err)
				}
				if err := os.Remove(filepath.Join(dir, "d/sub/.env")); err != nil {
					t.Fatal(err)
				}
			}
			h, err := New(root, guard.Rules{}, Outside{}).hold(t.Context(), time.Second)
			if err != nil {
				t.Fatal(err)
			}
			defer h.close()
			c, err := h.begin(t.Context(), net.Ops, net.Paths, true)
			if err != nil {
				t.Fatal(err)
			}
			defer c.close()
			if err := change(dir); err != nil {
				t.Fatal(err)
			}
			after, err := scripttest.HashTree(dir)
			if err != nil {
				t.Fatal(err)
			}
			err = c.takeBack(c.makeAll(t.Context()))
			if stale, ok := err.(*disk.StaleError); !ok || strings.Join(stale.Paths, " ") != "d" {
				t.Errorf("%s, %s: the error is %v", name, what, err)
			}
			if now, err := scripttest.HashTree(dir); err != nil || now != after {
				t.Errorf("%s, %s: the tree is another", name, what)
			}
		}
	}
}

// TestLockNamesItsHolder has a second commit wait, and give up with words.
func TestLockNamesItsHolder(t *testing.T) {
	root, _, _ := resolved(t, t.TempDir())
	h, err := New(root, guard.Rules{}, Outside{}).hold(t.Context(), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	_, err = New(root, guard.Rules{}, Outside{}).hold(t.Context(), 50*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "the root is locked by pai-exec, process") {
		t.Errorf("the error is %v", err)
	}
}
