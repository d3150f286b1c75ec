package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"paicode/pkg/scripttest"
)

// TestSyncsBeforeItRenames has the new files on the disk before the first of
// them is put in place, however the changes are mixed.
func TestSyncsBeforeItRenames(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("no strace")
	}
	const journal = 2 // the syncs of the journal and of its directory
	bin := filepath.Join(scripttest.Build(t), "pai-exec")
	for _, folders := range []int{0, 40} {
		var steps []string
		for i := range folders {
			steps = append(steps, fmt.Sprintf(`{"action": "MKDIR", "target": "d%d"}`, i))
		}
		for i := range 5 {
			steps = append(steps, fmt.Sprintf(`{"action": "WRITE", "target": "f%d", "content": "x"}`, i))
		}
		log := filepath.Join(t.TempDir(), "log")
		cmd := exec.Command("strace", "-f", "-qq", "-o", log, "-e", "trace=fsync,syncfs,renameat2", bin)
		cmd.Dir, cmd.Stdin = t.TempDir(), strings.NewReader(`{"execution_plan": {"steps": [`+strings.Join(steps, ",")+`]}}`)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		traced, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		before, _, renamed := strings.Cut(string(traced), `.pending", RENAME_NOREPLACE) = 0`)
		synced := strings.Contains(before, "syncfs(") || strings.Count(before, "fsync(") == journal+5
		if !renamed || !synced {
			t.Errorf("with %d folders the files were not synced before the transaction began:\n%s", folders, traced)
		}
	}
}
