package change

import (
	"fmt"
	"slices"
	"strings"
)

// contextLines is how many unchanged lines a unified diff shows around a
// change.
const contextLines = 3

// changedBytes is how much the changed lines take.
func (d Diff) changedBytes() int {
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

// hunks writes the body of a unified diff.
func (d Diff) hunks(b *strings.Builder) {
	for i := 0; i < len(d.spans); {
		j := i + 1
		for j < len(d.spans) && d.spans[j].oldStart-d.spans[j-1].oldEnd <= 2*contextLines {
			j++
		}
		d.hunk(b, d.spans[i:j])
		i = j
	}
}

func (d Diff) hunk(b *strings.Builder, spans []span) {
	first, last := spans[0], spans[len(spans)-1]
	lead := min(contextLines, first.oldStart)
	behind := slices.Concat(d.old[last.oldEnd:min(last.oldEnd+contextLines, len(d.old))], d.rest)
	behind = behind[:min(contextLines, len(behind))]
	trail := len(behind)
	fmt.Fprintf(b, "@@ -%s +%s @@\n",
		lineRange(d.before+first.oldStart-lead, d.before+last.oldEnd+trail), lineRange(d.before+first.newStart-lead, d.before+last.newEnd+trail))
	at := first.oldStart - lead
	for _, s := range spans {
		writeLines(b, ' ', d.old[at:s.oldStart])
		writeLines(b, '-', d.old[s.oldStart:s.oldEnd])
		writeLines(b, '+', d.new[s.newStart:s.newEnd])
		at = s.oldEnd
	}
	writeLines(b, ' ', behind)
}

// lineRange writes a range as diffs do: counted from one, the line before it
// where it is empty.
func lineRange(start, end int) string {
	switch end - start {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprint(start + 1)
	default:
		return fmt.Sprintf("%d,%d", start+1, end-start)
	}
}

func writeLines(b *strings.Builder, sign byte, lines []string) {
	for _, line := range lines {
		b.WriteByte(sign)
		b.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
