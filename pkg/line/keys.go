package line

import (
	"strings"
	"unicode/utf8"
)

// Code says what a key means.
type Code int

// What keys mean. Text and Paste have their text in Key.Text.
const (
	None Code = iota // a key that means nothing here
	Text
	Paste
	Enter
	Newline
	Backspace
	Delete
	Left
	Right
	Up
	Down
	Home
	LineEnd
	WordLeft
	WordRight
	KillWord    // the word before the cursor
	KillWordEnd // the word behind it
	KillStart   // the line before the cursor
	KillEnd     // the line behind it
	Yank
	Undo
	Tab
	Search
	Edit
	Clear
	Interrupt
	EndOfInput
	Suspend
	Quit
	Escape
)

// Key is one key, or one paste.
type Key struct {
	Code Code
	Text string
}

// control is what a key means that sends a character below a blank, or delete.
func control(c byte) Code {
	const del = 0x7f
	if c == del {
		return Backspace
	}
	return [' ']Code{
		'A' - '@': Home, 'B' - '@': Left, 'C' - '@': Interrupt, 'D' - '@': EndOfInput, 'E' - '@': LineEnd, 'F' - '@': Right,
		'G' - '@': Edit, 'H' - '@': Backspace, '\t': Tab, '\n': Newline, 'K' - '@': KillEnd, 'L' - '@': Clear, '\r': Enter,
		'N' - '@': Down, 'P' - '@': Up, 'R' - '@': Search, 'U' - '@': KillStart, 'W' - '@': KillWord, 'Y' - '@': Yank,
		'Z' - '@': Suspend, '\\' - '@': Quit, '_' - '@': Undo,
	}[c]
}

// alt is what a key means that is typed with Alt, or behind Escape.
func alt(c byte) Code {
	switch c {
	case '\r', '\n':
		return Newline
	case 'b', 'B':
		return WordLeft
	case 'f', 'F':
		return WordRight
	case 'd', 'D':
		return KillWordEnd
	case 0x7f, 'H' - '@':
		return KillWord
	}
	return None
}

// sequence is what an escape sequence means: its parameters, and its last character. The
// numbers are those of xterm, VT220 and of the protocols that tell Enter's modifiers
// (modifyOtherKeys, "fixterms").
func sequence(params string, final byte) Code {
	first, rest, _ := strings.Cut(params, ";")
	word := strings.HasPrefix(rest, "5") || strings.HasPrefix(rest, "3") // with Ctrl or Alt
	switch final {
	case 'A':
		return Up
	case 'B':
		return Down
	case 'C':
		return either(word, WordRight, Right)
	case 'D':
		return either(word, WordLeft, Left)
	case 'H':
		return Home
	case 'F':
		return LineEnd
	case 'u':
		return either(first == "13" && rest != "" && rest != "1", Newline, None)
	case '~':
		switch first {
		case "1", "7":
			return Home
		case "4", "8":
			return LineEnd
		case "3":
			return either(word, KillWordEnd, Delete)
		case "27":
			return either(strings.HasSuffix(rest, ";13"), Newline, None)
		}
	}
	return None
}

func either(is bool, a, b Code) Code {
	if is {
		return a
	}
	return b
}

// The marks around a paste.
const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// Decoder turns what a terminal sends into keys. The zero Decoder is ready.
type Decoder struct {
	rest    []byte // not whole yet
	pasting bool
	paste   []byte
}

// Feed takes what was read, however it was cut, and returns the keys that are whole.
func (d *Decoder) Feed(data []byte) (keys []Key) {
	d.rest = append(d.rest, data...)
	for len(d.rest) > 0 {
		key, n := d.next()
		if n == 0 {
			break
		}
		d.rest = d.rest[n:]
		keys = add(keys, key)
	}
	if len(d.rest) == 0 {
		d.rest = nil
	}
	return keys
}

// add puts text that comes together into one key. Keys that mean nothing stay: where one comes
// right behind Enter, nobody typed it.
func add(keys []Key, key Key) []Key {
	if last := len(keys) - 1; last >= 0 && key.Code == Text && keys[last].Code == Text {
		keys[last].Text += key.Text
		return keys
	}
	return append(keys, key)
}

// Flush says that nothing more comes for a while: an Escape was the key, and a sequence that
// isn't whole never will be. A paste goes on until its end comes, and a character until it is
// whole.
func (d *Decoder) Flush() (keys []Key) {
	if !d.Pending() {
		return nil
	}
	if len(d.rest) == 1 {
		keys = []Key{{Code: Escape}}
	}
	d.rest = nil
	return keys
}

