package find

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"paicode/pkg/turn"
)

// Range is a run of lines, counted from one, both in it.
type Range struct{ From, To int }

// String is "3-9".
func (r Range) String() string { return fmt.Sprintf("%d-%d", r.From, r.To) }

// Lines reads what String writes.
func Lines(text string) (from, to int, ok bool) {
	first, last, ranged := strings.Cut(text, "-")
	from, err := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	return from, to, ranged && err == nil && err2 == nil
}

// Cut cuts the lines out of a text.
func (r Range) Cut(text string) string {
	n, start, at := 0, len(text), 0
	for line := range strings.Lines(text) {
		if n++; n == r.From {
			start = at
		}
		at += len(line)
		if n == r.To {
			break
		}
	}
	return text[min(start, at):at]
}

// lineSet is a choice of a text's lines.
type lineSet struct {
	has   []bool // by line, from zero
	count int
}

func newLineSet(text string) *lineSet { return &lineSet{has: make([]bool, countLines(text))} }

// add takes lines in, from the first, until there are so many.
func (s *lineSet) add(r Range, most int) {
	for i := max(0, r.From-1); i < min(r.To, len(s.has)) && s.count < most; i++ {
		if !s.has[i] {
			s.has[i] = true
			s.count++
		}
	}
}

// join takes in what is between, where no more than so many lines do.
func (s *lineSet) join(most int) {
	last := -1
	for i := range s.has {
		if !s.has[i] {
			continue
		}
		if gap := i - last - 1; last >= 0 && gap > 0 && gap <= most {
			s.add(Range{last + 2, i}, len(s.has))
		}
		last = i
	}
}

// ranges are its runs.
func (s *lineSet) ranges() (out []Range) {
	for i := 0; i < len(s.has); i++ {
		from := i
		for i < len(s.has) && s.has[i] {
			i++
		}
		if i > from {
			out = append(out, Range{from + 1, i})
		}
	}
	return out
}

// excerpts shows its runs.
func (s *lineSet) excerpts(name, text string) (out []turn.Excerpt) {
	for _, r := range s.ranges() {
		out = append(out, turn.Excerpt{Path: name, Lines: r.String(), Text: r.Cut(text), Whole: r.From == 1 &&
			r.To == len(s.has)})
	}
	return out
}

const (
	namedLines = 120 // of a definition that the request names
	gapLines   = 8   // between windows, that are shown too
)

// Windows are the parts of a long text that are worth showing, in the order of the text:
// what was asked for, up to three times as many lines as most, and then up to most what
// the query names by its definition, what was seen before, and what fits the query best.
func Windows(q *Query, name, text string, asked, seen []Range, most int) []turn.Excerpt {
	defs := Definitions(name, text)
	set := newLineSet(text)
	for _, r := range asked {
		set.add(r, 3*most)
	}
	for i, d := range defs {
		if q.names(d.Name) {
			set.add(bodyOf(text, defs, i, namedLines), most)
		}
	}
	for _, r := range seen {
		set.add(r, most)
	}
	parts := chunks(q, q.flat(), text, defs)
	slices.SortStableFunc(parts, func(a, b chunk) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	for _, c := range parts {
		if length := c.to - c.from + 1; set.count+length > most || c.score == 0 && set.count+length > most/2 {
			break // what fits nothing fills at most the first half
		}
		set.add(Range{c.from, c.to}, most)
	}
	set.join(gapLines)
	return set.excerpts(name, text)
}

// names reports whether the query names a definition: an identifier of several parts, or
// one in quotes or called.
func (q *Query) names(name string) bool {
	same := func(other string) bool { return unqualified(other) == name }
	return slices.ContainsFunc(q.Names, same) || slices.ContainsFunc(q.Quoted, same)
}

// Body is the range of the definition with a name in a text; none if there is no such.
func Body(file, text, name string) (Range, bool) {
	defs := Definitions(file, text)
	for i, d := range defs {
		if d.Name == unqualified(name) {
			return bodyOf(text, defs, i, namedLines), true
		}
	}
	return Range{}, false
}

// bodyOf is a definition with what belongs to it: the comment or attributes above, and
// the lines to the next definition that is indented no further, so many at most.
func bodyOf(text string, defs []Definition, i, most int) Range {
	d := defs[i]
	lines := strings.Split(Range{max(1, d.Line-5), d.Line + most}.Cut(text), "\n")
	at := d.Line - max(1, d.Line-5) // where the definition is among them
	from := at
	for from > 0 && leads(strings.TrimSpace(lines[from-1])) {
		from--
	}
	end := d.Line + most - 1
	for _, next := range defs[i+1:] {
		if next.Line > end {
			break
		}
		if k := next.Line - d.Line + at; k < len(lines) && Indentation(lines[k]) <= Indentation(lines[at]) {
			end = next.Line - 1
			break
		}
	}
	return Range{d.Line - at + from, min(end, countLines(text))}
}

// Indentation is how many blanks and tabs a line begins with.
func Indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// leads tells of a line above a definition that belongs to it.
func leads(line string) bool {
	return slices.ContainsFunc([]string{"//", "#", "/*", "*", "@", "--", "\"\"\""},
		func(mark string) bool { return strings.HasPrefix(line, mark) })
}

// Outline lists a text's definitions, those that fit the query best, within so many
// bytes: "12 func f()".
func (q *Query) Outline(name, text string, most int) []string {
	f := Ranked{File: File{Path: name}, text: text, defs: Definitions(name, text)}
	f.parts = chunks(q, q.flat(), text, f.defs)
	return f.symbols(most)
}

// flat weighs all terms the same, where there is but one text to tell by them.
func (q *Query) flat() []float64 { return slices.Repeat([]float64{1}, len(q.terms)) }
