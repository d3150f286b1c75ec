package reply

import (
	"path"
	"slices"
	"strings"
)

// token is what a line is to the fences of a reply.
type token int

const (
	outside token = iota // of every fence
	opens                // it begins a fence
	inside               // of a fence
	nested               // inside, and like the beginning of one of the same length
	closes               // it ends the fence
)

// fences finds fences line by line. The zero value is outside of every fence.
type fences struct {
	run string // the backticks or tildes of the open fence; empty outside
}

// take reads the next line.
func (f *fences) take(line string) token {
	run, info := fenceRun(line)
	switch {
	case f.run == "" && run == "":
		return outside
	case f.run == "":
		f.run = run
		return opens
	case run == "" || run[0] != f.run[0] || len(run) < len(f.run):
		return inside
	case strings.TrimSpace(info) != "":
		return nested
	}
	*f = fences{}
	return closes
}

// open reports whether a fence is open.
func (f fences) open() bool { return f.run != "" }

// fenceRun splits a line that begins with a fence; run is empty if it doesn't. Lists
// indent fences.
func fenceRun(line string) (run, rest string) {
	const deepest = 12
	trimmed := strings.TrimLeft(line, " \t")
	if len(line)-len(trimmed) > deepest || trimmed == "" || trimmed[0] != '`' && trimmed[0] != '~' {
		return "", ""
	}
	rest = strings.TrimLeft(trimmed, trimmed[:1])
	run = trimmed[:len(trimmed)-len(rest)]
	if len(run) < 3 || run[0] == '`' && strings.Contains(rest, "`") {
		return "", ""
	}
	return run, rest
}

// infoWords are the words behind a fence's marks, of which one may be a path:
// "python calc.py", "python:calc.py", "python title="calc.py"".
func infoWords(info string) []string {
	return strings.FieldsFunc(info, func(r rune) bool { return strings.ContainsRune(" \t:=\"'{},", r) })
}

// ending is where a fence ends.
type ending struct {
	text    int     // where its lines end, exclusive
	next    int     // where what comes behind begins
	glued   string  // its last line, where the end is glued to it
	open    bool    // nothing ends it
	short   bool    // a shorter one ends it
	problem Problem // nobody can tell
}

// mark is a line that looks like a fence, in an open one.
type mark struct {
	line int
	bare bool // it could end the fence
}

// end finds where a fence ends. A heading of another wanted step ends it, if the fence
// doesn't end before and its end was forgotten.
func (l *layout) end(i int, run, info string) ending {
	if at := l.plainEnd(i, run, info); at >= 0 {
		return ending{text: at, next: at + 1}
	}
	limit := l.nextHeading(i+1, run)
	marks := l.marks(i+1, limit, run)
	at, problem := closing(marks, l.lines, l.isProse(info))
	switch {
	case problem != "":
		return ending{text: limit, next: limit, problem: problem}
	case at >= 0:
		return ending{text: at, next: at + 1}
	}
	if j := l.shorter(i+1, limit, run); j > i+1 {
		return ending{text: j, next: j + 1, short: true}
	}
	for j := i + 1; j < limit; j++ {
		line := strings.TrimRight(l.lines[j], " \t\r\n")
		if body, ok := strings.CutSuffix(line, run); ok && body != "" && !strings.HasSuffix(body, run[:1]) &&
			strings.Count(line, run[:1]) == len(run) {
			return ending{text: j, next: j + 1, glued: body + "\n"}
		}
	}
	if limit == len(l.lines) {
		return ending{text: limit, next: limit, open: true}
	}
	if after := l.marks(limit+1, l.nextHeading(limit+1, run), "```"); len(after)%2 == 1 && !l.hasBlock(i+1, limit) &&
		after[0].bare {
		return ending{text: limit, next: limit, problem: "a heading stands inside its fence"}
	}
	text := limit
	for text > i+1 && strings.TrimSpace(l.lines[text-1]) == "" {
		text--
	}
	if text == i+1 {
		return ending{text: text, next: limit, problem: "its fence doesn't end"}
	}
	return ending{text: text, next: limit}
}

// plainEnd is where a fence ends that holds nothing to ask about: no heading, no mark but
// the end, no Markdown; else -1.
func (l *layout) plainEnd(i int, run, info string) int {
	if l.isProse(info) {
		return -1
	}
	for j := i + 1; j < len(l.lines); j++ {
		if end := l.ends[j]; end > j {
			j = end - 1
			continue
		}
		r, rest := fenceRun(l.lines[j])
		switch mark := r != "" && r[0] == run[0] && len(r) >= len(run); {
		case l.heads[j] != nil && l.heads[j].strong, mark && strings.TrimSpace(rest) != "":
			return -1
		case mark:
			return j
		}
	}
	return -1
}

