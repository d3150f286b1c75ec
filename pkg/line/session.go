package line

import (
	"context"
	"strings"
	"time"
)

// session is one line that is being written: what keys do to it.
type session struct {
	Request
	buffer Buffer
	width  int // of the screen, in columns

	past   []string // earlier lines, the oldest first
	entry  int      // which of them is in the line; len(past): a new one
	unsent string   // the new one, while another is there

	search   *search
	listed   []string // candidates to complete with, shown below
	message  string   // shown below until the next key
	complete func(ctx context.Context, before string) (string, []string)
	edit     func(ctx context.Context, text string) (string, error)
}

// search looks for an earlier line.
type search struct {
	text  string
	found int // the entry; len(past): none
}

// act is what a key asks of whoever has the terminal.
type act int

const (
	goOn act = iota
	send
	interrupt
	leave
	suspend
	quit
	clearScreen
	completeWord
	editElsewhere
)

// ahead puts in what was typed before there was a line. Nothing of it sends.
func (s *session) ahead(typed []byte) {
	var d Decoder
	keys := append(d.Feed(typed), d.EndPaste()...)
	for _, k := range keys {
		switch k.Code {
		case Enter:
			if text := s.buffer.String(); strings.HasSuffix(text, `\`) && s.buffer.at == len(s.buffer.cells) {
				s.buffer.Erase(-1)
			}
			s.press(Key{Code: Newline})
		case Text, Paste, Newline, Backspace, Delete, Left, Right, Home, LineEnd, WordLeft, WordRight, KillWord, KillWordEnd,
			KillStart, KillEnd, Yank:
			s.press(k)
		}
	}
	if text := s.buffer.String(); strings.HasSuffix(text, "\n") && s.buffer.at == len(s.buffer.cells) {
		for n := len(s.buffer.cells); n > 0 && s.buffer.cells[n-1].text == "\n"; n-- {
			s.buffer.Erase(-1)
		}
	}
}

// press does what a key means.
func (s *session) press(k Key) act {
	s.message = ""
	if s.search != nil {
		if !s.seek(k) {
			return goOn
		}
	}
	if k.Code != Tab {
		s.listed = nil
	}
	b := &s.buffer
	switch k.Code {
	case Text:
		b.Type(k.Text)
	case Paste:
		b.Paste(k.Text)
	case Newline:
		b.Type("\n")
	case Backspace:
		b.Erase(-1)
	case Delete:
		b.Erase(1)
	case KillWord:
		b.Kill(b.WordStart())
	case KillWordEnd:
		b.Kill(b.WordEnd())
	case KillStart:
		b.Kill(b.LineStart())
	case KillEnd:
		s.killEnd()
	case Yank:
		b.Yank()
	case Undo:
		b.Undo()
	default:
		return s.other(k.Code)
	}
	return goOn
}

// killEnd takes the rest of the line away, or its end where nothing else is left.
func (s *session) killEnd() {
	to := s.buffer.LineEnd()
	if to == s.buffer.at && to < len(s.buffer.cells) {
		to++
	}
	s.buffer.Kill(to)
}

// other does what a key means that changes no text by itself.
func (s *session) other(code Code) act {
	switch code {
	case Search:
		if !s.Question {
			s.search = &search{found: len(s.past)}
		}
	case Enter:
		return s.enter()
	case Interrupt:
		return s.interrupted()
	case EndOfInput:
		if s.buffer.Empty() {
			return leave
		}
		s.buffer.Erase(1)
	case Tab:
		if s.buffer.Empty() && s.Offer != "" {
			s.buffer.Set(s.Offer)
			return goOn
		}
		return completeWord
	case Edit:
		return editElsewhere
	case Suspend:
		return suspend
	case Quit:
		return quit
	case Clear:
		return clearScreen
	default:
		s.move(code)
	}
	return goOn
}

// move moves the cursor.
func (s *session) move(code Code) {
	b := &s.buffer
	switch code {
	case Left:
		b.Move(-1)
	case Right:
		b.Move(1)
	case WordLeft:
		b.MoveTo(b.WordStart())
	case WordRight:
		b.MoveTo(b.WordEnd())
	case Home:
		b.MoveTo(b.LineStart())
	case LineEnd:
		b.MoveTo(b.LineEnd())
	case Up:
		s.vertical(-1)
	case Down:
		s.vertical(1)
	}
}

// enter sends, unless a backslash before the end asks for another line, or an offer stands
// for an empty one.
func (s *session) enter() act {
	b := &s.buffer
	switch text := b.String(); {
	case b.at == len(b.cells) && strings.HasSuffix(text, `\`) && !s.Question:
		b.Erase(-1)
		b.Type("\n")
		return goOn
	case strings.TrimSpace(text) == "" && s.Offer != "":
		b.Set(s.Offer)
		return goOn
	}
	return send
}

// interrupted clears the line, which undo and Up bring back.
func (s *session) interrupted() act {
	if s.buffer.Empty() || time.Now().Before(s.Leave) {
		return interrupt
	}
	if text := s.buffer.String(); !s.Question && s.entry == len(s.past) {
		s.past = append(s.past[:len(s.past):len(s.past)], text)
	}
	s.buffer.Set("")
	s.buffer.pasted = false
	s.entry, s.unsent = len(s.past), ""
	return goOn
}

// vertical moves by a row, or by an entry of the history beyond the first and the last.
func (s *session) vertical(by int) {
	b := &s.buffer
	l := lay(s.Prompt, b.cells, s.width)
	here := l.starts[b.at]
	if row := here.row + by; row >= l.starts[0].row && row <= l.starts[len(b.cells)].row {
		b.MoveTo(l.at(place{row, here.column}))
		return
	}
	to := s.entry + by
	if to < 0 || to > len(s.past) {
		return
	}
	if s.entry == len(s.past) {
		s.unsent = b.String()
	}
	s.show(to)
	if by < 0 { // the next Up goes on to the entry before, however many rows this one has
		l := lay(s.Prompt, b.cells, s.width)
		b.MoveTo(l.at(place{l.starts[0].row, s.width}))
	}
}

// show puts an entry into the line.
func (s *session) show(entry int) {
	s.entry = entry
	text := s.unsent
	if entry < len(s.past) {
		text = s.past[entry]
	}
	s.buffer.SetBlock(text)
}

// seek does what a key means to a search; true if it ends the search and means something
// beside that.
func (s *session) seek(k Key) (more bool) {
	q := s.search
	switch k.Code {
	case Text, Paste:
		q.text += strings.ReplaceAll(k.Text, "\n", " ")
		s.find(min(q.found, len(s.past)-1))
	case Backspace:
		if cells := split(q.text); len(cells) > 0 {
			q.text = text(cells[:len(cells)-1])
		}
		s.find(len(s.past) - 1)
	case Search:
		s.find(q.found - 1)
	case Interrupt, Edit, Escape:
		s.search = nil
	case Enter, Tab:
		s.accept()
	default:
		s.accept()
		return true
	}
	return false
}

// find looks for the text from an entry on backwards; the entry that is shown stays where
// there is no other.
func (s *session) find(from int) {
	for i := min(from, len(s.past)-1); i >= 0; i-- {
		if strings.Contains(strings.ToLower(s.past[i]), strings.ToLower(s.search.text)) {
			s.search.found = i
			return
		}
	}
	if s.search.found < len(s.past) &&
		!strings.Contains(strings.ToLower(s.past[s.search.found]), strings.ToLower(s.search.text)) {
		s.search.found = len(s.past)
	}
}

// accept puts what the search found into the line.
func (s *session) accept() {
	found := s.search.found
	s.search = nil
	if found < len(s.past) {
		if s.entry == len(s.past) {
			s.unsent = s.buffer.String()
		}
		s.show(found)
	}
}

// completed puts in what a word may be completed with: all that the candidates have in
// common. What they are is shown where that is nothing.
func (s *session) completed(word string, candidates []string) {
	s.listed = nil
	if len(candidates) == 0 {
		return
	}
	common := candidates[0]
	for _, c := range candidates[1:] {
		for !strings.HasPrefix(c, common) {
			cells := split(common)
			common = text(cells[:len(cells)-1])
		}
	}
	if len(common) > len(word) && strings.HasPrefix(common, word) {
		rest := common[len(word):]
		if len(candidates) == 1 && !strings.HasSuffix(rest, "/") {
			rest += " "
		}
		s.buffer.save(false)
		s.buffer.insert(split(rest))
		return
	}
	if len(candidates) > 1 {
		s.listed = candidates
	}
}
