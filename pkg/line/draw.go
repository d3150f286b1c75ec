package line

import (
	"fmt"
	"strings"

	"github.com/rivo/uniseg"
)

// drawing is what is on the screen of a line.
type drawing struct {
	rows  []string
	at    place // of the cursor, on the screen
	width int
}

// frame is what should be there: the rows, and the cursor's place among them. Of more rows
// than the screen has those around the cursor are shown.
func (s *session) frame(height int) drawing {
	prompt, cells, at := s.Prompt, s.buffer.cells, s.buffer.at
	var below []string
	switch q := s.search; {
	case q != nil:
		found := ""
		if q.found < len(s.past) {
			found = s.past[q.found]
		} else if q.text != "" {
			found = "(no line has it)"
		}
		prompt = "search: "
		cells = split(q.text)
		at = len(cells)
		below = lay("  ", split(found), s.width).rows
	case s.message != "":
		below = lay("", split(s.message), s.width).rows
	case len(s.listed) > 0:
		below = s.list()
	}
	l := lay(prompt, cells, s.width)
	d := drawing{rows: l.rows, at: l.starts[at], width: s.width}
	const keys = 4 // rows that the candidates leave to the text, at least
	if most := height - min(len(d.rows), keys); len(below) > most {
		below = below[:max(0, most)]
	}
	if most := height - len(below); len(d.rows) > most {
		first := min(max(0, d.at.row-most/2), len(d.rows)-most)
		d.rows, d.at.row = d.rows[first:first+most], d.at.row-first
	}
	d.rows = append(d.rows[:len(d.rows):len(d.rows)], below...)
	return d
}

// whole is the text as it stays on the screen when it is sent.
func (s *session) whole() drawing {
	l := lay(s.Prompt, s.buffer.cells, s.width)
	return drawing{rows: l.rows, at: place{row: len(l.rows) - 1}, width: s.width}
}

// list is the candidates, side by side.
func (s *session) list() (rows []string) {
	const most = 100 // candidates
	names := s.listed
	if len(names) > most {
		names = append(names[:most:most], fmt.Sprintf("and %d more", len(s.listed)-most))
	}
	row := ""
	end := func() {
		rows = append(rows, lay("", split(row), s.width).rows...)
		row = ""
	}
	for _, name := range names {
		if row != "" && uniseg.StringWidth(row+"  "+name) >= s.width {
			end()
		}
		if row != "" {
			row += "  "
		}
		row += name
	}
	end()
	return rows
}

// The sequences of ECMA-48 and xterm that drawing needs.
const (
	eraseBelow = "\x1b[J"
	noWrap     = "\x1b[?7l"
	wrap       = "\x1b[?7h"
)

// home moves from the cursor to the first row of what is there. A terminal that became
// narrower has broken its rows.
func (d drawing) home(width int) string {
	up := 0
	for i, row := range d.rows {
		if i >= d.at.row {
			break
		}
		up += 1 + max(0, uniseg.StringWidth(row)-1)/max(1, width)
	}
	if width < d.width {
		up += d.at.column / max(1, width)
	}
	return upward(up) + "\r"
}

func upward(rows int) string {
	if rows <= 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA", rows)
}

// over draws this in the place of another drawing. The cursor gets to its place by writing
// what is before it once more: terminals disagree about how wide some clusters are.
func (d drawing) over(old drawing, before string) string {
	var b strings.Builder
	b.WriteString(noWrap)
	b.WriteString(old.home(d.width) + eraseBelow)
	b.WriteString(strings.Join(d.rows, "\r\n"))
	if last := len(d.rows) - 1; d.at.row < last || before != d.rows[last] {
		b.WriteString(upward(last-d.at.row) + "\r" + before)
	}
	b.WriteString(wrap)
	return b.String()
}

// before is what is before the cursor in its row.
func (d drawing) before() string {
	if d.at.row >= len(d.rows) {
		return ""
	}
	column, text := 0, ""
	for _, c := range split(d.rows[d.at.row]) {
		if column += uniseg.StringWidth(c.text); column > d.at.column {
			break
		}
		text += c.text
	}
	return text
}
