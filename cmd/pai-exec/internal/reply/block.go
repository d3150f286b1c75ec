package reply

import (
	"regexp"
	"strings"

	"paicode/cmd/pai-exec/internal/find"
	"paicode/pkg/turn"
)

// The parts of a search/replace block.
const (
	wrongMarkers = "its markers are not SEARCH and REPLACE, as long as was asked for"

	openWord  = "SEARCH"
	allWord   = "SEARCH ALL"
	closeWord = "REPLACE"
)

// marker is a line of markers: its character, how many of them, and the word
// behind. The zero marker is none.
type marker struct {
	c    byte
	run  int
	word string
}

// markerOf reads a line as a marker of at least so many characters.
func markerOf(line string, atLeast int) marker {
	line = strings.TrimRight(line, " \t\r\n")
	if line == "" || strings.IndexByte("<=>", line[0]) < 0 {
		return marker{}
	}
	rest := strings.TrimLeft(line, line[:1])
	if len(line)-len(rest) < atLeast {
		return marker{}
	}
	return marker{line[0], len(line) - len(rest), strings.ToUpper(strings.TrimSpace(rest))}
}

func (m marker) opens() bool { return m.c == '<' && (m.word == openWord || m.word == allWord) }

// opens reads a line that opens a block. Its length is that of the block's
// other markers; no file that was sent holds any of this length.
func (q Question) opens(line string) marker {
	if m := markerOf(line, q.Marker); m.opens() {
		return m
	}
	return marker{}
}

// after is the marker passed last after one more line of an open block; the
// zero marker if the block ends.
func (m marker) after(line string) marker {
	next := markerOf(line, m.run)
	switch {
	case next.run != m.run:
		return m
	case m.c == '<' && next.c == '=' && next.word == "":
		return next
	case m.c == '=' && next.c == '>' && (next.word == closeWord || next.word == ""):
		return marker{}
	}
	return m
}

// blockEnd is the line behind the block that begins at a line, or the next line where it
// doesn't end before another one begins; i itself where none begins.
func (q Question) blockEnd(lines []string, i int) int {
	m := q.opens(lines[i])
	if m.c == 0 {
		return i
	}
	for j := i + 1; j < len(lines); j++ {
		if m = m.after(lines[j]); m.c == 0 {
			return j + 1
		}
		if q.opens(lines[j]).c != 0 {
			break
		}
	}
	return i + 1
}

// markerLike tells of a line that is most likely a marker, of whatever length
// and with whatever word, as git's conflicts and other tools have them.
func markerLike(line string) bool {
	m := markerOf(strings.TrimSpace(line), 4)
	return m.opens() || m.c == '>' && m.word == closeWord || (m.c == '<' || m.c == '>') && m.run >= 5 && m.word != "" &&
		strings.ToUpper(m.word[:1]) != strings.ToLower(m.word[:1])
}

// blocks reads search/replace blocks from a part. A block that doesn't end, or a
// marker in the wrong place, spoils the step: nothing of it is used.
func (q Question) blocks(p part, target string, cut bool) Answer {
	var edits []turn.Edit
	var search, replace []string
	var open, passed marker // that began the block, zero outside of one; and the last
	for i, line := range p.lines {
		if open.c == 0 {
			if m := q.opens(line); m.c != 0 {
				open, passed, search, replace = m, m, nil, nil
			} else if problem := q.between(p, target, line); problem != "" {
				return Answer{Problem: problem, Markers: true, Line: p.start + i}
			}
			continue
		}
		next := passed.after(line)
		switch {
		case next.c == 0 && len(replace) > 0 && q.stray(replace[len(replace)-1], open), next == passed &&
			q.misplaced(line, open, target):
			return Answer{Problem: Problem("a marker stands in the wrong place: " + turn.Quote(strings.TrimSpace(line))),
				Markers: true,
				Line:    p.start + i}
		case next.c == 0:
			edits = append(edits, editOf(search, replace, open.word == allWord))
			open = marker{}
		case next != passed:
			passed = next
		case passed.c == '<':
			search = append(search, line)
		default:
			replace = append(replace, line)
		}
	}
	if open.c != 0 && !cut {
		return Answer{Problem: "a search/replace block doesn't end", Line: p.start + len(p.lines) - 1}
	}
	return Answer{Edits: edits, Cut: cut}
}

