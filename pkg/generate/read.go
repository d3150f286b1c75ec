package generate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"paicode/pkg/prompt"
	"paicode/pkg/turn"
)

// Answer is what the reply says of one step. At most one of Content, Edits,
// NoChange and Problem is set.
type Answer struct {
	Content  *string // a whole file, or FINISH's words
	Edits    []turn.Edit
	NoChange string // why nothing need change
	Problem  string // why there is nothing to use
}

// Read takes a reply apart, by the numbers of the steps. Every wanted step
// gets an answer, if only a Problem.
func (q Question) Read(reply string) map[int]Answer {
	answers := make(map[int]Answer)
	for _, s := range q.sections(reply) {
		if _, twice := answers[s.step.Number]; twice {
			answers[s.step.Number] = Answer{Problem: "the reply answers it twice"}
			continue
		}
		answers[s.step.Number] = q.answer(s)
	}
	for _, w := range q.wanted {
		if _, ok := answers[w.Number]; !ok {
			answers[w.Number] = Answer{Problem: "the reply doesn't answer it"}
		}
	}
	return answers
}

// section is what stands beneath one heading.
type section struct {
	step  Wanted
	lines []string // with their line feeds
}

// sections finds the headings of wanted steps outside of fences. Prose before
// the first one is left out.
func (q Question) sections(reply string) []section {
	var out []section
	fence := ""
	for line := range strings.Lines(unifyEnds(prompt.StripThinking(reply))) {
		if fence == "" {
			if w, ok := q.headingOf(line); ok {
				out = append(out, section{step: w})
				continue
			}
		}
		fence = nextFence(fence, line)
		if len(out) > 0 {
			last := &out[len(out)-1]
			last.lines = append(last.lines, line)
		}
	}
	return out
}

// unifyEnds makes a reply that has CRLF throughout one with LF.
func unifyEnds(reply string) string {
	if n := strings.Count(reply, "\r\n"); n > 0 && n == strings.Count(reply, "\n") {
		return strings.ReplaceAll(reply, "\r\n", "\n")
	}
	return reply
}

func (q Question) headingOf(line string) (Wanted, bool) {
	m := q.heading.FindStringSubmatch(line)
	if m == nil {
		return Wanted{}, false
	}
	number, _ := strconv.Atoi(m[1])
	for _, w := range q.wanted {
		if w.Number == number && w.Action == m[2] {
			return w, true
		}
	}
	return Wanted{}, false
}

// nextFence tells which fence is open after a line: the backticks or tildes
// that opened it, empty for none.
func nextFence(open, line string) string {
	run, rest := fenceRun(line)
	switch {
	case run == "":
		return open
	case open == "":
		return run
	case run[0] == open[0] && len(run) >= len(open) && strings.TrimSpace(rest) == "":
		return ""
	default:
		return open
	}
}

// fenceRun splits a line that begins with a fence; run is empty if it
// doesn't.
func fenceRun(line string) (run, rest string) {
	trimmed := strings.TrimLeft(line, " ")
	if len(line)-len(trimmed) > 3 || trimmed == "" || trimmed[0] != '`' && trimmed[0] != '~' {
		return "", ""
	}
	rest = strings.TrimLeft(trimmed, trimmed[:1])
	run = trimmed[:len(trimmed)-len(rest)]
	if len(run) < 3 || run[0] == '`' && strings.Contains(rest, "`") {
		return "", ""
	}
	return run, rest
}

// answer reads one section.
func (q Question) answer(s section) Answer {
	text := strings.TrimSpace(strings.Join(s.lines, ""))
	for _, word := range []string{"NOCHANGE", "CANNOT", "READ"} {
		if why, ok := strings.CutPrefix(text, word+":"); ok {
			why, _, _ = strings.Cut(strings.TrimSpace(why), "\n")
			switch word {
			case "NOCHANGE":
				if why == "" {
					why = "no reason given"
				}
				return Answer{NoChange: why}
			case "CANNOT":
				return Answer{Problem: "the model can't do it: " + why}
			default:
				return Answer{Problem: "the model asks to see " + turn.Quote(why) + " first"}
			}
		}
	}
	if s.step.Action == turn.ActionFinish {
		if text == "" {
			return Answer{Problem: "the reply says nothing"}
		}
		return Answer{Content: &text}
	}
	blocks, problem := fenced(s.lines)
	if problem == "" && len(blocks) == 0 {
		problem = "the reply holds no fence for it"
	}
	if problem != "" {
		return Answer{Problem: problem}
	}
	if s.step.Action == turn.ActionModify && q.hasMarkers(blocks) {
		return q.edits(blocks)
	}
	if len(blocks) > 1 {
		return Answer{Problem: "the reply holds several fences for one file"}
	}
	if s.step.Action == turn.ActionModify && slices.ContainsFunc(blocks[0], markerLike) {
		return Answer{Problem: fmt.Sprintf("its markers are not %d characters long, as was asked for", q.marker)}
	}
	content := strings.Join(blocks[0], "")
	return Answer{Content: &content}
}

