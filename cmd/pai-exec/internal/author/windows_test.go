package author

import (
	"strings"
	"testing"

	"paicode/cmd/pai-exec/internal/find"
	"paicode/pkg/turn"
)

// TestWiden has edits that are in several places of a file, and in one alone of
// what was shown.
func TestWiden(t *testing.T) {
	text := "a() {\n\treturn\n}\nb() {\n\treturn\n}\nc() {\n\treturn\n}\n"
	for _, tt := range []struct {
		name   string
		search string
		shown  []find.Range
		want   string // the text that comes of it; empty: it stays ambiguous
	}{
		{"one is shown", "\treturn\n", []find.Range{{From: 4, To: 6}}, "a() {\n\treturn\n}\nb() {\n\tX\n}\nc() {\n\treturn\n}\n"},
		{"the first", "\treturn\n", []find.Range{{From: 1, To: 3}}, "a() {\n\tX\n}\nb() {\n\treturn\n}\nc() {\n\treturn\n}\n"},
		{"the last", "\treturn\n", []find.Range{{From: 7, To: 9}}, "a() {\n\treturn\n}\nb() {\n\treturn\n}\nc() {\n\tX\n}\n"},
		{"two are shown", "\treturn\n", []find.Range{{From: 1, To: 6}}, ""},
		{"none is", "\treturn\n", []find.Range{{From: 20, To: 30}}, ""},
		{"found in another form", "  return\n", []find.Range{{From: 4, To: 6}}, ""},
	} {
		e, ok := widen(text, turn.Edit{Search: tt.search, Replace: "\tX\n"}, tt.shown)
		switch {
		case ok != (tt.want != ""):
			t.Errorf("%s: widened %v, %+v", tt.name, ok, e)
		case ok && (strings.Count(text, e.Search) != 1 || strings.Replace(text, e.Search, e.Replace, 1) != tt.want):
			t.Errorf("%s: %+v leads to %q", tt.name, e, strings.Replace(text, e.Search, e.Replace, 1))
		}
	}
	same := strings.Repeat("x\n", 9)
	if e, ok := widen(same, turn.Edit{Search: "x\n", Replace: "y\n"}, []find.Range{{From: 5, To: 5}}); ok && strings.Count(same, e.Search) != 1 {
		t.Errorf("%+v", e)
	}
}
