package reply

import (
	"testing"

	"paicode/pkg/turn"
)

func TestCleanerEdit(t *testing.T) {
	const makefile, tabbed = "all:\n\techo\n", "f() {\n\ta\n\tb\n}\n"
	for _, tt := range []struct{ name, file, old, search, replace, want, problem string }{
		{"recipes get tabs", "Makefile", makefile, "all:\n\techo\n", "all:\n\techo\n    date\n", "all:\n\techo\n\tdate\n", ""},
		{"tabs for a number of blanks", "a.c", tabbed, "\ta\n", "    a\n        c\n", "\ta\n\t\tc\n", ""},
		{"blanks that are no number of tabs", "a.c", tabbed, "\ta\n", "    a\n      c\n", "", "blanks stand where the file has tabs"},
		{"entities", "a.py", "if a:\n    b\n", "if a:\n", "if a &lt; 1:\n", "if a < 1:\n", ""},
		{"entities beside what they stand for", "a.py", "if a:\n", "if a:\n", "if a &lt; 1 > b:\n", "", "&lt; and the like stand beside < in its code"},
		{"entities in a text stay", "a.py", "if a:\n", "if a:\n", "x = \"&lt;\"\n", "x = \"&lt;\"\n", ""},
		{"blanks that aren't", "a.py", "a = 1\n", "a = 1\n", "a\u00a0= 2\n", "a = 2\n", ""},
		{"line numbers", "a.py", "a\nb\n", "1 | a\n2 | b\n", "1 | a\n2 | c\n", "a\nc\n", ""},
		{"a plus before all lines", "a.py", "a\n", "a\n", "+a\n+b\n", "", "+ stands before its lines"},
		{"typographic quotes", "a.py", "a = 1\n", "a = 1\n", "a = “1”\n", "", "typographic quotes stand where code has straight ones: a = “1”"},
	} {
		got, problem := NewCleaner(tt.file, tt.old, "", nil).Edit(turn.Edit{Search: tt.search, Replace: tt.replace})
		if string(problem) != tt.problem || problem == "" && got.Replace != tt.want {
			t.Errorf("%s: %q, %q", tt.name, got.Replace, problem)
		}
	}
}

func TestCleanerText(t *testing.T) {
	for _, tt := range []struct{ name, file, old, text, want, problem string }{
		{"a mark at the beginning", "a.py", "x\n", bom + "y\n", "y\n", ""},
		{"line ends as two characters", "a.py", "x\n", `a = 1\nb = 2`, "a = 1\nb = 2\n", ""},
		{"what is quoted stays", "a.py", "x\n", "a = 'b\\nc'\n", "a = 'b\\nc'\n", ""},
		{"a sentence", "a.py", "x\n", "Here is the updated file:\nx = 1\n", "", "a sentence stands in it: Here is the updated file:"},
		{"an excuse", "a.py", "x\n", "I cannot do that.\n", "", "it says that it can't be done: I cannot do that."},
	} {
		got, problem := NewCleaner(tt.file, tt.old, "", nil).Text(tt.text)
		if string(problem) != tt.problem || problem == "" && got != tt.want {
			t.Errorf("%s: %q, %q", tt.name, got, problem)
		}
	}
	if _, problem := NewCleaner("a.py", "x\n", "", []string{"Here is the updated file:"}).Text("Here is the updated file:\nx = 1\n"); problem != "" {
		t.Errorf("what is meant is refused: %s", problem)
	}
}

func TestDoubled(t *testing.T) {
	add := func(search string) turn.Edit {
		return turn.Edit{Search: search, Replace: search + "def f():\n    pass\n"}
	}
	edits := []turn.Edit{add("a\n"), add("a\n")}
	const twice = "a\ndef f():\n    pass\ndef f():\n    pass\n"
	if got := Doubled("a\n", twice, edits); got != "def f():" {
		t.Errorf("doubled: %q", got)
	}
	if got := Doubled(twice, twice, edits); got != "" {
		t.Errorf("what was there twice is doubled: %q", got)
	}
	if got := Doubled("a\nb\n", "a\ndef f():\n    pass\nb\ndef f():\n    pass\n", []turn.Edit{add("a\n"), add("b\n")}); got != "" {
		t.Errorf("in two places it is doubled: %q", got)
	}
}

func TestThere(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		e          turn.Edit
		want       bool
	}{
		{"added already", "a\nimport os\n", turn.Edit{Search: "a\n", Replace: "a\nimport os\n"}, true},
		{"not yet", "a\n", turn.Edit{Search: "a\n", Replace: "a\nimport os\n"}, false},
		{"what says nothing may come again", "a\n}\n", turn.Edit{Search: "a\n", Replace: "a\n}\n"}, false},
		{"a change", "a\nb\n", turn.Edit{Search: "a\n", Replace: "b\n"}, false},
	} {
		if got := There(tt.text, tt.e); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
