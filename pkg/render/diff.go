package render

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"paicode/pkg/lazyregexp"
	"paicode/pkg/turn"
)

// The codes of colours and marks are those of ECMA-48, out of the palette that the person
// chose for their terminal.
const (
	bold      = "\x1b[1m"
	red       = "\x1b[31m"
	green     = "\x1b[32m"
	cyan      = "\x1b[36m"
	unmarked  = "\x1b[24m"
	marked    = "\x1b[4m"
	allNormal = "\x1b[0m"
)

// diff makes a unified diff safe for a terminal and colours it. Each file's part begins with a
// line that counts; of lines that are at least half alike the words that differ are marked.
func (s Style) diff(patch string) string {
	if !s.Terminal {
		return patch
	}
	var b strings.Builder
	files := filesOf(strings.Split(strings.TrimSuffix(turn.Printable(patch), "\n"), "\n"))
	for i, lines := range files {
		if i > 0 {
			b.WriteString("\n")
		}
		s.file(&b, lines)
	}
	return b.String()
}

// filesOf cuts a patch where a file begins: behind as many lines as the headers of hunks count,
// since a line of a file may look like a header.
func filesOf(lines []string) (files [][]string) {
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	first, hunks := 0, false
	for i := 0; i < len(lines); i++ {
		if n := hunk(lines[i:]); n > 0 {
			hunks = true
			i += n
			continue
		}
		if hunks && !strings.HasPrefix(lines[i], `\ `) {
			files, first, hunks = append(files, lines[first:i]), i, false
		}
	}
	return append(files, lines[first:])
}

var hunkForm = lazyregexp.New(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)

// hunk is how many lines follow the header of a hunk that lines begin with; 0 if they begin
// with none.
func hunk(lines []string) (n int) {
	if !strings.HasPrefix(lines[0], "@@ -") {
		return 0
	}
	m := hunkForm().FindStringSubmatch(lines[0])
	if m == nil {
		return 0
	}
	old, new := 1, 1
	for i, into := range []*int{&old, &new} {
		if m[i+1] != "" {
			*into, _ = strconv.Atoi(m[i+1])
		}
	}
	for n+1 < len(lines) && (old > 0 || new > 0) {
		n++
		switch line := lines[n]; {
		case strings.HasPrefix(line, "-"):
			old--
		case strings.HasPrefix(line, "+"):
			new--
		case strings.HasPrefix(line, `\`):
		default:
			old, new = old-1, new-1
		}
	}
	return n
}

// file draws a file's part of a diff.
func (s Style) file(b *strings.Builder, lines []string) {
	body := 0
	for body < len(lines) && !strings.HasPrefix(lines[body], "@@") {
		body++
	}
	if text := count(lines[body:]); body < len(lines) && text != "" {
		b.WriteString(s.paint(bold, s.Cut(fileName(lines[:body])+text)) + "\n")
	}
	for i := 0; i < len(lines); {
		if old, new := run(lines[i:], '-'), 0; i >= body && old > 0 {
			new = run(lines[i+old:], '+')
			s.pairs(b, lines[i:i+old], lines[i+old:i+old+new])
			i += old + new
			continue
		}
		s.line(b, lines[i], nil)
		i++
	}
}

// fileName is the name in the header of a file's part: as it becomes, or as it was.
func fileName(header []string) string {
	name := ""
	for _, line := range header {
		for _, mark := range []string{"--- ", "+++ "} {
			if rest, ok := strings.CutPrefix(line, mark); ok && rest != "/dev/null" {
				name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimRight(rest, "\t"), "a/"), "b/")
			}
		}
	}
	return name
}

// count says how many lines a part adds and takes away; empty for none.
func count(lines []string) string {
	added, removed := 0, 0
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	if added+removed == 0 {
		return ""
	}
	return fmt.Sprintf("  +%d −%d", added, removed)
}

// run is how many lines begin with a sign.
func run(lines []string, sign byte) (n int) {
	for n < len(lines) && lines[n] != "" && lines[n][0] == sign {
		n++
	}
	return n
}

// pairs draws lines that are replaced: the first is compared with the first, and so on.
func (s Style) pairs(b *strings.Builder, old, new []string) {
	before, after := make([][]bool, len(old)), make([][]bool, len(new))
	for i := range min(len(old), len(new)) {
		if s.Colour {
			before[i], after[i] = differing(old[i], new[i])
		}
	}
	for i, line := range old {
		s.line(b, line, before[i])
	}
	for i, line := range new {
		s.line(b, line, after[i])
	}
}

// line draws a line; marks tells for each of its bytes whether it is marked, nil for none.
func (s Style) line(b *strings.Builder, line string, marks []bool) {
	colour := colourOf(line)
	at := 0
	for _, row := range s.fold(line) {
		if marks == nil || len(s.fold(line)) > 1 || !s.Colour {
			b.WriteString(s.paint(colour, row) + "\n")
			continue
		}
		b.WriteString(colour)
		for on := false; at < len(line); at++ {
			if marks[at] != on {
				on = marks[at]
				b.WriteString(map[bool]string{true: marked, false: unmarked}[on])
			}
			b.WriteByte(line[at])
		}
		b.WriteString(allNormal + "\n")
	}
}

// differing tells for each byte of two lines whether it belongs to a word that the other line
// lacks; nil where less than half of them is alike, or they are too long to be compared.
func differing(old, new string) (before, after []bool) {
	a, b := words(old[1:]), words(new[1:])
	const most = 300
	if len(a) > most || len(b) > most {
		return nil, nil
	}
	// same[i][j] is how many bytes a[i:] and b[j:] have in common, in whole words.
	same := make([][]int, len(a)+1)
	for i := range same {
		same[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			same[i][j] = max(same[i+1][j], same[i][j+1])
			if a[i] == b[j] {
				same[i][j] = same[i+1][j+1] + len(a[i])
			}
		}
	}
	if 4*same[0][0] < len(old)+len(new)-2 {
		return nil, nil
	}
	before, after = []bool{false}, []bool{false}
	mark := func(marks []bool, word string, is bool) []bool {
		for range len(word) {
			marks = append(marks, is)
		}
		return marks
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			before, after = mark(before, a[i], false), mark(after, b[j], false)
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && same[i+1][j] >= same[i][j+1]:
			before = mark(before, a[i], true)
			i++
		default:
			after = mark(after, b[j], true)
			j++
		}
	}
	return before, after
}

// words cuts a line into words, runs of blanks, and other characters one by one.
func words(line string) (out []string) {
	kind := func(r rune) int {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_':
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	start, last := 0, -1
	for i, r := range line {
		if k := kind(r); k != last || k == 0 {
			if i > start {
				out = append(out, line[start:i])
			}
			start, last = i, k
		}
	}
	if start < len(line) {
		out = append(out, line[start:])
	}
	return out
}

// colourOf is the code for a line of a diff; empty for one that stays.
func colourOf(line string) string {
	switch {
	case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "diff "):
		return bold
	case strings.HasPrefix(line, "@@"):
		return cyan
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	}
	return ""
}

// Cut is a text that is one row at most.
func (s Style) Cut(text string) string {
	if !s.Terminal || columns(text) <= s.width() {
		return text
	}
	const more = "…"
	var b strings.Builder
	at := 0
	for _, c := range clusters(text) {
		if at += c.width; at > s.width()-columns(more) {
			break
		}
		b.WriteString(c.text)
	}
	return b.String() + more
}
