// Package check runs a person's checks: shell commands that must succeed on a
// change. The runner is a process of its own, which outlives pai-exec for as long
// as it takes to end what it started. It knows nothing of plans and files.
package check

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"paicode/pkg/sibling"
	"paicode/pkg/turn"
)

// DefaultTimeout bounds one check.
const DefaultTimeout = 10 * time.Minute

// Flag makes a pai-exec the runner of another's checks.
const Flag = "run-checks"

// Runner is the process that runs checks: started before pai-exec locks itself
// in, since checks need caches and temporary folders, and in a session of its
// own, so that it outlives pai-exec for as long as it takes to end a check.
type Runner struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *json.Decoder
	start started
}

// order is a line of the runner's input; it answers with a
// turn.CheckResult.
type order struct {
	Command      string `json:"command"`
	Milliseconds int64  `json:"milliseconds"`
}

// Options are where checks run, and what they may do.
type Options struct {
	Root    string   `json:"-"` // empty: the current directory
	Lock    *os.File `json:"-"` // is held by the runner as long as it lives, and by no check; nil: none
	Inside  string   `json:"inside"`
	Confine bool     `json:"confine"` // they write in the root, temporary folders and caches only
	Write   []string `json:"write"`   // and in these folders, absolute
	Offline bool     `json:"offline"` // they have no TCP
}

// InsideVariable tells what a check starts of which root it is a check, as Options.Inside does.
const InsideVariable = "PAI_CHECKED_ROOT"

// Start starts the runner. Its first line of input are its options.
func Start(o Options) (*Runner, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "--"+Flag)
	cmd.Dir = o.Root
	cmd.Env = append(withoutKeys(os.Environ()), InsideVariable+"="+o.Inside)
	if o.Lock != nil {
		cmd.ExtraFiles = []*os.File{o.Lock}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, out, err := sibling.StartPiped(cmd)
	if err != nil {
		return nil, turn.Errorf(turn.CodeInternal, "the runner of checks can't be started: %s", err)
	}
	r := &Runner{cmd: cmd, in: in, out: json.NewDecoder(out)}
	line, err := json.Marshal(o)
	if err == nil {
		_, err = in.Write(append(line, '\n'))
	}
	if err == nil {
		err = r.out.Decode(&r.start)
	}
	if err == nil && r.start.Error != "" {
		err = errors.New(r.start.Error)
	}
	if err != nil {
		r.Stop()
		return nil, turn.Errorf(turn.CodeInternal, "the runner of checks can't be started: %s", err)
	}
	return r, nil
}

// started is the runner's answer to its options.
type started struct {
	Confined bool   `json:"confined"`
	Error    string `json:"error,omitempty"`
}

// Confined reports whether checks can't write everywhere.
func (r *Runner) Confined() bool { return r.start.Confined }

// withoutKeys leaves the variables out that hold keys of models' providers.
func withoutKeys(env []string) []string {
	providers := []string{"OPENAI", "ANTHROPIC", "GEMINI", "GOOGLE_GENAI", "MISTRAL", "HF_", "HUGGING", "GROQ", "DEEPSEEK",
		"XAI_", "COHERE",
		"TOGETHER", "OPENROUTER", "AZURE_", "PAI_"}
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(v), "=")
		if strings.Contains(name, "API_KEY") || strings.Contains(name, "APIKEY") {
			return true
		}
		return (strings.Contains(name, "KEY") || strings.Contains(name, "TOKEN") && !strings.Contains(name, "TOKENS")) &&
			slices.ContainsFunc(providers, func(p string) bool { return strings.HasPrefix(name, p) })
	})
}

// run runs one check. An interruption ends it, and the runner.
func (r *Runner) run(ctx context.Context, command string, limit time.Duration) (result turn.CheckResult, err error) {
	stop := context.AfterFunc(ctx, func() {
		r.in.Close()
		time.AfterFunc(patience, r.kill)
	})
	defer stop()
	late := time.AfterFunc(limit+patience, r.kill)
	defer late.Stop()
	line, err := json.Marshal(order{command, limit.Milliseconds()})
	if err != nil {
		return result, err
	}
	if _, err = r.in.Write(append(line, '\n')); err == nil {
		err = r.out.Decode(&result)
	}
	if ctx.Err() != nil {
		return result, ctx.Err()
	}
	if err != nil {
		return result, turn.Errorf(turn.CodeInternal, "the runner of checks failed: %s", err)
	}
	return result, nil
}

// patience is for how long the runner may take to end what it runs. Then it is ended itself:
// a check may have stopped it.
const patience = 3 * time.Second

func (r *Runner) kill() { _ = r.cmd.Process.Kill() }

// Stop ends the runner, and what it may be running.
func (r *Runner) Stop() {
	if r != nil {
		r.in.Close()
		late := time.AfterFunc(patience, r.kill)
		_ = r.cmd.Wait()
		late.Stop()
	}
}

