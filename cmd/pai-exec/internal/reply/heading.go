package reply

import (
	"slices"
	"strconv"
	"strings"

	"paicode/pkg/turn"
)

// heading is a line that names a step.
type heading struct {
	step    *Wanted // nil if it is none that is needed
	wrong   Problem // why nothing under it can be used
	ignored bool    // it is a step of the plan of which nothing is needed
	strong  bool    // it can't be a file's own line: number, action and path are right
	weak    bool    // it may be prose: it names no action
	says    string  // what it says in the place of a file
}

// headingOf reads a heading.
func (q Question) headingOf(line string) (h heading, ok bool) {
	if !strings.ContainsAny(line, "#*0123456789") {
		return h, false
	}
	line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "：", ":")
	for _, form := range patterns().headings {
		m := form.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if w := q.pathIn(m[3]); w != nil && slices.Contains([]string{"NOCHANGE", "CANNOT"}, m[2]) {
			return heading{step: w, says: m[2] + ": " + q.behindPath(m[3])}, true
		}
		if action := turn.ActionOf(m[2]); action != "" {
			if h, ok := q.headingFor(m[1], m[2], action, m[3]); ok {
				h.strong = h.strong && (strings.HasPrefix(strings.TrimLeft(line, " -*+"), "#") || strings.HasPrefix(line, "**"))
				return h, true
			}
		}
	}
	return q.numbered(line)
}

// numbered reads a line with a number and a wanted path, whatever word is between; one
// with FINISH's number and one word may be FINISH's.
func (q Question) numbered(line string) (h heading, ok bool) {
	m := patterns().numbered.FindStringSubmatch(line)
	if m == nil {
		return h, false
	}
	if w := q.byPath(strings.TrimRight(m[3], "*_`:,;")); w != nil {
		return heading{step: w, weak: true, says: q.saysIn(m[4])}, true
	}
	if n, _ := strconv.Atoi(m[2]); m[1] != "" && strings.TrimSpace(m[4]) == "" {
		if w := q.byNumber(n, true); w != nil && w.Action == turn.ActionFinish {
			return heading{step: w}, true
		}
	}
	return h, false
}

// saysIn is what a heading says in the place of a file, behind its path; empty if nothing.
func (q Question) saysIn(rest string) string {
	rest = strings.TrimLeft(rest, " \t-–—:;,()*`")
	if m := patterns().keyword.FindStringSubmatch(rest); m != nil && m[1] != "" {
		return rest
	}
	return ""
}

// headingFor finds the step of a heading. The path decides, which a wrong number doesn't
// change; FINISH's own may always are there.
func (q Question) headingFor(number, word, action, rest string) (h heading, ok bool) {
	n, err := strconv.Atoi(number)
	byNumber, byPath := q.byNumber(n, err == nil), q.pathIn(rest)
	exact := word == action
	shouts := word == strings.ToUpper(word)
	elsewhere := q.otherPath(Wanted{Path: "\x00"}, rest) // the path that it names
	switch {
	case action == turn.ActionFinish:
		return q.finish(exact && number != "", shouts || number != "", rest)
	case byPath != nil && fits(byPath.Action, action):
		strong := exact && number != "" && byPath == byNumber && q.otherPath(*byPath, rest) == ""
		return heading{step: byPath, says: q.saysIn(q.behindPath(rest)), strong: strong}, shouts || number != ""
	case q.planned(action, rest):
		return heading{ignored: true}, true
	case number == "" || !shouts && strings.TrimSpace(rest) != "" && byPath == nil && elsewhere == "":
		return h, false
	case byNumber != nil:
		return heading{step: byNumber, wrong: q.mismatch(*byNumber, action, rest)}, true
	case elsewhere == "" && slices.ContainsFunc(q.plan,
		func(w Wanted) bool { return w.Number == n && fits(w.Action, action) }):
		return heading{ignored: true}, true
	}
	return heading{wrong: Problem("the reply answers step " + number + ", which was not asked for")}, shouts
}

