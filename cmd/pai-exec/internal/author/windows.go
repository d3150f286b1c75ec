package author

import (
	"fmt"
	"slices"
	"strings"

	"paicode/cmd/pai-exec/internal/find"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/pkg/prompt"
	"paicode/pkg/turn"
)

const (
	wholeLines  = 400 // a file up to this is shown whole
	windowLines = 240 // of a longer one
	leastLines  = 60  // of each, where all of them don't fit
)

// shownFiles are the files that a question shows, in the order of the steps.
type shownFiles struct {
	paths []string
	files map[string]*shownText
}

// shownText is a file as it is before a step, and the parts of it that are shown.
type shownText struct {
	text, do string // do is what the steps on it say
	parts    []turn.Excerpt
	cut      bool // of lines that are longer than the room, some of the last is missing
}

// add shows a file, or shows it again as an earlier step of the plan leaves it.
func (f *shownFiles) add(p, text, do string, parts func(p string, t *shownText) []turn.Excerpt) {
	if f.files == nil {
		f.files = make(map[string]*shownText)
	}
	t := f.files[p]
	if t == nil {
		t = &shownText{}
		f.files[p] = t
		f.paths = append(f.paths, p)
	}
	t.text, t.do = text, t.do+" "+do
	t.parts = parts(p, t)
}

// fit makes windows of the longest files until all take no more than the room; where
// their lines are too long for that, it cuts them.
func (f *shownFiles) fit(room int, window func(p string, t *shownText, lines int) []turn.Excerpt) {
	for _, lines := range []int{windowLines, leastLines} {
		byLength := slices.Clone(f.paths)
		slices.SortStableFunc(byLength, func(a, b string) int { return f.files[b].size() - f.files[a].size() })
		for _, p := range byLength {
			if f.total() <= room {
				return
			}
			if parts := window(p, f.files[p], lines); parts != nil {
				f.files[p].parts = parts
			}
		}
	}
	for i, p := range f.paths {
		t, share := f.files[p], room/(len(f.paths)-i)
		t.shorten(share)
		room -= t.size()
	}
}

// shorten cuts what is shown to so many bytes.
func (t *shownText) shorten(most int) {
	for i, e := range t.parts {
		if most -= len(e.Text); most < 0 {
			e.Text, e.Whole = strings.ToValidUTF8(e.Text[:len(e.Text)+most], ""), false
			t.parts, t.cut = append(slices.Clone(t.parts[:i]), e), true
			return
		}
	}
}

func (t *shownText) size() (n int) {
	for _, e := range t.parts {
		n += len(e.Text)
	}
	return n
}

// whole reports whether all of the file is shown.
func (t *shownText) whole() bool { return len(t.parts) == 1 && t.parts[0].Whole }

func (f *shownFiles) total() (n int) {
	for _, t := range f.files {
		n += t.size()
	}
	return n
}

// prompts are the files as a question holds them, with secrets withheld. Those that may
// be edited carry no line numbers; those that are only to be explained do.
func (f *shownFiles) prompts(hide *overlay.Withholding, numbered bool) (out []prompt.File) {
	for _, p := range f.paths {
		t := f.files[p]
		for i, e := range t.parts {
			r, _ := rangeOf(e.Lines)
			file := prompt.File{Path: p, Text: hide.Lines(p, t.text, e.Text, max(1, r.From))}
			if !e.Whole {
				file.Lines = fmt.Sprintf("%s of %d", e.Lines, strings.Count(t.text, "\n"))
			}
			if numbered {
				file.Text = number(file.Text, max(1, r.From))
			}
			if t.cut && i == len(t.parts)-1 {
				file.Lines += ", cut"
			}
			out = append(out, file)
		}
	}
	return out
}

// number puts its number before each line.
func number(text string, from int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		fmt.Fprintf(&b, "%d: %s", from, line)
		from++
	}
	return b.String()
}

