package reply

import (
	"fmt"
	"slices"
	"strings"

	"paicode/pkg/turn"
)

// Answer is what a reply says of one step. At most one of Content, Edits,
// NoChange, Read, Cannot and Problem is set, but for Edits of a Cut answer.
type Answer struct {
	Content  *string // a whole file, or FINISH's words
	Edits    []turn.Edit
	NoChange string   // why nothing need change
	Read     []string // files that must be seen first
	Cannot   string   // why the model won't do it
	Missing  bool     // the whole reply doesn't answer the step; Problem says so
	Problem  Problem  // why there is nothing to use
	Markers  bool     // the problem is one of markers
	Cut      bool     // the reply ended here before its end: Edits are those that were complete
	Line     int      // of the reply, counted from one, where Problem shows
	Text     string   // what the reply says of the step, to the letter but for fences
	Meant    []string // lines that are meant as they are, though they look like more
	Removed  []string // names that go on purpose
}

// Problem is what is wrong with a part of a reply, in words that the generator is told; empty where
// nothing is.
type Problem string

// Reading is what a reply says.
type Reading struct {
	Answers map[int]Answer // by the step's number; every wanted step has one
	Stray   []Problem      // why parts of the reply belong to no wanted step
}

// Read takes a whole reply apart: every line of it is used, or is prose, or a
// problem. cut tells that it reached the limit of tokens.
func (q Question) Read(reply string, cut bool) Reading {
	lines, skipped := withoutThoughts(splitLines(withoutTokens(reply)))
	lines = q.unquoted(lines)
	all := q.sections(lines, skipped)
	out := Reading{Answers: make(map[int]Answer), Stray: stray(all)}
	for i := range q.wanted {
		w := &q.wanted[i]
		if a, ok := q.step(w, all, cut); ok {
			out.Answers[w.Number] = a
		}
	}
	if files := q.frameOfAll(all); files != nil && !cut {
		out.Stray = append(out.Stray, q.takeFrame(files, all[0].start, out.Answers)...)
	} else if !q.headless(all, cut, out.Answers) && all[0].hasBlock() {
		out.Stray = append(out.Stray, Problem("a search/replace block stands beneath no heading").At(all[0].start))
	}
	for _, w := range q.wanted {
		if _, ok := out.Answers[w.Number]; !ok && cut {
			out.Answers[w.Number] = Answer{Problem: "the reply was cut before it", Cut: true}
		} else if !ok {
			out.Answers[w.Number] = Answer{Missing: true, Problem: "the reply doesn't answer it"}
		}
	}
	return out
}

// stray says which sections hold what belongs to no wanted step.
func stray(all []*section) (problems []Problem) {
	for _, s := range all {
		switch {
		case s.step == nil && s.wrong != "" && s.holds():
			problems = append(problems, s.wrong.At(s.start))
		case s.step != nil && s.step.Action == turn.ActionFinish && s.hasBlock():
			problems = append(problems, Problem("a search/replace block stands beneath FINISH").At(s.start))
		}
	}
	return problems
}

// step reads the sections of one step. Those that say nothing don't count if another one
// says something, as where a list of steps comes before the answer.
func (q Question) step(w *Wanted, all []*section, cut bool) (a Answer, ok bool) {
	var own, full []*section
	for _, s := range all {
		if s.step == w {
			own = append(own, s)
			if s.says() {
				full = append(full, s)
			}
		}
	}
	if len(own) == 0 {
		return a, false
	}
	for len(full) > 1 && full[0].named && !full[1].named {
		full = full[1:] // a file that is talked about before its step
	}
	if len(full) == 0 {
		full = own[len(own)-1:]
	}
	for i, s := range full {
		next := q.answer(s, cut && s == all[len(all)-1])
		if i == 0 {
			a = next
		} else {
			a = both(a, next, w.Action)
		}
	}
	return a, true
}

// both is what two sections say of one step.
func both(a, b Answer, action string) Answer {
	switch {
	case action == turn.ActionFinish:
		return b
	case a.Content != nil && b.Content != nil && *a.Content == *b.Content:
		return b
	case a.Edits != nil && b.Edits != nil && a.Problem == "" && b.Problem == "":
		b.Edits = once(append(slices.Clone(a.Edits), b.Edits...))
		b.Meant, b.Removed = append(a.Meant, b.Meant...), append(a.Removed, b.Removed...)
		return b
	case a.Problem != "":
		return a
	case b.Problem != "":
		return b
	}
	return Answer{Problem: "the reply answers it twice", Line: b.Line}
}

