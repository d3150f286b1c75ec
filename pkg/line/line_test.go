package line

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Keys as a terminal sends them.
const (
	left, right, up, down = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B"
	home, end             = "\x1b[H", "\x1b[F"
	wordLeft, wordRight   = "\x1b[1;5D", "\x1b[1;5C"
)

// typed gives a session keys, and tells what the last act was.
func typed(s *session, keys string) (last act) {
	var d Decoder
	for _, k := range append(d.Feed([]byte(keys)), d.Flush()...) {
		last = s.press(k)
	}
	return last
}

// shown is the text with the cursor in it.
func shown(s *session) string {
	return text(s.buffer.cells[:s.buffer.at]) + "|" + text(s.buffer.cells[s.buffer.at:])
}

func TestKeys(t *testing.T) {
	for _, tt := range []struct {
		name, keys, want string
	}{
		{"typing", "abc", "abc|"},
		{"left and right", "abc" + left + left + right + "x", "abx|c"},
		{"the ends", "abc\x01x\x05y", "xabcy|"},
		{"home and end", "abc" + home + "x" + end + "y", "xabcy|"},
		{"home and end of others", "abc\x1b[1~x\x1b[4~y\x1bOHz\x1bOFw", "zxabcyw|"},
		{"backspace", "abc\x7f\x08", "a|"},
		{"delete", "abc\x01\x1b[3~\x04", "|c"},
		{"words", "one two_2 three" + wordLeft + wordLeft + "x", "one x|two_2 three"},
		{"words with Alt", "one two\x1bb\x1bbx\x1bfy", "xoney| two"},
		{"a word before", "one two \x17", "one |"},
		{"a word before, with Alt", "one two\x1b\x7f", "one |"},
		{"a word behind", "one two\x01\x1bd", "| two"},
		{"a line before", "one\ntwo\x15", "one\n|"},
		{"a line behind", "one\ntwo\x01\x0b", "one\n|"},
		{"a line's end", "one\ntwo" + up + end + "\x0b", "one|two"},
		{"killed and back", "one two\x17\x17\x19!", "one two!|"},
		{"killed behind and back", "one two\x01\x1bd\x1bd\x05x\x19", "xone two|"},
		{"undo", "one\x17two\x1f", "|"},
		{"undo twice", "one\x17two\x1f\x1f", "one|"},
		{"undo of nothing", "\x1f\x1f", "|"},
		{"undo of clearing", "one\x03\x1f", "one|"},
		{"newlines", "a\nb\x1b\rc", "a\nb\nc|"},
		{"newlines of newer terminals", "a\x1b[13;2ub\x1b[27;2;13~c\x1b[13;3ud", "a\nb\nc\nd|"},
		{"a backslash", "a\\\rb", "a\nb|"},
		{"up and down in lines", "abc\nde\nfghi" + up + up + "x" + down + "y", "abxc\ndey|\nfghi"},
		{"a clear line", "abc\x03", "|"},
		{"combining accent", "cafe\u0301\x7f", "caf|"},
		{"an accent later", "e\u0301" + left + "x", "x|e\u0301"},
		{"two marks", "o\u0302\u0323" + left + "\x1b[3~", "|"},
		{"Japanese", "日本語" + left + "x", "日本x|語"},
		{"a family", "a👩‍👩‍👧‍👦b" + left + "\x7f", "a|b"},
		{"flags", "🇩🇪🇫🇷" + left + "x", "🇩🇪x|🇫🇷"},
		{"Thai", "กำ" + left + "x", "x|กำ"},
		{"not UTF-8", "a\xffb", "a\ufffdb|"},
		{"Alt with a letter", "a\x1bzb", "ab|"},
		{"Escape", "a\x1b", "a|"},
		{"unknown sequences", "a\x1b[5~\x1b[1;9Q\x1bOPb\x1b[?1;2c", "ab|"},
		{"what a terminal tells", "a\x1b]11;rgb:1/2/3\ab\x1b]11;rgb:1/2/3\x1b\\c\x1bP1$r\x1b\\d\x1b[?1;2c", "abcd|"},
		{"a sequence that breaks off", "a\x1b[12\x01b", "b|a"},
		{"a paste", "a\x1b[200~x\r\ny\rz\x1b[201~b", "ax\ny\nzb|"},
		{"keys in a paste", "\x1b[200~\x03\x1b[D\x7f\x1b[201~", "\x03\x1b[D\x7f|"},
		{"a paste is undone at once", "a\x1b[200~x y z\x1b[201~\x1f", "a|"},
		{"an end without a paste", "a\x1b[201~b", "ab|"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &session{width: 40}
			typed(s, tt.keys)
			if got := shown(s); got != tt.want {
				t.Errorf("%q gives %q, want %q", tt.keys, got, tt.want)
			}
			single := &session{width: 40}
			var d Decoder
			for i := range len(tt.keys) {
				for _, k := range d.Feed([]byte{tt.keys[i]}) {
					single.press(k)
				}
			}
			for _, k := range d.Flush() {
				single.press(k)
			}
			if got := shown(single); got != tt.want {
				t.Errorf("%q byte by byte gives %q, want %q", tt.keys, got, tt.want)
			}
		})
	}
}

