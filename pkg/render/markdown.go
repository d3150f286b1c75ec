package render

import (
	"strings"

	"paicode/pkg/turn"
)

// Markdown draws what a model says, as it comes: behind a bar, wrapped between words, with
// headings, bold words, code and lists as they were meant, where there is colour. It is what
// models write of Markdown, no more: everything else stands as it was written.
type Markdown struct {
	style Style
	line  string // the last one, as far as it came
	drawn int    // how many of its rows are printed
	code  bool   // within a fence
}

// Markdown begins a text.
func (s Style) Markdown() *Markdown { return &Markdown{style: s} }

// Write takes a piece of the text and returns what can be printed: whole rows that nothing
// that comes later changes.
func (m *Markdown) Write(text string) string {
	var b strings.Builder
	for {
		line, rest, ended := strings.Cut(text, "\n")
		m.line += line
		if !ended {
			break
		}
		b.WriteString(m.rows(true))
		m.line, m.drawn, text = "", 0, rest
	}
	b.WriteString(m.rows(false))
	return b.String()
}

// Close returns what is left.
func (m *Markdown) Close() string {
	if m.line == "" {
		return ""
	}
	out := m.rows(true)
	m.line, m.drawn = "", 0
	return out
}

// rows are those of the line that were not drawn yet: all if it is whole, else those that
// stay as they are.
func (m *Markdown) rows(whole bool) string {
	line := strings.TrimRight(turn.Printable(m.line), "\r")
	if !whole && (m.code || len(line) < m.style.width() || special(line)) {
		return ""
	}
	fence := strings.HasPrefix(strings.TrimSpace(line), "```")
	var rows []string
	switch {
	case fence || m.code:
		rows = m.verbatim(line, fence)
	default:
		rows = m.prose(line)
		if !whole {
			rows = rows[:max(0, len(rows)-1)]
		}
	}
	if whole && fence {
		m.code = !m.code
	}
	var b strings.Builder
	for _, row := range rows[min(m.drawn, len(rows)):] {
		b.WriteString(strings.TrimRight(bar+row, " ") + "\n")
	}
	m.drawn = max(m.drawn, len(rows))
	return b.String()
}

// special tells of a line of which the end decides how its beginning looks: a heading, a
// fence or what may become one, and a mark that isn't closed yet.
func special(line string) bool {
	trimmed := strings.TrimSpace(line)
	if strings.HasPrefix(line, "#") || strings.HasPrefix(trimmed, "```") || strings.Trim(trimmed, "`") == "" {
		return true
	}
	for line != "" {
		_, _, length := span(line)
		if length == 0 && (strings.HasPrefix(line, "**") || line[0] == '`') {
			return true
		}
		line = line[max(length, 1):]
	}
	return false
}

// verbatim is a line of code, or the fence around it.
func (m *Markdown) verbatim(line string, fence bool) (rows []string) {
	s := m.style
	s.Width = s.width() - columns(bar)
	for _, row := range s.fold(line) {
		if !fence {
			row = s.paint(cyan, row)
		}
		rows = append(rows, row)
	}
	return rows
}

// prose is a line of anything else. The rows of an item of a list hang behind its mark.
func (m *Markdown) prose(line string) (rows []string) {
	s := m.style
	plain, codes := line, make([]string, len(line))
	if s.Colour {
		plain, codes = inline(line)
	}
	indent := strings.Repeat(" ", hang(plain))
	plain = strings.ReplaceAll(plain, "\t", " ")
	first := true
	for _, r := range wrapped(plain, s.width()-columns(bar)-len(indent)) {
		r.to = r.from + len(strings.TrimRight(plain[r.from:r.to], " "))
		row := s.painted(plain[r.from:r.to], codes[r.from:r.to])
		if !first {
			row = indent + row
		}
		rows, first = append(rows, row), false
	}
	return rows
}

// hang is how far the further rows of an item are indented; 0 for what is none.
func hang(line string) int {
	blanks := len(line) - len(strings.TrimLeft(line, " "))
	rest := line[blanks:]
	for _, mark := range []string{"- ", "* ", "+ "} {
		if strings.HasPrefix(rest, mark) {
			return min(blanks, 8) + len(mark)
		}
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if digits > 0 && digits < 4 && (strings.HasPrefix(rest[digits:], ". ") || strings.HasPrefix(rest[digits:], ") ")) {
		return min(blanks, 8) + digits + 2
	}
	return 0
}

// painted colours each byte of a row by its code.
func (s Style) painted(row string, codes []string) string {
	var b strings.Builder
	on := ""
	for i := range len(row) {
		if codes[i] != on {
			if on != "" {
				b.WriteString(allNormal)
			}
			on = codes[i]
			b.WriteString(on)
		}
		b.WriteByte(row[i])
	}
	if on != "" {
		b.WriteString(allNormal)
	}
	return b.String()
}

// inline takes the marks of headings, bold words and code out of a line, and tells for each
// byte that stays which code it has.
func inline(line string) (plain string, codes []string) {
	var b strings.Builder
	base := ""
	if trimmed := strings.TrimLeft(line, "#"); len(trimmed) < len(line) && strings.HasPrefix(trimmed, " ") &&
		len(line)-len(trimmed) <= 6 {
		line, base = strings.TrimSpace(trimmed), bold
	}
	put := func(text, code string) {
		b.WriteString(text)
		for range len(text) {
			codes = append(codes, code)
		}
	}
	for line != "" {
		text, code, length := span(line)
		if length == 0 {
			put(line[:1], base)
			line = line[1:]
			continue
		}
		put(text, code)
		line = line[length:]
	}
	return b.String(), codes
}

// span is the bold words or the code that a line begins with, and how long that is with its
// marks; 0 for neither.
func span(line string) (text, code string, length int) {
	for _, s := range []struct{ mark, code string }{{"**", bold}, {"`", cyan}} {
		rest, ok := strings.CutPrefix(line, s.mark)
		if !ok {
			continue
		}
		end := strings.Index(rest, s.mark)
		if end <= 0 || s.mark == "**" && (rest[0] == ' ' || rest[end-1] == ' ') {
			continue
		}
		return rest[:end], s.code, end + 2*len(s.mark)
	}
	return "", "", 0
}
