package generate

import (
	"fmt"
	"slices"
	"strings"

	"paicode/pkg/turn"
)

// answer reads one section. last tells that the reply ends with it, cut that
// it does so too early.
func (q Question) answer(s *section, last, cut bool) Answer {
	lines, meant, removed := confirmations(unifyEnds(s.lines))
	a := q.answerOf(s, lines, last, cut)
	a.Meant, a.Removed = meant, removed
	return a
}

func (q Question) answerOf(s *section, lines []string, last, cut bool) Answer {
	if a, ok := keyword(lines); ok && (a.Read != nil || s.step.Action != turn.ActionFinish) {
		a.Line = s.start
		return a
	}
	if s.step.Action == turn.ActionFinish {
		return words(lines, cut)
	}
	a := q.file(s, lines, last, cut)
	if a.Problem != "" {
		a.Line += s.start
	}
	a.Cut = a.Cut || cut && a.Problem != ""
	return a
}

// confirmations takes what a section confirms from the lines above its file: "MEANT: a
// line", and "REMOVED: a, b".
func confirmations(lines []string) (rest, meant, removed []string) {
	rest = slices.Clone(lines)
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if run, _ := fenceRun(line); run != "" || markerLike(line) {
			break
		}
		word, what, _ := strings.Cut(strings.Trim(line, "*"), ":")
		what = strings.Trim(strings.TrimSpace(what), "`")
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
		rest[i] = "\n"
	}
	return rest, meant, removed
}

// unifyEnds makes LF of CRLF, where all lines end so.
func unifyEnds(lines []string) []string {
	for _, line := range lines {
		if strings.HasSuffix(line, "\n") && !strings.HasSuffix(line, "\r\n") {
			return lines
		}
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if strings.HasSuffix(line, "\n") {
			out[i] += "\n"
		}
	}
	return out
}

// keyword reads what stands in the place of a file: a line that begins with a
// word for it, the first or any where there is no block.
func keyword(lines []string) (Answer, bool) {
	var said []string
	block := false
	for _, line := range lines {
		if line = strings.Trim(line, " \t\r\n*"); line != "" {
			said = append(said, line)
			run, _ := fenceRun(line)
			block = block || run != "" || markerLike(line)
		}
	}
	for i, line := range said {
		word, why, ok := strings.Cut(line, ":")
		if word = strings.TrimRight(word, "*"); !ok || !slices.Contains([]string{"NOCHANGE", "CANNOT", "READ"}, word) {
			if block {
				break
			}
			continue
		}
		if block {
			return Answer{Problem: "it says " + word + " and gives a block too"}, true
		}
		if why = strings.Trim(why, " \t*"); why == "" {
			why = "no reason given"
		}
		switch word {
		case "NOCHANGE":
			return Answer{NoChange: why}, true
		case "CANNOT":
			return Answer{Cannot: why}, true
		}
		return reads(said[i:]), true
	}
	return Answer{}, false
}

