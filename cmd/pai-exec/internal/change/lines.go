package change

import (
	"math"
	"slices"
	"strings"

	"paicode/pkg/turn"
)

// lineIndex finds runs of lines in a text by what they hold apart from the
// blanks around it.
type lineIndex struct {
	lines  []string           // with their ends
	starts []uint32           // where each begins, and the end of the text
	byCore map[string][]int32 // line numbers from zero, by core
	work   *budget
}

// indexLines indexes a text; one of 4 GB and more has no lines in it.
func indexLines(text string, work *budget) *lineIndex {
	x := &lineIndex{byCore: make(map[string][]int32), work: work}
	if len(text) > math.MaxUint32 {
		return x
	}
	x.lines = splitLines(text)
	work.spend(toIndex * len(x.lines))
	counts := make(map[string]*int32) // many lines in a row may be alike: those are looked up once
	count := new(int32)
	last := ""
	for i, line := range x.lines {
		if c := core(line); i == 0 || c != last {
			if last, count = c, counts[c]; count == nil {
				count = new(int32)
				counts[c] = count
			}
		}
		*count++
	}
	room := make([]int32, len(x.lines))
	for c, n := range counts {
		x.byCore[c], room = room[:0:*n], room[*n:]
	}
	x.fill(len(text))
	return x
}

// fill notes where each line begins, and which lines have each core.
func (x *lineIndex) fill(end int) {
	x.starts = make([]uint32, 0, len(x.lines)+1)
	at, last := 0, ""
	var places []int32
	for i, line := range x.lines {
		x.starts = append(x.starts, uint32(at))
		at += len(line)
		if c := core(line); i == 0 || c != last {
			if i > 0 {
				x.byCore[last] = places
			}
			last, places = c, x.byCore[c]
		}
		places = append(places, int32(i))
	}
	if len(x.lines) > 0 {
		x.byCore[last] = places
	}
	x.starts = append(x.starts, uint32(end))
}

// from is the interval of some lines, in bytes.
func (x *lineIndex) from(first, end int) interval {
	return interval{int(x.starts[first]), int(x.starts[end])}
}

// core is a line without blanks at its ends.
func core(line string) string { return strings.Trim(line, " \t\r\n") }

