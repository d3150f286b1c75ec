package change

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paicode/pkg/turn"
)

var applyTests = []struct {
	name, text string
	edits      []turn.Edit
	want       string // the result, or the error after "!"
	matched    string
}{
	{"one", "a b c", []turn.Edit{{Search: "b", Replace: "x"}}, "a x c", MatchedExact},
	{"in order", "a b", []turn.Edit{{Search: "a", Replace: "b"}, {Search: "b b", Replace: "c"}}, "c", MatchedExact},
	{"nothing there", "a", []turn.Edit{{Search: "b", Replace: "x"}}, "!edit 1 matches nowhere", ""},
	{"twice", "aa", []turn.Edit{{Search: "a", Replace: "x"}}, "!edit 1 matches 2 places", ""},
	{"overlapping", "aaa", []turn.Edit{{Search: "aa", Replace: "x"}}, "!edit 1 matches 2 places", ""},
	{"many", strings.Repeat("a", 500), []turn.Edit{{Search: "a", Replace: "x"}}, "!edit 1 matches 100 or more places", ""},
	{"second fails", "a b", []turn.Edit{{Search: "a", Replace: "x"}, {Search: "a", Replace: "y"}}, "!edit 2 matches nowhere", ""},
	{"empty search", "a", []turn.Edit{{Replace: "x"}}, "!edit 1 searches for nothing", ""},
	{"all identifiers", "add(add_one, xadd, add)", []turn.Edit{{Search: "add", Replace: "sum", All: true}}, "sum(add_one, xadd, sum)", MatchedExact},
	{"all in Unicode", "é éa (é)", []turn.Edit{{Search: "é", Replace: "e", All: true}}, "e éa (e)", MatchedExact},
	{"all of no identifier", "a--b--", []turn.Edit{{Search: "--", Replace: "+", All: true}}, "a+b+", MatchedExact},
	{"all nowhere", "adds", []turn.Edit{{Search: "add", Replace: "x", All: true}}, "!edit 1 matches nowhere", ""},
	{"all of very many", strings.Repeat(",", 1000), []turn.Edit{{Search: ",", Replace: strings.Repeat("x", 5000), All: true}}, "!edit 1 makes more than 21001 bytes of 1000", ""},
	{"all that grow within bounds", ",,", []turn.Edit{{Search: ",", Replace: "123456789012345", All: true}}, strings.Repeat("123456789012345", 2), MatchedExact},
	{"all that double", "--", slices.Repeat([]turn.Edit{{Search: "-", Replace: "--", All: true}}, 8), "!edit 5 makes more than 56 bytes of 32", ""},
	{"CRLF", "a\r\nb\r\n", []turn.Edit{{Search: "a\nb\n", Replace: "c\nd\n"}}, "c\r\nd\r\n", MatchedLineEndings},
	{"CRLF in the replacement alone", "a\r\nb\r\n", []turn.Edit{{Search: "a", Replace: "c\nd"}}, "c\r\nd\r\nb\r\n", MatchedLineEndings},
	{"mixed ends stay", "a\r\nb\nc\r\n", []turn.Edit{{Search: "b\n", Replace: "x\n"}}, "a\r\nx\nc\r\n", MatchedExact},
	{"mixed ends, a line that has the other", "a\r\nb\nc\r\n", []turn.Edit{{Search: "a\nb\nc\n", Replace: "a\nb\nx\nc\n"}}, "a\r\nb\nx\r\nc\r\n", MatchedLineEndings},
	{"CRLF in the edit alone", "a\nb\n", []turn.Edit{{Search: "a\r\nb\r\n", Replace: "a\r\nx\r\n"}}, "a\nx\n", MatchedLineEndings},
	{"trailing blanks in the text", "a  \nb\t\nc\n", []turn.Edit{{Search: "a\nb\n", Replace: "a\nx\n"}}, "a  \nx\nc\n", MatchedTrailingBlanks},
	{"trailing blanks in the edit", "a\nb\n", []turn.Edit{{Search: "a \nb \n", Replace: "a \nx\n"}}, "a\nx\n", MatchedTrailingBlanks},
	{"blank line with blanks", "a\n    \nb\n", []turn.Edit{{Search: "a\n\nb\n", Replace: "a\n\nc\n"}}, "a\n    \nc\n", MatchedTrailingBlanks},
	{"deeper", "if x:\n    def f():\n        return 1\n", []turn.Edit{{Search: "def f():\n    return 1\n", Replace: "def f():\n    y = 2\n\n    return y\n"}},
		"if x:\n    def f():\n        y = 2\n\n        return y\n", MatchedIndentation},
	{"shallower", "def f():\n\treturn 1\n", []turn.Edit{{Search: "\tdef f():\n\t\treturn 1\n", Replace: "\tdef f():\n\t\treturn 2\n"}},
		"def f():\n\treturn 2\n", MatchedIndentation},
	{"one line without its indentation", "if x:\n    y\n", []turn.Edit{{Search: "y\n", Replace: "z\n"}}, "if x:\n    z\n", MatchedExact},
	{"one that becomes two", "if x:\n    y\n", []turn.Edit{{Search: "y\n", Replace: "y\nz\n"}}, "if x:\n    y\n    z\n", MatchedExact},
	{"one that becomes two, of which nobody knows how deep", "if x:\n    y\n", []turn.Edit{{Search: "y\n", Replace: "y\n        z\n"}}, "!edit 1 leaves out the indentation of its line", ""},
	{"several, the first without its indentation", "if x:\n    y\n    z\n", []turn.Edit{{Search: "y\n    z\n", Replace: "y\n    w\n    z\n"}}, "if x:\n    y\n    w\n    z\n", MatchedExact},
	{"several that need an indentation each", "if x:\n    if a:\n        b()\n", []turn.Edit{{Search: "if a:\n        b()\n", Replace: "log()\nif a:\n        b()\n"}}, "!edit 1 leaves out the indentation of its line", ""},
	{"the tail of a line is no line", "subtotal = 0\ntotal = 0  # start\n", []turn.Edit{{Search: "total = 0\n", Replace: "total = 1\n"}}, "!edit 1 matches nowhere", ""},
	{"a line beats the tail of another", "max = 1\nx = 1  \n", []turn.Edit{{Search: "x = 1\n", Replace: "x = 2\n"}}, "max = 1\nx = 2\n", MatchedTrailingBlanks},
	{"another indentation is no exact one", "    return x  \n        return x\n", []turn.Edit{{Search: "    return x\n", Replace: "    return y\n"}}, "    return y\n        return x\n", MatchedTrailingBlanks},
	{"all and marks", "cafe\u0301 = cafe", []turn.Edit{{Search: "cafe", Replace: "tea", All: true}}, "cafe\u0301 = tea", MatchedExact},
	{"removed without its indentation", "if x:\n    y\n    z\n", []turn.Edit{{Search: "y\n", Replace: ""}}, "if x:\n    z\n", MatchedExact},
	{"a last line that only lacks its end", "}\na\n}", []turn.Edit{{Search: "}\n", Replace: "x\n"}}, "!edit 1 matches 2 places", ""},
	{"not uniform", "  a\n    b\n", []turn.Edit{{Search: " a\n  b\n", Replace: "x\n"}}, "!edit 1 matches nowhere", ""},
	{"behind many lines that stay", "  a\n  b\n  c\n  d\n  e\n  f\n  g\n", []turn.Edit{{Search: "a\nb\nc\nd\ne\nf\ng\n", Replace: "a\nb\nc\nd\ne\nx\nf\ng\n"}}, "  a\n  b\n  c\n  d\n  e\n  x\n  f\n  g\n", MatchedIndentation},
	{"tabs for blanks", "\ta\n\tb\n", []turn.Edit{{Search: "  a\n  b\n", Replace: "  x\n    y\n"}}, "\tx\n\t\ty\n", MatchedTabs},
	{"a blank line in the text alone", "a\n\nb\nc\n", []turn.Edit{{Search: "a\nb\n", Replace: "a\nB\n"}}, "a\n\nB\nc\n", MatchedBlankLines},
	{"a blank line in the edit alone", "a\nb\nc\n", []turn.Edit{{Search: "a\n\nb\n", Replace: "a\n\nB\n"}}, "a\nB\nc\n", MatchedBlankLines},
	{"a blank line, and nobody knows the side", "a\n\nb\n", []turn.Edit{{Search: "a\nb\n", Replace: "a\nx\nb\n"}}, "!edit 1 matches nowhere", ""},
	{"punctuation behind a line", "x = 1; // one\n", []turn.Edit{{Search: "x = 1\n", Replace: "x = 2\n"}}, "x = 2; // one\n", MatchedPartOfLine},
	{"lines that stay and move by different widths", "    a\n    b\n    c\n", []turn.Edit{{Search: "a\nb\nc\n", Replace: "a\n    b\n        c\n"}}, "!edit 1 matches nowhere", ""},
	{"lines that stay and move by less than a step", "    a\n    b\n    c\n", []turn.Edit{{Search: "a\nb\nc\n", Replace: "a\n  b\n  c\n"}}, "!edit 1 matches nowhere", ""},
	{"a new line that can't be shifted", "a\nb\n", []turn.Edit{{Search: "  a\n  b\n", Replace: "  a\nx\n"}}, "!edit 1 matches nowhere", ""},
	{"tabs against blanks", "  a\n    a\n", []turn.Edit{{Search: "\ta\n", Replace: "x\n"}}, "!edit 1 matches 2 places", ""},
	{"twice deeper", " a\nb\n  a\n", []turn.Edit{{Search: "a\n", Replace: "x\n"}}, "!edit 1 matches 2 places", ""},
	{"twice by blanks", "a \nb\na\t\n", []turn.Edit{{Search: "a  \n", Replace: "x\n"}}, "!edit 1 matches 2 places", ""},
	{"parts of lines only to the letter", "x = 1;  \n", []turn.Edit{{Search: "= 1; \n", Replace: "= 2;\n"}}, "!edit 1 matches nowhere", ""},
	{"blank lines only", "a\n \nb\n", []turn.Edit{{Search: "\n\n", Replace: "\n"}}, "!edit 1 matches nowhere", ""},
	{"what an earlier edit wrote gives way", "a\nb\n", []turn.Edit{{Search: "a\n", Replace: "a\nb\n"}, {Search: "b\n", Replace: "c\n"}}, "a\nb\nc\n", MatchedExact},
	{"unless there is no other", "a\nb\n", []turn.Edit{{Search: "a\n", Replace: "x\n"}, {Search: "x\n", Replace: "y\n"}}, "y\nb\n", MatchedExact},
	{"across what an earlier edit wrote", "a\nb\nc\n", []turn.Edit{{Search: "a\n", Replace: "a\nx\n"}, {Search: "x\nb\n", Replace: "x\nB\n"}}, "a\nx\nB\nc\n", MatchedExact},
	{"two that meet", "a\nb\n", []turn.Edit{{Search: "b\n", Replace: "Y\nb\n"}, {Search: "a\n", Replace: "a\nX\n"}}, "a\nX\nY\nb\n", MatchedExact},
	{"two that meet, the other order", "a\nb\n", []turn.Edit{{Search: "a\n", Replace: "a\nX\n"}, {Search: "b\n", Replace: "Y\nb\n"}}, "a\nX\nY\nb\n", MatchedExact},
	{"shared surroundings", "a\nb\nc\n", []turn.Edit{{Search: "a\nb\n", Replace: "A\nb\n"}, {Search: "b\nc\n", Replace: "b\nC\n"}}, "A\nb\nC\n", MatchedExact},
	{"of what is gone", "a\nb\nc\n", []turn.Edit{{Search: "a\nb\n", Replace: "x\n"}, {Search: "b\nc\n", Replace: "y\n"}}, "!edit 2 matches nowhere", ""},
	{"all, then one", "f(g)\nf()\n", []turn.Edit{{Search: "f", Replace: "h", All: true}, {Search: "h(g)", Replace: "h(0)"}}, "h(0)\nh()\n", MatchedExact},
	{"no line feed at the end", "a\nb", []turn.Edit{{Search: "b\n", Replace: "c\nd\n"}}, "a\nc\nd", MatchedLineEndings},
}

