package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"paicode/pkg/model/modeltest"
	"paicode/pkg/scripttest"
)

// TestKeyStaysSecret leads a whole turn, with everything kept that can be kept,
// and looks for the key wherever it could show: among the arguments of every
// process, on both streams, in every file; and no crash of a process that has
// it may leave a core.
func TestKeyStaysSecret(t *testing.T) {
	slow := "delay: 150ms\n---\n"
	server, err := modeltest.Start("when: chat or a task\n" + slow + `{"kind": "task", "acknowledgment": "ok"}` +
		"\n===\nwhen: Plan the fewest\n" + slow + `{"goal": "x", "steps": [{"action": "WRITE", "targets": ["new.txt"], "do": "x"}]}` +
		"\n===\nwhen: Write what\n" + slow + "## 1 WRITE new.txt\n```\nnew\n```" +
		"\n===\nwhen: Propose\n" + slow + `{"suggestion": "rest"}`)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	bin, work := scripttest.Build(t), t.TempDir()
	project := filepath.Join(work, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(bin, "pai"), "--yes", "--record", filepath.Join(work, "answers"), "--cache", filepath.Join(work, "cache"),
		"--check", "env > env.txt", "write it")
	cmd.Dir = project
	cmd.Env = append(os.Environ(), "HOME="+work, "XDG_CONFIG_HOME=", "GORACE=atexit_sleep_ms=0", "GEMINI_API_KEY="+modeltest.Key, "GOOGLE_GEMINI_BASE_URL="+server.URL)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	talkers := 0
	for running := true; running; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("%v\n%s", err, out.String())
			}
			running = false
		case <-time.After(5 * time.Millisecond):
			talkers += lookAtProcesses(t, bin)
		}
	}
	if talkers < 4 {
		t.Errorf("only %d talking processes were looked at", talkers)
	}
	if strings.Contains(out.String(), modeltest.Key) {
		t.Error("the key is in what was printed")
	}
	files := 0
	err = filepath.WalkDir(work, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(p)
		if bytes.Contains(data, []byte(modeltest.Key)) {
			t.Errorf("the key is in %s", p)
		}
		return err
	})
	if err != nil || files < 12 {
		t.Errorf("%d files were looked at: %v", files, err)
	}
}

// lookAtProcesses looks at those of a directory's programs that run, and
// returns how many of them are asking.
func lookAtProcesses(t *testing.T, bin string) (talkers int) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range all {
		exe, err := os.Readlink(filepath.Join(proc, "exe"))
		if err != nil || filepath.Dir(exe) != bin {
			continue
		}
		args, _ := os.ReadFile(filepath.Join(proc, "cmdline"))
		if bytes.Contains(args, []byte(modeltest.Key)) {
			t.Errorf("the key is among the arguments: %q", args)
		}
		sockets, _ := filepath.Glob(filepath.Join(proc, "fd", "*"))
		for _, fd := range sockets {
			to, _ := os.Readlink(fd)
			limits, err := os.ReadFile(filepath.Join(proc, "limits"))
			if err != nil || !strings.HasPrefix(to, "socket:") {
				continue
			}
			talkers++
			if !regexp.MustCompile(`Max core file size +0 `).Match(limits) {
				t.Errorf("%q may leave a core dump", args)
			}
			break
		}
	}
	return talkers
}
