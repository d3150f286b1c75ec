package change

import (
	"slices"
	"strings"

	"paicode/pkg/lazyregexp"
	"paicode/pkg/turn"
)

// fitsBlank lists the places that fit an edit if blank lines are left out of account:
// those of the text stay between lines that stay.
func (x *lineIndex) fitsBlank(e turn.Edit) (out []splice) {
	search, replace := splitLines(e.Search), splitLines(e.Replace)
	if !strings.HasSuffix(e.Search, "\n") || e.Replace != "" && !strings.HasSuffix(e.Replace, "\n") {
		return nil
	}
	wanted, at := filledLines(search)
	rarest := x.rarest(wanted)
	if rarest < 0 || len(wanted) < 2 && len(wanted) == len(search) {
		return nil
	}
	if !x.work.spend(len(x.lines)) {
		return nil
	}
	filled, indexes := filledLines(x.lines)
	for _, line := range x.byCore[core(wanted[rarest])] {
		n, _ := slices.BinarySearch(indexes, int(line))
		first := n - rarest
		if first < 0 || first+len(wanted) > len(filled) {
			continue
		}
		shift, ok := x.compatible(filled[first:first+len(wanted)], wanted, slices.Index(levels(), MatchedIndentation))
		if shift, ok = agreedIf(ok, shift, filled[first:first+len(wanted)], search, replace); !ok {
			continue
		}
		b := blankEdit{x: x, search: search, replace: replace, at: at, places: indexes[first : first+len(wanted)],
			shift: shift}
		if text, ok := b.adapt(); ok {
			last := b.places[len(b.places)-1] + 1
			out = append(out, splice{x.from(b.places[0], last), text})
		}
		if len(out) == manyPlaces {
			break
		}
	}
	return out
}

// filledLines are the lines that aren't blank, and their indexes.
func filledLines(lines []string) (filled []string, indexes []int) {
	for i, line := range lines {
		if core(line) != "" {
			filled, indexes = append(filled, line), append(indexes, i)
		}
	}
	return filled, indexes
}

// blankEdit is an edit whose blank lines are not those of its place.
type blankEdit struct {
	x               *lineIndex
	search, replace []string
	at              []int // of the searched lines that aren't blank, their indexes
	places          []int // and those of the text's
	shift           indentShift
	end             string   // of lines
	out             []string // what is written
	from            int      // the text's line that comes next
}

// adapt builds what comes in the place of the lines; ok is false where nobody can tell on
// which side of a blank line something comes.
func (b *blankEdit) adapt() (text string, ok bool) {
	if !b.x.work.spend(len(b.places) + len(b.search) + len(b.replace)) {
		return "", false
	}
	b.end, b.from = lineEnd(b.x.lines[b.places[0]:]), b.places[0]
	for _, s := range Compare(bodies(b.search), bodies(b.replace)).changes() {
		if !b.change(s) {
			return "", false
		}
	}
	last := b.places[len(b.places)-1]
	b.keep(last + 1)
	text = strings.Join(b.out, "")
	if !strings.HasSuffix(b.x.lines[last], "\n") {
		text = strings.TrimSuffix(text, b.end)
	}
	return text, true
}

// keep writes the text's lines up to one.
func (b *blankEdit) keep(until int) {
	for ; b.from < until; b.from++ {
		b.out = append(b.out, body(b.x.lines[b.from])+b.end)
	}
}

// add writes new lines; blank ones only where none stands already.
func (b *blankEdit) add(lines []string) bool {
	for _, line := range lines {
		beside := len(b.out) > 0 && core(b.out[len(b.out)-1]) == "" || b.from < len(b.x.lines) &&
			core(b.x.lines[b.from]) == ""
		if core(line) == "" && beside {
			continue
		}
		shifted, ok := b.shift.apply(body(line))
		if !ok {
			return false
		}
		b.out = append(b.out, shifted+b.end)
	}
	return true
}

// change writes what comes in the place of one span.
func (b *blankEdit) change(s span) bool {
	first, _ := slices.BinarySearch(b.at, s.oldStart) // of the removed lines that aren't blank
	last, _ := slices.BinarySearch(b.at, s.oldEnd)
	lines := b.replace[s.newStart:s.newEnd]
	added, _ := filledLines(lines)
	switch removed := last - first; {
	case removed == 0 && len(added) == 0: // blank lines only: the text has its own
		return true
	case removed == 0:
		b.keep(b.after(first))
		return b.gap(first) == 0 && b.add(lines)
	case len(added) == 0:
		b.keep(b.after(first))
		b.from = b.places[last-1] + 1
		return true
	case removed == len(added):
		for i, line := range added {
			b.keep(b.places[first+i])
			if b.from++; !b.add([]string{line}) {
				return false
			}
		}
		return true
	}
	b.keep(b.places[first])
	b.from = b.places[last-1] + 1
	return b.evenly(first, last) && b.add(lines)
}

// evenly reports whether the text has the searched blank lines between filled ones.
func (b *blankEdit) evenly(first, last int) bool {
	for i := first + 1; i < last; i++ {
		if b.gap(i) != 0 {
			return false
		}
	}
	return true
}

