package reply

import (
	"slices"
	"strings"

	"paicode/cmd/pai-exec/internal/find"
	"paicode/pkg/turn"
)

// section is what is under one heading, or before the first.
type section struct {
	q       Question
	step    *Wanted // nil before the first heading, and under one of no wanted step
	wrong   Problem // why nothing under the heading can be used
	start   int     // the number of its first line
	parts   []part
	ignored bool     // it is of a step that nothing is needed of
	named   bool     // it begins with a file's name, not with a heading
	raw     []string // its lines, with those of fences
}

// part is one fence of a section, or what stands outside of them.
type part struct {
	fence   bool
	info    string // of the fence
	start   int    // the number of its first line in the reply
	lines   []string
	open    bool    // the fence doesn't end
	short   bool    // its end is shorter than its beginning
	problem Problem // why nobody can tell where it ends
	talk    string  // the words before it that say that it is what something prints, or how it is used
}

func (p part) text() string { return strings.Join(p.lines, "") }

// holds reports whether a fence is in it, or a search/replace block.
func (s *section) holds() bool {
	return slices.ContainsFunc(s.parts, func(p part) bool { return p.fence }) || s.hasBlock()
}

// hasBlock reports whether a search/replace block is in it.
func (s *section) hasBlock() bool {
	return slices.ContainsFunc(s.parts, func(p part) bool {
		return slices.ContainsFunc(p.lines,
			func(line string) bool { return s.q.opens(line).c != 0 || !p.fence && s.q.looseOpens(line) })
	})
}

// says reports whether there is more in it than prose; prose is all that FINISH has.
func (s *section) says() bool {
	if _, ok := s.keyword(); ok || s.holds() || s.wrong != "" && s.step == nil {
		return true
	}
	return s.step != nil && s.step.Action == turn.ActionFinish && !s.blank() || s.q.frameOf(s.text()) != ""
}

func (s *section) blank() bool { return strings.TrimSpace(s.text()) == "" }

// text is all of it as it is in the reply, but for the fences' own lines.
func (s *section) text() string {
	var b strings.Builder
	for _, p := range s.parts {
		if p.fence {
			b.WriteString("````" + p.info + "\n" + p.text() + "````\n")
		} else {
			b.WriteString(p.text())
		}
	}
	return b.String()
}

// layout finds the sections of a reply.
type layout struct {
	q     Question
	lines []string
	first int        // the number of lines before them in the reply
	heads []*heading // those of the lines that are headings
	ends  []int      // behind the block that begins at a line; its own index where none does
	all   []*section
	named string // the file that the last line named, outside of everything
	outer string // the fence around the whole reply; empty without
}

// sections takes a reply apart; the first of them is before the first heading.
func (q Question) sections(lines []string, skipped int) []*section {
	lines = unglued(q, lines)
	l := &layout{q: q, lines: lines, first: skipped, heads: make([]*heading, len(lines)), ends: make([]int, len(lines))}
	for i, line := range lines {
		l.ends[i] = q.blockEnd(lines, i)
		if h, ok := q.headingOf(line); ok && (!h.weak || q.beginsBelow(lines[i+1:])) {
			l.heads[i] = &h
		}
	}
	l.begin(heading{}, skipped+1)
	for i := 0; i < len(lines); {
		before := len(l.all)
		next := l.take(i)
		from := i
		if len(l.all) > before { // a heading is no line of its section
			from = min(next, i+1)
		}
		l.now().raw = append(l.now().raw, lines[from:next]...)
		i = next
	}
	return l.all
}

// unglued parts headings from the fences that are on the same line.
func unglued(q Question, lines []string) (out []string) {
	for i := 0; i < len(lines); i++ {
		if end := q.blockEnd(lines, i); end > i {
			out = append(out, lines[i:end]...)
			i = end - 1
			continue
		}
		line := lines[i]
		if strings.Contains(line, "```") || strings.Contains(line, "~~~") {
			m := patterns().headingThenFence.FindStringSubmatch(line)
			if m == nil {
				m = patterns().fenceThenHeading.FindStringSubmatch(line)
			}
			if m != nil {
				first, second := q.headingOf(m[1])
				if h, ok := q.headingOf(m[2]); ok && h.strong || second && first.strong {
					out = append(out, m[1]+"\n", m[2])
					continue
				}
			}
		}
		out = append(out, line)
	}
	return out
}

// glued reports whether what is behind a fence's marks is code.
func (f *forms) glued(info string) bool {
	_, rest, ok := strings.Cut(info, " ")
	rest = strings.TrimSpace(rest)
	if !ok || strings.HasPrefix(rest, "{") && strings.HasSuffix(rest, "}") || strings.Contains(rest, "=\"") {
		return false
	}
	return f.code.MatchString(rest)
}

// beginsBelow reports whether a fence, a block or a keyword comes first in some lines.
func (q Question) beginsBelow(lines []string) bool {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			run, _ := fenceRun(line)
			return run != "" || q.opens(line).c != 0 || q.looseOpens(line) || patterns().
				keyword.MatchString(strings.TrimRight(line, "\r\n"))
		}
	}
	return false
}

func (l *layout) begin(h heading, start int) {
	s := &section{q: l.q, step: h.step, wrong: h.wrong, ignored: h.ignored, start: start}
	if h.says != "" {
		s.parts = []part{{start: start, lines: []string{h.says + "\n"}}}
	}
	l.all, l.named = append(l.all, s), ""
}

func (l *layout) now() *section { return l.all[len(l.all)-1] }

