// Package change turns edits into text and text into diffs, counts lines, and
// judges whether a change is too large. It touches no file.
package change

import (
	"slices"
	"sort"
	"strings"
)

// span says that the old lines from oldStart to oldEnd become the new lines
// from newStart to newEnd; ends are exclusive.
type span struct{ oldStart, oldEnd, newStart, newEnd int }

// Diff is the difference of two texts, line by line. What is equal at both
// ends is left out.
type Diff struct {
	before   int      // how many equal lines are left out at the beginning
	after    int      // and at the end
	old, new []string // the other lines, with their ends
	rest     []string // the first of those that are left out at the end
	spans    []span   // in order, never touching each other
}

// Compare finds the difference of two texts: the least one up to maxEdits
// changed lines. Larger ones are taken apart by patience diff (Bram Cohen) at
// the lines that stand once in both texts; what has neither few changes nor
// such lines counts as replaced.
func Compare(old, new string) Diff {
	head, tail := commonEnds(old, new)
	d := Diff{before: strings.Count(old[:head], "\n"), after: strings.Count(old[len(old)-tail:], "\n"),
		old: splitLines(old[head : len(old)-tail]), new: splitLines(new[head : len(new)-tail])}
	if tail > 0 && !strings.HasSuffix(old, "\n") {
		d.after++
	}
	for line := range strings.Lines(old[len(old)-tail:]) {
		if d.rest = append(d.rest, line); len(d.rest) == contextLines {
			break
		}
	}
	c := comparer{old: d.old, new: d.new}
	oldIDs, newIDs, distinct := number(d.old, d.new)
	inOld, inNew := make([]bool, distinct), make([]bool, distinct)
	mark(inOld, oldIDs)
	mark(inNew, newIDs)
	c.oldIDs, c.oldAt = pick(oldIDs, inNew)
	c.newIDs, c.newAt = pick(newIDs, inOld)
	c.compare(0, len(c.oldIDs), 0, len(c.newIDs))
	d.spans = c.spread()
	return d
}

// changes are the spans by the numbers of the whole texts' lines.
func (d Diff) changes() []span {
	out := slices.Clone(d.spans)
	for i := range out {
		out[i].oldStart += d.before
		out[i].oldEnd += d.before
		out[i].newStart += d.before
		out[i].newEnd += d.before
	}
	return out
}

// mark notes which lines there are.
func mark(there []bool, ids []int) {
	for _, id := range ids {
		there[id] = true
	}
}

// pick leaves the numbers of lines that the other side has too, and says where
// they stand: no others can be common.
func pick(ids []int, inOther []bool) (picked, at []int) {
	picked, at = make([]int, 0, len(ids)), make([]int, 0, len(ids))
	for i, id := range ids {
		if inOther[id] {
			picked, at = append(picked, id), append(at, i)
		}
	}
	return picked, at
}

// spread turns the spans between picked lines into those between all lines,
// joined where they touch.
func (p *comparer) spread() []span {
	var out []span
	a, c := 0, 0 // up to where all is told
	same := func(i, j int) {
		o, n := p.oldAt[i], p.newAt[j]
		if a < o || c < n {
			out = append(out, span{a, o, c, n})
		}
		a, c = o+1, n+1
	}
	i, j := 0, 0
	for _, s := range append(p.spans, span{len(p.oldAt), len(p.oldAt), len(p.newAt), len(p.newAt)}) {
		for ; i < s.oldStart; i, j = i+1, j+1 {
			same(i, j)
		}
		i, j = s.oldEnd, s.newEnd
	}
	if a < len(p.old) || c < len(p.new) {
		out = append(out, span{a, len(p.old), c, len(p.new)})
	}
	return out
}

// commonEnds is how many bytes two texts have in common at both ends, in whole
// lines and at the beginning without those that a unified diff shows.
func commonEnds(old, new string) (head, tail int) {
	head = commonPrefix(old, new)
	tail = min(commonSuffix(old, new), len(old)-head, len(new)-head)
	for range contextLines + 1 {
		head = strings.LastIndexByte(old[:head], '\n')
		if head < 0 {
			head = 0
			break
		}
	}
	if head > 0 {
		head++
	}
	at := len(old) - tail
	next := strings.IndexByte(old[at:], '\n')
	if next < 0 {
		return head, 0
	}
	return head, tail - next - 1
}

// Lines is how many lines the old text has.
func (d Diff) Lines() int { return d.before + len(d.old) + d.after }

// Added is the number of lines that the new text has more.
func (d Diff) Added() int {
	n := 0
	for _, s := range d.spans {
		n += s.newEnd - s.newStart
	}
	return n
}