func TestEnds(t *testing.T) {
	for _, tt := range []struct {
		keys string
		want act
	}{
		{"a\r", send},
		{"\r", send},
		{"a\\\r", goOn},
		{"\x03", interrupt},
		{"a\x03", goOn},
		{"a\x03\x03", interrupt},
		{"\x04", leave},
		{"a\x04", goOn},
		{"\x1a", suspend},
		{"a\x1a", suspend},
		{"\x1c", quit},
		{"\x0c", clearScreen},
		{"@a\t", completeWord},
		{"\x07", editElsewhere},
		{"\x1b[200~a\r\x1b[201~", goOn},
	} {
		if got := typed(&session{width: 40}, tt.keys); got != tt.want {
			t.Errorf("%q asks for %d, want %d", tt.keys, got, tt.want)
		}
	}
}

func TestHistoryKeys(t *testing.T) {
	for _, tt := range []struct{ name, keys, want string }{
		{"the last", up, "add tests|"},
		{"the one before", up + up, "fix the parser|"},
		{"beyond the first", up + up + up + up + up, "first|\nof two lines"},
		{"rows of an entry", up + up + up + down, "first\nof tw|o lines"},
		{"the new one comes back", "draft" + up + down, "draft|"},
		{"beyond the new one", "draft" + down, "draft|"},
		{"search", "\x12parser\r", "fix the parser|"},
		{"search, any case", "\x12PARSER\r", "fix the parser|"},
		{"search on", "\x12s\x12\r", "fix the parser|"},
		{"search on to the end", "\x12first\x12\x12\r", "first\nof two lines|"},
		{"search without an end", "draft\x12zzz\r", "draft|"},
		{"a search called off", "draft\x12parser\x03", "draft|"},
		{"a search called off by Ctrl+G", "draft\x12parser\x07", "draft|"},
		{"a key accepts", "\x12parser" + left + "x", "fix the parsex|r"},
		{"a shorter word", "\x12parserx\x7f\r", "fix the parser|"},
		{"what was cleared", "draft\x03" + up, "draft|"},
	} {
		s := &session{width: 40, past: []string{"first\nof two lines", "fix the parser", "add tests"}}
		s.entry = len(s.past)
		typed(s, tt.keys)
		if got := shown(s); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestOffer(t *testing.T) {
	s := &session{width: 40, Request: Request{Offer: "add tests"}}
	if got := typed(s, "\r"); got != goOn || shown(s) != "add tests|" {
		t.Errorf("Enter: %d, %q", got, shown(s))
	}
	s = &session{width: 40, Request: Request{Offer: "add tests"}}
	if got := typed(s, "\t"); got != goOn || shown(s) != "add tests|" {
		t.Errorf("Tab: %d, %q", got, shown(s))
	}
	if got := typed(s, "\r"); got != send {
		t.Errorf("Enter on the offer: %d", got)
	}
}

func TestAhead(t *testing.T) {
	for _, tt := range []struct{ keys, want string }{
		{"next\r", "next|"},
		{"one\rtwo\r\r", "one\ntwo|"},
		{"nxt" + left + left + "e\x04\x03\x1a\x12", "ne|xt"},
		{"\x1b[200~pasted, not ended", "pasted, not ended|"},
	} {
		s := &session{width: 40}
		s.ahead([]byte(tt.keys))
		if got := shown(s); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.keys, got, tt.want)
		}
	}
}

