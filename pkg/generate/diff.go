package generate

import (
	"slices"
	"strings"

	"paicode/pkg/turn"
)

// readDiffs makes edits of unified diffs.
func readDiffs(all []fenced, path string) Answer {
	var edits []turn.Edit
	for _, f := range all {
		a := Answer{Problem: "a fence stands beside its diff", Line: f.start}
		if f.isDiff() {
			a = readDiff(f, path)
		}
		if a.Problem != "" {
			return a
		}
		edits = append(edits, a.Edits...)
	}
	return Answer{Edits: edits}
}

// newFromDiff is a new file as a diff says it.
func newFromDiff(f fenced) Answer {
	var b strings.Builder
	for i, line := range f.lines {
		switch {
		case strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "@@") || strings.HasPrefix(line, "\\"):
		case strings.HasPrefix(line, "+"):
			b.WriteString(line[1:])
		case strings.TrimSpace(line) != "":
			return Answer{Problem: "a line of its diff is not new", Line: f.start + i}
		}
	}
	return Answer{Content: new(b.String())}
}

// readDiff makes edits of a unified diff: one of each hunk, found by its
// text, since models count lines wrong. One without hunks' headers is one.
func readDiff(f fenced, path string) Answer {
	headed := slices.ContainsFunc(f.lines, func(line string) bool { return strings.HasPrefix(line, "@@") })
	lines := f.lines
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	var edits []turn.Edit
	var h *hunk
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\n") + "\n"
		problem := ""
		named := diffPath(line)
		second := i+1 < len(lines) && strings.HasPrefix(line, "--- ") && strings.HasPrefix(lines[i+1], "+++ ")
		switch {
		case strings.HasPrefix(line, "@@"):
			problem = h.into(&edits)
			h = &hunk{}
		case h != nil && second:
			problem = "its diff is of several files"
		case h != nil:
			problem = h.take(line)
		case named != "" && named != path:
			problem = "its diff is of " + turn.Quote(named)
		case named != "" || strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ") || !strings.ContainsAny(line[:1], "+- "):
			// a header
		case headed:
			problem = "a line of its diff stands before the first @@"
		default:
			h = &hunk{}
			problem = h.take(line)
		}
		if problem != "" {
			return Answer{Problem: problem, Line: f.start + i}
		}
	}
	if problem := h.into(&edits); problem != "" {
		return Answer{Problem: problem, Line: f.start + len(f.lines) - 1}
	}
	if len(edits) == 0 {
		return Answer{Problem: "its diff changes nothing", Line: f.start}
	}
	return Answer{Edits: edits}
}

// hunk is a part of a diff.
type hunk struct{ search, replace strings.Builder }

// take reads one line of a hunk.
func (h *hunk) take(line string) (problem string) {
	switch line[0] {
	case '\n':
		h.search.WriteString(line)
		h.replace.WriteString(line)
	case ' ':
		h.search.WriteString(line[1:])
		h.replace.WriteString(line[1:])
	case '-':
		h.search.WriteString(line[1:])
	case '+':
		h.replace.WriteString(line[1:])
	case '\\':
	default:
		return "a line of its diff begins with neither blank, + nor -"
	}
	return ""
}

// into adds a hunk's edit to others; nil is none.
func (h *hunk) into(edits *[]turn.Edit) (problem string) {
	switch {
	case h == nil || h.search.String() == h.replace.String() && h.search.Len() > 0:
		return ""
	case h.search.Len() == 0:
		return "a hunk of its diff has no line to be found by"
	}
	*edits = append(*edits, turn.Edit{Search: h.search.String(), Replace: h.replace.String()})
	return ""
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
