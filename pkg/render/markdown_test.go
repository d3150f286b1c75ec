package render

import (
	"strings"
	"testing"
)

func TestMarkdown(t *testing.T) {
	plain, coloured := Style{Terminal: true, Width: 40}, Style{Terminal: true, Width: 40, Colour: true}
	for _, tt := range []struct {
		name  string
		style Style
		text  string
		want  string
	}{
		{"prose", plain, "one two", "│ one two\n"},
		{"wrapped", plain, "one two three four five six seven eight nine", "│ one two three four five six seven\n│ eight nine\n"},
		{"as written without colour", plain, "# A\n**b** `c`", "│ # A\n│ **b** `c`\n"},
		{"a heading", coloured, "## Title ", "│ \x1b[1mTitle\x1b[0m\n"},
		{"no heading", coloured, "#hash", "│ #hash\n"},
		{"bold and code", coloured, "a **b c** `d` e", "│ a \x1b[1mb c\x1b[0m \x1b[36md\x1b[0m e\n"},
		{"marks that are none", coloured, "2 ** 3 ** 4 `", "│ 2 ** 3 ** 4 `\n"},
		{"bold over a row's end", coloured, "some words before **bold words that go on** here", "│ some words before \x1b[1mbold words that go\x1b[0m\n│ \x1b[1mon\x1b[0m here\n"},
		{"a list", plain, "- one two three four five six seven eight\n  1. two", "│ - one two three four five six seven\n│   eight\n│   1. two\n"},
		{"code", coloured, "```go\nx := **1**\n```\nafter", "│ ```go\n│ \x1b[36mx := **1**\x1b[0m\n│ ```\n│ after\n"},
		{"code is not broken between words", plain, "```\n" + strings.Repeat("x ", 25) + "\n```", "│ ```\n│ " + strings.Repeat("x ", 18) + "x\n│ ↳ x x x x x x\n│ ```\n"},
		{"nothing steers the terminal", coloured, "a\x1b[31mb\x07", "│ a\\x1b[31mb\\x07\n"},
		{"empty lines", plain, "a\n\nb", "│ a\n│\n│ b\n"},
	} {
		m := tt.style.Markdown()
		if got := m.Write(tt.text) + m.Close(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// FuzzMarkdown has a text come in pieces: what is printed is the same as of the whole.
func FuzzMarkdown(f *testing.F) {
	f.Add("# A\n\n- **one** `two` three four five six seven eight nine ten\n```\ncode\n```\nend", 3, 40, true)
	f.Add("**a b c d e f g h i j k l m n o p q r s t u v w** x", 7, 20, true)
	f.Add(strings.Repeat("日本 ", 30), 2, 30, false)
	f.Add("```` three four five six seven eight nine", 1, 40, true)
	f.Add(strings.Repeat(" ", 40)+"``` a b c d e f g h i j k l m n o p q r s t u v w x y z", 1, 20, true)
	f.Add("A\n\n- **** `two` three f**", 1, 20, true)
	f.Fuzz(func(t *testing.T, text string, size, width int, colour bool) {
		if len(text) > 2000 {
			return // a line is drawn again for each of its pieces, of one character here
		}
		s := Style{Terminal: true, Width: max(20, min(width, 120)), Colour: colour}
		m := s.Markdown()
		whole := m.Write(text) + m.Close()
		m = s.Markdown()
		var pieces strings.Builder
		size = max(1, min(size, 50))
		runes := []rune(strings.ToValidUTF8(text, "?"))
		if string(runes) != text {
			return
		}
		for len(runes) > 0 {
			n := min(size, len(runes))
			pieces.WriteString(m.Write(string(runes[:n])))
			runes = runes[n:]
		}
		pieces.WriteString(m.Close())
		if pieces.String() != whole {
			t.Fatalf("%q in pieces of %d gives\n%q, whole\n%q", text, size, pieces.String(), whole)
		}
		for row := range strings.Lines(whole) {
			if !strings.HasPrefix(row, strings.TrimRight(bar, " ")) {
				t.Fatalf("%q: the row %q", text, row)
			}
		}
	})
}
