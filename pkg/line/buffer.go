package line

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// cell is what the cursor steps over as one: a cluster of characters that a reader takes for
// one, or a large paste, which is shown folded.
type cell struct {
	text  string // what is sent
	label string // shown instead; empty: the text
}

// A paste of more is folded.
const (
	foldLines      = 8
	foldCharacters = 1000
)

// Buffer is a text that is being written, with a cursor in it. The zero Buffer is empty.
type Buffer struct {
	cells   []cell
	at      int // of the cursor, in cells
	undo    []state
	typing  bool // the last change was typing: the next joins it
	killed  string
	killing bool // the last key killed: what the next one kills joins it
	pasted  bool // something of it came by a paste
}

// state is what undo goes back to.
type state struct {
	cells []cell
	at    int
}

const (
	// maxUndo is how many changes can be undone.
	maxUndo = 200
	// maxBytes bounds a text: what would go beyond isn't put in.
	maxBytes = 8 << 20
)

// String is the text as it would be sent.
func (b *Buffer) String() string { return text(b.cells) }

func text(cells []cell) string {
	var s strings.Builder
	for _, c := range cells {
		s.WriteString(c.text)
	}
	return s.String()
}

// Empty reports whether there is no text.
func (b *Buffer) Empty() bool { return len(b.cells) == 0 }

// Pasted reports whether something of the text came by a paste since it was last set.
func (b *Buffer) Pasted() bool { return b.pasted }

// Before is the text before the cursor.
func (b *Buffer) Before() string { return text(b.cells[:b.at]) }

// Set replaces the text and puts the cursor behind it. Undo brings the old one back.
func (b *Buffer) Set(text string) {
	b.save(false)
	b.cells, b.at = split(clean(text)), 0
	b.at = len(b.cells)
}

// SetBlock replaces the text as Set does; a large one is folded, and stays one block.
func (b *Buffer) SetBlock(text string) {
	b.Set(text)
	if label := folded(text, "line"); label != "" {
		b.cells = []cell{{text, label}}
		b.at = 1
	}
}

// folded is what stands for a large text; empty if it isn't one.
func folded(text, kind string) string {
	lines, characters := strings.Count(strings.TrimRight(text, "\n"), "\n")+1, utf8.RuneCountInString(text)
	switch {
	case lines <= foldLines && characters <= foldCharacters:
		return ""
	case lines > 1:
		return fmt.Sprintf("[%s: %d lines, %d characters]", kind, lines, characters)
	}
	return fmt.Sprintf("[%s: %d characters]", kind, characters)
}

// Reset empties the buffer for the next text.
func (b *Buffer) Reset() { *b = Buffer{killed: b.killed} }

// split cuts a text into clusters.
func split(text string) (cells []cell) {
	for state := -1; text != ""; {
		var cluster string
		cluster, text, _, state = uniseg.FirstGraphemeClusterInString(text, state)
		cells = append(cells, cell{text: cluster})
	}
	return cells
}

// save keeps what is there for undo; typing goes together.
func (b *Buffer) save(typing bool) {
	if typing && b.typing {
		return
	}
	b.typing = typing
	if len(b.undo) == maxUndo {
		b.undo = append(b.undo[:0], b.undo[1:]...)
	}
	b.undo = append(b.undo, state{append([]cell(nil), b.cells...), b.at})
}

// Undo takes the last change back.
func (b *Buffer) Undo() {
	b.typing, b.killing = false, false
	if len(b.undo) == 0 {
		return
	}
	last := b.undo[len(b.undo)-1]
	b.undo = b.undo[:len(b.undo)-1]
	b.cells, b.at = last.cells, last.at
}

// Type puts text in at the cursor.
func (b *Buffer) Type(text string) {
	b.save(!strings.Contains(text, "\n"))
	b.insert(split(text))
}