// Pasting reports whether a paste has begun whose end has not come.
func (d *Decoder) Pasting() bool { return d.pasting }

// Pending reports whether what was read ends within a key's sequence.
func (d *Decoder) Pending() bool { return !d.pasting && len(d.rest) > 0 && d.rest[0] == 0x1b }

// EndPaste ends a paste whose end doesn't come.
func (d *Decoder) EndPaste() (keys []Key) {
	if !d.pasting {
		return nil
	}
	key := d.pasted(append(d.paste, d.rest...))
	d.rest = nil
	return []Key{key}
}

func (d *Decoder) pasted(text []byte) Key {
	d.pasting, d.paste = false, nil
	return Key{Paste, clean(string(text))}
}

// next is the key that the rest begins with, and its length; 0 if it isn't whole.
func (d *Decoder) next() (Key, int) {
	switch c := d.rest[0]; {
	case d.pasting:
		return d.nextPasted()
	case c == 0x1b:
		return d.escaped()
	case c < ' ' || c == 0x7f:
		return Key{Code: control(c)}, 1
	}
	n := 0
	for n < len(d.rest) && d.rest[n] >= ' ' && d.rest[n] != 0x7f {
		if d.rest[n] >= utf8.RuneSelf && !utf8.FullRune(d.rest[n:]) {
			break
		}
		_, size := utf8.DecodeRune(d.rest[n:])
		n += size
	}
	return Key{Text, clean(string(d.rest[:n]))}, n
}

// nextPasted takes of a paste what has come.
func (d *Decoder) nextPasted() (Key, int) {
	text := string(d.rest)
	if at := strings.Index(text, pasteEnd); at >= 0 {
		return d.pasted(append(d.paste, text[:at]...)), at + len(pasteEnd)
	}
	n := len(text)
	for i := max(0, n-len(pasteEnd)+1); i < n; i++ {
		if strings.HasPrefix(pasteEnd, text[i:]) {
			n = i
			break
		}
	}
	d.paste = append(d.paste, text[:n]...)
	return Key{}, n
}

// escaped is a key that begins with Escape.
func (d *Decoder) escaped() (Key, int) {
	if len(d.rest) < 2 {
		return Key{}, 0
	}
	switch d.rest[1] {
	case '[':
		return d.csi()
	case 'O':
		if len(d.rest) < 3 {
			return Key{}, 0
		}
		return Key{Code: sequence("", d.rest[2])}, 3
	case 0x1b:
		return Key{Code: Escape}, 1
	case ']', 'P', 'X', '^', '_':
		return d.controlString()
	}
	if d.rest[1] >= utf8.RuneSelf {
		return Key{}, 1 // Alt with a letter that has no meaning: the letter counts
	}
	return Key{Code: alt(d.rest[1])}, 2
}

// controlString is what a terminal tells by itself, such as its colours: up to BEL or ST it
// means nothing here.
func (d *Decoder) controlString() (Key, int) {
	const most = 4096
	for n := 2; n < len(d.rest) && n < most; n++ {
		switch {
		case d.rest[n] == '\a':
			return Key{}, n + 1
		case d.rest[n] == 0x1b && n+1 < len(d.rest):
			if d.rest[n+1] == '\\' {
				return Key{}, n + 2
			}
			return Key{}, n // broken off
		}
	}
	if len(d.rest) >= most {
		return Key{}, most
	}
	return Key{}, 0
}

// maxSequence is more than any key's sequence has.
const maxSequence = 64

// csi is a key that begins with the control sequence introducer of ECMA-48.
func (d *Decoder) csi() (Key, int) {
	for n := 2; n < len(d.rest) && n < maxSequence; n++ {
		switch c := d.rest[n]; {
		case c >= 0x40 && c <= 0x7e && string(d.rest[:n+1]) == pasteBegin:
			d.pasting = true
			return Key{}, n + 1
		case c >= 0x40 && c <= 0x7e:
			return Key{Code: sequence(string(d.rest[2:n]), c)}, n + 1
		case c < 0x20 || c > 0x3f:
			return Key{}, n // broken off
		}
	}
	if len(d.rest) >= maxSequence {
		return Key{}, maxSequence
	}
	return Key{}, 0
}

// clean makes the line ends of a text line feeds, and replaces what is not UTF-8.
func clean(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	return strings.ToValidUTF8(text, "\ufffd")
}