// reads lists the files that lines ask to see.
func reads(lines []string) Answer {
	var paths []string
	for _, line := range lines {
		list, ok := strings.CutPrefix(line, "READ:")
		if !ok {
			continue
		}
		for name := range strings.SplitSeq(strings.Trim(list, "*"), ",") {
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
func words(lines []string, cut bool) Answer {
	if all, _, problem, _ := split(lines); problem == "" && len(all) == 1 && len(all[0].lines) == filled(lines)-2 {
		lines = all[0].lines // a fence around all of it
	}
	text := strings.TrimSpace(strings.Join(lines, ""))
	switch {
	case cut:
		return Answer{Problem: "the reply was cut in it", Cut: true}
	case text == "":
		return Answer{Problem: "the reply says nothing"}
	}
	return Answer{Content: &text}
}

// filled counts the lines that are not blank.
func filled(lines []string) int {
	n := 0
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// file reads a file's section. The problem's line counts from zero within it.
//
//nolint:gocyclo // the forms of a file, in the order in which they are tried
func (q Question) file(s *section, lines []string, last, cut bool) Answer {
	modifies := s.step.Action == turn.ActionModify
	if modifies && slices.ContainsFunc(lines, func(line string) bool { return q.opens(line).c != 0 }) {
		return q.edits(s, lines, cut)
	}
	all, open, problem, where := split(lines)
	if problem == "" && !open {
		all = withoutCommands(all)
	}
	switch {
	case problem != "":
		return Answer{Problem: problem, Line: where}
	case cut && (open || modifies || lastFence(lines) < 0):
		return Answer{Problem: "the reply was cut in it", Cut: true, Line: len(lines) - 1}
	case open && (!last || modifies): // a whole file that may lack its end
		return Answer{Problem: "its fence doesn't end", Line: len(lines) - 1}
	case len(all) == 0:
		return Answer{Problem: "the reply holds no fence for it"}
	case modifies && all[0].isDiff():
		return readDiffs(all, s.step.Path)
	case len(all) > 1:
		return Answer{Problem: "the reply holds several fences for one file", Line: all[1].start}
	}
	f := all[0]
	if at := slices.IndexFunc(f.lines, markerLike); at >= 0 {
		if modifies {
			return Answer{Problem: fmt.Sprintf("its markers are not SEARCH and REPLACE, %d characters long, as was asked for", q.Marker), Markers: true, Line: f.start + at}
		}
		return q.newFile(f, at)
	}
	if !modifies && f.info == "diff" && len(f.lines) > 0 && strings.HasPrefix(f.lines[0], "--- /dev/null") {
		return newFromDiff(f)
	}
	if p := s.step.Path; len(f.lines) > 0 && strings.ContainsAny(p[1:], "./") && p == plainPath(f.lines[0]) {
		f.lines = f.lines[1:]
	}
	content := strings.Join(f.lines, "")
	if open && content != "" && !strings.HasSuffix(content, "\n") {
		content += "\n" // as before the fence that is missing
	}
	return Answer{Content: &content}
}

// withoutCommands leaves out the fences that tell what to run, where another
// one comes before them.
func withoutCommands(all []fenced) []fenced {
	shells := []string{"sh", "bash", "shell", "console", "terminal"}
	for i, f := range all {
		if i > 0 && !slices.Contains(shells, all[0].info) && slices.Contains(shells, f.info) {
			return all[:i]
		}
	}
	return all
}

// newFile reads a block that makes a file: its search text is empty. Markers
// anywhere but in the file's first line are part of it.
func (q Question) newFile(f fenced, at int) Answer {
	whole := Answer{Content: new(strings.Join(f.lines, ""))}
	if at > 0 || q.opens(f.lines[0]).c == 0 {
		return whole
	}
	a := q.edits(&section{step: &Wanted{}}, f.lines, false)
	if len(a.Edits) != 1 || a.Edits[0].Search != "" {
		return Answer{Problem: "a search/replace block stands where a new file is wanted", Markers: true, Line: f.start}
	}
	return Answer{Content: &a.Edits[0].Replace}
}

// edits reads search/replace blocks. A block that doesn't end, or a marker in
// the wrong place, spoils the step: nothing of it is used.
func (q Question) edits(s *section, lines []string, cut bool) Answer {
	var edits []turn.Edit
	var search, replace []string
	var open marker // that began the block; zero outside of one
	var passed marker
	var f fences
	for i, line := range lines {
		if open.c == 0 {
			if m := q.opens(line); m.c != 0 {
				open, passed, search, replace = m, m, nil, nil
				continue
			}
			if problem := q.between(s, f, line); problem != "" {
				return Answer{Problem: problem, Markers: markerLike(line), Line: i}
			}
			f.take(line)
			continue
		}
		next := passed.after(line)
		switch m := markerOf(line, open.run); {
		case next.c == 0:
			edits = append(edits, turn.Edit{Search: strings.Join(search, ""), Replace: strings.Join(replace, ""), All: open.word == allWord})
			open = marker{}
		case next != passed:
			passed = next
		case m.run == open.run && (m.c == '=' && m.word == "" || m.opens() || m.c == '>' && m.word == closeWord):
			return Answer{Problem: "a marker stands in the wrong place: " + turn.Quote(strings.TrimSpace(line)), Markers: true, Line: i}
		case passed.c == '<':
			search = append(search, line)
		default:
			replace = append(replace, line)
		}
	}
	if open.c != 0 && !cut {
		return Answer{Problem: "a search/replace block doesn't end", Line: len(lines) - 1}
	}
	return Answer{Edits: trimAll(edits), Cut: cut}
}

// between says what is wrong with a line outside of blocks. Outside of a fence
// it is prose.
func (q Question) between(s *section, f fences, line string) string {
	outside := !f.open() || f.take(line) == closes
	switch {
	case markerLike(line):
		return fmt.Sprintf("its markers are not SEARCH and REPLACE, %d characters long, as was asked for", q.Marker)
	case outside || strings.TrimSpace(line) == "":
		return ""
	case plainPath(strings.TrimLeft(line, "#/*-<! \t")) == s.step.Path:
		return "" // the path as the first line
	}
	return "text stands between the search/replace blocks"
}

// trimAll takes the line feed from the ends of edits of all places: they
// name a word, not a line.
func trimAll(edits []turn.Edit) []turn.Edit {
	for i, e := range edits {
		if e.All {
			edits[i].Search, edits[i].Replace = strings.TrimSuffix(e.Search, "\n"), strings.TrimSuffix(e.Replace, "\n")
		}
	}
	return edits
}
