package author

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"paicode/cmd/pai-exec/internal/find"
	"paicode/pkg/generate"
	"paicode/pkg/prompt"
	"paicode/pkg/turn"
)

const (
	wholeLines  = 400 // a file up to this is shown whole
	windowLines = 240 // of a longer one
	leastLines  = 60  // of each, where all of them don't fit
)

// lineRange is a run of lines, counted from one, both in it.
type lineRange struct{ from, to int }

// shownFiles are the files that a question shows, in the order of the steps.
type shownFiles struct {
	paths []string
	parts map[string][]turn.Excerpt
	lines map[string]int
}

// add shows a file, or shows it anew as an earlier step of the plan leaves it.
func (f *shownFiles) add(p, text string, parts []turn.Excerpt) {
	if f.parts == nil {
		f.parts, f.lines = make(map[string][]turn.Excerpt), make(map[string]int)
	}
	if _, again := f.parts[p]; !again {
		f.paths = append(f.paths, p)
	}
	f.parts[p], f.lines[p] = parts, strings.Count(text, "\n")
}

// fit makes windows of the longest files until all take no more than the room.
func (f *shownFiles) fit(room int, window func(p string, lines int) []turn.Excerpt) {
	for _, lines := range []int{windowLines, leastLines} {
		byLength := slices.Clone(f.paths)
		slices.SortStableFunc(byLength, func(a, b string) int { return f.size(b) - f.size(a) })
		for _, p := range byLength {
			if f.total() <= room {
				return
			}
			if parts := window(p, lines); parts != nil {
				f.parts[p] = parts
			}
		}
	}
}

func (f *shownFiles) size(p string) (n int) {
	for _, e := range f.parts[p] {
		n += len(e.Text)
	}
	return n
}

func (f *shownFiles) total() (n int) {
	for _, p := range f.paths {
		n += f.size(p)
	}
	return n
}

// prompts are the files as a question holds them. Those that may be edited carry no
// line numbers.
func (f *shownFiles) prompts() (out []prompt.File) {
	for _, p := range f.paths {
		for _, e := range f.parts[p] {
			file := prompt.File{Path: p, Text: e.Text}
			if !e.Whole {
				file.Lines = fmt.Sprintf("%s of %d", e.Lines, f.lines[p])
			}
			out = append(out, file)
		}
	}
	return out
}

// windows are the lines that are shown of files that are not shown whole.
func (f *shownFiles) windows() map[string][]lineRange {
	out := make(map[string][]lineRange)
	for p, parts := range f.parts {
		for _, e := range parts {
			if r, ok := rangeOf(e.Lines); ok && !e.Whole {
				out[p] = append(out[p], r)
			}
		}
	}
	return out
}

func rangeOf(lines string) (r lineRange, ok bool) {
	first, last, _ := strings.Cut(lines, "-")
	from, err := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	return lineRange{from, to}, err == nil && err2 == nil
}

// parts are what a question shows of a file: all of a short one, and of a long one
// what the planner saw of it, what the request and the step name, and what fits their
// words.
func (a *Author) parts(p, text, do string) []turn.Excerpt {
	if strings.Count(text, "\n") <= wholeLines {
		return []turn.Excerpt{{Path: p, Whole: true, Text: text}}
	}
	return a.window(p, text, do, windowLines)
}

// window cuts so many lines out of a file.
func (a *Author) window(p, text, do string, most int) []turn.Excerpt {
	var matter []int
	if w := a.doc.Workspace(); w != nil {
		for _, h := range w.Hits {
			if h.Path == p {
				matter = append(matter, h.Line)
			}
		}
		seen := slices.Clone(w.Excerpts)
		for _, l := range w.Looks {
			seen = append(seen, l.Excerpts...)
		}
		for _, e := range seen {
			if r, ok := rangeOf(e.Lines); ok && e.Path == p {
				matter = append(matter, (r.from+r.to)/2)
			}
		}
	}
	q := find.NewQuery(do + " " + a.doc.Request())
	return find.Windows(q, p, text, matter, most)
}

// withContext adds what the planner saw of other files, as far as there is room: what
// it rested on, the one who writes must see too.
func (a *Author) withContext(files []prompt.File) []prompt.File {
	w := a.doc.Workspace()
	if w == nil {
		return files
	}
	room := generate.ContextBytes
	have := make(map[string]bool)
	for _, f := range files {
		room -= len(f.Text)
		have[f.Path] = true
	}
	var looked, seen []turn.Excerpt
	for _, l := range w.Looks {
		looked = append(looked, l.Excerpts...)
	}
	for _, e := range w.Excerpts {
		if e.Whole || len(looked) == 0 {
			seen = append(seen, e)
		}
	}
	// What was asked for may take all of the room; what was only shown takes a quarter.
	quarter := generate.ContextBytes / 4
	var fits []turn.Excerpt
	for i, e := range slices.Concat(looked, seen) {
		asked := i < len(looked)
		if have[e.Path] || len(e.Text) > room || !asked && len(e.Text) > quarter {
			continue
		}
		room -= len(e.Text)
		if !asked {
			quarter -= len(e.Text)
		}
		fits = append(fits, e)
	}
	return append(files, prompt.Excerpts(fits)...)
}

// widen makes an edit unique whose text stands in several places of a file, but in
// one alone of those that were shown: that one is meant. It takes in lines around the
// place until they stand there only.
func widen(text string, e turn.Edit, shown []lineRange) (turn.Edit, bool) {
	var meant []int
	for _, n := range linesOf(text, e.Search) {
		if slices.ContainsFunc(shown, func(r lineRange) bool { return r.from <= n && n <= r.to }) {
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
