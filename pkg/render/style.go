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
	Forced   bool // it is none, but what is printed must look like it
	Width    int  // in columns; 0: 80
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

// labelled is text of others under a label, or beside it in files.
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

// Row is one of Pai's own lines, as row is, without a label.
func (s Style) Row(text string) string { return s.row("", text) }

// row is one of Pai's own lines, with names and words of others in it: where it is too long
// for a terminal, its further rows are indented. Its label is bold.
func (s Style) row(label, text string) string {
	if !s.Terminal {
		return label + text + "\n"
	}
	const indent = "    "
	rows := wrap(label+text, s.width()-len(indent))
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
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
	for _, r := range wrapped(line, width) {
		rows = append(rows, line[r.from:r.to])
	}
	return rows
}

// part is where a part of a line begins and ends, in bytes.
type part struct{ from, to int }

// wrapped is wrap of a line without tabs. Blanks at which a row ends belong to none.
func wrapped(line string, width int) (rows []part) {
	row, at, state := part{}, 0, -1
	flush := func(from int) {
		rows = append(rows, row)
		row, at = part{from, from}, 0
	}
	for rest := line; rest != ""; {
		var segment string
		segment, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
		if wide := columns(strings.TrimRight(segment, " ")); at > 0 && at+wide > width {
			flush(len(line) - len(rest) - len(segment))
		}
		end := len(line) - len(rest) - len(segment)
		for _, cluster := range clusters(segment) {
			if at > 0 && at+cluster.width > width {
				if cluster.text == " " {
					end++ // it would begin the next row
					continue
				}
				flush(end)
			}
			end += len(cluster.text)
			if row.from == row.to {
				row.from = end - len(cluster.text)
			}
			row.to = end
			at += cluster.width
		}
	}
	flush(len(line))
	return rows
}

// fold breaks a line that is too long for a terminal, wherever it must: what a file holds
// would be in the first column else. The rows after the first begin with an arrow.
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

// Wrong is what went wrong, in red.
func (s Style) Wrong(text string) string { return s.paint(red, text) }

// Failure is an error and its hint, if it has one, wrapped.
func (s Style) Failure(message, hint string) string {
	text := s.Said(red + message)
	if hint != "" {
		text += s.Said("hint: " + hint)
	}
	return text
}

// Said is a line that a stage printed for people, wrapped; it stays red if it began so.
func (s Style) Said(line string) string {
	if rest, further := strings.CutPrefix(line, "  "); further && s.Terminal {
		return s.apart(rest) // of a hint: what a file holds, or a check said
	}
	line, wrong := strings.CutPrefix(line, red)
	line = strings.TrimSuffix(line, allNormal)
	var b strings.Builder
	for row := range strings.Lines(s.Row(turn.Printable(line))) {
		row = strings.TrimSuffix(row, "\n")
		if wrong {
			row = s.Wrong(row)
		}
		b.WriteString(row + "\n")
	}
	return b.String()
}

func (s Style) bold(text string) string { return s.paint(bold, text) }

func (s Style) paint(code, text string) string {
	if !s.Colour || code == "" || text == "" {
		return text
	}
	return code + text + allNormal
}
