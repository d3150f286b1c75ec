package generate

import (
	"path"
	"regexp"
	"slices"
	"strconv"
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
	Problem  string   // why there is nothing to use
	Markers  bool     // the problem is one of markers
	Cut      bool     // the reply ended here before its end: Edits are those that were complete
	Line     int      // of the reply, counted from one, where Problem shows
	Meant    []string // lines that are meant as they are, though they look like more
	Removed  []string // names that go on purpose
}

// Reading is what a reply says.
type Reading struct {
	Answers map[int]Answer // by the step's number; every wanted step has one
	Stray   []string       // why parts of the reply belong to no wanted step
}

// Read takes a whole reply apart. cut tells that it reached the limit of
// tokens.
func (q Question) Read(reply string, cut bool) Reading {
	r := q.Reader()
	r.Write(reply)
	return r.Close(cut)
}

// Reader takes a reply apart while it comes. Every line of it is used, or is
// prose, or a problem.
type Reader struct {
	q       Question
	forms   []*regexp.Regexp // of headings
	rest    []byte           // of a line that isn't complete yet
	line    int              // lines read
	answers map[int]Answer
	stray   []string
	now     *section
	think   string   // the end tag of thoughts that are being skipped
	fences  fences   // open in the reply
	inside  marker   // the last marker of the open search/replace block; zero outside
	named   string   // the file that the last line named, outside of everything
	outer   bool     // a fence stands around the whole reply
	before  *section // what stands before the first heading
}

// Reader starts with an empty reply.
func (q Question) Reader() *Reader {
	return &Reader{q: q, forms: headingForms(), answers: make(map[int]Answer), now: &section{}}
}

// section is what stands beneath one heading, or before the first.
type section struct {
	step   *Wanted // nil before the first heading, and beneath one of no wanted step
	finish bool    // it is FINISH's, which was not asked for: prose
	wrong  string  // why nothing beneath the heading can be used
	start  int     // the number of its first line
	lines  []string
	edits  int // search/replace blocks that ended
	used   bool
}

// Write takes the next part of the reply and returns the steps that are
// complete since the last call.
func (r *Reader) Write(text string) []Wanted {
	before := len(r.answers)
	var done []Wanted
	for {
		line, rest, ok := strings.Cut(text, "\n")
		if !ok {
			r.rest = append(r.rest, text...)
			break
		}
		text = rest
		line = string(r.rest) + line + "\n"
		r.rest = nil
		step := r.now.step
		r.take(line)
		if len(r.answers) > before && step != nil {
			before = len(r.answers)
			done = append(done, *step)
		}
	}
	return done
}

// Close ends the reply.
func (r *Reader) Close(cut bool) Reading {
	if len(r.rest) > 0 {
		r.take(string(r.rest))
	}
	r.end(true, cut)
	for _, w := range r.q.wanted {
		if _, ok := r.answers[w.Number]; !ok {
			problem := "the reply doesn't answer it"
			if cut {
				problem = "the reply was cut before it"
			}
			r.answers[w.Number] = Answer{Missing: !cut, Problem: problem, Cut: cut}
		}
	}
	return Reading{r.answers, r.stray}
}

// take reads one line.
func (r *Reader) take(line string) {
	r.line++
	if r.thinks(line) {
		return
	}
	switch {
	case r.inside.c != 0:
		r.inside = r.inside.after(line)
		if r.inside.c == 0 {
			r.now.edits++
		}
	case r.fences.open() && !r.forgotten(line):
		if r.fences.take(line) != closes && r.takesBlocks() {
			r.inside = r.q.opens(line)
		}
	default:
		r.fences = fences{}
		if r.begins(line) {
			return
		}
		if r.fences.take(line) == outside && r.takesBlocks() {
			r.inside = r.q.opens(line)
		}
	}
	r.now.add(line, r.line)
}

// thinks skips the thoughts that some models put before their answer, also
// those of which only the end is marked.
func (r *Reader) thinks(line string) bool {
	if r.think == "" && r.now.step == nil && !r.now.used {
		for _, tag := range []string{"think", "thinking"} {
			if strings.HasPrefix(strings.TrimSpace(line), "<"+tag+">") {
				r.think = "</" + tag + ">"
			}
		}
	}
	if strings.TrimSpace(line) == "</think>" && r.think == "" && !r.fences.open() && r.inside.c == 0 {
		*r = Reader{q: r.q, forms: r.forms, line: r.line, answers: make(map[int]Answer), now: &section{}}
		return true
	}
	if r.think == "" {
		return false
	}
	if _, after, ok := strings.Cut(line, r.think); ok {
		r.think = ""
		if strings.TrimSpace(after) != "" {
			r.line--
			r.take(after)
		}
	}
	return true
}

// takesBlocks reports whether search/replace blocks may stand here.
func (r *Reader) takesBlocks() bool {
	return r.now.step == nil || r.now.step.Action == turn.ActionModify
}

