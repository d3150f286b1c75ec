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

// churn observes a project so many times beside a build that makes and removes its folders.
func churn(t *testing.T, runs int) {
	t.Helper()
	bin := filepath.Join(scripttest.Build(t), "pai-exec")
	dir := t.TempDir()
	for i := range 100 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.py", i)), []byte("x = 1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("sh", "-c", `while ! test -e stop; do for i in 1 2 3 4 5 6 7 8; do mkdir -p build/o$i/p && echo x > build/o$i/p/a.py && ln -s p build/o$i/l; done; rm -rf build/o*; done`)
	build.Dir = dir
	if err := build.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { // by its own accord: what it started must have ended too before the folder goes
		if err := os.WriteFile(filepath.Join(dir, "stop"), nil, 0o644); err != nil {
			_ = build.Process.Kill()
		}
		_ = build.Wait()
	}()
	failed := make(map[string]int)
	for range runs {
		cmd := exec.Command(bin, "--observe")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader("change f1")
		var said strings.Builder
		cmd.Stderr = &said
		if cmd.Run() != nil {
			failed[said.String()]++
		}
	}
	if len(failed) > 0 {
		t.Errorf("of %d runs failed: %v", runs, failed)
	}
}

// TestChurn fails with the first folder that vanishes while it is read: one in ten runs did.
func TestChurn(t *testing.T) { churn(t, 100) }