// nextHeading is where the next heading stands that can't be a file's: one of a wanted step
// that has no section yet, as it was asked for.
func (l *layout) nextHeading(i int, run string) int {
	ended := false
	for ; i < len(l.lines); i++ {
		if end := l.ends[i]; end > i {
			i = end - 1
			continue
		}
		if r, info := fenceRun(l.lines[i]); len(r) >= len(run) && r[0] == run[0] && strings.TrimSpace(info) == "" {
			ended = true
		}
		h := l.heads[i]
		if h != nil && h.strong && !slices.ContainsFunc(l.all,
			func(s *section) bool { return s.step == h.step && s.says() }) && (h.step != l.now().step || ended) &&
			!l.again(i, run) {
			return i
		}
	}
	return i
}

// again reports whether a fence ends behind a heading, and the heading is there again:
// then the first is text.
func (l *layout) again(i int, run string) bool {
	ended := false
	for j := i + 1; j < len(l.lines); j++ {
		if r, info := fenceRun(l.lines[j]); len(r) >= len(run) && r[0] == run[0] && strings.TrimSpace(info) == "" {
			ended = true
		}
		if h := l.heads[j]; ended && h != nil && h.strong && h.step == l.heads[i].step {
			return true
		}
	}
	return false
}

// shorter is where a fence ends whose end is shorter than its beginning: in the last line,
// if it has no other inside; else -1.
func (l *layout) shorter(from, to int, run string) int {
	last := to - 1
	for last > from && strings.TrimSpace(l.lines[last]) == "" {
		last--
	}
	if marks := l.marks(from, to, run[:3]); len(marks) == 1 && marks[len(marks)-1] == (mark{last, true}) && len(run) > 3 {
		return last
	}
	return -1
}

func (l *layout) hasBlock(from, to int) bool {
	return slices.ContainsFunc(l.lines[from:to], func(line string) bool { return l.q.opens(line).c != 0 })
}

// marks lists the lines that look like a fence at least as long as one.
func (l *layout) marks(from, to int, run string) (out []mark) {
	for i := from; i < to; i++ {
		if end := l.ends[i]; end > i {
			i = min(end, to) - 1
			continue
		}
		if r, info := fenceRun(l.lines[i]); r != "" && r[0] == run[0] && len(r) >= len(run) {
			out = append(out, mark{i, strings.TrimSpace(info) == ""})
		}
	}
	return out
}

// isProse reports whether a fence holds Markdown, in which fences stand.
func (l *layout) isProse(info string) bool {
	file := ""
	if s := l.now().step; s != nil {
		file = s.Path
	} else if w := l.q.only(); w != nil {
		file = w.Path
	}
	return slices.Contains([]string{"markdown", "md", "mdx"}, strings.ToLower(info)) ||
		slices.Contains([]string{".md", ".markdown", ".mdx"}, strings.ToLower(path.Ext(file)))
}

// closing is where a fence ends of which the marks inside are as long: at the first that
// can, if none begins another before; else where the inner ones are paired. In Markdown
// the first may begin one as well. -1 if nothing ends it.
func closing(marks []mark, lines []string, prose bool) (at int, problem Problem) {
	const unclear = "a fence stands inside a fence of the same length"
	n := len(marks)
	switch {
	case n == 0:
		return -1, ""
	case !marks[0].bare:
		if at := paired(marks); at >= 0 {
			return at, ""
		}
		return 0, Problem(unclear)
	case !prose || n == 1:
		return marks[0].line, ""
	case n%2 == 0:
		return 0, Problem(unclear)
	}
	switch inside, inOrder := readings(marks, lines); {
	case inside && !inOrder:
		return marks[n-1].line, ""
	case inOrder && !inside:
		return marks[0].line, ""
	}
	return 0, Problem(unclear)
}

// paired is where a fence ends in which each inner one has its beginning and its end; -1
// if they aren't paired.
func paired(marks []mark) int {
	depth := 1
	for _, m := range marks {
		if depth--; !m.bare {
			depth += 2
		}
		if depth == 0 {
			return m.line
		}
	}
	return -1
}

// readings says whether the marks in an open fence can be pairs inside it, before the last,
// and whether they can be a row of fences behind it, by what they look like.
func readings(marks []mark, lines []string) (inside, inOrder bool) {
	inside, inOrder = marks[len(marks)-1].bare, true
	for i, m := range marks[:len(marks)-1] {
		begins, ends := looks(lines, m.line)
		if i%2 == 0 {
			inside, inOrder = inside && !ends, inOrder && m.bare && !begins
		} else {
			inside, inOrder = inside && m.bare && !begins, inOrder && !ends
		}
	}
	return inside, inOrder
}

// looks says what a bare fence looks like by the lines beside it: a beginning stands
// under a blank line or a colon and above text, an end the other way round.
func looks(lines []string, i int) (begins, ends bool) {
	before, after := "", ""
	if i > 0 {
		before = strings.TrimSpace(lines[i-1])
	}
	if i+1 < len(lines) {
		after = strings.TrimSpace(lines[i+1])
	}
	run, _ := fenceRun(before)
	begins = (before == "" || strings.HasSuffix(before, ":")) && after != ""
	ends = before != "" && !strings.HasSuffix(before, ":") && run == "" && after == ""
	return begins, ends
}