// misplaced tells of a line in an open block that is one of its markers and can't stand
// there, or that is like one where the file has none.
func (q Question) misplaced(line string, open marker, target string) bool {
	m := markerOf(line, open.run)
	own := m.run == open.run && (m.c == '=' && m.word == "" || m.opens() || m.c == '>' && m.word == closeWord)
	return own || q.stray(line, open) && !proseFile(target)
}

// stray tells of a line in an open block that is like a marker of another length, where no
// file that was sent has any.
func (q Question) stray(line string, open marker) bool {
	return markerLike(line) && markerOf(line, open.run).run != open.run && q.Marker == minMarker
}

// editOf makes an edit. One of all places names a word, not a line.
func editOf(search, replace []string, all bool) turn.Edit {
	e := turn.Edit{Search: strings.Join(search, ""), Replace: strings.Join(replace, ""), All: all}
	if all {
		e.Search, e.Replace = strings.TrimSuffix(e.Search, "\n"), strings.TrimSuffix(e.Replace, "\n")
	}
	return e
}

// between says what is wrong with a line outside of blocks. Outside of a fence it is
// prose; in one it may be blank, a comment, or the path.
func (q Question) between(p part, target, line string) Problem {
	text := strings.TrimSpace(line)
	switch {
	case markerLike(line):
		return wrongMarkers
	case !p.fence || text == "" || plainPath(strings.TrimLeft(line, "#/*-<! \t")) == target:
		return ""
	case strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//") || strings.HasPrefix(text, "--") ||
		strings.HasPrefix(text, "/*") || strings.HasPrefix(text, "<!--"):
		return ""
	case patterns().sentence.MatchString(text):
		return "" // a sentence
	}
	return "text stands between the search/replace blocks"
}

// looseForms are markers as models write them that were asked for others: shorter or longer
// ones, with other words or none, with a path or a colon behind. The first group is the run.
type looseForms struct {
	open, middle, close *regexp.Regexp
	least, most         int // of the run; 0: any
}

func newLooseForms() looseForms {
	const decoration = `[ \t]*(?:\*\*|# |// |-- )?`
	return looseForms{
		open: regexp.MustCompile(`(?i)^` + decoration +
			`(<{5,}|-{5,}|#{5,})[ \t]*(SEARCH|ORIGINAL|FIND|OLD|BEFORE|HEAD)([ _]ALL)?\b[: \t*]*(.*)$|^` + decoration +
			`(<{5,9})(?:[ \t]+[^\s<>]{1,16})?[ \t]*$`),
		middle: regexp.MustCompile(`(?i)^` + decoration +
			`(={5,})[ \t]*(?:REPLACE|WITH|REPLACE WITH|UPDATED|NEW|AFTER)?:?[ \t*]*$`),
		close: regexp.MustCompile(`(?i)^` + decoration + `(>{5,})(?:[ \t*]*|[ \t]*[\pL\pN].*)$|^` + decoration +
			`(\+{5,})[ \t]*(?:REPLACE|UPDATED|NEW|AFTER)[: \t*]*$|^` + decoration + `(<{5,})[ \t]*REPLACE[ \t]*>{5,}$`),
		least: looseMarker,
	}
}

// looseMarker is the least length of a marker where none of the asked length stands.
const looseMarker = 5

// match is a form's groups in a line with a run that is long enough; nil if it doesn't fit.
func (f looseForms) match(form *regexp.Regexp, line string) []string {
	m := form.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
	if m == nil {
		return nil
	}
	for _, group := range m[1:] {
		if len(group) >= f.least && (f.most == 0 || len(group) <= f.most) && strings.Trim(group, group[:1]) == "" {
			return m
		}
	}
	return nil
}

