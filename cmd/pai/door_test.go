package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"paicode/pkg/model/modeltest"
	"paicode/pkg/scripttest"
)

// power is a turn that changes a file. The model answers each question when a file is there to
// say so, named after the stage, or at once for "".
func power(t *testing.T, pause string) *modeltest.Server {
	t.Helper()
	server, err := modeltest.Start("when: chat or a task\n" + pause + `---
{"kind": "task", "acknowledgment": "ok"}
===
when: Plan the fewest
` + pause + `---
{"goal": "x", "steps": [{"action": "WRITE", "targets": ["new.txt"], "do": "x"}]}
===
when: Write what
` + pause + "---\n## 1 WRITE new.txt\n```\nnew\n```\n===\nwhen: Propose\n" + pause + `---
{"suggestion": "rest"}`)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

// turnCommand is a turn on a server, in a directory of its own.
func turnCommand(t *testing.T, server *modeltest.Server, program string, args ...string) *exec.Cmd {
	t.Helper()
	bin := scripttest.Build(t)
	cmd := exec.Command(program, args...)
	cmd.Dir = t.TempDir()
	state := t.TempDir()
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+state, "XDG_STATE_HOME="+state, "XDG_CONFIG_HOME="+state,
		"GEMINI_API_KEY="+modeltest.Key, "GOOGLE_GEMINI_BASE_URL="+server.URL, "PAI_TEST_MARK="+t.Name(), "GORACE=atexit_sleep_ms=0")
	return cmd
}

// TestOneTalks has a whole turn, and a pipe by hand, traced: who opens sockets that reach further
// than another process of Pai's is pai-model alone, and a turn connects once.
func TestOneTalks(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("no strace")
	}
	for name, tt := range map[string]struct {
		command string
		doors   int
	}{
		"a turn":         {`pai --yes "add a file" >../out.json`, 1},
		"a pipe by hand": {`pai-classify "add a file" | pai-plan | pai-exec --yes | pai-suggest >../out.json`, 4},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := turnCommand(t, power(t, ""), "strace", "-f", "-qq", "-e", "trace=execve,socket,connect", "-e", "signal=none", "-o", "../trace", "sh", "-c", tt.command)
			trace := filepath.Join(cmd.Dir, "../trace")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			data, err := os.ReadFile(trace)
			if err != nil {
				t.Fatal(err)
			}
			programs, talks, connects := make(map[string]string), make(map[string]bool), 0
			form := regexp.MustCompile(`^(\d+) +(execve\("([^"]*)"|socket\(AF_INET|connect\(.*AF_INET)`)
			for line := range strings.Lines(string(data)) {
				m := form.FindStringSubmatch(line)
				switch {
				case m == nil:
				case m[3] != "":
					programs[m[1]] = filepath.Base(m[3])
				case strings.HasPrefix(m[2], "connect"):
					connects++
				default:
					talks[m[1]] = true
				}
			}
			doors := 0
			for _, program := range programs {
				if program == "pai-model" {
					doors++
				}
			}
			for thread := range talks {
				if program, is := programs[thread]; is && program != "pai-model" {
					t.Errorf("%s opens a socket", program)
				}
			}
			if doors != tt.doors || connects != tt.doors {
				t.Errorf("%d of pai-model with %d connections, want %d", doors, connects, tt.doors)
			}
			if text, _ := os.ReadFile(filepath.Join(cmd.Dir, "new.txt")); string(text) != "new\n" {
				t.Errorf("new.txt holds %q", text)
			}
		})
	}
}

// ours are the processes that a test's commands left, by their numbers.
func ours(t *testing.T) (all map[int]string) {
	t.Helper()
	all = make(map[int]string)
	names, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range names {
		environ, _ := os.ReadFile(name) // it may have ended
		if !bytes.Contains(environ, []byte("PAI_TEST_MARK="+t.Name()+"\x00")) {
			continue
		}
		var pid int
		fmt.Sscanf(name, "/proc/%d/", &pid)
		comm, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "comm"))
		all[pid] = strings.TrimSpace(string(comm))
	}
	return all
}

// TestKilled kills each process of a turn with SIGKILL at each question, and a stage by hand: no
// process stays, and the file is there whole or not at all.
func TestKilled(t *testing.T) {
	for _, victim := range []string{"pai", "pai-model", "pai-classify", "pai-plan", "pai-exec", "pai-suggest"} {
		for question := range 4 {
			t.Run(fmt.Sprint(victim, question+1), func(t *testing.T) {
				t.Parallel()
				server := power(t, "delay: 200ms\n")
				cmd := turnCommand(t, server, filepath.Join(scripttest.Build(t), "pai"), "--yes", "add a file")
				var said bytes.Buffer
				cmd.Stderr = &said
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				ended := make(chan error, 1)
				go func() { ended <- cmd.Wait() }()
				killed := false
			wait:
				for !killed {
					select {
					case <-ended:
						ended <- nil
						break wait // the victim has no part in this question
					case <-time.After(5 * time.Millisecond):
					}
					if len(server.Requests()) <= question {
						continue
					}
					for pid, name := range ours(t) {
						if name == victim {
							killed = syscall.Kill(pid, syscall.SIGKILL) == nil
						}
					}
					if len(server.Requests()) > question+1 {
						break
					}
				}
				<-ended
				for end := time.Now().Add(20 * time.Second); len(ours(t)) > 0; time.Sleep(5 * time.Millisecond) {
					if time.Now().After(end) {
						t.Fatalf("still there: %v", ours(t))
					}
				}
				if text, err := os.ReadFile(filepath.Join(cmd.Dir, "new.txt")); err == nil && string(text) != "new\n" {
					t.Errorf("new.txt holds %q", text)
				}
				if victim == "pai-model" && killed && question < 3 {
					if text, _ := os.ReadFile(filepath.Join(cmd.Dir, "new.txt")); string(text) != "new\n" {
						t.Errorf("the question wasn't asked again: %s", &said)
					}
				}
			})
		}
	}
}
