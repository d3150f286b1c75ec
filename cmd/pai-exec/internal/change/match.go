package change

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"paicode/pkg/turn"
)

// levels are the ways to find an edit's text, in the order in which they are
// tried.
func levels() []string {
	return []string{MatchedExact, MatchedLineEndings, MatchedTrailingBlanks, MatchedIndentation, MatchedBlankLines,
		MatchedTabs, MatchedPartOfLine}
}

// matcher finds edits in a text, one after the other. The text stays as it is
// while edits are found in what no earlier one touched, so that many edits of
// a large file cost one pass over it.
type matcher struct {
	base   string
	crlf   bool        // all lines of base end in CRLF
	edits  []turn.Edit // all of the step
	places [][]int     // where each edit's text is in base, up to manyPlaces
	lines  *lineIndex  // of base; nil until it is needed
	made   []interval  // of base, in order: what edits wrote before it became base
	splice []splice    // what the edits since then change, in order of place
	worst  int         // the most tolerant of levels that was needed
	limit  int         // of what comes of the edits, in bytes
	work   *budget
}

// growth is how many times its file a result may be, besides what the edits hold.
const growth = 16

// interval is a run of bytes; end is exclusive.
type interval struct{ start, end int }

// splice says what comes in an interval's place.
type splice struct {
	interval
	text string
}

func newMatcher(text string, edits []turn.Edit) *matcher {
	m := &matcher{crlf: OnlyCRLF(text), edits: slices.Clone(edits), limit: growth * len(text),
		work: newBudget(text, edits)}
	for i, e := range m.edits {
		m.limit += len(e.Search) + len(e.Replace)
		if m.crlf && (bareLF(e.Search) || bareLF(e.Replace)) {
			m.edits[i].Search, m.edits[i].Replace = toCRLF(e.Search), toCRLF(e.Replace)
		}
	}
	m.rebase(text, nil)
	return m
}

// rebase goes on with another text.
func (m *matcher) rebase(text string, made []interval) {
	m.base, m.made, m.splice, m.lines = text, made, nil, nil
	m.places = locate(text, m.edits, m.work)
}

// settle makes the text as it is now the one that edits are looked for in.
func (m *matcher) settle() {
	if len(m.splice) == 0 {
		return
	}
	var made []interval
	shift, old := 0, m.made
	keep := func(until int) { // what older edits wrote and no newer one touches
		for len(old) > 0 && old[0].end <= until {
			made = append(made, interval{old[0].start + shift, old[0].end + shift})
			old = old[1:]
		}
	}
	for _, s := range m.splice {
		keep(s.start)
		for len(old) > 0 && old[0].start < s.end {
			old = old[1:]
		}
		made = append(made, interval{s.start + shift, s.start + shift + len(s.text)})
		shift += len(s.text) - (s.end - s.start)
	}
	keep(len(m.base))
	m.rebase(m.current(), made)
}

// current is the text as the edits so far leave it.
func (m *matcher) current() string {
	var b strings.Builder
	at := 0
	for _, s := range m.splice {
		b.WriteString(m.base[at:s.start])
		b.WriteString(s.text)
		at = s.end
	}
	b.WriteString(m.base[at:])
	return b.String()
}

// apply makes one edit. After an error nothing of it is made.
func (m *matcher) apply(i int, asked turn.Edit) *EditError {
	e := m.edits[i]
	if e.Search == "" {
		return &EditError{Why: "searches for nothing", Hint: "content replaces a whole file"}
	}
	if e != asked {
		m.worst = max(m.worst, 1)
	}
	if m.work.empty() {
		return m.work.problem()
	}
	if e.All {
		m.settle()
		m.work.spend(toIndex * passes(m.base))
		text, problem := replaceAll(m.base, e, m.limit, m.work)
		if problem == nil {
			m.rebase(text, nil)
		}
		return problem
	}
	found, level, problem := m.find(i, e)
	if m.work.empty() {
		problem = m.work.problem()
	}
	if problem != nil {
		return problem
	}
	m.worst = max(m.worst, level)
	m.insert(found)
	return nil
}

// find finds an edit's only place.
func (m *matcher) find(i int, e turn.Edit) (splice, int, *EditError) {
	for level := range levels() {
		if m.work.empty() {
			return splice{}, 0, m.work.problem()
		}
		fits := m.free(m.fits(i, e, level))
		if len(fits) == 0 && len(m.splice) > 0 {
			m.settle()
			fits = m.free(m.fits(i, e, level))
		}
		if len(fits) == 0 {
			fits = m.fits(i, e, level)
		}
		switch n := len(fits); {
		case n == 1 && level == 0 && m.unclear(fits[0], e):
			return splice{}, 0, &EditError{Why: "leaves out the indentation of its line",
				Hint:  "search and replacement begin where the line does",
				Lines: []int{m.line(fits[0].start)}}
		case n == 1:
			return fits[0], level, nil
		case n > 1:
			return splice{}, 0, m.severalPlaces(fits)
		}
	}
	if m.work.empty() {
		return splice{}, 0, m.work.problem()
	}
	near := m.lines.nearest(e.Search)
	problem := &EditError{Why: "matches nowhere", Hint: "the search text must stand in the file exactly as written",
		Near: near}
	if near.Line > 0 {
		problem.Lines = []int{near.Line, near.End}
	}
	return splice{}, 0, problem
}