// after is the line of the text behind the filled one before i.
func (b *blankEdit) after(i int) int {
	if i == 0 {
		return b.places[0]
	}
	return b.places[i-1] + 1
}

// gap is how many blank lines the text has before a filled line, less those searched for.
func (b *blankEdit) gap(i int) int {
	if i == 0 || i >= len(b.places) {
		return 0
	}
	return (b.places[i] - b.places[i-1]) - (b.at[i] - b.at[i-1])
}

// fitsTabs lists the places that fit an edit if it is indented by blanks where the text is
// by tabs, or the other way round, so many blanks a tab throughout.
func (x *lineIndex) fitsTabs(e turn.Edit) (out []splice) {
	x.work.spend(len(x.lines))
	tabs, blanks := indents(x.lines)
	withTabs, withBlanks := indents(splitLines(e.Search))
	level := MatchedTrailingBlanks
	for range 2 {
		for _, width := range []int{4, 2, 8, 3} {
			converted := e
			switch {
			case withBlanks && tabs && !withTabs:
				converted.Search, converted.Replace = toTabs(e.Search, width), toTabs(e.Replace, width)
			case withTabs && blanks && !withBlanks && !tabs:
				converted.Search, converted.Replace = toBlanks(e.Search, width), toBlanks(e.Replace, width)
			default:
				return nil
			}
			if converted.Search == e.Search {
				continue
			}
			for _, s := range x.fits(converted, slices.Index(levels(), level)) {
				if !slices.Contains(out, s) {
					out = append(out, s)
				}
			}
		}
		if len(out) > 0 {
			return out
		}
		level = MatchedIndentation
	}
	return nil
}

// indents reports whether lines are indented by tabs, and whether by blanks.
func indents(lines []string) (tabs, blanks bool) {
	for _, line := range lines {
		tabs = tabs || strings.HasPrefix(line, "\t") && core(line) != ""
		blanks = blanks || strings.HasPrefix(line, "  ") && core(line) != ""
	}
	return tabs, blanks
}

func toTabs(text string, width int) string {
	return mapIndents(text, func(indent string) string {
		n := strings.Count(indent, " ")
		return strings.Repeat("\t", strings.Count(indent, "\t")+n/width) + strings.Repeat(" ", n%width)
	})
}

func toBlanks(text string, width int) string {
	return mapIndents(text, func(indent string) string {
		return strings.ReplaceAll(indent, "\t",
			strings.Repeat(" ", width))
	})
}

func mapIndents(text string, f func(string) string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		n := len(indent(line))
		b.WriteString(f(line[:n]) + line[n:])
	}
	return b.String()
}

var tailForm = lazyregexp.New(`^\s*([,;:{})\]]*)(\s*(?://|#|--|;|/\*|<!--|%).*)?\s*$`)

// fitsPart lists the places that fit an edit whose last line is the beginning of one, and
// behind which only punctuation or a comment is there: that stays.
func (x *lineIndex) fitsPart(e turn.Edit) (out []splice) {
	search, replace := splitLines(e.Search), splitLines(e.Replace)
	last := len(search) - 1
	if !strings.HasSuffix(e.Search, "\n") || !strings.HasSuffix(e.Replace, "\n") || core(search[last]) == "" ||
		core(replace[len(replace)-1]) == "" {
		return nil
	}
	if last == 0 && x.count(core(search[0])) != 1 {
		return nil
	}
	tail := tailForm()
	for i := last; i < len(x.lines) && len(out) < manyPlaces && x.work.spend(1); i++ {
		rest, ok := strings.CutPrefix(core(x.lines[i]), core(search[last]))
		m := tail.FindStringSubmatch(rest)
		if !ok || m == nil || !x.work.spend(passes(rest)+len(search)) {
			continue
		}
		lines := slices.Clone(x.lines[i-last : i+1])
		end := lines[last][len(body(lines[last])):]
		whole := strings.TrimRight(body(lines[last]), " \t")
		rest = strings.TrimPrefix(whole, indent(whole)+core(search[last]))
		lines[last] = strings.TrimSuffix(whole, rest) + end
		shift, ok := x.compatible(lines, search, slices.Index(levels(), MatchedIndentation))
		if shift, ok = agreedIf(ok, shift, lines, search, replace); !ok || shift.by != "" && len(replace) > len(search) {
			continue
		}
		text, ok := x.adapt(lines, search, replace, shift)
		if !ok {
			continue
		}
		text = strings.TrimSuffix(text, end)
		if m[1] != "" && strings.HasSuffix(text, m[1]) {
			rest = rest[strings.Index(rest, m[1])+len(m[1]):]
		} else if strings.HasSuffix(text, strings.TrimSpace(rest)) {
			rest = ""
		}
		out = append(out, splice{x.from(i-last, i+1), text + rest + end})
	}
	return out
}

// count is how often a text is in the lines.
func (x *lineIndex) count(text string) (n int) {
	x.work.spend(len(x.lines))
	for _, line := range x.lines {
		n += strings.Count(line, text)
	}
	return n
}

// agreedIf is what agreed says where a shift fits at all.
func agreedIf(fits bool, s indentShift, lines, search, replace []string) (indentShift, bool) {
	if !fits {
		return s, false
	}
	return s.agreed(lines, search, replace)
}