// forgotten tells of a heading in a fence where nothing else can stand: after
// complete blocks, of which the fence's end was forgotten, or where the fence
// is around the whole reply.
func (r *Reader) forgotten(line string) bool {
	whole := r.now.step == nil && r.now.wrong == "" && r.now.edits == 0 && filled(r.now.lines) == 1
	if r.now.edits == 0 && !whole {
		return false
	}
	w, _, _ := r.headingOf(line)
	if w == nil {
		return false
	}
	_, answered := r.answers[w.Number]
	if answered || w == r.now.step {
		return false
	}
	r.outer = r.outer || whole
	return true
}

// begins starts a section if a line is a heading, or the fence or block right
// behind the name of a wanted file. Behind another file's name nothing can be
// used.
//
//nolint:gocognit,gocyclo // the forms of a beginning, in the order in which they are tried
func (r *Reader) begins(line string) bool {
	if w, wrong, ok := r.headingOf(line); ok {
		r.end(false, false)
		r.now = &section{step: w, wrong: wrong, start: r.line, finish: w == nil && wrong == ""}
		r.fences, r.named = fences{}, ""
		return true
	}
	run, info := fenceRun(line)
	begun := run != "" || r.takesBlocks() && r.q.opens(line).c != 0
	switch {
	case !begun && strings.TrimSpace(line) == "":
		return false
	case !begun:
		if r.named = names(line); r.named == "" {
			if w := r.q.byPath(line); w != nil {
				r.named = w.Path
			}
		}
		return false
	}
	named := r.named
	r.named = ""
	for _, word := range strings.Fields(info) {
		if w := r.q.byPath(word); w != nil && looksLikePath(word) {
			named = w.Path
		}
	}
	if named == "" || r.now.wrong != "" || r.now.step != nil && (r.now.step.Path == named || r.now.step.Path == "") {
		return false
	}
	if w := r.q.byPath(named); w != nil {
		r.end(false, false)
		r.now = &section{step: w, start: r.line}
	} else if r.now.step != nil && path.Base(r.now.step.Path) != path.Base(named) && (r.now.edits > 0 || r.now.fenced()) {
		r.now.wrong = "a block stands beneath " + turn.Quote(named)
	}
	return false
}

// add keeps a line.
func (s *section) add(line string, number int) {
	if len(s.lines) == 0 {
		s.start = number
	}
	s.lines = append(s.lines, line)
	s.used = s.used || strings.TrimSpace(line) != ""
}

// end reads the section that ends here. last tells that the reply does, too,
// and cut that it does so before its end.
func (r *Reader) end(last, cut bool) {
	s := r.now
	open := r.inside.c != 0
	r.fences, r.inside = fences{}, marker{}
	if i := lastFence(s.lines); last && r.outer && i >= 0 {
		s.lines = slices.Delete(s.lines, i, i+1)
	}
	switch {
	case s.finish:
	case s.step == nil && s.wrong != "":
		r.stray = append(r.stray, at(s.wrong, s.start))
	case s.step == nil:
		r.before = s
	default:
		a := Answer{Problem: s.wrong, Line: s.start}
		if s.wrong == "" {
			a = r.q.answer(s, last, last && cut)
		}
		if _, twice := r.answers[s.step.Number]; twice {
			a = Answer{Problem: "the reply answers it twice", Line: s.start}
		}
		r.answers[s.step.Number] = a
	}
	if last {
		r.headless(last && r.before == s, cut, open)
	}
}

// lastFence is the index of the line that ends a fence, if it is the last that
// isn't blank; else -1.
func lastFence(lines []string) int {
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.TrimSpace(lines[i]) == "" {
			continue
		}
		if run, info := fenceRun(lines[i]); run == "" || strings.TrimSpace(info) != "" {
			return -1
		}
		return i
	}
	return -1
}

// headless reads what stands before the first heading: it belongs to the only
// file that is wanted, if no heading says otherwise, or else is prose, in
// which no block may stand.
func (r *Reader) headless(last, cut, open bool) {
	s := r.before
	if s == nil {
		return
	}
	if w := r.q.only(); w != nil && s.used {
		if _, ok := r.answers[w.Number]; !ok && (s.edits > 0 || open || w.Action == turn.ActionFinish || s.fenced()) {
			s.step = w
			r.answers[w.Number] = r.q.answer(s, last, last && cut)
			return
		}
	}
	if s.edits > 0 || last && open {
		r.stray = append(r.stray, at("a search/replace block stands beneath no heading", s.start))
	}
}

// fenced reports whether a fence is opened in it.
func (s *section) fenced() bool {
	return slices.ContainsFunc(s.lines, func(line string) bool { return new(fences).take(line) == opens })
}

// at says where in the reply something shows.
func at(problem string, line int) string {
	return problem + " (line " + strconv.Itoa(line) + " of the reply)"
}

// only is the only file that is wanted, or FINISH if it is all; nil if there
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
