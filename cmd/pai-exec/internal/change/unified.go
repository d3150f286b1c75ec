package change

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// contextLines is how many unchanged lines a unified diff shows around a
// change.
const contextLines = 3

// ChangedBytes is how much the changed lines take.
func (d Diff) ChangedBytes() int {
	n := 0
	for _, s := range d.spans {
		for _, line := range d.old[s.oldStart:s.oldEnd] {
			n += len(line) + 1
		}
		for _, line := range d.new[s.newStart:s.newEnd] {
			n += len(line) + 1
		}
	}
	return n
}

// unified writes a unified diff under two labels. Go-udiff formats it, a
// cluster of spans at a time: its time grows with the text times the edits, so it
// gets the lines around one cluster only, and what it counts from there is
// shifted.
func (d Diff) unified(from, to string) (string, error) {
	u := udiff.UnifiedDiff{From: from, To: to}
	for i := 0; i < len(d.spans); {
		j := i + 1
		for j < len(d.spans) && d.spans[j].oldStart-d.spans[j-1].oldEnd <= 2*contextLines {
			j++
		}
		w := d.window(d.spans[i:j])
		part, err := udiff.ToUnifiedDiff(from, to, w.text, w.edits, contextLines)
		if err != nil {
			return "", err
		}
		for _, h := range part.Hunks {
			h.FromLine += w.oldAt
			h.ToLine += w.newAt
			u.Hunks = append(u.Hunks, h)
		}
		i = j
	}
	return u.String(), nil
}

// window is a run of old lines around a cluster of spans.
type window struct {
	text         string
	edits        []udiff.Edit
	oldAt, newAt int // how many lines are before it
}

func (d Diff) window(spans []span) (w window) {
	first, last := spans[0], spans[len(spans)-1]
	at := first.oldStart - min(contextLines, first.oldStart)
	w.oldAt, w.newAt = d.before+at, d.before+first.newStart-(first.oldStart-at)
	var b strings.Builder
	write := func(lines []string) {
		for _, line := range lines {
			b.WriteString(line)
		}
	}
	for _, s := range spans {
		write(d.old[at:s.oldStart])
		start := b.Len()
		write(d.old[s.oldStart:s.oldEnd])
		w.edits = append(w.edits, udiff.Edit{Start: start, End: b.Len(), New: strings.Join(d.new[s.newStart:s.newEnd], "")})
		at = s.oldEnd
	}
	behind := d.old[last.oldEnd:min(last.oldEnd+contextLines, len(d.old))]
	write(behind)
	write(d.rest[:min(contextLines-len(behind), len(d.rest))])
	w.text = b.String()
	return w
}
