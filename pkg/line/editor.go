// Package line edits a text on a terminal: a request of several lines, with history, search,
// completion and undo, and answers to questions.
//
// It is code of Pai's own because no library does all of what a request needs: of ten that
// were measured none pastes without sending, measures clusters of characters right, and
// leaves the terminal as it was when a signal ends the program. What is hard in it is the
// Unicode, which is rivo/uniseg's.
//
// The pure parts, keys, buffer and layout, know of no terminal. An Editor gets keys from one,
// hands them to a session of the buffer, and draws what came of it: each time from the first
// row of the text on, in one write, so that what scrolled away stays in the terminal's own
// memory.
package line

import (
	"context"
	"strings"
	"time"

	"paicode/pkg/terminal"
	"paicode/pkg/turn"
)

// Editor reads lines from a terminal.
type Editor struct {
	Terminal *terminal.Terminal
	History  *History // nil: none
	// Complete returns what may be in the place of the word that a text ends with, and
	// that word. Nil: nothing is completed.
	Complete func(ctx context.Context, before string) (word string, candidates []string)
	// Edit has the person edit a text elsewhere. Nil: they can't.
	Edit func(ctx context.Context, text string) (string, error)

	draft  []byte // typed before there was a line to type it in
	killed string
}

// Request says what line is asked for.
type Request struct {
	Prompt string
	Draft  string // is in the line at first
	Offer  string // what Enter and Tab put into an empty line; empty: nothing
	// Leave is until when Ctrl+C ends a line that isn't empty, too.
	Leave time.Time
	// Question wants an answer: keys that come before it has stood for a while, and what is
	// pasted, don't count as one, nothing is completed, and nothing kept in the history.
	Question bool
}

// End says how a line ended.
type End int

// The ends of a line.
const (
	Sent        End = iota
	Interrupted     // by Ctrl+C in an empty line
	Closed          // by the end of input
	Cancelled       // the context ended
	again           // what was typed is no answer
)

// Hold keeps what is typed from now on for the next line that is no question, until the
// function that it returns is called: nothing of it is printed, and Enter doesn't send.
func (e *Editor) Hold() (stop func()) {
	taken := e.Terminal.Hold()
	return func() { e.draft = append(e.draft, taken()...) }
}

// Read reads a line. What the terminal can't do it does without.
func (e *Editor) Read(ctx context.Context, r Request) (string, End) {
	if e.Terminal.Plain() {
		return e.plain(ctx, r)
	}
	watch, err := e.Terminal.Watch(ctx)
	if err != nil {
		return "", Closed
	}
	defer watch.Close()
	s := e.session(r)
	in := &input{editor: e, watch: watch, session: s}
	if r.Question {
		return in.question(ctx)
	}
	s.ahead(e.draft)
	e.draft = nil
	in.decoder.pasting = e.Terminal.Pasting() // it goes on in this line
	return in.line(ctx)
}

// plain reads a line as the terminal itself lets it be edited. Keys that mean something to
// an editor mean nothing here.
func (e *Editor) plain(ctx context.Context, r Request) (string, End) {
	if r.Question {
		line, ok := e.Terminal.Answer(ctx, r.Prompt)
		return ended(ctx, line, ok)
	}
	prompt := r.Prompt
	if r.Draft != "" {
		prompt = "(an empty line takes " + turn.Quote(r.Draft) + ")\n" + prompt
	}
	line, ok := e.Terminal.Line(ctx, prompt)
	for begin, more := strings.CutSuffix(line, `\`); ok && more; begin, more = strings.CutSuffix(line, `\`) {
		line, ok = e.Terminal.Line(ctx, "")
		line = begin + "\n" + line
	}
	if ok && strings.TrimSpace(line) == "" {
		line = r.Draft
	}
	return ended(ctx, line, ok)
}

func ended(ctx context.Context, line string, ok bool) (string, End) {
	switch {
	case ok:
		return line, Sent
	case ctx.Err() != nil:
		return "", Cancelled
	}
	return "", Closed
}

// session begins a line.
func (e *Editor) session(r Request) *session {
	s := &session{Request: r, edit: e.Edit, complete: e.Complete, width: 80}
	s.buffer.killed = e.killed
	if !r.Question {
		s.past = e.History.entries()
	}
	s.entry = len(s.past)
	if r.Draft != "" {
		s.buffer.Set(r.Draft)
	}
	return s
}
