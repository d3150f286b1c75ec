package model

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"paicode/pkg/sibling"
	"paicode/pkg/turn"
)

// Variable names the descriptor of a connection to a running pai-model, which a
// stage inherits from pai. Stages take it out of their environment.
const Variable = "PAI_MODEL_FD"

// ConnectionsFlag is the option by which pai-model is told the descriptor of the
// socket on which connections come to it.
const ConnectionsFlag = "connections"

// Door is a running pai-model: a child process that answers on any number of
// connections at once. It ends when the process that started it ends, however
// that happens, since its end of a socket is closed then. It is in a process
// group of its own, so that it doesn't hear the terminal's Ctrl+C.
type Door struct {
	cmd   *exec.Cmd
	to    *os.File // connections are sent on it
	ended chan struct{}
}

// Start starts pai-model with options beside those in the environment. What it and
// the programs that it runs print goes to stderr. Errors are of CodeInternal.
func Start(stderr io.Writer, args ...string) (*Door, error) {
	path, err := sibling.Find("pai-model")
	if err != nil {
		return nil, err
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, turn.Errorf(turn.CodeInternal, "no socket for pai-model: %s", err)
	}
	defer theirs.Close()
	const first = 3 // of the extra files
	cmd := exec.Command(path, append([]string{"--" + ConnectionsFlag, strconv.Itoa(first)}, args...)...)
	cmd.Stderr, cmd.ExtraFiles = stderr, []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		ours.Close()
		return nil, turn.Errorf(turn.CodeInternal, "pai-model can't be started: %s", err)
	}
	d := &Door{cmd: cmd, to: ours, ended: make(chan struct{})}
	go func() {
		defer close(d.ended)
		_ = cmd.Wait() // how it ended is told by the answers that are missing
	}()
	return d, nil
}

// Connect makes a connection, on which to ask or to be handed to a stage.
func (d *Door) Connect() (*os.File, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, turn.Errorf(turn.CodeInternal, "no connection to pai-model: %s", err)
	}
	defer theirs.Close()
	var sent error
	err = control(d.to, func(to int) {
		sent = unix.Sendmsg(to, []byte{0}, unix.UnixRights(int(theirs.Fd())), nil, unix.MSG_NOSIGNAL)
	})
	if err = errors.Join(err, sent); err != nil {
		ours.Close()
		return nil, turn.Errorf(turn.CodeModel, "pai-model has ended")
	}
	return ours, nil
}

// HungUp reports whether pai-model has closed a connection, as its end does while
// others still hold theirs.
func HungUp(conn *os.File) bool {
	gone := false
	err := control(conn, func(fd int) {
		fds := []unix.PollFd{{Fd: int32(fd)}}
		n, err := unix.Poll(fds, 0)
		gone = err == nil && n > 0 && fds[0].Revents&unix.POLLHUP != 0
	})
	return gone || err != nil
}

// Close ends the process, with all questions that are under way, and waits for it.
func (d *Door) Close() {
	if d == nil {
		return
	}
	d.to.Close()
	select {
	case <-d.ended:
	case <-time.After(killDelay):
		_ = d.cmd.Process.Kill() // it may have ended by now
		<-d.ended
	}
}

// killDelay is how long pai-model may take to end the programs that it runs.
const killDelay = 5 * time.Second

// Inherited is the connection that the process was started with; nil if there is
// none. It is to be called before the process starts others: they get neither the
// descriptor nor its name. Errors are of CodeUsage.
func Inherited() (*os.File, error) {
	value := os.Getenv(Variable)
	_ = os.Unsetenv(Variable) // fails for impossible names only
	if value == "" {
		return nil, nil
	}
	fd, err := strconv.Atoi(value)
	var st unix.Stat_t
	if err != nil || fd < 3 || unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return nil, turn.Errorf(turn.CodeUsage, "%s: %s is not a socket's descriptor", Variable, turn.Quote(value)).
			WithHint("pai sets it for the commands that it runs; unset it")
	}
	unix.CloseOnExec(fd)
	return file(fd)
}

// socketPair makes the two ends of a connection, closed to other programs.
func socketPair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	theirs = os.NewFile(uintptr(fds[1]), "pai-model")
	if ours, err = file(fds[0]); err != nil {
		theirs.Close()
	}
	return ours, theirs, err
}

// file is a descriptor that can be read and closed at the same time.
func file(fd int) (*os.File, error) {
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "pai-model"), nil
}

// control calls f with the descriptor of a file, whose mode stays as it is.
func control(f *os.File, call func(fd int)) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	return raw.Control(func(fd uintptr) { call(int(fd)) })
}
