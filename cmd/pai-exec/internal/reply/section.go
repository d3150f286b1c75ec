package reply

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"paicode/pkg/turn"
)

// answer reads one section; cut tells that the reply ends in it too early.
func (q Question) answer(s *section, cut bool) Answer {
	meant, removed := s.confirmations()
	a := q.answerOf(s, cut)
	a.Meant, a.Removed = meant, removed
	a.Text = s.text()
	a.Cut = a.Cut || cut && a.Problem != ""
	return a
}

func (q Question) answerOf(s *section, cut bool) Answer {
	switch a, ok := s.keyword(); {
	case s.wrong != "":
		return Answer{Problem: s.wrong, Line: s.start}
	case ok && (a.Read != nil || s.step.Action != turn.ActionFinish):
		a.Line = s.start
		return a
	case s.step.Action == turn.ActionFinish:
		return s.words(cut)
	}
	return q.file(s, cut)
}

// confirmations are what a section confirms above its file: "MEANT: a line", and
// "REMOVED: a, b".
func (s *section) confirmations() (meant, removed []string) {
	for i, p := range s.parts {
		if p.fence {
			break
		}
		for j, line := range p.lines {
			line = strings.TrimSpace(line)
			if markerLike(line) {
				return meant, removed
			}
			word, what, _ := strings.Cut(strings.Trim(line, "*-` "), ":")
			what = strings.Trim(strings.TrimSpace(strings.TrimLeft(what, "*")), "`")
			switch {
			case what == "":
				continue
			case word == "MEANT":
				meant = append(meant, what)
			case word == "REMOVED":
				for name := range strings.SplitSeq(what, ",") {
					removed = append(removed, strings.TrimSuffix(strings.Trim(name, " `*"), "()"))
				}
			default:
				continue
			}
			s.parts[i].lines[j] = "\n"
		}
	}
	return meant, removed
}

// keyword reads what is in the place of a file: a line that begins with a word for it.
// Beside a block it counts as the first line only, and contradicts it.
func (s *section) keyword() (Answer, bool) {
	form := patterns().keyword
	said, block := s.said(form)
	for i, line := range said {
		m := form.FindStringSubmatch(line)
		if m == nil || m[1] == "" && (len(said) > 1 || block) {
			if block {
				break
			}
			continue
		}
		name := strings.ToUpper(strings.ReplaceAll(m[1]+m[2], "’", "'"))
		name = strings.TrimSuffix(strings.NewReplacer(" ", "", "_", "", "-", "", "CAN'T", "CANNOT").Replace(name), "S")
		if block {
			return Answer{Problem: Problem("it says " + name + " and gives a block too")}, true
		}
		why := cmp.Or(strings.Trim(m[3], " \t*"), "no reason given")
		switch name {
		case "NOCHANGE":
			return Answer{NoChange: why}, true
		case "CANNOT":
			return Answer{Cannot: why}, true
		}
		return reads(form, said[i:]), true
	}
	return Answer{}, false
}

// said are the lines outside of fences that aren't blank, and in those that hold a keyword
// only; block tells of other fences, or blocks.
func (s *section) said(form *regexp.Regexp) (lines []string, block bool) {
	block = s.hasBlock()
	for _, p := range s.parts {
		if p.fence && !blank(p.lines) && !oneKeyword(form, p.lines) {
			block = true
			continue
		}
		for _, line := range p.lines {
			if strings.TrimSpace(line) != "" {
				lines = append(lines, strings.TrimRight(line, "\r\n"))
			}
		}
	}
	return lines, block
}

// oneKeyword reports whether a keyword's line is all that a fence holds, but for a line or
// two of its reason.
func oneKeyword(form *regexp.Regexp, lines []string) bool {
	words, reads, first, n := 0, 0, false, 0
	for _, line := range lines {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) == "" {
			continue
		}
		if m := form.FindStringSubmatch(line); m != nil && m[1] != "" {
			words++
			first = first || n == 0
			if m[1] == "READ" {
				reads++
			}
		}
		n++
	}
	const fewLines = 3
	return first && (words == 1 || words == reads) && n <= max(fewLines, reads)
}

