// Package terminal asks the person at the terminal that the process belongs to.
package terminal

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Terminal is the terminal that the process belongs to.
type Terminal struct {
	f     *os.File
	fd    int
	paste paste // of all that was read
}

// tick is how often a wait looks whether it is called off.
const tick = 50 * time.Millisecond

// Open opens the terminal. It returns nil where there is none, and in the background:
// asking there would stop the job.
func Open() *Terminal {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	t := &Terminal{f: f, fd: int(f.Fd())}
	group, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		f.Close()
		return nil
	}
	return t
}

// Close closes it; nil is none.
func (t *Terminal) Close() error {
	if t == nil {
		return nil
	}
	return t.f.Close()
}

// Write prints on the terminal.
func (t *Terminal) Write(text []byte) (int, error) { return t.f.Write(text) }

// Size is how many columns and rows it has: 80 and 24 if it doesn't tell.
func (t *Terminal) Size() (columns, rows int) {
	columns, rows = 80, 24
	size, err := unix.IoctlGetWinsize(t.fd, unix.TIOCGWINSZ)
	if err == nil && size.Col > 0 {
		columns = int(size.Col)
	}
	if err == nil && size.Row > 0 {
		rows = int(size.Row)
	}
	return columns, rows
}

// Plain reports whether nothing may be drawn again on it: it can't, or the person asks for that
// by the variable ACCESSIBLE.
func (t *Terminal) Plain() bool {
	name := os.Getenv("TERM")
	return name == "" || name == "dumb" || os.Getenv("ACCESSIBLE") != ""
}

// Clear empties the screen.
func (t *Terminal) Clear() { fmt.Fprint(t.f, "\x1b[H\x1b[2J") }

// Line prints a prompt and reads a line; ok is false at the end of input and when the
// context ends.
func (t *Terminal) Line(ctx context.Context, prompt string) (line string, ok bool) {
	fmt.Fprint(t.f, prompt)
	return t.read(ctx)
}

// Pasting reports whether a paste has begun, as far as was read, whose end has not come.
func (t *Terminal) Pasting() bool { return t.paste.isOpen() }

// set sets the terminal's modes; one that is gone has none.
func (t *Terminal) set(modes *unix.Termios) { _ = unix.IoctlSetTermios(t.fd, unix.TCSETSW, modes) }

// read reads a line, as the terminal lets it be edited.
func (t *Terminal) read(ctx context.Context) (line string, ok bool) {
	var text strings.Builder
	buffer := make([]byte, 4096)
	for {
		for !t.waits(ctx, tick) {
			if ctx.Err() != nil {
				fmt.Fprintln(t.f)
				return "", false
			}
		}
		n, err := unix.Read(t.fd, buffer)
		if err == unix.EINTR || err == unix.EAGAIN {
			continue
		}
		if err != nil || n <= 0 {
			return "", false // what wasn't sent is no line
		}
		text.Write(buffer[:n])
		if buffer[n-1] == '\n' {
			return strings.TrimRight(text.String(), "\r\n"), true
		}
	}
}

// waits waits until there is something to read, for so long at most; false if there isn't,
// or the context ends first.
func (t *Terminal) waits(ctx context.Context, most time.Duration) bool {
	for end := time.Now().Add(most); ctx.Err() == nil; {
		left := time.Until(end)
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(t.fd), Events: unix.POLLIN}},
			int(min(tick, max(left, 0)).Milliseconds()))
		if n > 0 && err == nil {
			return true
		}
		if err != nil && err != unix.EINTR {
			return true // reading tells what is wrong
		}
		if left <= 0 {
			return false
		}
	}
	return false
}
