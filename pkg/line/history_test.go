package line

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	h := OpenHistory(path)
	for _, line := range []string{"one", "two\nlines", " not remembered", "", "two\nlines", "one"} {
		h.Add(line)
	}
	if got := fmt.Sprintf("%q", OpenHistory(path).entries()); got != `["one" "two\nlines" "one"]` {
		t.Errorf("remembered %s", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
}

// TestHistoryShortens has many lines, and some that are none.
func TestHistoryShortens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	var all strings.Builder
	for i := range 2*maxLines + 5 {
		fmt.Fprintf(&all, "%q\n", fmt.Sprint("line ", i))
	}
	all.WriteString("not JSON\n{}\n")
	if err := os.WriteFile(path, []byte(all.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := OpenHistory(path).entries(); len(got) != maxLines || got[maxLines-1] != fmt.Sprint("line ", 2*maxLines+4) {
		t.Errorf("%d lines", len(got))
	}
	data, err := os.ReadFile(path)
	if n := strings.Count(string(data), "\n"); err != nil || n != maxLines {
		t.Errorf("the file has %d lines: %v", n, err)
	}
}

// TestHistoryElsewhere has a link in the file's place: what it leads to stays as it is.
func TestHistoryElsewhere(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(dir, "lines")); err != nil {
		t.Fatal(err)
	}
	h := OpenHistory(filepath.Join(dir, "lines"))
	h.Add("a line")
	if data, err := os.ReadFile(other); err != nil || string(data) != "mine\n" {
		t.Errorf("%q, %v", data, err)
	}
	if len(h.entries()) != 1 {
		t.Error("the session forgets it")
	}
}
