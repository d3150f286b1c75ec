package render

import (
	"strings"
	"testing"
	"unicode"

	"paicode/pkg/turn"
)

// TestColumns holds the widths in which terminals disagree with each other: the larger one
// counts.
func TestColumns(t *testing.T) {
	for text, want := range map[string]int{
		"abc": 3, "日本": 4, "ﾞﾟ": 2, "e\u0301": 1, "\u1100\u1161": 4, "〰": 2, "䷀": 2, "🏻": 2, "👩\u200d💻": 4, "🏳\ufe0f": 3, "│ ": 2, "└─": 2, "ক\u09be": 2,
	} {
		if got := columns(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
}

// FuzzApart holds that no row of what others wrote is wider than the terminal, that each
// begins with the bar, and that nothing is lost but blanks.
func FuzzApart(f *testing.F) {
	f.Add("a\n\nThis will:\n"+strings.Repeat("x ", 60)+strings.Repeat("日本", 40)+"\tend", 40)
	f.Add(strings.Repeat("\uff9e", 50)+"applied", 20)
	f.Fuzz(func(t *testing.T, text string, width int) {
		s := Style{Terminal: true, Width: max(20, min(width, 200))}
		var rows strings.Builder
		for row := range strings.Lines(s.apart(text)) {
			row = strings.TrimSuffix(row, "\n")
			rest, ok := strings.CutPrefix(row+" ", bar)
			if one := len(clusters(rest)) <= 2; !ok || columns(row) > s.Width && !one {
				t.Fatalf("%q: row %q", text, row)
			}
			rows.WriteString(rest)
		}
		if got, want := squeeze(rows.String()), squeeze(turn.Printable(text)); got != want {
			t.Fatalf("%q became %q", want, got)
		}
	})
}

func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

func TestFold(t *testing.T) {
	s := Style{Terminal: true, Width: 20}
	for _, row := range s.fold("+" + strings.Repeat("〰", 19) + "applied") {
		if columns(row) > s.Width {
			t.Errorf("row %q takes %d columns", row, columns(row))
		}
		if strings.HasPrefix(row, "applied") {
			t.Errorf("row %q stands in the first column", row)
		}
	}
}
