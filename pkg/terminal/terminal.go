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
	f  *os.File
	fd int
}

const (
	// settle is for how long a question must stand before a key counts: what comes earlier
	// was meant for something else.
	settle = 300 * time.Millisecond
	// drawings is how often a question is drawn that keys come too early for.
	drawings = 5
	// together is within what time the lines of a paste come.
	together = 30 * time.Millisecond
	// patience is for how long the rest of a paste is waited for.
	patience = 2 * time.Second
	// longest is for how long what is typed before a question is thrown away: a program that
	// types without an end gets no question.
	longest = 5 * time.Second
	// tick is how often a wait looks whether it is called off.
	tick = 50 * time.Millisecond
)

// Open opens the terminal. It returns nil where there is none, and in the background:
// asking there would stop the job.
func Open() *Terminal {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	t := &Terminal{f, int(f.Fd())}
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

// Width is how many columns it has; 0 if it doesn't tell.
func (t *Terminal) Width() int {
	size, err := unix.IoctlGetWinsize(t.fd, unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}

// Line prints a prompt and reads a line; ok is false at the end of input and when the
// context ends.
func (t *Terminal) Line(ctx context.Context, prompt string) (line string, ok bool) {
	fmt.Fprint(t.f, prompt)
	return t.read(ctx)
}

// Agree asks a question and reports whether the answer is "y" or "yes", as a whole line. "n",
// "no", an empty line, the end of input and of the context are a no; any other line is asked
// about again. Keys that were typed before the question stood for a while, and what is pasted,
// at once or in pieces, never answer it: they are thrown away, and the question is drawn anew, a
// few times.
func (t *Terminal) Agree(ctx context.Context, question string) bool {
	was, err := unix.IoctlGetTermios(t.fd, unix.TCGETS)
	if err != nil {
		return false
	}
	defer t.set(was)
	cooked, quiet := *was, *was
	cooked.Lflag |= unix.ICANON | unix.ECHO | unix.ISIG // whatever a program before left
	cooked.Iflag |= unix.ICRNL
	quiet.Lflag = cooked.Lflag &^ (unix.ICANON | unix.ECHO) // each key shows at once, and isn't printed
	if os.Getenv("TERM") != "dumb" {
		fmt.Fprint(t.f, "\x1b[?2004h") // a paste says that it is one
		defer fmt.Fprint(t.f, "\x1b[?2004l")
	}
	p := &paste{}
	for early := 0; early < drawings; {
		t.set(&quiet)
		if !t.draw(ctx, p, question) {
			early++
			fmt.Fprintln(t.f)
			continue
		}
		t.set(&cooked)
		line, ok := t.read(ctx)
		t.set(&quiet) // what came behind the line shows now, too
		p.see(line)
		switch answer := strings.ToLower(line); {
		case !ok:
			return false
		case t.waits(ctx, together): // more came with it
			t.swallow(p)
		case answer == "y" || answer == "yes":
			return true
		case answer == "n" || answer == "no" || strings.TrimSpace(answer) == "":
			return false
		}
	}
	return false
}

// draw throws away what was typed, prints a question, and reports whether nothing was typed
// while it settled, and no paste goes on.
func (t *Terminal) draw(ctx context.Context, p *paste, question string) bool {
	flood := time.Now().Add(longest)
	for t.waits(ctx, 0) || p.open && t.waits(ctx, patience) {
		if !t.swallow(p) || time.Now().After(flood) {
			return false
		}
	}
	fmt.Fprint(t.f, question)
	if t.waits(ctx, settle) {
		t.swallow(p)
		return false
	}
	return !p.open
}

// paste follows the marks that a terminal puts around what is pasted.
type paste struct {
	open bool   // one has begun, and its end has not come
	tail string // of what was seen: a mark may come in pieces
}

// see takes what was typed.
func (p *paste) see(text string) {
	const begin, end = "\x1b[200~", "\x1b[201~"
	text = p.tail + text
	if b, e := strings.LastIndex(text, begin), strings.LastIndex(text, end); b != e {
		p.open = b > e
	}
	p.tail = text[max(0, len(text)-len(begin)+1):]
}

// swallow throws away what was typed, once; false if there is nothing any more to read from.
func (t *Terminal) swallow(p *paste) bool {
	buffer := make([]byte, 4096)
	n, err := unix.Read(t.fd, buffer)
	if n > 0 {
		p.see(string(buffer[:n]))
	}
	return n > 0 || err == unix.EINTR || err == unix.EAGAIN
}

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
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(t.fd), Events: unix.POLLIN}}, int(min(tick, max(left, 0)).Milliseconds()))
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
