package line

import (
	"strings"

	"github.com/rivo/uniseg"

	"paicode/pkg/turn"
)

// place is a place on the screen, counted from zero.
type place struct{ row, column int }

// layout is a text cut into rows.
type layout struct {
	rows   []string
	starts []place // of each cell, and of the end
}

// lay cuts cells into rows of so many columns, behind a prompt; the further rows begin with
// as many blanks as the prompt has columns. A cluster that doesn't fit goes to the next row,
// and a row that is full is followed by one for the cursor.
func lay(prompt string, cells []cell, width int) layout {
	margin := uniseg.StringWidth(prompt)
	if margin*2 > width {
		margin = 0
	}
	l := layout{starts: make([]place, 0, len(cells)+1)}
	l.rows, prompt = broken(prompt, width)
	var row strings.Builder
	row.WriteString(prompt)
	column := uniseg.StringWidth(prompt)
	end := func() {
		l.rows = append(l.rows, row.String())
		row.Reset()
		row.WriteString(strings.Repeat(" ", margin))
		column = margin
	}
	if column >= width {
		end()
	}
	for _, c := range cells {
		if c.text == "\n" && c.label == "" {
			l.starts = append(l.starts, place{len(l.rows), column})
			end()
			continue
		}
		for i, part := range c.parts() {
			wide := uniseg.StringWidth(part.text)
			if column+wide > width && column > margin {
				end()
			}
			if i == 0 {
				l.starts = append(l.starts, place{len(l.rows), column})
			}
			row.WriteString(part.text)
			column += wide
		}
		if column >= width {
			end()
		}
	}
	l.starts = append(l.starts, place{len(l.rows), column})
	l.rows = append(l.rows, row.String())
	return l
}

// broken cuts a prompt that is too long into rows, between words where it can; the last one is
// what the text follows.
func broken(prompt string, width int) (rows []string, last string) {
	for uniseg.StringWidth(prompt) > width {
		end, column, blank := 0, 0, 0
		for _, c := range split(prompt) {
			if column += uniseg.StringWidth(c.text); column > width && end > 0 {
				break
			}
			if end += len(c.text); c.text == " " {
				blank = end
			}
		}
		if blank > 0 {
			end = blank
		}
		rows = append(rows, strings.TrimRight(prompt[:end], " "))
		prompt = prompt[end:]
	}
	return rows, prompt
}

// parts are what is shown of a cell, in pieces between which a row may end.
func (c cell) parts() []cell {
	shown := c.label
	if shown == "" {
		shown = c.text
	}
	return split(turn.Printable(strings.ReplaceAll(shown, "\t", "    ")))
}

// at is the cell that stands nearest to a place.
func (l layout) at(p place) int {
	best := 0
	for i, s := range l.starts {
		if s.row < p.row || s.row == p.row && s.column <= p.column {
			best = i
		}
	}
	return best
}
