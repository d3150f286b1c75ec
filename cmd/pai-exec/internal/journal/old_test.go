package journal

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/pkg/history"
)

// oldTree copies a tree that the version before left behind, with inodes of today in its
// journal.
func oldTree(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "v2", name))); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "history"), filepath.Join(dir, history.Dir)); err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob(filepath.Join(dir, history.Dir, "*", "*", oldRecordFile))
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	data, err := os.ReadFile(all[0])
	if err != nil {
		t.Fatal(err)
	}
	var record map[string]any
	if err := json.Unmarshal(data, &record); err != nil {
		t.Fatal(err)
	}
	transaction := filepath.Dir(all[0])
	fd, err := unix.Open(transaction, unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if record["identity"], _, err = place(fd); err != nil {
		t.Fatal(err)
	}
	inode := func(paths ...string) float64 {
		for _, p := range paths {
			var st unix.Stat_t
			if unix.Lstat(p, &st) == nil {
				return float64(st.Ino)
			}
		}
		t.Fatal(paths)
		return 0
	}
	for i, o := range record["ops"].([]any) {
		switch o := o.(map[string]any); o["kind"] {
		case "put":
			o["ino"] = inode(filepath.Join(dir, o["path"].(string)))
		case "replace":
			o["ino"] = inode(filepath.Join(dir, o["path"].(string)))
			o["old_ino"] = inode(filepath.Join(transaction, fmt.Sprint(i)))
		case "rename":
			o["ino"] = inode(filepath.Join(dir, o["to"].(string)), filepath.Join(dir, o["path"].(string)))
		}
	}
	// Its keys are in an order, the version first.
	rest, err := json.Marshal(map[string]any{"identity": record["identity"], "ops": record["ops"], "paths": record["paths"]})
	if err == nil {
		err = os.WriteFile(all[0], append([]byte(`{"version":2,`), rest[1:]...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestOldProgress has the note of how far a transaction got say less than was done. It
// had no hash then.
func TestOldProgress(t *testing.T) {
	for _, made := range []string{"+3", "+2", "+0"} {
		dir := oldTree(t, "pending")
		all, err := filepath.Glob(filepath.Join(dir, history.Dir, "*", "*", "+4"))
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		if err := os.Rename(all[0], filepath.Join(filepath.Dir(all[0]), made)); err != nil {
			t.Fatal(err)
		}
		root, err := disk.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		_, _, err = New(root, guard.Rules{}, Outside{}).Recover(time.Second)
		_, lost := os.Stat(filepath.Join(filepath.Dir(all[0]), "4/e/f"))
		if err == nil || !strings.Contains(err.Error(), "can't be rolled back") || lost != nil {
			t.Errorf("%s: %v, %v", made, err, lost)
		}
	}
}

// TestOldJournals recovers and undoes what the version before wrote.
func TestOldJournals(t *testing.T) {
	for _, name := range []string{"pending", "applied"} {
		dir := oldTree(t, name)
		root, err := disk.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		j := New(root, guard.Rules{}, Outside{})
		notices, _, err := j.Recover(time.Second)
		if err != nil {
			t.Fatal(name, err)
		}
		if name == "pending" && (len(notices) != 1 || !strings.HasPrefix(notices[0], "took back the transaction 2026")) {
			t.Errorf("recovery says %q", notices)
		}
		if name == "applied" {
			log, err := j.Log()
			if err != nil || len(log) != 1 || log[0].Time.Year() != 2026 || log[0].State != "applied" {
				t.Errorf("the log is %v, %v", log, err)
			}
			if _, err := j.Undo(t.Context(), "", false, "", time.Second); err != nil {
				t.Fatal(err)
			}
		}
		for file, want := range map[string]string{"m": "m\n", "x": "x\n", "y": "y\n", "d/e/f": "f\n"} {
			if got, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(got) != want {
				t.Errorf("%s: %s holds %q, %v", name, file, got, err)
			}
		}
		for _, file := range []string{"new", "z"} {
			if _, err := os.Lstat(filepath.Join(dir, file)); err == nil {
				t.Errorf("%s: %s is there", name, file)
			}
		}
	}
}
