//go:build soak

package disk

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"paicode/pkg/turn"
)

// TestSoakEntries has a directory of a million entries listed, and one more refused.
func TestSoakEntries(t *testing.T) {
	dir := t.TempDir()
	root, err := OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for i := range maxEntries {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if names, _, err := root.List("."); err != nil || len(names) != maxEntries {
		t.Fatalf("%d entries, %v", len(names), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "more"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := root.List("."); turn.AsError(err).Code != turn.CodeRejected {
		t.Fatalf("one more: %v", err)
	}
}
