package generate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"paicode/pkg/turn"
)

// headingForms are those in which models write a step's heading. Their groups
// are the number, which may be missing, the action and the rest.
func headingForms() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile("^ {0,3}#{1,6}[ \\t]*[*`\\[]*(?:[Ss]tep[ \\t]*)?#?([0-9]{1,6})?[\\]*`.:)]*[ \\t]*[-–—]?[ \\t]*[*`]*([A-Za-z_]+)\\b[*`]*:?(.*)$"),
		regexp.MustCompile(`^ {0,3}\*\*(?:[Ss]tep[ \t]*)?#?([0-9]{1,6})?[.:)]*[ \t]*([A-Z_]+)\b:?(.*)$`),
		regexp.MustCompile(`^(?:[Ss]tep[ \t]+)?([0-9]{1,6})[.:)]?[ \t]+([A-Z_]+)\b:?(.*)$`),
	}
}

// headingOf reads a heading. One of a step that isn't wanted, or that names
// another file, is wrong; FINISH's own may always stand there.
func (r *Reader) headingOf(line string) (w *Wanted, wrong string, ok bool) {
	q := r.q
	number, action, rest, ok := r.splitHeading(line)
	if !ok {
		return nil, "", false
	}
	if number == "" {
		if w = q.byPath(rest); w == nil || w.Action != action {
			return nil, "", false
		}
		return w, "", true
	}
	n, _ := strconv.Atoi(number)
	for i := range q.wanted {
		w := &q.wanted[i]
		if w.Number != n {
			continue
		}
		if w.Action != action && (!writes(w.Action) || !writes(action)) {
			return w, "the heading says " + action + ", the step is " + w.Action, true
		}
		if named := q.otherPath(*w, rest); named != "" {
			return w, "the heading names " + turn.Quote(named) + ", the step " + turn.Quote(w.Path), true
		}
		return w, "", true
	}
	if action == turn.ActionFinish {
		return nil, "", true
	}
	return nil, "the reply answers step " + number + ", which was not asked for", true
}

// splitHeading takes a heading apart.
func (r *Reader) splitHeading(line string) (number, action, rest string, ok bool) {
	line = strings.TrimRight(line, "\r\n")
	for _, form := range r.forms {
		m := form.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		action = strings.ToUpper(m[2])
		if slices.Contains(turn.Actions(), action) && (m[1] != "" || action == m[2]) {
			return m[1], action, m[3], true
		}
	}
	return "", "", "", false
}

func writes(action string) bool { return action == turn.ActionWrite || action == turn.ActionModify }

// otherPath is the path after a heading's action, if it is another one than
// the step's. Words that look like no path are part of what to do.
func (q Question) otherPath(w Wanted, rest string) string {
	rest = plainPath(strings.TrimSpace(rest))
	if w.Path == "" || rest == "" || rest == w.Path {
		return ""
	}
	if after, ok := strings.CutPrefix(rest, w.Path); ok && strings.IndexAny(after, " \t`*:,;()[]—–") == 0 {
		return ""
	}
	first, _, _ := strings.Cut(rest, " ")
	first = plainPath(first)
	if q.byPath(first) != nil || looksLikePath(first) {
		return first
	}
	return ""
}

// looksLikePath tells of a word that most likely names a file.
func looksLikePath(word string) bool {
	return strings.ContainsAny(word, "./") && strings.TrimRight(word, ".…") == word && !strings.ContainsAny(word, " \t")
}

// plainPath is a path without what models put around it.
func plainPath(text string) string {
	text = strings.Trim(text, " \t\r\n`*\"':[")
	if link, _, ok := strings.Cut(text, "]("); ok {
		text = link
	}
	return strings.TrimPrefix(strings.TrimSuffix(text, "]"), "./")
}

// byPath is the only wanted step whose path a line is, nil if it is none.
func (q Question) byPath(line string) *Wanted {
	p := plainPath(strings.TrimLeft(line, "# \t"))
	for _, word := range []string{"File:", "file:", "Path:", "path:"} {
		if after, ok := strings.CutPrefix(p, word); ok {
			p = plainPath(after)
		}
	}
	var out *Wanted
	for i, w := range q.wanted {
		if w.Path == p && w.Path != "" {
			if out != nil {
				return nil
			}
			out = &q.wanted[i]
		}
	}
	return out
}

// names is the file that a line names, as one that comes right before its fence
// does; empty if it names none.
func names(line string) string {
	line = strings.TrimSpace(line)
	word := line
	if fields := strings.Fields(strings.TrimRight(line, ":* ")); strings.HasSuffix(strings.TrimRight(line, "*"), ":") && len(fields) > 0 {
		word = fields[len(fields)-1]
	}
	if word = plainPath(strings.TrimLeft(word, "# \t")); looksLikePath(word) {
		return word
	}
	return ""
}