// take reads what begins at a line, and returns where the next begins.
func (l *layout) take(i int) int {
	line := l.lines[i]
	if h := l.heads[i]; h != nil {
		l.begin(*h, l.first+i+1)
		return i + 1
	}
	if end := l.ends[i]; end > i {
		l.names(nil)
		l.addText(i, end)
		return end
	}
	if run, info := fenceRun(line); run != "" {
		return l.fence(i, run, strings.TrimSpace(info))
	}
	if l.q.looseOpens(line) {
		l.names(nil)
	} else if strings.TrimSpace(line) != "" {
		l.named = l.nameOf(line)
	}
	l.addText(i, i+1)
	return i + 1
}

// addText adds lines that stand outside of fences.
func (l *layout) addText(from, to int) {
	s := l.now()
	if n := len(s.parts); n == 0 || s.parts[n-1].fence {
		s.parts = append(s.parts, part{start: l.first + from + 1})
	}
	last := &s.parts[len(s.parts)-1]
	last.lines = append(last.lines, l.lines[from:to]...)
}

// nameOf is the file that a line outside of everything names.
func (l *layout) nameOf(line string) string {
	if name := names(line); name != "" {
		return name
	}
	if w := l.q.byPath(line); w != nil {
		return w.Path
	}
	return ""
}

// names begins a section if a fence or block is right behind the name of a wanted
// file, or has it behind its marks. Behind another file's name nothing can be used.
func (l *layout) names(infoWords []string) {
	named, s := l.named, l.now()
	l.named = ""
	for _, word := range infoWords {
		if w := l.q.byPath(word); w != nil {
			named = w.Path
		}
	}
	if named == "" || s.wrong != "" || s.ignored {
		return
	}
	w := l.q.byPath(named)
	switch {
	case w != nil && w == s.step, s.step != nil && s.step.Path == "" && w == nil:
	case w != nil:
		l.begin(heading{step: w}, s.start)
		l.now().named = true
	case s.step != nil && !strings.HasSuffix("/"+s.step.Path, "/"+named) && s.holds():
		s.wrong = Problem("a block stands beneath " + turn.Quote(named))
	}
}

// fence reads a fence, and returns where what comes behind it begins.
func (l *layout) fence(i int, run, info string) int {
	if l.outer != "" && info == "" && run == l.outer && blank(l.lines[i+1:]) {
		return i + 1
	}
	if l.wraps(i, run) {
		l.outer = run
		return i + 1
	}
	if next := i + 1; next < len(l.lines) { // the heading as the first line inside
		if h := l.heads[next]; h != nil && h.strong && (l.now().step == nil || h.step == l.now().step || l.now().says()) {
			l.begin(*h, l.first+next+1)
			i++
		}
	}
	words := infoWords(info)
	if i+1 < len(l.lines) && l.now().step == nil {
		words = append(words, strings.TrimSpace(strings.TrimLeft(l.lines[i+1], "#/*-<! \t")))
	}
	l.names(words)
	s := l.now()
	e := l.end(i, run, info)
	if e.problem == "" && patterns().glued(info) {
		e.problem = "code stands behind the marks of its fence"
	}
	p := part{fence: true, info: info, start: l.first + i + 2, lines: slices.Clone(l.lines[i+1 : e.text]), open: e.open,
		short: e.short, problem: e.problem, talk: s.announcesTalk()}
	if e.glued != "" {
		p.lines = append(p.lines, e.glued)
	}
	p.lines = dedent(p.lines, find.Indentation(l.lines[i]))
	s.parts = append(s.parts, p)
	return e.next
}

// announcesTalk are the last words so far if they say that what comes is what something
// prints, or how it is used, in small letters.
func (s *section) announcesTalk() string {
	if len(s.parts) == 0 || s.parts[len(s.parts)-1].fence {
		return ""
	}
	lines := s.parts[len(s.parts)-1].lines
	if at := len(lines) - 1 - blankEnd(lines); at >= 0 {
		return strings.ToLower(patterns().talk.FindString(strings.TrimSpace(lines[at])))
	}
	return ""
}

// wraps reports whether a fence stands around the whole reply: its first line is a
// heading, and further fences come before it ends.
func (l *layout) wraps(i int, run string) bool {
	if len(l.all) > 1 || !blank(l.lines[:i]) && l.now().holds() {
		return false
	}
	next := i + 1
	for next < len(l.lines) && strings.TrimSpace(l.lines[next]) == "" {
		next++
	}
	if next == len(l.lines) {
		return false
	}
	if h := l.heads[next]; h == nil || !h.strong {
		return false
	}
	for j := next + 1; j < len(l.lines); j++ {
		if end := l.ends[j]; end > j {
			j = end - 1
			continue
		}
		if inner, info := fenceRun(l.lines[j]); inner != "" {
			return strings.TrimSpace(info) != "" || len(inner) < len(run) || !blank(l.lines[j+1:]) && !l.headingNext(j+1)
		}
		if h := l.heads[j]; h != nil && h.strong {
			return true
		}
	}
	return false
}

// headingNext reports whether nothing but blank lines are before the next heading or fence.
func (l *layout) headingNext(i int) bool {
	for ; i < len(l.lines); i++ {
		if strings.TrimSpace(l.lines[i]) == "" {
			continue
		}
		run, _ := fenceRun(l.lines[i])
		return l.heads[i] != nil || run != ""
	}
	return true
}

// dedent takes the indentation of a fence from its lines, if all have it.
func dedent(lines []string, n int) []string {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" && find.Indentation(line) < n {
			return lines
		}
	}
	for i, line := range lines {
		lines[i] = line[min(n, find.Indentation(line)):]
	}
	return lines
}