func TestApply(t *testing.T) {
	for _, tt := range applyTests {
		t.Run(tt.name, func(t *testing.T) {
			got, matched, err := Apply(tt.text, tt.edits)
			if err != nil {
				got = "!" + err.Error()
			}
			if got != tt.want || matched != tt.matched {
				t.Errorf("got %q (%s), want %q (%s)", got, matched, tt.want, tt.matched)
			}
		})
	}
}

// TestApplyMany holds many edits at once, which are found in one pass, against
// replacing one after the other by hand.
func TestApplyMany(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	fitted := 0
	for range 300 {
		var b strings.Builder
		for range 200 {
			b.WriteString(strings.Repeat("ab\n", r.IntN(2)) + string(rune('a'+r.IntN(26))) + string(rune('a'+r.IntN(26))) + "\n")
		}
		text := b.String()
		var edits []turn.Edit
		want := text
		for len(edits) < 12 {
			at := r.IntN(len(want))
			search := want[at:min(len(want), at+1+r.IntN(40))]
			partial := strings.HasSuffix(search, "\n") && at > 0 && want[at-1] != '\n'
			if places(want, search) != 1 || partial {
				continue
			}
			replace := search[:r.IntN(len(search))] + "-new-\n"
			edits = append(edits, turn.Edit{Search: search, Replace: replace})
			want = strings.Replace(want, search, replace, 1)
		}
		got, matched, err := Apply(text, edits)
		if err != nil {
			if places(text, edits[err.(*EditError).Edit-1].Search) == 0 {
				t.Fatalf("%v, of %q", err, text)
			}
			continue // it means another place than by hand: one that no edit wrote
		}
		if got == want && matched == MatchedExact {
			fitted++
		}
	}
	if fitted < 200 {
		t.Errorf("only %d of 300 came out as by hand", fitted)
	}
}