func TestFold(t *testing.T) {
	long := strings.Repeat("line\n", 20)
	s := &session{width: 40}
	typed(s, "see \x1b[200~"+long+"\x1b[201~ ok")
	if got := s.buffer.String(); got != "see "+long+" ok" {
		t.Errorf("%q", got)
	}
	if rows := s.frame(24).rows; len(rows) != 2 || !strings.Contains(rows[0], "[pasted: 20 lines, 100 cha") {
		t.Errorf("%q", rows)
	}
	typed(s, left+left+left+"\x7f")
	if got := s.buffer.String(); got != "see  ok" {
		t.Errorf("the fold is not one: %q", got)
	}
}

func TestComplete(t *testing.T) {
	for _, tt := range []struct {
		before, word string
		candidates   []string
		want         string
		listed       int
	}{
		{"see @ma", "@ma", []string{"@main.go"}, "see @main.go |", 0},
		{"see @sr", "@sr", []string{"@src/"}, "see @src/|", 0},
		{"@m", "@m", []string{"@main.go", "@main_test.go"}, "@main|", 0},
		{"@main", "@main", []string{"@main.go", "@main_test.go"}, "@main|", 2},
		{"@x", "@x", nil, "@x|", 0},
		{"@é", "@é", []string{"@éa", "@éb"}, "@é|", 2},
	} {
		s := &session{width: 40}
		typed(s, tt.before)
		s.completed(tt.word, tt.candidates)
		if got := shown(s); got != tt.want || len(s.listed) != tt.listed {
			t.Errorf("%s: %q and %d, want %q and %d", tt.before, got, len(s.listed), tt.want, tt.listed)
		}
	}
}

func TestLayout(t *testing.T) {
	const family = "👩‍👩‍👧‍👦"
	for _, tt := range []struct {
		name, text string
		rows       []string
		row, col   int // of the cursor, behind the text
	}{
		{"empty", "", []string{"> "}, 0, 2},
		{"short", "abc", []string{"> abc"}, 0, 5},
		{"full", strings.Repeat("a", 38), []string{"> " + strings.Repeat("a", 38), "  "}, 1, 2},
		{"over", strings.Repeat("a", 39), []string{"> " + strings.Repeat("a", 38), "  a"}, 1, 3},
		{"Japanese", strings.Repeat("日", 20), []string{"> " + strings.Repeat("日", 19), "  日"}, 1, 4},
		{"Japanese that doesn't fit", "a" + strings.Repeat("日", 19), []string{"> a" + strings.Repeat("日", 18), "  日"}, 1, 4},
		{"accents take no place", strings.Repeat("e\u0301", 38), []string{"> " + strings.Repeat("e\u0301", 38), "  "}, 1, 2},
		{"families", strings.Repeat(family, 20), []string{"> " + strings.Repeat(family, 19), "  " + family}, 1, 4},
		{"flags", strings.Repeat("🇩🇪", 20), []string{"> " + strings.Repeat("🇩🇪", 19), "  🇩🇪"}, 1, 4},
		{"lines", "a\n\nb", []string{"> a", "  ", "  b"}, 2, 3},
		{"controls are shown", "a\x07b", []string{`> a\x07b`}, 0, 8},
		{"tabs", "a\tb", []string{"> a    b"}, 0, 8},
	} {
		l := lay("> ", split(tt.text), 40)
		if fmt.Sprint(l.rows) != fmt.Sprint(tt.rows) {
			t.Errorf("%s: %q, want %q", tt.name, l.rows, tt.rows)
		}
		if at := l.starts[len(l.starts)-1]; at != (place{tt.row, tt.col}) {
			t.Errorf("%s: the cursor is at %v", tt.name, at)
		}
	}
}

