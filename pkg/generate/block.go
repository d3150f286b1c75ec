package generate

import (
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
