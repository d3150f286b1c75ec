package change

import (
	"fmt"
	"slices"
	"strings"

	"paicode/pkg/lazyregexp"
	"paicode/pkg/turn"
)

// shrinkFrom is the number of lines from which the shrink rule holds.
const shrinkFrom = 40

// Limits bound how much of a file a plan may change.
type Limits struct {
	MaxChangedLines int     // added and removed ones; 0 and up
	MaxRatio        float64 // of changed lines to the file's, 0 and up; binds only together with MaxChangedLines
	MaxShrink       float64 // net share of its lines that a file of 40 or more may lose, 0 to 1
}

// Change is one file's change in figures.
type Change struct {
	Path           string
	Lines          int // of the old text
	Added, Removed int
	Moved          int // removed lines that another file gains; they count in Removed, but not against the limits
	Lost           int // lines that the file loses, net, and no other file gains
	changed        int // what counts against the limits
	problem        string
	lost           []string // removed lines that stand nowhere afterwards, blank ones left out
}

// Problem says how the change breaks the limits; empty if it doesn't.
func (c Change) Problem() string { return c.problem }

// definition finds what a line of a program defines.
const definition = `\b(?:def|class|func|function|fn|struct|interface|trait|enum|module|sub)\s+(?:\([^)]*\)\s*)?([\pL_$][\pL\pN_$]*)`

var definesForm = lazyregexp.New(definition)

// LostNames says what a file that gives lines away loses truly: what is defined
// in the lines that stand nowhere afterwards, or else the first of them. It is
// empty for a file whose lines don't move.
func (c Change) LostNames() string {
	const most = 5
	if c.Moved == 0 {
		return ""
	}
	if len(c.lost) == 0 {
		return "nothing is lost"
	}
	var names []string
	defines := definesForm()
	for _, line := range c.lost {
		if m := defines.FindStringSubmatch(line); m != nil && len(names) < most {
			names = append(names, turn.Shown(m[1]))
		}
	}
	if len(names) == 0 {
		names = []string{turn.Quote(c.lost[0])}
	}
	return fmt.Sprintf("%d lines are lost, with %s", len(c.lost), strings.Join(names, ", "))
}

// Judge counts the changes of a plan and compares those of files that were
// there and stay with the limits. The diffs are those of the files, in the
// same order. Lines are compared without blanks around them, blank ones not
// at all, to find what moved. A carriage return without a line feed ends a line too, and
// so do the other line ends of Unicode: a file with such ones has more lines here than diffs
// show.
func (l Limits) Judge(files []File, diffs []Diff) []Change {
	diffs = slices.Clone(diffs)
	for i, f := range files {
		if old, oddOld := evenEnds(f.Old.text()); !f.Unseen {
			if now, oddNow := evenEnds(f.New.text()); oddOld || oddNow {
				diffs[i] = Compare(old, now)
			}
		}
	}
	movedOut, movedIn, lost := findMoved(diffs)
	out := make([]Change, len(files))
	for i, f := range files {
		d := diffs[i]
		c := Change{Path: f.Path(), Lines: d.Lines(), Added: d.Added(), Removed: d.Removed(), Moved: movedOut[i],
			lost: lost[i]}
		added, removed := c.Added-movedIn[i], c.Removed-movedOut[i]
		c.changed, c.Lost = added+removed, max(0, removed-added)
		if f.Old != nil && f.New != nil {
			c.problem = l.problem(c)
		}
		out[i] = c
	}
	return out
}

// evenEnds puts a line feed for every other line end (Unicode's newline guidelines, 5.8); odd
// tells whether there were any but CRLF.
func evenEnds(text string) (even string, odd bool) {
	const others = "\r\v\f\u0085\u2028\u2029"
	if !strings.ContainsAny(text, others) {
		return text, false
	}
	const crlf = "\x00\n" // no text holds a NUL
	text = strings.ReplaceAll(text, "\r\n", crlf)
	even = strings.Map(func(r rune) rune {
		if strings.ContainsRune(others, r) {
			return '\n'
		}
		return r
	}, text)
	return even, even != text
}

func (l Limits) problem(c Change) string {
	ratio := float64(c.changed) / float64(max(c.Lines, 1))
	if c.changed > l.MaxChangedLines && ratio > l.MaxRatio {
		return fmt.Sprintf("%d of %d lines change (ratio %.2f), over the limits of %d lines and %.2f",
			c.changed, c.Lines, ratio, l.MaxChangedLines, l.MaxRatio)
	}
	if shrink := float64(c.Lost) / float64(max(c.Lines, 1)); c.Lines >= shrinkFrom && shrink > l.MaxShrink {
		return fmt.Sprintf("%d of %d lines would be lost (ratio %.2f), over the limit of %.2f",
			c.Lost, c.Lines, shrink, l.MaxShrink)
	}
	return ""
}

// gain is how often a file gains a line.
type gain struct{ file, count int }

// gained lists which files gain a line, by the line without blanks at its ends.
func gained(diffs []Diff) map[string][]gain {
	gains := make(map[string][]gain)
	for i, d := range diffs {
		for _, line := range d.AddedLines() {
			key := strings.TrimSpace(line)
			if g := gains[key]; key != "" && (len(g) == 0 || g[len(g)-1].file != i) {
				gains[key] = append(g, gain{i, 1})
			} else if key != "" {
				g[len(g)-1].count++
			}
		}
	}
	return gains
}

// findMoved pairs removed lines with equal ones that other files gain, each
// line once, and counts the pairs by the file that loses and the one that
// gains. Lost are the removed lines that no file gains, by the file that loses.
func findMoved(diffs []Diff) (out, in []int, lost [][]string) {
	out, in, lost = make([]int, len(diffs)), make([]int, len(diffs)), make([][]string, len(diffs))
	if len(diffs) < 2 {
		return out, in, lost
	}
	gains := gained(diffs)
	for i, d := range diffs {
		for _, line := range d.RemovedLines() {
			key := strings.TrimSpace(line)
			g := gains[key]
			if key == "" {
				continue
			}
			own := slices.IndexFunc(g, func(g gain) bool { return g.file == i })
			k := slices.IndexFunc(g, func(g gain) bool { return g.file != i })
			switch {
			case k < 0 && own < 0:
				lost[i] = append(lost[i], key)
				continue
			case k < 0:
				k = own // it comes back in the same file
			default:
				out[i]++
				in[g[k].file]++
			}
			if g[k].count--; g[k].count == 0 {
				gains[key] = slices.Delete(g, k, k+1)
			}
		}
	}
	return out, in, lost
}
