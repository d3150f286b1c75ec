package render

import (
	"strings"

	"github.com/rivo/uniseg"

	"paicode/pkg/turn"
)

// Style is how a stream is written to. The zero Style is for files and pipes, which get
// what others wrote to the byte.
type Style struct {
	Terminal bool // people read it: nothing may steer it, or pass for Pai's own words
	Colour   bool
	Width    int // in columns; 0: 80
}

// bar stands to the left of what a model or a file says.
const bar = "│ "

// usualWidth is that of a terminal which doesn't tell.
const usualWidth = 80

func (s Style) width() int {
	const least = 20
	if s.Width == 0 {
		return usualWidth
	}
	return max(s.Width, least)
}

// apart sets text that a model or a file wrote apart from Pai's own words: on a terminal
// behind a bar, wrapped. It ends with a line feed, if there is any.
func (s Style) apart(text string) string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return ""
	}
	if !s.Terminal {
		return text + "\n"
	}
	var b strings.Builder
	for line := range strings.Lines(turn.Printable(text)) {
		for _, row := range wrap(strings.TrimRight(line, "\r\n"), s.width()-columns(bar)) {
			b.WriteString(strings.TrimRight(bar+row, " ") + "\n")
		}
	}
	return b.String()
}

// labelled is text of others beneath a label, or beside it in files.
func (s Style) labelled(label, text string) string {
	text = s.apart(text)
	switch {
	case text == "":
		return ""
	case s.Terminal:
		return label + ":\n" + text
	}
	return label + ": " + text
}

// row is one of Pai's own lines, with names and words of others in it: where it is too long
// for a terminal, its further rows are indented. Its label is bold.
func (s Style) row(label, text string) string {
	if !s.Terminal {
		return label + text + "\n"
	}
	const indent = "    "
	rows := wrap(label+text, s.width()-len(indent))
	if rest, ok := strings.CutPrefix(rows[0], label); ok {
		rows[0] = s.bold(label) + rest
	}
	return strings.Join(rows, "\n"+indent) + "\n"
}

// field is text of others that is meant to be one line, within one of Pai's.
func (s Style) field(text string) string { return turn.OneLine(strings.TrimSpace(text)) }

// wrap breaks a line into rows of so many columns, between words where it can. Tabs become
// blanks. The rows of an empty line are one.
func wrap(line string, width int) (rows []string) {
	const tab = "    "
	line = strings.ReplaceAll(line, "\t", tab)
	var row strings.Builder
	at, state := 0, -1
	flush := func() {
		rows = append(rows, row.String())
		row.Reset()
		at = 0
	}
	for line != "" {
		var segment string
		segment, line, _, state = uniseg.FirstLineSegmentInString(line, state)
		if wide := columns(strings.TrimRight(segment, " ")); at > 0 && at+wide > width {
			flush()
		}
		for _, cluster := range clusters(segment) {
			if at > 0 && at+cluster.width > width {
				if cluster.text == " " {
					continue // it would begin the next row
				}
				flush()
			}
			row.WriteString(cluster.text)
			at += cluster.width
		}
	}
	flush()
	return rows
}

// fold breaks a line that is too long for a terminal, wherever it must: what a file holds
// would stand in the first column else. The rows after the first begin with an arrow.
func (s Style) fold(line string) (rows []string) {
	const goesOn, tab = "↳ ", "        "
	wide := strings.ReplaceAll(line, "\t", tab)
	if columns(wide) <= s.width() {
		return []string{line}
	}
	var row strings.Builder
	at := 0
	for _, c := range clusters(wide) {
		if at+c.width > s.width() {
			rows = append(rows, row.String())
			row.Reset()
			row.WriteString(goesOn)
			at = columns(goesOn)
		}
		row.WriteString(c.text)
		at += c.width
	}
	return append(rows, row.String())
}

func (s Style) bold(text string) string { return s.paint("\x1b[1m", text) }

func (s Style) paint(code, text string) string {
	if !s.Colour || code == "" || text == "" {
		return text
	}
	return code + text + "\x1b[0m"
}

// diff makes a unified diff safe for a terminal, and colours it.
func (s Style) diff(patch string) string {
	if !s.Terminal {
		return patch
	}
	var b strings.Builder
	for line := range strings.Lines(turn.Printable(patch)) {
		line = strings.TrimRight(line, "\r\n")
		for _, row := range s.fold(line) {
			b.WriteString(s.paint(colourOf(line), row) + "\n")
		}
	}
	return b.String()
}

// colourOf is the code for a line of a diff; empty for one that stays.
func colourOf(line string) string {
	switch {
	case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "diff "):
		return "\x1b[1m"
	case strings.HasPrefix(line, "@@"):
		return "\x1b[36m"
	case strings.HasPrefix(line, "+"):
		return "\x1b[32m"
	case strings.HasPrefix(line, "-"):
		return "\x1b[31m"
	}
	return ""
}