// PID is the runner's process.
func (r *Runner) PID() int { return r.cmd.Process.Pid }

// inheritedLock is where the runner has the root's lock.
const inheritedLock = 3

// Serve runs the checks that come in, one a line, until there are no
// more: then the one that runs is ended, too, with everything that it started.
func Serve(in io.Reader, out io.Writer) error {
	runtime.LockOSThread() // a child dies with the thread that started it
	// What the caller has open is no check's, and the lock is the runner's.
	_ = unix.CloseRange(inheritedLock, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
	d := json.NewDecoder(bufio.NewReader(in))
	var o Options
	if err := d.Decode(&o); err != nil {
		return err
	}
	var s started
	var err error
	if s.Confined, err = confine(o); err != nil {
		s.Error = err.Error()
	}
	if err := json.NewEncoder(out).Encode(s); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	orders := make(chan order)
	go func() {
		defer close(orders)
		for {
			var o order
			if d.Decode(&o) != nil {
				return
			}
			orders <- o
		}
	}()
	for o := range orders {
		result, ended := runOne(o, orders)
		if ended {
			return nil
		}
		if err := json.NewEncoder(out).Encode(result); err != nil {
			return err
		}
	}
	return nil
}

// runOne runs one check. ended tells that nobody waits for it any more.
func runOne(o order, orders <-chan order) (result turn.CheckResult, ended bool) {
	result.Command = o.Command
	captured := &capture{}
	read, write, err := os.Pipe()
	if err != nil {
		return turn.CheckResult{Command: o.Command, ExitCode: 126, Output: err.Error()}, false
	}
	cmd := exec.Command("/bin/sh", "-c", o.Command)
	cmd.Stdout, cmd.Stderr = write, write
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return turn.CheckResult{Command: o.Command, ExitCode: 126, Output: err.Error()}, false
	}
	write.Close()
	var copying sync.WaitGroup
	copying.Go(func() { _, _ = io.Copy(captured, read) })
	exited := make(chan struct{})
	go func() { _ = cmd.Wait(); close(exited) }()
	select {
	case <-exited:
	case <-time.After(time.Duration(o.Milliseconds) * time.Millisecond):
		result.TimedOut = true
	case <-orders: // closed
		ended = true
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	<-exited
	endChildren()
	copying.Wait()
	result.ExitCode, result.Output = exitCode(cmd.ProcessState), captured.text()
	return result, ended
}

// exitCode is a process's as a shell has it.
func exitCode(s *os.ProcessState) int {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return s.ExitCode()
}

// endChildren ends what a check left running, also what left its group: being
// orphans, they are the runner's children.
func endChildren() {
	const patience = 200 // rounds of a few milliseconds
	for range patience {
		lists, _ := filepath.Glob("/proc/self/task/*/children")
		left := 0
		for _, list := range lists {
			data, _ := os.ReadFile(list)
			for _, field := range strings.Fields(string(data)) {
				if pid, err := strconv.Atoi(field); err == nil {
					left++
					_ = syscall.Kill(pid, syscall.SIGKILL)
					_, _ = syscall.Wait4(pid, nil, 0, nil)
				}
			}
		}
		if left == 0 {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// How much of a check's output is kept, in bytes.
const (
	keptHead = 4 << 10
	keptTail = 28 << 10
)

// capture keeps the beginning and the end of what is written to it.
type capture struct {
	head, tail []byte
	size       int
}

func (c *capture) Write(p []byte) (int, error) {
	n := len(p)
	c.size += n
	if room := keptHead - len(c.head); room > 0 {
		room = min(room, len(p))
		c.head, p = append(c.head, p[:room]...), p[room:]
	}
	if c.tail = append(c.tail, p...); len(c.tail) > 2*keptTail {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-keptTail:]...)
	}
	return n, nil
}

func (c *capture) text() string {
	tail, left := c.tail, ""
	if len(tail) > keptTail {
		tail = tail[len(tail)-keptTail:]
	}
	if more := c.size - len(c.head) - len(tail); more > 0 {
		left = fmt.Sprintf("\n… %d bytes left out …\n", more)
	}
	return strings.ToValidUTF8(string(c.head)+left+string(tail), "\uFFFD")
}

// All runs commands up to the first that fails, each for so long at most, and
// tells begin of it, which returns what is called when it has ended. An error means that the runner itself failed, or
// an interruption.
func (r *Runner) All(ctx context.Context, commands []string, limit time.Duration,
	begin func(command string) (end func(passed bool))) (*turn.Check, error) {
	c := &turn.Check{Run: true, Passed: true}
	for _, command := range commands {
		end := begin(command)
		result, err := r.run(ctx, command, limit)
		end(err == nil && result.ExitCode == 0)
		if err != nil {
			return nil, err
		}
		c.Results = append(c.Results, result)
		if result.ExitCode != 0 {
			c.Passed = false
			break
		}
	}
	return c, nil
}