// reads lists the files that lines ask to see.
func reads(form *regexp.Regexp, lines []string) Answer {
	var paths []string
	for _, line := range lines {
		m := form.FindStringSubmatch(line)
		if m == nil || !strings.EqualFold(m[1]+m[2], "READ") {
			continue
		}
		for name := range strings.SplitSeq(m[3], ",") {
			if name = plainPath(name); name != "" && !slices.Contains(paths, name) {
				paths = append(paths, name)
			}
		}
	}
	if len(paths) == 0 {
		return Answer{Problem: "it asks to see a file and doesn't say which"}
	}
	return Answer{Read: paths}
}

// words reads FINISH's.
func (s *section) words(cut bool) Answer {
	var b strings.Builder
	filled := 0
	for _, p := range s.parts {
		if strings.TrimSpace(p.text()) != "" {
			filled++
		}
	}
	for _, p := range s.parts {
		switch {
		case p.fence && filled > 1:
			b.WriteString("```" + p.info + "\n" + p.text() + "```\n")
		case p.fence && len(p.lines) == 0: // an end without its fence
		default:
			b.WriteString(p.text())
		}
	}
	text := strings.TrimSpace(b.String())
	switch {
	case cut:
		return Answer{Problem: "the reply was cut in it", Cut: true, Line: s.start}
	case text == "":
		return Answer{Problem: "the reply says nothing", Line: s.start}
	}
	return Answer{Content: &text}
}

// file reads a file's section.
func (q Question) file(s *section, cut bool) Answer {
	for _, p := range s.parts {
		if p.problem != "" {
			return Answer{Problem: p.problem, Line: p.start}
		}
	}
	if s.step.Action == turn.ActionModify {
		if a, ok := q.edits(s, cut); ok {
			return a
		}
	}
	if a, ok := q.foreign(s); ok && !cut {
		return a
	}
	return q.whole(s, cut)
}

// edits reads the search/replace blocks of a section, in the form that was asked for or
// else a near one; ok is false if there are none.
func (q Question) edits(s *section, cut bool) (a Answer, ok bool) {
	strict := slices.ContainsFunc(s.parts, func(p part) bool {
		return slices.ContainsFunc(p.lines, func(line string) bool { return q.opens(line).c != 0 })
	})
	near := slices.ContainsFunc(s.parts, func(p part) bool { return slices.ContainsFunc(p.lines, q.looseOpens) })
	if !strict && !near {
		return s.labelledEdits()
	}
	if strict {
		if a = q.allOf(s, func(p part) Answer { return q.blocks(p, s.step.Path, cut) }); a.Problem == "" || cut {
			return a, true
		}
	}
	if b := q.allOf(s, func(p part) Answer { return q.loose(p, s.step) }); b.Problem == "" || !strict {
		b.Cut = cut
		return b, true
	}
	return a, true
}

// allOf joins what the parts of a section hold. Fences without blocks beside others are
// what the model talks about.
func (q Question) allOf(s *section, read func(p part) Answer) (all Answer) {
	var quoted []part
	for _, p := range s.parts {
		if p.fence && !slices.ContainsFunc(p.lines,
			func(line string) bool { return q.looseOpens(line) || markerLike(line) || q.opens(line).c != 0 }) {
			quoted = append(quoted, p)
			continue
		}
		a := read(p)
		if a.Problem != "" {
			return a
		}
		all.Edits, all.Cut = append(all.Edits, a.Edits...), a.Cut
	}
	quoted = slices.DeleteFunc(quoted, func(p part) bool {
		return isShell(p.info) || isOutput(p.info) || p.talk != "" || otherLanguage(p.info, s.step.Path) ||
			len(p.lines) > 0 && patterns().printed.MatchString(p.lines[0])
	})
	if len(quoted) > 0 {
		var known strings.Builder
		known.WriteString(q.shown)
		for _, e := range all.Edits {
			known.WriteString(e.Search + e.Replace)
		}
		for _, p := range quoted {
			if !holdsLines(known.String(), p.lines) {
				return Answer{Problem: "a fence without blocks stands beside them", Line: p.start}
			}
		}
	}
	all.Edits = once(all.Edits)
	return all
}

// holdsLines reports whether all lines are in a text.
func holdsLines(text string, lines []string) bool {
	return !slices.ContainsFunc(lines, func(line string) bool { return !strings.Contains(text, strings.TrimSpace(line)) })
}