func TestLongPrompt(t *testing.T) {
	l := lay("Apply? [y]es [n]o, or say what to change: ", split("no"), 20)
	if want := []string{"Apply? [y]es [n]o,", "or say what to", "change: no"}; fmt.Sprint(l.rows) != fmt.Sprint(want) {
		t.Errorf("%q", l.rows)
	}
	if at := l.starts[2]; at != (place{2, 10}) {
		t.Errorf("the cursor is at %v", at)
	}
}

// TestSlowCharacters has the bytes of a character come one after the other, with pauses.
func TestSlowCharacters(t *testing.T) {
	s := &session{width: 40}
	var d Decoder
	for _, c := range []byte("日é") {
		for _, k := range append(d.Feed([]byte{c}), d.Flush()...) {
			s.press(k)
		}
	}
	if got := shown(s); got != "日é|" {
		t.Errorf("%q", got)
	}
}

// TestPasteTime has a paste cost what its length does.
func TestPasteTime(t *testing.T) {
	paste := func(n int) time.Duration {
		text := "\x1b[200~" + strings.Repeat("word ", n/5) + "\x1b[201~"
		start := time.Now()
		s := &session{width: 80}
		typed(s, text)
		s.frame(24)
		return time.Since(start)
	}
	paste(1000)
	small, large := paste(10_000), paste(80_000)
	if large > 30*small+10*time.Millisecond {
		t.Errorf("10,000 characters took %s, 80,000 %s", small, large)
	}
}

// FuzzKeys types anything on screens of any size: nothing breaks, the cursor stays in the
// text, the rows on the screen, and undoing everything leaves nothing.
func FuzzKeys(f *testing.F) {
	for _, keys := range []string{"abc" + left + "x", "e\u0301\x7f", "\x1b[200~a\rb\x1b[201~c", "one\x17\x19\x1f", "\x12p\x12\r", "日本語" + up, "a\tb\\\r", "\x1b\x1b[", "🇩🇪" + left + "🇫🇷", "\x1bOx\x1b[1;5D"} {
		f.Add(keys, 40, 24)
	}
	f.Fuzz(func(t *testing.T, keys string, width, height int) {
		if len(keys) > 2000 {
			return // each key draws all: that takes long
		}
		width, height = 1+abs(width)%200, 1+abs(height)%100
		s := &session{width: width, past: []string{"one\ntwo", "three"}, entry: 2, Request: Request{Prompt: "say what: "}}
		s.complete = func(context.Context, string) (string, []string) { return "a", []string{"ab", "abc"} }
		var d Decoder
		old := drawing{}
		for _, k := range append(append(d.Feed([]byte(keys)), d.EndPaste()...), d.Flush()...) {
			if s.press(k) == completeWord {
				s.completed(s.complete(t.Context(), s.buffer.Before()))
			}
			if s.buffer.at < 0 || s.buffer.at > len(s.buffer.cells) || !utf8.ValidString(s.buffer.String()) {
				t.Fatalf("%q leaves %q at %d", keys, s.buffer.String(), s.buffer.at)
			}
			if len(s.buffer.cells) > 5000 {
				return // what is killed can be put in twice, and again
			}
			fr := s.frame(height)
			if len(fr.rows) > height || fr.at.row < 0 || fr.at.row >= len(fr.rows) {
				t.Fatalf("%q: %d rows on a screen of %d, the cursor in %d", keys, len(fr.rows), height, fr.at.row)
			}
			for _, row := range fr.rows {
				if uniseg.StringWidth(row) > max(width, 8) || strings.ContainsAny(row, "\x1b\n\r\a") {
					t.Fatalf("%q: the row %q on a screen of %d", keys, row, width)
				}
			}
			_ = fr.over(old, fr.before())
			old = fr
		}
		s.search = nil
		for range maxUndo + 1 {
			s.press(Key{Code: Undo})
		}
		if len(s.buffer.undo) > 0 {
			t.Fatalf("%q can't be undone", keys)
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}
