package line

import (
	"context"
	"time"

	"paicode/pkg/terminal"
)

// input leads a line through its keys.
type input struct {
	editor  *Editor
	watch   *terminal.Watch
	session *session
	decoder Decoder
	shown   drawing
}

const (
	// escapeWait is how long the rest of a key's sequence may take to come.
	escapeWait = 50 * time.Millisecond
	// pasteWait is how long a paste may be silent before it counts as ended.
	pasteWait = 2 * time.Second
)

// line reads a line until it ends.
func (in *input) line(ctx context.Context) (string, End) {
	in.draw()
	for {
		keys, event := in.keys()
		switch event {
		case terminal.Cancelled:
			return in.end(Cancelled)
		case terminal.Gone:
			return "", Closed
		case terminal.Resized:
			in.draw()
			continue
		}
		if end, done := in.press(ctx, keys); done {
			return in.end(end)
		}
		in.draw()
	}
}

// keys waits for keys, or for something else that happens.
func (in *input) keys() ([]Key, terminal.Event) {
	wait := time.Duration(0)
	switch {
	case in.decoder.Pasting():
		wait = pasteWait
	case in.decoder.Pending():
		wait = escapeWait
	}
	data, event := in.watch.Read(wait)
	switch {
	case event == terminal.Quiet && in.decoder.Pasting():
		return in.decoder.EndPaste(), terminal.Input
	case event == terminal.Quiet:
		return in.decoder.Flush(), terminal.Input
	}
	return in.decoder.Feed(data), event
}

// press does what keys mean. Where an Enter comes with other keys behind it, the terminal
// pastes without saying so, and no Enter of them sends.
func (in *input) press(ctx context.Context, keys []Key) (end End, done bool) {
	s := in.session
	pasted := false
	for i, k := range keys {
		pasted = pasted || k.Code == Enter && i < len(keys)-1
	}
	if pasted && s.Question {
		return again, true
	}
	for _, k := range keys {
		if pasted && k.Code == Enter {
			k.Code = Newline
		}
		switch s.press(k) {
		case send:
			return Sent, true
		case interrupt, quit:
			return Interrupted, true
		case leave:
			return Closed, true
		case suspend:
			in.clear()
			in.watch.Suspend()
			in.shown = drawing{}
		case clearScreen:
			in.editor.Terminal.Clear()
			in.shown = drawing{}
		case completeWord:
			if s.complete != nil && !s.Question {
				s.completed(s.complete(ctx, s.buffer.Before()))
			}
		case editElsewhere:
			in.edit(ctx)
		}
	}
	return 0, false
}

// edit has the text edited elsewhere.
func (in *input) edit(ctx context.Context) {
	s := in.session
	if s.edit == nil {
		return
	}
	in.clear()
	in.shown = drawing{}
	in.watch.Cooked()
	text, err := s.edit(ctx, s.buffer.String())
	in.watch.Raw()
	if err != nil {
		s.message = err.Error()
		return
	}
	if text = clean(text); text != s.buffer.String() {
		s.buffer.Set(text)
	}
}

// draw draws the line as it is now.
func (in *input) draw() {
	width, height := in.editor.Terminal.Size()
	in.session.width = width
	d := in.session.frame(height)
	in.write(d.over(in.shown, d.before()))
	in.shown = d
}

// clear takes the line from the screen.
func (in *input) clear() {
	width, _ := in.editor.Terminal.Size()
	in.write(in.shown.home(width) + eraseBelow)
}

func (in *input) write(text string) { _, _ = in.editor.Terminal.Write([]byte(text)) }

// end leaves the line on the screen as it was sent.
func (in *input) end(end End) (string, End) {
	s := in.session
	s.search, s.listed, s.message = nil, nil, ""
	d := s.whole()
	in.write(d.over(in.shown, d.rows[len(d.rows)-1]) + "\r\n")
	in.editor.killed = s.buffer.killed
	text := s.buffer.String()
	switch {
	case end == Sent && !s.Question:
		in.editor.History.Add(text)
	case end == Cancelled && !s.Question:
		in.editor.draft = []byte(text)
	}
	return text, end
}

// question reads an answer: one that is typed after the question stood for a while, and
// nothing else. What doesn't count is thrown away, and the question drawn again, a few times.
func (in *input) question(ctx context.Context) (string, End) {
	s := in.session
	q := in.editor.Terminal.Question()
	for early := 0; early < terminal.Drawings; {
		s.buffer.Reset()
		if s.Draft != "" {
			s.buffer.Set(s.Draft)
		}
		in.shown = drawing{}
		if !q.Stands(ctx, in.draw) {
			if ctx.Err() != nil {
				return in.end(Cancelled)
			}
			early++
			in.write("\r\n")
			continue
		}
		text, end := in.line(ctx)
		switch {
		case end == again:
		case end != Sent:
			return "", end
		case in.decoder.Pasting() || !q.Alone(ctx): // more came with it
		case s.buffer.Pasted() && short(text): // a "y" in a paste is no answer
		default:
			return text, Sent
		}
	}
	q.GiveUp()
	return "", Closed
}

// short tells of an answer that a stray paste might hold by chance.
func short(text string) bool {
	const letters = 5 // more than "yes" and blanks
	return len(text) <= letters
}