// Removed is the number of lines that the new text lacks.
func (d Diff) Removed() int {
	n := 0
	for _, s := range d.spans {
		n += s.oldEnd - s.oldStart
	}
	return n
}

// AddedLines and RemovedLines are the lines themselves, with their ends.
func (d Diff) AddedLines() []string {
	var out []string
	for _, s := range d.spans {
		out = append(out, d.new[s.newStart:s.newEnd]...)
	}
	return out
}

// RemovedLines are the lines that the new text lacks, with their ends.
func (d Diff) RemovedLines() []string {
	var out []string
	for _, s := range d.spans {
		out = append(out, d.old[s.oldStart:s.oldEnd]...)
	}
	return out
}

// Hunk is a run of old lines and the new ones that take its place, with their ends.
type Hunk struct{ Old, New []string }

// Hunks lists what differs, in order.
func (d Diff) Hunks() (all []Hunk) {
	for _, s := range d.spans {
		all = append(all, Hunk{d.old[s.oldStart:s.oldEnd], d.new[s.newStart:s.newEnd]})
	}
	return all
}

// OldPlaces and NewPlaces are where changes begin: line numbers, counted from
// one, in the old and in the new text.
func (d Diff) OldPlaces() []int {
	var out []int
	for _, s := range d.spans {
		out = append(out, d.before+s.oldStart+1)
	}
	return out
}

// NewPlaces is described with OldPlaces.
func (d Diff) NewPlaces() []int {
	var out []int
	for _, s := range d.spans {
		out = append(out, d.before+s.newStart+1)
	}
	return out
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// number gives equal lines equal numbers, from zero.
func number(old, new []string) (oldIDs, newIDs []int, distinct int) {
	ids := make(map[string]int, len(old))
	assign := func(lines []string) []int {
		out := make([]int, len(lines))
		for i, line := range lines {
			id, ok := ids[line]
			if !ok {
				id = len(ids)
				ids[line] = id
			}
			out[i] = id
		}
		return out
	}
	oldIDs, newIDs = assign(old), assign(new)
	return oldIDs, newIDs, len(ids)
}

// comparer compares the lines that both sides have.
type comparer struct {
	old, new       []string // all lines
	oldAt, newAt   []int    // which of them both have
	oldIDs, newIDs []int    // the numbers of those
	effort         int      // spent on looking for the least difference
	spans          []span   // of those, in order
}

// compare finds the spans between old lines a to b and new lines c to d.
func (p *comparer) compare(a, b, c, d int) {
	if before := len(p.spans); p.myers(a, b, c, d) {
		return
	} else {
		p.spans = p.spans[:before]
	}
	a, b, c, d = p.trim(a, b, c, d)
	anchors := p.anchors(a, b, c, d)
	if len(anchors) == 0 {
		p.add(span{a, b, c, d})
		return
	}
	for _, at := range anchors {
		p.compare(a, at.old, c, at.new)
		a, c = at.old+1, at.new+1
	}
	p.compare(a, b, c, d)
}

type anchor struct{ old, new int }

// anchors are the lines that stand once on each side, as many of them as keep
// their order.
func (p *comparer) anchors(a, b, c, d int) []anchor {
	type seen struct{ oldCount, newCount, old, new int }
	lines := make(map[int]*seen)
	at := func(id int) *seen {
		s := lines[id]
		if s == nil {
			s = &seen{}
			lines[id] = s
		}
		return s
	}
	for i := a; i < b; i++ {
		s := at(p.oldIDs[i])
		s.oldCount, s.old = s.oldCount+1, i
	}
	for i := c; i < d; i++ {
		s := at(p.newIDs[i])
		s.newCount, s.new = s.newCount+1, i
	}
	var common []anchor
	for i := a; i < b; i++ {
		if s := lines[p.oldIDs[i]]; s.oldCount == 1 && s.newCount == 1 {
			common = append(common, anchor{s.old, s.new})
		}
	}
	return increasing(common)
}

// increasing picks a longest run of anchors whose new lines rise, by patience
// sorting.
func increasing(all []anchor) []anchor {
	var piles []int // index of each pile's top
	before := make([]int, len(all))
	for i, x := range all {
		pile := sort.Search(len(piles), func(k int) bool { return all[piles[k]].new >= x.new })
		before[i] = -1
		if pile > 0 {
			before[i] = piles[pile-1]
		}
		if pile == len(piles) {
			piles = append(piles, i)
		} else {
			piles[pile] = i
		}
	}
	if len(piles) == 0 {
		return nil
	}
	var out []anchor
	for i := piles[len(piles)-1]; i >= 0; i = before[i] {
		out = append(out, all[i])
	}
	slices.Reverse(out)
	return out
}
