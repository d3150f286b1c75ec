package scripttest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// typist runs a program on a terminal of its own: typist CODE DIALOGUE PROGRAM ARG... . The
// dialogue is a file of lines: "? REGEXP" waits until that shows behind what showed before,
// "< TEXT" types a quoted Go string, "ready" waits until a question takes keys, "sleep DURATION" does
// nothing for a while, "resize COLUMNS ROWS" gives the terminal another size, "signal NAME" sends
// the job in the foreground a signal, "hangup" takes the terminal away. What showed is in $WORK/screen then.
func typist(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: typist CODE DIALOGUE PROGRAM ARG...")
	}
	master, slave, err := openPTY()
	ts.Check(err)
	defer master.Close()
	cmd := exec.Command("/bin/sh", append([]string{"-c", `exec "$0" "$@"`}, args[2:]...)...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), environment(ts)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		ts.Fatalf("%v", err)
	}
	slave.Close()
	s, watched := &screen{}, make(chan struct{})
	go func() {
		defer close(watched)
		s.watch(master)
	}()
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		if err := s.play(master, strings.TrimRight(line, "\n")); err != nil {
			_ = cmd.Process.Kill()
			ts.Fatalf("%v; the screen shows\n%s", err, s.text())
		}
	}
	ended := time.AfterFunc(longest, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	ended.Stop()
	select {
	case <-watched: // what it printed last is on the screen, too
	case <-time.After(longest): // something it left behind holds the terminal
	}
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), "screen"), []byte(s.text()), 0o644))
	if code := cmd.ProcessState.ExitCode(); code != number(ts, args[0]) {
		ts.Fatalf("exit code %d, want %s (%v); the screen shows\n%s", code, args[0], err, s.text())
	}
}

// longest is how long a dialogue waits for one line.
const longest = 30 * time.Second

func environment(ts *testscript.TestScript) (env []string) {
	for _, name := range []string{"HOME", "PATH", "TMPDIR", "WORK", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL",
		"PAI_MODEL", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "GOCOVERDIR", "EDITOR", "VISUAL", "PAGER", "ACCESSIBLE",
		"NO_COLOR"} {
		if value := ts.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return append(env, "TERM="+cmp.Or(ts.Getenv("TERM"), "xterm-256color"))
}

// screen is all that a program printed on its terminal.
type screen struct {
	mu   sync.Mutex
	data bytes.Buffer
	seen int // how much of it the dialogue went past
}

func (s *screen) watch(master *os.File) {
	buffer := make([]byte, 4096)
	for {
		n, err := master.Read(buffer)
		s.mu.Lock()
		s.data.Write(buffer[:n])
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.data.String()
}

// play does one line of a dialogue.
func (s *screen) play(master *os.File, line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "":
		return nil
	case "?":
		return s.wait(rest)
	case "<":
		text, err := strconv.Unquote(rest)
		if err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
		_, err = master.WriteString(text)
		return err
	case "ready":
		return s.wait(`\x1b\[\?25h`)
	case "sleep":
		d, err := time.ParseDuration(rest)
		time.Sleep(d)
		return err
	case "resize":
		var size unix.Winsize
		if _, err := fmt.Sscan(rest, &size.Col, &size.Row); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
		return control(master, func(fd int) error { return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &size) })
	case "signal":
		return control(master, func(fd int) error {
			job, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
			if err != nil {
				return err
			}
			return unix.Kill(-job, unix.SignalNum("SIG"+rest))
		})
	case "hangup":
		return master.Close()
	}
	return fmt.Errorf("unknown line %q", line)
}

func (s *screen) wait(expression string) error {
	form, err := regexp.Compile(expression)
	if err != nil {
		return err
	}
	for end := time.Now().Add(longest); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		text := s.text()
		if at := form.FindStringIndex(text[s.seen:]); at != nil {
			s.seen += at[1]
			return nil
		}
	}
	return fmt.Errorf("%q doesn't show", expression)
}

// openPTY opens a new terminal, its two ends. The first isn't waited for by system calls, so
// that it can be closed at any time.
func openPTY() (master, slave *os.File, err error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	master = os.NewFile(uintptr(fd), "terminal")
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	return master, slave, err
}

// control calls f with the descriptor of a file, which stays as it is.
func control(file *os.File, f func(fd int) error) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	err = raw.Control(func(fd uintptr) { inner = f(int(fd)) })
	return errors.Join(err, inner)
}
