package terminal

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The modes of xterm in which a paste says that it is one.
const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

// Event is what happened while a key was waited for.
type Event int

// What may happen.
const (
	Input     Event = iota // there are keys
	Quiet                  // nothing, for as long as was to be waited
	Resized                // the terminal has another size
	Cancelled              // the context ended
	Gone                   // the terminal, or its input, ended
)

// Watch reads keys one by one, unprinted: raw mode, but for what is printed. Close ends it.
type Watch struct {
	t        *Terminal
	was      *unix.Termios
	ctx      context.Context
	mu       sync.Mutex
	wake     [2]int // a pipe; -1 once it is closed
	resized  chan os.Signal
	stop     func() bool
	finished chan struct{}
}

// Watch begins to. Errors are the system's.
func (t *Terminal) Watch(ctx context.Context) (*Watch, error) {
	was, err := unix.IoctlGetTermios(t.fd, unix.TCGETS)
	if err != nil {
		return nil, err
	}
	w := &Watch{t: t, was: was, ctx: ctx, resized: make(chan os.Signal, 1), finished: make(chan struct{})}
	if err := unix.Pipe2(w.wake[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return nil, err
	}
	signal.Notify(w.resized, syscall.SIGWINCH)
	w.stop = context.AfterFunc(ctx, func() { w.poke() })
	go func() {
		defer close(w.finished)
		for range w.resized {
			w.poke()
		}
	}()
	w.Raw()
	return w, nil
}

func (w *Watch) poke() {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = unix.Write(w.wake[1], []byte{0}) // a full pipe wakes as well
}

// Raw has keys come one by one, unprinted. Lines that are printed still begin at the left.
func (w *Watch) Raw() {
	raw := *w.was
	raw.Lflag &^= unix.ICANON | unix.ECHO | unix.ISIG | unix.IEXTEN
	raw.Iflag &^= unix.ICRNL | unix.INLCR | unix.IGNCR | unix.IXON | unix.ISTRIP
	raw.Oflag |= unix.OPOST | unix.ONLCR
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 1, 0
	w.t.set(&raw)
	fmt.Fprint(w.t.f, pasteOn)
}

// Cooked puts the terminal's modes back as they were.
func (w *Watch) Cooked() {
	fmt.Fprint(w.t.f, pasteOff)
	w.t.set(w.was)
}

// Close puts them back for good.
func (w *Watch) Close() {
	w.Cooked()
	signal.Stop(w.resized)
	close(w.resized)
	<-w.finished
	w.stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	unix.Close(w.wake[0])
	unix.Close(w.wake[1])
	w.wake = [2]int{-1, -1}
}

// Suspend stops the job, as Ctrl+Z does, until it goes on.
func (w *Watch) Suspend() {
	w.Cooked()
	stopJob(true)
	w.Raw()
}

// stopJob stops this process, and with others the job that it belongs to, and returns when it
// goes on. Without a shell that could have it go on, it doesn't stop.
func stopJob(others bool) {
	session, err := unix.Getsid(0)
	if err != nil || session == unix.Getpgrp() {
		return
	}
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	if others {
		taken := make(chan os.Signal, 1) // for itself it stops below
		signal.Notify(taken, syscall.SIGTSTP)
		defer signal.Stop(taken)
		_ = syscall.Kill(0, syscall.SIGTSTP)
	}
	const late = 300 * time.Millisecond // a signal that never comes: it was stopped and went on in between
	if syscall.Kill(os.Getpid(), syscall.SIGSTOP) == nil {
		select {
		case <-goesOn:
		case <-time.After(late):
		}
	}
}

// Read waits for keys, or for something else to happen; 0 waits for as long as it takes.
func (w *Watch) Read(wait time.Duration) ([]byte, Event) {
	timeout := -1
	if wait > 0 {
		timeout = int(wait.Milliseconds())
	}
	for {
		fds := []unix.PollFd{{Fd: int32(w.t.fd), Events: unix.POLLIN}, {Fd: int32(w.wake[0]), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, timeout)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return nil, Gone
		case w.ctx.Err() != nil:
			return nil, Cancelled
		case n == 0:
			return nil, Quiet
		case fds[1].Revents != 0:
			_, _ = unix.Read(w.wake[0], make([]byte, 64))
			return nil, Resized
		}
		buffer := make([]byte, 4096)
		n, err = unix.Read(w.t.fd, buffer)
		if err == unix.EINTR || err == unix.EAGAIN {
			continue
		}
		if err != nil || n <= 0 {
			return nil, Gone
		}
		w.t.paste.see(string(buffer[:n]))
		return buffer[:n], Input
	}
}

// Hold keeps what is typed, unprinted, until the function that it returns is called, which
// returns it. Ctrl+C and its kind send their signals; Ctrl+Z stops the job with the modes as
// they were before.
func (t *Terminal) Hold() (stop func() []byte) {
	was, err := unix.IoctlGetTermios(t.fd, unix.TCGETS)
	if err != nil {
		return func() []byte { return nil }
	}
	quiet := *was
	quiet.Lflag = quiet.Lflag&^(unix.ICANON|unix.ECHO) | unix.ISIG
	quiet.Iflag &^= unix.ICRNL
	quiet.Cc[unix.VMIN], quiet.Cc[unix.VTIME] = 1, 0
	t.set(&quiet)
	ctx, cancel := context.WithCancel(context.Background())
	var typed []byte
	done := make(chan struct{})
	go func() {
		defer close(done)
		typed = t.take(ctx)
	}()
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, syscall.SIGTSTP)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for range stopped {
			t.set(was)
			stopJob(false)
			t.set(&quiet)
		}
	}()
	return func() []byte {
		signal.Stop(stopped)
		close(stopped)
		<-watched
		cancel()
		<-done
		t.set(was)
		return typed
	}
}

// maxHeld bounds what is kept of what is typed meanwhile.
const maxHeld = 1 << 20

// take reads what is typed until the context ends.
func (t *Terminal) take(ctx context.Context) (typed []byte) {
	buffer := make([]byte, 4096)
	for len(typed) < maxHeld {
		for !t.waits(ctx, tick) {
			if ctx.Err() != nil {
				return typed
			}
		}
		n, err := unix.Read(t.fd, buffer)
		if err == unix.EINTR || err == unix.EAGAIN {
			continue
		}
		if err != nil || n <= 0 {
			return typed
		}
		t.paste.see(string(buffer[:n]))
		typed = append(typed, buffer[:n]...)
	}
	return typed
}
