package reply

import (
	"slices"
	"strings"

	"paicode/pkg/lazyregexp"
	"paicode/pkg/turn"
)

// readDiff makes edits of a unified diff, one of each hunk, found by its text, since
// models count lines wrong. One without hunks' headers is one hunk. One of several files is
// several.
func readDiff(lines []string) (out []foreignFile) {
	for _, lines := range splitDiff(lines) {
		out = append(out, oneDiff(lines))
	}
	return out
}

// splitDiff splits a diff where another file's begins.
func splitDiff(lines []string) (out [][]string) {
	from := 0
	for i, line := range lines {
		second := i+1 < len(lines) && strings.HasPrefix(line, "--- ") && strings.HasPrefix(lines[i+1], "+++ ")
		begins := strings.HasPrefix(line, "diff --git ")
		if second {
			headed := slices.ContainsFunc(lines[from:i], func(l string) bool { return strings.HasPrefix(l, "diff --git ") })
			inBody := slices.ContainsFunc(lines[from:i],
				func(l string) bool { return strings.HasPrefix(l, "@@") || strings.HasPrefix(l, "+++ ") })
			begins = begins || !headed || inBody
		}
		if begins && i > from && strings.TrimSpace(strings.Join(lines[from:i], "")) != "" {
			out, from = append(out, lines[from:i]), i
		}
	}
	return append(out, lines[from:])
}

// oneDiff reads the diff of one file.
func oneDiff(lines []string) foreignFile {
	f := foreignFile{}
	headed := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "@@") })
	lines = lines[:len(lines)-blankEnd(lines)]
	anew := false
	var h *hunk
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\n") + "\n"
		switch named, refused := diffPath(line), diffRefused(line); {
		case strings.HasPrefix(line, "@@"):
			f.fail(h.into(&f))
			h = &hunk{new: anew}
		case h != nil:
			f.fail(h.take(line))
		case refused != "":
			f.fail(refused)
		case strings.HasPrefix(line, "--- /dev/null"):
			anew = true
		case named != "":
			f.path = named
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "diff "),
			!strings.ContainsAny(line[:1], "+- ") && line != "\n":
			// a header
		case headed && strings.TrimSpace(line) != "":
			f.fail("a line of its diff stands before the first @@")
		case !headed && i > 0 && strings.HasPrefix(lines[i-1], "--- "):
			f.fail("the line with +++ is missing in its diff")
		case !headed && strings.TrimSpace(line) != "":
			h = &hunk{new: anew}
			f.fail(h.take(line))
		}
		f.seen(i)
	}
	f.fail(h.into(&f))
	if f.problem == "" && f.edits == nil && f.content == nil {
		f.problem = "its diff changes nothing"
	}
	return f
}

// diffRefused says what a header's line does that no step may do by a diff; empty if nothing.
func diffRefused(line string) Problem {
	switch {
	case strings.HasPrefix(line, "deleted file"), strings.HasPrefix(line, "+++ /dev/null"):
		return "its diff removes a file"
	case strings.HasPrefix(line, "rename "):
		return "its diff moves a file"
	}
	return ""
}

// blankEnd is how many blank lines are at the end.
func blankEnd(lines []string) (n int) {
	for n < len(lines) && strings.TrimSpace(lines[len(lines)-1-n]) == "" {
		n++
	}
	return n
}

// hunk is a part of a diff.
type hunk struct {
	search, replace strings.Builder
	new             bool // of a file that isn't there
}

// take reads one line of a hunk.
func (h *hunk) take(line string) (problem Problem) {
	switch {
	case line == "\n":
		h.search.WriteString(line)
		h.replace.WriteString(line)
	case line[0] == ' ':
		h.search.WriteString(line[1:])
		h.replace.WriteString(line[1:])
	case line[0] == '-':
		h.search.WriteString(line[1:])
	case line[0] == '+':
		h.replace.WriteString(line[1:])
	case line[0] == '\\', strings.HasPrefix(line, "*** End of File"):
	default:
		return "a line of its diff begins with neither blank, + nor -"
	}
	return ""
}

// into adds a hunk to what is read of its file; nil is none.
func (h *hunk) into(f *foreignFile) (problem Problem) {
	if h == nil {
		return ""
	}
	search, replace := h.search.String(), h.replace.String()
	switch {
	case h.new && strings.TrimSpace(search) != "":
		return "a line of its diff is not new"
	case h.new:
		f.content = &replace
	case search == replace && search != "":
	case search == "":
		return "a hunk of its diff has no line to be found by"
	default:
		f.edits = append(f.edits, turn.Edit{Search: search, Replace: replace})
	}
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

var headForm = lazyregexp.New(`^\*\*\* (Update|Add|Delete) File: (.+?)\s*$`)

// readPatch reads what the tool apply_patch takes: sections of files with hunks, which "@@"
// parts, without line numbers.
func readPatch(lines []string) (out []foreignFile) {
	head := headForm()
	var f *foreignFile
	var h *hunk
	end := func() {
		if f != nil {
			f.fail(h.into(f))
			out = append(out, *f)
		}
		f, h = nil, nil
	}
	for i, line := range lines {
		m := head.FindStringSubmatch(line)
		switch {
		case m != nil:
			end()
			f = &foreignFile{path: strings.TrimPrefix(m[2], "./")}
			h = &hunk{new: m[1] == "Add"}
			if m[1] == "Delete" {
				f.fail("it removes a file")
			}
		case strings.HasPrefix(line, "*** End Patch"):
			end()
			return out
		case strings.HasPrefix(line, "*** Begin Patch"), f == nil && strings.TrimSpace(line) == "":
		case f == nil:
			return append(out, foreignFile{problem: "a line stands outside of its patch's files"})
		case strings.HasPrefix(line, "*** Move to:"):
			f.fail("it moves a file")
		case strings.HasPrefix(line, "@@"):
			if h.search.Len()+h.replace.Len() > 0 {
				f.fail(h.into(f))
			}
			h = &hunk{}
		default:
			f.fail(h.take(strings.TrimSuffix(line, "\n") + "\n"))
		}
		if f != nil {
			f.seen(i)
		}
	}
	end()
	return out
}