// fenced returns the insides of the fences, as lines. What would be guessed
// at is a problem: a fence in a fence of the same length, whose end nobody
// can tell, and a search/replace block outside of the fences.
func fenced(lines []string) (blocks [][]string, problem string) {
	fence := ""
	for _, line := range lines {
		next := nextFence(fence, line)
		run, info := fenceRun(line)
		switch {
		case fence != "" && run != "" && run[0] == fence[0] && len(run) >= len(fence) && strings.TrimSpace(info) != "":
			return nil, "a fence stands inside a fence of the same length"
		case fence == "" && next == "" && markerLike(line):
			return nil, "a search/replace block stands outside of the fence"
		case fence == "" && next != "":
			blocks = append(blocks, nil)
		case next != "":
			last := len(blocks) - 1
			blocks[last] = append(blocks[last], line)
		}
		fence = next
	}
	if fence != "" {
		return nil, "the reply ends inside a fence"
	}
	return blocks, ""
}

// The parts of a search/replace block.
const (
	openWord  = "SEARCH"
	allWord   = "SEARCH ALL"
	closeWord = "REPLACE"
)

// marker tells which marker a line is: its character and what follows the
// run, or 0.
func (q Question) markerOf(line string) (c byte, word string) {
	line = strings.TrimRight(line, " \t\r\n")
	if line == "" || strings.IndexByte("<=>", line[0]) < 0 {
		return 0, ""
	}
	rest := strings.TrimLeft(line, line[:1])
	if len(line)-len(rest) != q.marker {
		return 0, ""
	}
	return line[0], strings.TrimSpace(rest)
}

// markerLike tells of a line that is most likely a marker, of whatever length.
func markerLike(line string) bool {
	line = strings.TrimSpace(line)
	for c, words := range map[string][]string{"<": {openWord, allWord}, ">": {closeWord}} {
		rest := strings.TrimLeft(line, c)
		if len(line)-len(rest) >= 4 && slices.Contains(words, strings.TrimSpace(rest)) {
			return true
		}
	}
	return false
}

func (q Question) hasMarkers(blocks [][]string) bool {
	for _, lines := range blocks {
		for _, line := range lines {
			if c, word := q.markerOf(line); c == '<' && (word == openWord || word == allWord) {
				return true
			}
		}
	}
	return false
}

// edits reads search/replace blocks. A block that doesn't end, or a marker in
// the wrong place, spoils the step: nothing of it is used.
func (q Question) edits(blocks [][]string) Answer {
	var edits []turn.Edit
	var search, replace []string
	state, all := byte('>'), false // the marker passed last
	for _, lines := range blocks {
		for _, line := range lines {
			c, word := q.markerOf(line)
			switch {
			case state == '>' && c == '<' && (word == openWord || word == allWord):
				state, all, search, replace = '<', word == allWord, nil, nil
			case state == '<' && c == '=' && word == "":
				state = '='
			case state == '=' && c == '>' && word == closeWord:
				edits = append(edits, turn.Edit{Search: strings.Join(search, ""), Replace: strings.Join(replace, ""), All: all})
				state = '>'
			case c != 0:
				return Answer{Problem: fmt.Sprintf("a marker stands in the wrong place: %s", turn.Quote(strings.TrimSpace(line)))}
			case state == '<':
				search = append(search, line)
			case state == '=':
				replace = append(replace, line)
			case strings.TrimSpace(line) != "":
				return Answer{Problem: "text stands between the search/replace blocks"}
			}
		}
		if state != '>' {
			return Answer{Problem: "a search/replace block doesn't end"}
		}
	}
	return Answer{Edits: trimAll(edits)}
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
