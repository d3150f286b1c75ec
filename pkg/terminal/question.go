package terminal

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// settle is for how long a question must be shown before a key counts: what comes earlier
	// was meant for something else.
	settle = 300 * time.Millisecond
	// Drawings is how often a question is drawn that keys come too early for.
	Drawings = 5
	// together is within what time the lines of a paste come.
	together = 30 * time.Millisecond
	// patience is for how long the rest of a paste is waited for.
	patience = 2 * time.Second
	// longest is for how long what is typed before a question is thrown away: a program that
	// types without an end gets no question.
	longest = 5 * time.Second
)

// Question tells the answer to a question from keys that were meant for something else. The
// terminal must show each key at once.
type Question struct{ t *Terminal }

// Question begins one.
func (t *Terminal) Question() *Question { return &Question{t} }

// GiveUp ends a question that can't be answered: a paste whose end never came is forgotten.
func (q *Question) GiveUp() { q.t.paste.end() }

// Stands throws away what was typed, has a question drawn, and reports whether nothing was
// typed while it settled, and no paste goes on. The cursor is hidden while keys don't count.
func (q *Question) Stands(ctx context.Context, draw func()) bool {
	flood := time.Now().Add(longest)
	for q.t.waits(ctx, 0) || q.t.Pasting() && q.t.waits(ctx, patience) {
		if !q.swallow() || time.Now().After(flood) {
			return false
		}
	}
	if !q.t.Plain() {
		fmt.Fprint(q.t.f, hideCursor)
		defer fmt.Fprint(q.t.f, showCursor)
	}
	draw()
	if q.t.waits(ctx, settle) {
		q.swallow()
		return false
	}
	return !q.t.Pasting() && ctx.Err() == nil
}

// Alone reports whether nothing comes together with a line; what does is thrown away.
func (q *Question) Alone(ctx context.Context) bool {
	if q.t.waits(ctx, together) {
		q.swallow()
		return false
	}
	return true
}

// swallow throws away what was typed, once; false if there is nothing any more to read from.
func (q *Question) swallow() bool {
	buffer := make([]byte, 4096)
	n, err := unix.Read(q.t.fd, buffer)
	if n > 0 {
		q.t.paste.see(string(buffer[:n]))
	}
	return n > 0 || err == unix.EINTR || err == unix.EAGAIN
}

const (
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
)

// The marks that a terminal puts around a paste.
const (
	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"
)

// paste follows the marks that a terminal puts around what is pasted.
type paste struct {
	mu   sync.Mutex
	open bool   // one has begun, and its end has not come
	tail string // of what was seen: a mark may come in pieces
}

func (p *paste) isOpen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open
}

func (p *paste) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open, p.tail = false, ""
}

// see takes what was typed.
func (p *paste) see(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text = p.tail + text
	if b, e := strings.LastIndex(text, pasteBegins), strings.LastIndex(text, pasteEnds); b != e {
		p.open = b > e
	}
	p.tail = text[max(0, len(text)-len(pasteBegins)+1):]
}

// Agree asks a question and reports whether the answer is "y" or "yes", as a whole line. "n",
// "no", an empty line, the end of input and of the context are a no; any other line is asked
// about again.
func (t *Terminal) Agree(ctx context.Context, question string) bool {
	for range Drawings {
		line, ok := t.Answer(ctx, question)
		switch answer := strings.ToLower(line); {
		case !ok:
			return false
		case answer == "y" || answer == "yes":
			return true
		case answer == "n" || answer == "no" || strings.TrimSpace(answer) == "":
			return false
		}
	}
	return false
}

// Answer asks a question and returns the line that is typed as an answer; ok is false at the
// end of input and when the context ends. Keys that were typed before the question stood for
// a while, and what is pasted, at once or in pieces, never answer it: they are thrown away, and
// the question is drawn again, a few times.
func (t *Terminal) Answer(ctx context.Context, question string) (line string, ok bool) {
	was, err := unix.IoctlGetTermios(t.fd, unix.TCGETS)
	if err != nil {
		return "", false
	}
	defer t.set(was)
	cooked, quiet := *was, *was
	cooked.Lflag |= unix.ICANON | unix.ECHO | unix.ISIG // whatever a program before left
	cooked.Iflag |= unix.ICRNL
	quiet.Lflag = cooked.Lflag &^ (unix.ICANON | unix.ECHO) // each key shows at once, and isn't printed
	if !t.Plain() {
		fmt.Fprint(t.f, pasteOn) // a paste says that it is one
		defer fmt.Fprint(t.f, pasteOff)
	}
	q := t.Question()
	for early := 0; early < Drawings; {
		t.set(&quiet)
		if !q.Stands(ctx, func() { fmt.Fprint(t.f, question) }) {
			early++
			fmt.Fprintln(t.f)
			continue
		}
		t.set(&cooked)
		line, ok := t.read(ctx)
		t.set(&quiet) // what came behind the line shows now, too
		t.paste.see(line)
		switch {
		case !ok:
			return "", false
		case q.Alone(ctx) && !t.Pasting() && !strings.Contains(line, pasteBegins) && !strings.Contains(line, pasteEnds):
			return line, true
		}
	}
	q.GiveUp()
	return "", false
}