// looseOpens reports whether a line may open a block as other tools have them.
func (q Question) looseOpens(line string) bool {
	return strings.ContainsAny(line, "<-#") && patterns().loose.open.MatchString(strings.TrimRight(line, "\r\n"))
}

// loose reads blocks with near markers, where nothing else can be meant: each has one of
// each, in order, and no other line that could be one. Runs that are longer or
// shorter than a block's first are text, or shorter ones than were asked for, if it can be
// read so.
func (q Question) loose(p part, w *Wanted) (a Answer) {
	for _, least := range []int{0, q.Marker, looseMarker} {
		b := looseBlock{q: q, forms: patterns().loose, p: p, w: w, least: least}
		if a = b.read(); a.Problem == "" {
			return a
		}
	}
	return a
}

func (b *looseBlock) read() Answer {
	for i, line := range b.p.lines {
		if why := b.take(line); why != "" {
			return Answer{Problem: why, Markers: true, Line: b.p.start + i}
		}
	}
	if b.state != 0 {
		return Answer{Problem: "a search/replace block doesn't end", Markers: true, Line: b.p.start + len(b.p.lines) - 1}
	}
	return Answer{Edits: b.edits}
}

// looseBlock reads blocks with near markers.
type looseBlock struct {
	q               Question
	forms           looseForms
	least           int // the run of markers in a block that begins with one as long; 0: exactly that of its first
	p               part
	w               *Wanted
	edits           []turn.Edit
	search, replace []string
	indent, run     int  // of the marker that began the block
	state           byte // '<' and '=': the marker passed last; 0 outside
	all             bool
}

// begin opens a block, and says what is wrong with its first marker.
func (b *looseBlock) begin(open []string, line string) (problem Problem) {
	rest := plainPath(open[4])
	if rest != "" && !strings.EqualFold(open[2], "HEAD") && b.q.byPath(rest) != b.w &&
		strings.Trim(open[4], "<>-=# ") != "" {
		return Problem("a block stands beneath " + turn.Quote(rest))
	}
	b.run = max(len(open[1]), len(open[5]))
	switch b.forms.least = looseMarker; {
	case b.least == 0:
		b.forms.least, b.forms.most = b.run, b.run
	case b.run >= b.least:
		b.forms.least = b.least
	}
	b.search, b.replace, b.all, b.indent, b.state = nil, nil, open[3] != "", find.Indentation(line), '<'
	return ""
}

// take reads a line, and says what is wrong with it.
func (b *looseBlock) take(line string) (problem Problem) {
	open, middle, end := b.forms.match(b.forms.open, line), b.forms.match(b.forms.middle, line),
		b.forms.match(b.forms.close, line)
	switch {
	case b.state == 0 && open != nil:
		return b.begin(open, line)
	case b.state == 0:
		return b.q.between(b.p, b.w.Path, line)
	case open != nil, middle != nil && b.state == '=', end != nil && b.state == '<', end == nil && markerLike(line) &&
		b.q.Marker == minMarker && !proseFile(b.w.Path):
		return Problem("a marker stands in the wrong place: " + turn.Quote(strings.TrimSpace(line)))
	case middle != nil:
		b.state = '='
	case end != nil && len(b.replace) > 0 && b.q.stray(b.replace[len(b.replace)-1], marker{run: b.run}):
		return Problem("a marker stands in the wrong place: " + turn.Quote(strings.TrimSpace(line)))
	// the reply ends in it
	case end != nil && !strings.HasSuffix(line, "\n") && max(len(end[1]), len(end[2])) < b.run && len(end[3]) == 0:
	case end != nil:
		b.edits = append(b.edits, editOf(dedent(b.search, b.indent), dedent(b.replace, b.indent), b.all))
		b.state, b.forms.least, b.forms.most = 0, looseMarker, 0
	case b.state == '<':
		b.search = append(b.search, line)
	default:
		b.replace = append(b.replace, line)
	}
	return ""
}