// headless reads what is before the first heading: it belongs to the only
// file that is needed, if no heading says otherwise. READ and CANNOT may be there for
// all. It reports whether that has a meaning.
func (q Question) headless(all []*section, cut bool, answers map[int]Answer) bool {
	s := all[0]
	if !slices.ContainsFunc(all[1:], func(s *section) bool { return s.says() }) {
		if a, ok := s.keyword(); ok && (a.Read != nil || a.Cannot != "") {
			for _, w := range q.wanted {
				answers[w.Number] = a
			}
			return true
		}
	}
	w := q.only()
	if w == nil || slices.ContainsFunc(all[1:], func(other *section) bool { return other.step == w && other.says() }) {
		return false
	}
	if _, keyed := s.keyword(); !s.holds() && !keyed && (w.Action != turn.ActionFinish || s.blank()) {
		return false
	}
	s.step = w
	answers[w.Number] = q.answer(s, cut && len(all) == 1)
	return true
}

// frameOfAll are the files of another tool's format that frames the whole reply; nil if
// none does, or if it names no files.
func (q Question) frameOfAll(all []*section) []foreignFile {
	if slices.ContainsFunc(all[1:], func(s *section) bool { return s.says() }) {
		return nil
	}
	p, frame := all[0].framed()
	if frame != frameDiff && frame != framePatch || p.breaksOff() {
		return nil
	}
	files := readFrame(frame, p.lines)
	if len(files) == 0 || slices.ContainsFunc(files, func(f foreignFile) bool { return f.path == "" }) {
		return nil
	}
	if w := q.only(); len(files) == 1 && w != nil && q.byPath(files[0].path) != w && native(w.Path, frame, p) {
		return nil
	}
	return files
}

// takeFrame takes the files of a frame as answers, and says which nobody asked for.
func (q Question) takeFrame(files []foreignFile, start int, answers map[int]Answer) (problems []Problem) {
	for _, f := range files {
		w := q.byPath(f.path)
		if w == nil {
			problems = append(problems, Problem("the reply answers "+turn.Quote(f.path)+", which was not asked for").At(start))
			continue
		}
		a := f.answer(start)
		if w.Action == turn.ActionWrite && a.Edits != nil {
			a = Answer{Problem: "it changes a file where a whole one is wanted", Line: start}
		}
		if before, twice := answers[w.Number]; twice {
			a = both(before, a, w.Action)
		}
		answers[w.Number] = a
	}
	return problems
}

// At says where in the reply it shows: a line, counted from one.
func (p Problem) At(line int) Problem {
	return Problem(fmt.Sprintf("%s (line %d of the reply)", p, line))
}

// only is the only file that is needed, or FINISH if it is all; nil if there
// are several.
func (q Question) only() *Wanted {
	var out *Wanted
	for i, w := range q.wanted {
		if w.Action == turn.ActionFinish && len(q.wanted) > 1 {
			continue
		}
		if out != nil {
			return nil
		}
		out = &q.wanted[i]
	}
	return out
}

// unquoted takes the marks of a quotation from lines that are all quoted and begin with a
// heading.
func (q Question) unquoted(lines []string) []string {
	out := slices.Clone(lines)
	for i := 0; i < len(out); i++ {
		h, ok := q.headingOf(strings.TrimPrefix(strings.TrimPrefix(out[i], ">"), " "))
		if !strings.HasPrefix(out[i], ">") || !ok || !h.strong {
			continue
		}
		for ; i < len(out) && strings.HasPrefix(out[i], ">"); i++ {
			out[i] = strings.TrimPrefix(strings.TrimPrefix(out[i], ">"), " ")
		}
	}
	return out
}

// splitLines are the lines of a text, each with its line feed, without a mark at
// the beginning. CRLF becomes LF where all lines end so.
func splitLines(text string) []string {
	text = strings.TrimPrefix(text, "\uFEFF")
	if n := strings.Count(text, "\n"); n > 0 && strings.Count(text, "\r\n") == n {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return slices.Collect(strings.Lines(text))
}

// once leaves out what stands twice.
func once(edits []turn.Edit) []turn.Edit {
	var out []turn.Edit
	seen := make(map[turn.Edit]bool)
	for _, e := range edits {
		if !seen[e] {
			seen[e] = true
			out = append(out, e)
		}
	}
	return out
}