// whole reads a whole file.
func (q Question) whole(s *section, cut bool) Answer {
	modifies := s.step.Action == turn.ActionModify
	var all []part
	for _, p := range s.parts {
		if p.fence {
			all = append(all, p)
		}
	}
	f, problem := pick(all, s.step.Path, modifies)
	last := len(all) > 0 && s.parts[len(s.parts)-1].fence
	switch end := len(f.lines) - 1; {
	case cut && (f.open || f.short || modifies || !last):
		return Answer{Problem: "the reply was cut in it", Cut: true, Line: s.start}
	case problem != "":
		return Answer{Problem: problem, Line: f.start}
	case f.open && (modifies || end < 0 || !strings.HasSuffix(f.lines[end], "\n")):
		return Answer{Problem: "its fence doesn't end", Line: f.start + max(0, end)}
	}
	switch at := slices.IndexFunc(f.lines, markerLike); {
	case at >= 0 && modifies:
		return Answer{Problem: wrongMarkers, Markers: true, Line: f.start + at}
	case at >= 0:
		return q.newFile(f, at)
	}
	if endsInFence(f.lines, proseFile(s.step.Path)) {
		return Answer{Problem: "its last line is the end of a fence", Line: f.start + len(f.lines) - 1}
	}
	return Answer{Content: new(strings.Join(f.withoutName(s.step.Path), ""))}
}

// endsInFence reports whether a file's last line is an end of a fence that nothing in it
// begins; in prose fences may stand.
func endsInFence(lines []string, prose bool) bool {
	var filled []string
	marks := 0
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			filled = append(filled, line)
			if run, _ := fenceRun(line); run != "" {
				marks++
			}
		}
	}
	n := len(filled)
	bare := func(line string) bool { return len(line) > 1 && strings.Trim(line, "`") == "" }
	if n == 0 || !bare(filled[n-1]) {
		return false
	}
	return !prose || marks%2 == 1 || n > 1 && bare(filled[n-2])
}

// withoutName are a fence's lines without a first one that names the file, or its language.
func (p part) withoutName(file string) []string {
	if len(p.lines) == 0 {
		return nil
	}
	first, ext := p.lines[0], strings.TrimPrefix(path.Ext(file), ".")
	named := strings.ContainsAny(file[1:], "./") && file == plainPath(strings.TrimLeft(first, "#/*-<! \t"))
	language := p.info == "" && len(p.lines) > 1 && ext != "" && slices.Contains(languages(ext), strings.TrimSpace(first))
	magic := strings.HasPrefix(first, "%%writefile ") && file == plainPath(strings.TrimPrefix(first, "%%writefile "))
	lines := withoutButton(p)
	if (named || language || magic) && len(lines) == len(p.lines) {
		lines = lines[1:]
	}
	if last := len(lines) - 1 - blankEnd(lines); last > 0 && strings.HasPrefix(lines[0], "--- START OF FILE ") &&
		strings.HasPrefix(lines[last], "--- END OF FILE ") {
		lines = lines[1:last]
	}
	return withoutEndToken(lines)
}

// withoutButton are the lines of a fence without the button above a chat's code, and the
// language that is before it.
func withoutButton(p part) []string {
	for i, line := range p.lines[:min(2, len(p.lines))] {
		button := slices.Contains([]string{"Copy code", "Copiar código", "Copier le code", "Code kopieren"},
			strings.TrimSpace(line))
		if button && p.info == "" && len(p.lines) > i+1 && len(strings.Fields(p.lines[0])) <= i+2 {
			return p.lines[i+1:]
		}
	}
	return p.lines
}

// newFile reads a block that makes a file: its search text is empty. Markers
// anywhere but in the file's first line are part of it.
func (q Question) newFile(f part, at int) Answer {
	whole := Answer{Content: new(f.text())}
	if at > 0 || q.opens(f.lines[0]).c == 0 {
		return whole
	}
	a := q.blocks(f, "", false)
	if len(a.Edits) != 1 || a.Edits[0].Search != "" {
		return Answer{Problem: "a search/replace block stands where a new file is wanted", Markers: true, Line: f.start}
	}
	return Answer{Content: &a.Edits[0].Replace}
}