// Paste puts text in at the cursor as one block, folded if it is large. Control characters
// other than line feeds and tabs stay, and are shown as such.
func (b *Buffer) Paste(text string) {
	if text == "" {
		return
	}
	b.save(false)
	b.pasted = true
	if label := folded(text, "pasted"); label != "" {
		b.insert([]cell{{text, label}})
		return
	}
	b.insert(split(text))
}

// insert puts cells in at the cursor.
func (b *Buffer) insert(cells []cell) {
	b.killing = false
	if len(text(b.cells))+len(text(cells)) <= maxBytes {
		b.replace(b.at, b.at, cells)
	}
}

// replace puts cells in the place of others, and the cursor behind them. What stands side by
// side then may be one cluster: the line around is split again.
func (b *Buffer) replace(from, to int, cells []cell) {
	behind := append([]cell(nil), b.cells[to:]...)
	b.cells = append(append(b.cells[:from:from], cells...), behind...)
	b.at = from + len(cells)
	plain := func(i int) bool { return b.cells[i].label == "" && b.cells[i].text != "\n" }
	first, last := b.at, b.at
	for first > 0 && plain(first-1) {
		first--
	}
	for last < len(b.cells) && plain(last) {
		last++
	}
	before := len(text(b.cells[first:b.at]))
	anew := split(text(b.cells[first:last]))
	at := 0
	for n := 0; at < len(anew) && n < before; at++ {
		n += len(anew[at].text)
	}
	b.cells = append(append(b.cells[:first:first], anew...), b.cells[last:]...)
	b.at = first + at
}

// Move moves the cursor by cells, as far as there are some.
func (b *Buffer) Move(by int) {
	b.typing, b.killing = false, false
	b.at = min(max(0, b.at+by), len(b.cells))
}

// MoveTo moves the cursor to a cell.
func (b *Buffer) MoveTo(at int) { b.Move(at - b.at) }

// Erase takes so many cells away behind the cursor, or before it if the number is negative.
func (b *Buffer) Erase(by int) {
	to := min(max(0, b.at+by), len(b.cells))
	if to == b.at {
		return
	}
	b.save(false)
	b.killing = false
	b.replace(min(b.at, to), max(b.at, to), nil)
}

// Kill takes what is between the cursor and a cell away; Yank brings it back. What is
// killed in a row comes back together.
func (b *Buffer) Kill(to int) {
	from, to := min(b.at, to), max(b.at, to)
	if from == to {
		return
	}
	gone := text(b.cells[from:to])
	switch {
	case !b.killing:
		b.killed = gone
	case to == b.at:
		b.killed = gone + b.killed
	default:
		b.killed += gone
	}
	b.save(false)
	b.replace(from, to, nil)
	b.killing = true
}

// Yank puts in what was killed last.
func (b *Buffer) Yank() {
	if b.killed != "" {
		b.save(false)
		b.insert(split(b.killed))
	}
}

// LineStart is the first cell of the cursor's line.
func (b *Buffer) LineStart() int {
	at := b.at
	for at > 0 && b.cells[at-1].text != "\n" {
		at--
	}
	return at
}

// LineEnd is the cell behind the last of the cursor's line.
func (b *Buffer) LineEnd() int {
	at := b.at
	for at < len(b.cells) && b.cells[at].text != "\n" {
		at++
	}
	return at
}

// WordStart is where the word before the cursor begins.
func (b *Buffer) WordStart() int {
	at := b.at
	for at > 0 && !b.cells[at-1].word() {
		at--
	}
	for at > 0 && b.cells[at-1].word() {
		at--
	}
	return at
}

// WordEnd is where the word behind the cursor ends.
func (b *Buffer) WordEnd() int {
	at := b.at
	for at < len(b.cells) && !b.cells[at].word() {
		at++
	}
	for at < len(b.cells) && b.cells[at].word() {
		at++
	}
	return at
}

// word reports whether a cell belongs to a word.
func (c cell) word() bool {
	r, _ := utf8.DecodeRuneInString(c.text)
	return c.label != "" || unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
}
