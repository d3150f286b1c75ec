package generate

import (
	"slices"
	"strings"
)

// The parts of a search/replace block.
const (
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

// markerLike tells of a line that is most likely a marker, of whatever length
// and with whatever word, as git's conflicts and other tools have them.
func markerLike(line string) bool {
	m := markerOf(strings.TrimSpace(line), 4)
	return m.opens() || m.c == '>' && m.word == closeWord || (m.c == '<' || m.c == '>') && m.run >= 5 && m.word != "" && strings.ToUpper(m.word[:1]) != strings.ToLower(m.word[:1])
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

// fenced is what stands in one fence.
type fenced struct {
	info  string
	start int // the index of its first line among the section's
	lines []string
}

// fences returns the insides of the fences, and whether the last one is left
// open. A fence inside one of the same length, whose end nobody can tell, is a
// problem.
func fences(lines []string) (out []fenced, open bool, problem string, at int) {
	fence := ""
	for i, line := range lines {
		next := nextFence(fence, line)
		run, info := fenceRun(line)
		switch {
		case fence != "" && run != "" && run[0] == fence[0] && len(run) >= len(fence) && strings.TrimSpace(info) != "":
			return nil, false, "a fence stands inside a fence of the same length", i
		case fence == "" && next != "":
			out = append(out, fenced{info: strings.TrimSpace(info), start: i + 1})
		case next != "":
			last := &out[len(out)-1]
			last.lines = append(last.lines, line)
		}
		fence = next
	}
	return out, fence != "", "", 0
}

// isDiff tells of a unified diff.
func (f fenced) isDiff() bool {
	if slices.Contains([]string{"diff", "patch"}, f.info) {
		return true
	}
	for _, line := range f.lines {
		if strings.TrimSpace(line) != "" {
			return strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "@@ ") || strings.HasPrefix(line, "diff --git ")
		}
	}
	return false
}
