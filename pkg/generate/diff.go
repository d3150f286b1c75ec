package generate

import (
	"strings"

	"paicode/pkg/turn"
)

// readDiff makes edits of a unified diff: one of each hunk, found by its
// text, since models count lines wrong.
func readDiff(f fenced, path string) Answer {
	var edits []turn.Edit
	var search, replace strings.Builder
	in := false // a hunk
	flush := func() bool {
		if in && search.String() == "" {
			return false
		}
		if in && search.String() != replace.String() {
			edits = append(edits, turn.Edit{Search: search.String(), Replace: replace.String()})
		}
		search.Reset()
		replace.Reset()
		return true
	}
	lines := f.lines
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\n") + "\n"
		wrong := func(problem string) Answer { return Answer{Problem: problem, Line: f.start + i} }
		switch {
		case strings.HasPrefix(line, "@@"):
			if !flush() {
				return wrong("a hunk of its diff has no line to be found by")
			}
			in = true
		case !in:
			if named := diffPath(line); named != "" && named != path {
				return wrong("its diff is of " + turn.Quote(named))
			}
		case strings.HasPrefix(line, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ "):
			return wrong("its diff is of several files")
		case line == "\n":
			search.WriteString(line)
			replace.WriteString(line)
		case line[0] == ' ':
			search.WriteString(line[1:])
			replace.WriteString(line[1:])
		case line[0] == '-':
			search.WriteString(line[1:])
		case line[0] == '+':
			replace.WriteString(line[1:])
		case line[0] != '\\':
			return wrong("a line of its diff begins with neither blank, + nor -")
		}
	}
	if !flush() {
		return Answer{Problem: "a hunk of its diff has no line to be found by", Line: f.start + len(f.lines) - 1}
	}
	if len(edits) == 0 {
		return Answer{Problem: "its diff changes nothing", Line: f.start}
	}
	return Answer{Edits: edits}
}

// diffPath is the path in a diff's header, empty if the line has none.
func diffPath(line string) string {
	for _, lead := range []string{"--- ", "+++ "} {
		if rest, ok := strings.CutPrefix(line, lead); ok {
			rest, _, _ = strings.Cut(rest, "\t")
			rest = strings.TrimSpace(rest)
			for _, side := range []string{"a/", "b/"} {
				rest = strings.TrimPrefix(rest, side)
			}
			if rest != "/dev/null" {
				return strings.TrimPrefix(rest, "./")
			}
		}
	}
	return ""
}