// body is a line without its end.
func body(line string) string { return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r") }

// indent is what a line begins with.
func indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// fits lists what an edit of whole lines becomes at each place that fits by a
// level, up to manyPlaces.
func (x *lineIndex) fits(e turn.Edit, level int) []splice {
	search, replace := splitLines(e.Search), splitLines(e.Replace)
	whole := strings.HasSuffix(e.Search, "\n")
	if e.Replace != "" && whole != strings.HasSuffix(e.Replace, "\n") {
		return nil // it joins lines, or splits one: only to the letter
	}
	if e.Replace == "" && !whole {
		replace = []string{""} // the line's end stays
	}
	rarest := x.rarest(search)
	if rarest < 0 {
		return nil
	}
	var out []splice
	for _, at := range x.byCore[core(search[rarest])] {
		first := int(at) - rarest
		if first < 0 || first+len(search) > len(x.lines) {
			continue
		}
		lines := x.lines[first : first+len(search)]
		shift, ok := x.compatible(lines, search, level)
		if !ok {
			continue
		}
		if shift, ok = shift.agreed(lines, search, replace); !ok {
			continue
		}
		text, ok := x.adapt(lines, search, replace, shift)
		if !ok {
			continue
		}
		out = append(out, splice{x.from(first, first+len(search)), text})
		if len(out) == manyPlaces {
			break
		}
	}
	return out
}

// rarest is the index of the line that is in the fewest places, blank
// ones aside; -1 if all are blank, or one stands nowhere.
func (x *lineIndex) rarest(search []string) int {
	rarest, fewest := -1, len(x.lines)+1
	for i, line := range search {
		if c := core(line); c != "" {
			n := len(x.byCore[c])
			if n == 0 {
				return -1
			}
			if n < fewest {
				rarest, fewest = i, n
			}
		}
	}
	return rarest
}

// indentShift is how far lines are indented otherwise than an edit says: by a
// string more, or less.
type indentShift struct {
	by   string
	less bool
}

func (s indentShift) apply(line string) (string, bool) {
	if core(line) == "" {
		return line, true
	}
	if s.less {
		return strings.CutPrefix(line, s.by)
	}
	return s.by + line, true
}

// agreed is the shift that a replacement wants: the search text's if both are indented
// alike, none if it is indented as the text is; ok is false where nobody can tell.
func (s indentShift) agreed(lines, search, replace []string) (indentShift, bool) {
	if s.by == "" || len(replace) == 0 || replace[0] == "" {
		return s, true
	}
	if outdented(replace) || odd(lines, search, replace) {
		return s, false // within a text of several lines blanks count
	}
	switch least(replace) {
	case least(search):
		return s, !ragged(search, replace)
	case least(lines):
		return indentShift{}, sameIndents(lines, replace)
	}
	return s, false
}

// sameIndents reports whether lines that stay are indented as they were.
func sameIndents(lines, replace []string) bool {
	was := make(map[string]string)
	for _, line := range lines {
		was[core(line)] = indent(line)
	}
	return !slices.ContainsFunc(replace, func(line string) bool {
		in, ok := was[core(line)]
		return ok && core(line) != "" && in != indent(line)
	})
}

// least is the indentation of the line that has the least.
func least(lines []string) string {
	out, found := "", false
	for _, line := range lines {
		if in := indent(body(line)); core(line) != "" && (!found || len(in) < len(out)) {
			out, found = in, true
		}
	}
	return out
}

// ragged reports whether lines that stay are moved by different widths.
func ragged(search, replace []string) bool {
	was, moved := make(map[string]int), make(map[int]bool)
	for _, line := range search {
		was[core(line)] = len(indent(line))
	}
	for _, line := range replace {
		if n, ok := was[core(line)]; ok && core(line) != "" && n != len(indent(line)) {
			moved[len(indent(line))-n] = true
		}
	}
	delete(moved, 0)
	return len(moved) > 1
}

// odd reports whether lines that stay are moved by less than the text's lines are ever
// indented against each other.
func odd(text, search, replace []string) bool {
	unit := 0
	for _, line := range text {
		if in := indent(line); core(line) != "" && strings.Trim(in, " ") == "" {
			unit = gcd(unit, len(in))
		}
	}
	was := make(map[string]int)
	for _, line := range search {
		was[core(line)] = len(indent(line))
	}
	return unit > 1 && slices.ContainsFunc(replace, func(line string) bool {
		n, ok := was[core(line)]
		return ok && core(line) != "" && (len(indent(line))-n)%unit != 0
	})
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// outdented reports whether a text of several lines, as Python and JavaScript quote them,
// has lines that are indented less than the one in which it begins.
func outdented(lines []string) bool {
	for _, quote := range []string{`"""`, "'''", "`"} {
		open, at := false, 0
		for _, line := range lines {
			if open && core(line) != "" && len(indent(line)) < at {
				return true
			}
			if strings.Count(line, quote)%2 == 1 {
				open, at = !open, len(indent(line))
			}
		}
	}
	return false
}

// compatible reports whether lines differ from the searched ones by no more than
// a level allows, and by which shift of indentation. Nothing does when the work is spent.
func (x *lineIndex) compatible(lines, search []string, level int) (shift indentShift, ok bool) {
	known := false
	for i, line := range lines {
		if !x.work.spend(1 + len(line)/comparedAtOnce) {
			return shift, false
		}
		have, want := body(line), body(search[i])
		if level >= slices.Index(levels(), MatchedTrailingBlanks) {
			have, want = strings.TrimRight(have, " \t"), strings.TrimRight(want, " \t")
		}
		if have == want && (have == "" || level < slices.Index(levels(), MatchedIndentation)) {
			continue
		}
		if level < slices.Index(levels(), MatchedIndentation) || core(have) == "" || core(have) != core(want) {
			return shift, false
		}
		s, ok := shiftOf(indent(have), indent(want))
		if !ok || known && s != shift {
			return shift, false
		}
		shift, known = s, true
	}
	return shift, true
}

func shiftOf(have, want string) (indentShift, bool) {
	if by, ok := strings.CutSuffix(have, want); ok {
		return indentShift{by: by}, true
	}
	by, ok := strings.CutSuffix(want, have)
	return indentShift{by: by, less: true}, ok
}

// adapt builds what comes in the place of lines: those that search and
// replacement share stay as they are in the text; new ones get its line ends
// and its indentation.
func (x *lineIndex) adapt(lines, search, replace []string, shift indentShift) (string, bool) {
	if !x.work.spend(len(lines) + len(search) + len(replace)) {
		return "", false
	}
	end := lineEnd(append(slices.Clone(lines), x.lines[:min(1, len(x.lines))]...))
	var out []string
	from := 0
	keep := func(until int) {
		for ; from < until; from++ {
			line := lines[from]
			if !strings.HasSuffix(line, "\n") {
				line += end
			}
			out = append(out, line)
		}
	}
	for _, s := range Compare(bodies(search), bodies(replace)).changes() {
		keep(s.oldStart)
		from = s.oldEnd
		for _, line := range replace[s.newStart:s.newEnd] {
			shifted, ok := shift.apply(body(line))
			if !ok {
				return "", false
			}
			out = append(out, shifted+end)
		}
	}
	keep(len(lines))
	text := strings.Join(out, "")
	if !strings.HasSuffix(lines[len(lines)-1], "\n") {
		text = strings.TrimSuffix(text, end)
	}
	return text, true
}

// bodies is a text of the lines with LF ends, whatever theirs are.
func bodies(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(body(line))
		b.WriteByte('\n')
	}
	return b.String()
}

// lineEnd is the end of the first line that has one.
func lineEnd(lines []string) string {
	for _, line := range lines {
		if strings.HasSuffix(line, "\n") {
			return line[len(body(line)):]
		}
	}
	return "\n"
}