// fits lists the places in base that fit an edit by a level, up to manyPlaces.
func (m *matcher) fits(i int, e turn.Edit, level int) []splice {
	if level > 0 {
		if m.lines == nil {
			m.lines = indexLines(m.base, m.work)
		}
		switch levels()[level] {
		case MatchedBlankLines:
			return m.lines.fitsBlank(e)
		case MatchedTabs:
			return m.lines.fitsTabs(e)
		case MatchedPartOfLine:
			return m.lines.fitsPart(e)
		}
		return m.lines.fits(e, level)
	}
	var out []splice
	m.work.spend(len(m.places[i]))
	for _, at := range m.places[i] {
		if m.begins(at, e.Search) {
			out = append(out, m.indented(m.wholeLines(splice{interval{at, at + len(e.Search)}, e.Replace}), e))
		}
	}
	if line, ok := strings.CutSuffix(e.Search, "\n"); ok && len(out) > 0 && !strings.HasSuffix(m.base, "\n") &&
		strings.HasSuffix(m.base, line) {
		out = append(out, splice{interval{len(m.base) - len(line), len(m.base)}, e.Replace}) // the last line counts, too
	}
	return out
}

// begins reports whether a place can be meant by a search text: one that ends
// with a line begins with one, too, but may leave out all of its indentation.
func (m *matcher) begins(at int, search string) bool {
	if !strings.HasSuffix(search, "\n") || at == 0 || m.base[at-1] == '\n' {
		return true
	}
	return m.lineStart(at) < at && indent(search) == ""
}

// wholeLines takes the indentation along where whole lines are removed, of
// which the search text lacks the first's.
func (m *matcher) wholeLines(s splice) splice {
	if s.text == "" && m.base[s.end-1] == '\n' {
		s.start = m.lineStart(s.start)
	}
	return s
}

// lineStart is where the line begins that a place is in, if only blanks stand
// before it.
func (m *matcher) lineStart(at int) int {
	start := strings.LastIndexByte(m.base[:at], '\n') + 1
	m.work.spend((at - start) / comparedAtOnce)
	if strings.Trim(m.base[start:at], " \t") != "" {
		return at
	}
	return start
}

// indented gives a replacement the indentation that the search text leaves out, where it
// has it already in all lines, or where it leaves it out throughout: a line behind the
// first has less than the text.
func (m *matcher) indented(s splice, e turn.Edit) splice {
	left := m.leftOut(s, e)
	if left == "" {
		return s
	}
	lines := splitLines(e.Replace)
	all, later := true, true
	for i, line := range lines {
		has := core(line) == "" || strings.HasPrefix(line, left)
		all = all && has
		later = later && (has || i == 0)
	}
	switch {
	case all:
		s.start -= len(left)
	case !later && strings.Count(e.Search, "\n") == 1 && indent(lines[0]) == "":
		var b strings.Builder
		for i, line := range lines {
			if i > 0 && core(line) != "" {
				b.WriteString(left)
			}
			b.WriteString(line)
		}
		s.text = b.String()
	}
	return s
}

// leftOut is the indentation of a place's line that a search text of whole lines leaves
// out; empty if it leaves out none.
func (m *matcher) leftOut(s splice, e turn.Edit) string {
	if !strings.HasSuffix(e.Search, "\n") || e.Replace == "" {
		return ""
	}
	return m.base[m.lineStart(s.start):s.start]
}

// unclear tells of lines of which the first is named without its indentation,
// where nobody can say how far the others are indented that come in their
// place: of one line that becomes several, or where a later one has less.
func (m *matcher) unclear(s splice, e turn.Edit) bool {
	left := m.leftOut(s, e)
	if left == "" || s.text != e.Replace {
		return false
	}
	replace := splitLines(e.Replace)
	if strings.Count(e.Search, "\n") == 1 {
		return len(replace) > 1
	}
	for _, line := range replace[1:] {
		if core(line) != "" && !strings.HasPrefix(line, left) {
			return true
		}
	}
	return false
}

func (m *matcher) severalPlaces(fits []splice) *EditError {
	const shown = 5
	n := len(fits)
	count := fmt.Sprint(n)
	if n >= manyPlaces {
		count = fmt.Sprintf("%d or more", n)
	}
	problem := &EditError{Why: "matches " + count + " places", Hint: "more lines around it make it the only one"}
	for _, f := range fits[:min(n, shown)] {
		problem.Lines = append(problem.Lines, m.line(f.start))
	}
	problem.Lines = slices.Compact(problem.Lines)
	return problem
}

// line is the number of the line that a place is in, counted from one.
func (m *matcher) line(at int) int { return 1 + strings.Count(m.base[:at], "\n") }

// free leaves the places that no earlier edit touched or wrote.
func (m *matcher) free(places []splice) []splice {
	if len(m.made)+len(m.splice) == 0 {
		return places
	}
	var out []splice
	for _, p := range places {
		i := sort.Search(len(m.made), func(i int) bool { return m.made[i].end > p.start })
		j := sort.Search(len(m.splice), func(j int) bool { return m.splice[j].end > p.start })
		if (i == len(m.made) || m.made[i].start >= p.end) && (j == len(m.splice) || m.splice[j].start >= p.end) {
			out = append(out, p)
		}
	}
	return out
}

// insert notes a change of base that touches no other. What the replacement
// has in common with what it stands for is left out, so that edits whose
// surroundings overlap don't.
func (m *matcher) insert(s splice) {
	j := sort.Search(len(m.splice), func(j int) bool { return m.splice[j].start >= s.end })
	old := m.base[s.start:s.end]
	n := commonPrefix(old, s.text)
	old, s.text, s.start = old[n:], s.text[n:], s.start+n
	n = commonSuffix(old, s.text)
	s.text, s.end = s.text[:len(s.text)-n], s.end-n
	m.work.spend((len(m.splice) - j) / comparedAtOnce)
	m.splice = slices.Insert(m.splice, j, s)
}