// finish is a heading of FINISH: that which is needed, whatever its number.
func (q Question) finish(strong, certain bool, rest string) (h heading, ok bool) {
	if strings.HasPrefix(strings.TrimSpace(rest), "(") || !certain && strings.TrimSpace(rest) != "" {
		return h, false
	}
	for i := range q.wanted {
		if q.wanted[i].Action == turn.ActionFinish {
			return heading{step: &q.wanted[i], strong: strong}, true
		}
	}
	return heading{ignored: true}, certain
}

// mismatch says why a heading with a step's number can't be the step's; empty if it can.
func (q Question) mismatch(w Wanted, action, rest string) Problem {
	if !fits(w.Action, action) {
		return Problem("the heading says " + action + ", the step is " + w.Action)
	}
	if named := q.otherPath(w, rest); named != "" {
		return Problem("the heading names " + turn.Quote(named) + ", the step " + turn.Quote(w.Path))
	}
	return ""
}

// behindPath is what is behind a path.
func (q Question) behindPath(rest string) string {
	_, after, _ := strings.Cut(strings.TrimSpace(rest), " ")
	return after
}

// fits reports whether a heading with one action can be meant for a step of another.
func fits(step, heading string) bool { return step == heading || writes(step) && writes(heading) }

// byNumber is the wanted step with a number; nil if there is none.
func (q Question) byNumber(n int, given bool) *Wanted {
	for i := range q.wanted {
		if given && q.wanted[i].Number == n {
			return &q.wanted[i]
		}
	}
	return nil
}

// planned reports whether a heading is one of the plan's steps of which nothing is needed.
func (q Question) planned(action, rest string) bool {
	return slices.ContainsFunc(q.plan, func(w Wanted) bool {
		return w.Path != "" && fits(w.Action, action) && q.byNumber(w.Number, true) == nil && q.otherPath(w, rest) == "" &&
			strings.Contains(rest, w.Path)
	})
}

// pathIn is the only wanted step whose path a heading's rest begins with, or whose path
// ends with it: "calc.py" for src/calc.py.
func (q Question) pathIn(rest string) *Wanted {
	rest = plainPath(strings.TrimSpace(rest))
	for i := range q.wanted {
		w := &q.wanted[i]
		if w.Path == "" || !strings.HasPrefix(rest, w.Path) {
			continue
		}
		if after := rest[len(w.Path):]; after == "" || strings.IndexAny(after, " \t`*:,;()[]—–") == 0 {
			if q.byPath(w.Path) != nil {
				return w
			}
		}
	}
	first, _, _ := strings.Cut(rest, " ")
	return q.byPath(first)
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
	text = strings.ReplaceAll(strings.Trim(text, " \t\r\n`*\"':["), "\\", "/")
	if link, _, ok := strings.Cut(text, "]("); ok {
		text = link
	}
	return strings.TrimPrefix(strings.TrimSuffix(text, "]"), "./")
}

// byPath is the only wanted step whose path a line is, or ends with; nil if it is none.
func (q Question) byPath(line string) *Wanted {
	p := plainPath(strings.TrimLeft(line, "# \t"))
	for _, word := range []string{"File:", "file:", "Path:", "path:"} {
		if after, ok := strings.CutPrefix(p, word); ok {
			p = plainPath(after)
		}
	}
	if p == "" {
		return nil
	}
	var is, ends []*Wanted
	for i, w := range q.wanted {
		switch {
		case w.Path == p:
			is = append(is, &q.wanted[i])
		case looksLikePath(p) && (strings.HasSuffix("/"+w.Path, "/"+p) || strings.EqualFold(w.Path, p)):
			ends = append(ends, &q.wanted[i])
		}
	}
	switch {
	case len(is) == 1:
		return is[0]
	case len(is) == 0 && len(ends) == 1:
		return ends[0]
	}
	return nil
}

// names is the file that a line names, as one that comes right before its fence
// does; empty if it names none.
func names(line string) string {
	line = strings.TrimSpace(line)
	word := line
	if fields := strings.Fields(strings.TrimRight(line, ":* ")); strings.HasSuffix(strings.TrimRight(line, "*"), ":") &&
		len(fields) > 0 {
		word = fields[len(fields)-1]
	}
	if word = plainPath(strings.TrimLeft(word, "# \t")); looksLikePath(word) {
		return word
	}
	return ""
}