// windows are the lines that are shown of files that are not shown whole.
func (f *shownFiles) windows() map[string][]find.Range {
	out := make(map[string][]find.Range)
	for p, t := range f.files {
		for _, e := range t.parts {
			if r, ok := rangeOf(e.Lines); ok && !e.Whole {
				out[p] = append(out[p], r)
			}
		}
	}
	return out
}

func rangeOf(lines string) (find.Range, bool) {
	from, to, ok := find.Lines(lines)
	return find.Range{From: from, To: to}, ok
}

// parts are what a question shows of a file: all of a short one, and of a long one
// what was asked for and what fits its steps.
func (a *Author) parts(p string, t *shownText) []turn.Excerpt {
	if strings.Count(t.text, "\n") <= wholeLines {
		return []turn.Excerpt{{Path: p, Whole: true, Text: t.text, Lines: fmt.Sprintf("1-%d", strings.Count(t.text, "\n"))}}
	}
	return a.window(p, t, windowLines)
}

// window cuts so many lines out of a file: what planner and generator asked to see, what
// the steps and the request name, and what the planner saw.
func (a *Author) window(p string, t *shownText, most int) []turn.Excerpt {
	var asked, seen []find.Range
	take := func(into *[]find.Range, excerpts []turn.Excerpt) {
		for _, e := range excerpts {
			if r, ok := rangeOf(e.Lines); ok && e.Path == p {
				*into = append(*into, r)
			}
		}
	}
	if w := a.doc.Workspace(); w != nil {
		for _, l := range w.Looks {
			take(&asked, l.Excerpts)
		}
		take(&seen, w.Excerpts)
		for _, h := range w.Hits {
			if h.Path == p {
				seen = append(seen, find.Range{From: h.Line - hitLines, To: h.Line + hitLines})
			}
		}
	}
	for _, r := range a.reads {
		if r.path == p {
			asked = append(asked, r.lines(t.text)...)
		}
	}
	return find.Windows(find.NewQuery(t.do+" "+a.doc.Request()), p, t.text, asked, seen, most)
}

// hitLines is how much is shown before and after a line that holds a text of the request.
const hitLines = 3

// widen makes an edit unique whose text is in several places of a file, but in
// one alone of those that were shown: that one is meant. It takes in lines around the
// place until they are there only.
func widen(text string, e turn.Edit, shown []find.Range) (turn.Edit, bool) {
	var meant []int
	for _, n := range linesOf(text, e.Search) {
		if slices.ContainsFunc(shown, func(r find.Range) bool { return r.From <= n && n <= r.To }) {
			meant = append(meant, n)
		}
	}
	if len(meant) != 1 || e.All {
		return e, false
	}
	lines := strings.SplitAfter(text, "\n")
	start := 0
	for _, line := range lines[:meant[0]-1] {
		start += len(line)
	}
	at := strings.Index(text[start:], e.Search)
	if at < 0 || at > len(lines[meant[0]-1]) {
		return e, false // it was found in another form than the letter
	}
	from, to := start+at, start+at+len(e.Search)
	for strings.Count(text, text[from:to]) > 1 {
		wider := from
		if from > 0 {
			wider = strings.LastIndexByte(text[:from-1], '\n') + 1
		}
		end := strings.IndexByte(text[to:], '\n')
		if wider == from && end < 0 {
			return e, false
		}
		e.Replace = text[wider:from] + e.Replace
		from = wider
		if end >= 0 {
			e.Replace += text[to : to+end+1]
			to += end + 1
		}
	}
	e.Search = text[from:to]
	return e, true
}

// linesOf lists the lines, counted from one, in which a text begins, each once.
func linesOf(text, search string) (lines []int) {
	n, at := 1, 0
	for search != "" {
		i := strings.Index(text[at:], search)
		if i < 0 {
			break
		}
		n += strings.Count(text[at:at+i], "\n")
		if at += i; len(lines) == 0 || lines[len(lines)-1] != n {
			lines = append(lines, n)
		}
		n += strings.Count(text[at:at+1], "\n")
		at++
	}
	return lines
}