func places(text, search string) int {
	n := 0
	for i := range text {
		if strings.HasPrefix(text[i:], search) {
			n++
		}
	}
	return n
}

// FuzzLocate holds the passes over a text against looking for each by itself.
func FuzzLocate(f *testing.F) {
	f.Add("abcabcabd", "abc")
	f.Add(strings.Repeat("ab\n", 50), "b\na")
	f.Fuzz(func(t *testing.T, text, search string) {
		var edits []turn.Edit
		for i := range 12 {
			edits = append(edits, turn.Edit{Search: search[min(i, len(search)):]})
		}
		for i, at := range locate(text, edits, newBudget(text, edits)) {
			if edits[i].Search == "" {
				continue
			}
			want := starts(text, edits[i].Search)
			if !slices.Equal(at, want) {
				t.Fatalf("%q in %q: %v, want %v", edits[i].Search, text, at, want)
			}
		}
	})
}

// TestNear has what comes nearest to a text that stands nowhere.
func TestNear(t *testing.T) {
	text := "import os\n\ndef f(a):\n    return a\n\ndef g(a):\n    return a / 2\n"
	for _, tt := range []struct {
		name, search string
		want         Near
	}{
		{"one line of two", "def g(a):\n    return a / 3\n", Near{6, 7, "-    return a / 3\n+    return a / 2\n"}},
		{"a line that is alike", "import osx\n", Near{1, 1, "-import osx\n+import os\n"}},
		{"nothing alike", "completely different\n", Near{}},
	} {
		_, _, err := Apply(text, []turn.Edit{{Search: tt.search, Replace: "x\n"}})
		if got := err.(*EditError).Near; got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// FuzzApply holds a single exact edit against replacing by hand.
func FuzzApply(f *testing.F) {
	for _, tt := range applyTests {
		f.Add(tt.text, tt.edits[0].Search, tt.edits[0].Replace, tt.edits[0].All)
	}
	f.Fuzz(func(t *testing.T, text, search, replace string, all bool) {
		got, matched, err := Apply(text, []turn.Edit{{Search: search, Replace: replace, All: all}})
		if err != nil || matched != MatchedExact || all || strings.HasSuffix(search, "\n") {
			return // whole lines don't count as parts of others
		}
		if replace != "" && (strings.Count(text, search) != 1 || got != strings.Replace(text, search, replace, 1)) {
			t.Fatalf("Apply(%q, %q → %q) = %q", text, search, replace, got)
		}
	})
}

func TestAdopt(t *testing.T) {
	for _, tt := range []struct{ old, content, want string }{
		{"a\n", "b\n", "b\n"},
		{"a\r\n", "b\nc\n", "b\r\nc\r\n"},
		{"\uFEFFa\n", "b\n", "\uFEFFb\n"},
		{"a", "b\n", "b"},
		{"a\r\nb", "c\nd\n", "c\r\nd"},
		{"", "b\n", "b\n"},
	} {
		if got := Adopt(tt.old, tt.content); got != tt.want {
			t.Errorf("Adopt(%q, %q) = %q, want %q", tt.old, tt.content, got, tt.want)
		}
	}
}

// patched applies the hunks of a unified diff by hand.
func patched(t *testing.T, old string, d Diff) string {
	t.Helper()
	var out strings.Builder
	all := splitLines(old)
	if d.Lines() != len(all) {
		t.Fatalf("%d lines, want %d", d.Lines(), len(all))
	}
	out.WriteString(strings.Join(all[:d.before], ""))
	lines := all[d.before:]
	at := 0
	for _, s := range d.spans {
		if s.oldStart < at || s.oldEnd > len(lines) {
			t.Fatalf("span %+v after line %d of %d", s, at, len(lines))
		}
		out.WriteString(strings.Join(lines[at:s.oldStart], ""))
		out.WriteString(strings.Join(d.new[s.newStart:s.newEnd], ""))
		at = s.oldEnd
	}
	out.WriteString(strings.Join(lines[at:], ""))
	return out.String()
}

func FuzzCompare(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\nd")
	f.Add("", "x")
	f.Add("a\na\na\nb\n", "a\nb\na\n")
	f.Fuzz(func(t *testing.T, old, new string) {
		d := Compare(old, new)
		if got := patched(t, old, d); got != new {
			t.Fatalf("Compare(%q, %q) leads to %q", old, new, got)
		}
		if len(d.AddedLines()) != d.Added() || len(d.RemovedLines()) != d.Removed() {
			t.Fatal("the counts differ from the lines")
		}
	})
}

// pair makes two versions of a file, as edits make them.
func pair(r *rand.Rand) (old, new string) {
	feed := []string{"\n", "\n", "\n", "\r\n"}[r.IntN(4)]
	var lines []string
	for range r.IntN(60) {
		lines = append(lines, []string{"", "}", "return", "é = 1\t", "line " + string(rune('a'+r.IntN(26)))}[r.IntN(5)])
	}
	edited := append([]string(nil), lines...)
	for range r.IntN(6) {
		at := r.IntN(len(edited) + 1)
		switch {
		case r.IntN(2) == 0:
			edited = append(edited[:at:at], append([]string{"new " + string(rune('a'+r.IntN(26)))}, edited[at:]...)...)
		case at < len(edited):
			edited = append(edited[:at:at], edited[min(len(edited), at+1+r.IntN(4)):]...)
		}
	}
	end := func(lines []string) string {
		text := strings.Join(lines, feed)
		if text != "" && r.IntN(4) > 0 {
			text += feed
		}
		return text
	}
	return end(lines), end(edited)
}

// TestPatches holds the diffs against git apply, patch -p1 and the count of
// git diff --minimal, for pairs of files made at random: half of them with git's
// own headers, all of one half in one patch.
func TestPatches(t *testing.T) {
	const pairs = 2000
	names := []string{"plain.txt", "with blank.txt", `quo"te.txt`, "tab\tname.txt", "ünïcödé.txt"}
	r := rand.New(rand.NewPCG(1, 2))
	before, after := make(map[string]string), make(map[string]string)
	changed := make(map[string]int)
	var patches [2]strings.Builder
	for i := range pairs {
		old, new := pair(r)
		if old == new {
			continue
		}
		name := fmt.Sprintf("%d/%s", i, names[i%len(names)])
		file := File{Old: &Side{Path: name, Text: old, Mode: ModeFile}, New: &Side{Path: name, Text: new, Mode: ModeFile}}
		d := file.Diff()
		if got := patched(t, old, d); got != new {
			t.Fatalf("%q → %q gave %q by Pai", old, new, got)
		}
		patch, _ := file.Unified(d, i%2 == 0)
		patches[i%2].WriteString(patch)
		before[name], after[name], changed[name] = old, new, d.Added()+d.Removed()
	}
	for _, tool := range [][]string{{"git", "apply"}, {"patch", "-s", "-p1", "--binary", "-i"}} {
		dir := t.TempDir()
		writeAll(t, dir, before)
		for i := range patches {
			write(t, dir, "the.patch", patches[i].String())
			run(t, dir, append(tool, "the.patch")...)
		}
		for name, want := range after {
			if got := read(t, dir, name); got != want {
				t.Errorf("%v of %q → %q gave %q", tool, before[name], want, got)
			}
		}
	}
	dir := t.TempDir()
	writeAll(t, filepath.Join(dir, "old"), before)
	writeAll(t, filepath.Join(dir, "new"), after)
	minimal := countMinimal(t, dir)
	for name, got := range changed {
		if got != minimal[name] {
			t.Errorf("%d changed lines, git finds %d, for %q → %q", got, minimal[name], before[name], after[name])
		}
	}
}

// countMinimal counts the changed lines of each file by git diff --minimal.
func countMinimal(t *testing.T, dir string) map[string]int {
	t.Helper()
	cmd := exec.Command("git", "diff", "--no-index", "--minimal", "--numstat", "-z", "old", "new")
	cmd.Dir = dir
	out, _ := cmd.Output() // it exits with 1 where files differ
	changed := make(map[string]int)
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		var added, removed int
		if _, err := fmt.Sscan(fields[i], &added, &removed); err != nil {
			t.Fatalf("%q: %v", fields[i], err)
		}
		changed[strings.TrimPrefix(fields[i+1], "old/")] = added + removed
	}
	return changed
}

func writeAll(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, dir, name, text)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func run(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// TestLargeCounts has what go-udiff alone miscounts.
func TestLargeCounts(t *testing.T) {
	var old, new strings.Builder
	for i := range 100_000 {
		line := strings.Repeat("x", i%7) + " line " + string(rune('a'+i%26)) + strings.Repeat("y", i/26%50) + "\n"
		old.WriteString(line)
		if i%100 == 50 {
			line = "changed " + line
		}
		new.WriteString(line)
	}
	d := Compare(old.String(), new.String())
	if d.Added() != 1000 || d.Removed() != 1000 {
		t.Errorf("+%d -%d, want +1000 -1000", d.Added(), d.Removed())
	}
}

func TestJudge(t *testing.T) {
	lines := func(n int, prefix string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(prefix + strings.Repeat("z", i%97) + string(rune('a'+i%26)) + strings.Repeat("q", i/97) + "\n")
		}
		return b.String()
	}
	limits := Limits{500, 0.5, 0.5}
	side := func(path, text string) *Side { return &Side{Path: path, Text: text} }
	long := lines(900, "")
	part := func(from, to int) string { return strings.Join(splitLines(long)[from:to], "") }
	for _, tt := range []struct {
		name  string
		files []File
		want  string // of the first file's problem
	}{
		{"small change", []File{{Old: side("a", long), New: side("a", long+"x\n")}}, ""},
		{"rewrite", []File{{Old: side("a", long), New: side("a", lines(900, "new"))}}, "1800 of 900 lines change"},
		{"many lines of a huge file", []File{{Old: side("a", lines(9000, "")), New: side("a", lines(9000, "")+lines(600, "n"))}}, ""},
		{"truncation", []File{{Old: side("a", long), New: side("a", part(0, 300))}}, "600 of 900 lines change"},
		{"shrinking a small file", []File{{Old: side("a", part(0, 40)), New: side("a", part(0, 19))}}, "21 of 40 lines would be lost"},
		{"a file under forty lines", []File{{Old: side("a", part(0, 39)), New: side("a", part(0, 1))}}, ""},
		{"truncation with carriage returns", []File{{Old: side("a", strings.ReplaceAll(long, "\n", "\r")), New: side("a", strings.ReplaceAll(part(0, 300), "\n", "\r"))}}, "600 of 900 lines change"},
		{"of other line ends", []File{{Old: side("a", strings.ReplaceAll(long, "\n", "\u2028")), New: side("a", lines(900, "new"))}}, "1800 of 900 lines change"},
		{"a rewrite that hides in one line", []File{{Old: side("a", long), New: side("a", strings.ReplaceAll(lines(900, "new"), "\n", "\v"))}}, "1800 of 900 lines change"},
		{"small change of a file from Windows", []File{{Old: side("a", strings.ReplaceAll(long, "\n", "\r\n")), New: side("a", strings.ReplaceAll(long, "\n", "\r\n")+"x\r\n")}}, ""},
		{"a new file", []File{{New: side("a", long)}}, ""},
		{"a removed file", []File{{Old: side("a", long)}}, ""},
		{"a split in three", []File{{Old: side("a", long), New: side("a", part(0, 100))}, {New: side("b", part(100, 500))}, {New: side("c", part(500, 900))}}, ""},
		{"a split that drops lines", []File{{Old: side("a", long), New: side("a", part(0, 10))}, {New: side("b", part(600, 900))}}, "590 of 900 lines change"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			diffs := make([]Diff, len(tt.files))
			for i, f := range tt.files {
				diffs[i] = f.Diff()
			}
			got := limits.Judge(tt.files, diffs)[0].Problem()
			if !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
				t.Errorf("problem %q, want %q", got, tt.want)
			}
		})
	}
}
