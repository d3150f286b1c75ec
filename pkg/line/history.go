package line

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"paicode/pkg/history"
)

// History is the lines that were sent, of this session and of earlier ones. A nil History
// keeps nothing.
type History struct {
	lines []string
	path  string // empty: only in memory
}

const (
	// maxLines is how many lines are remembered.
	maxLines = 1000
	// maxLineBytes bounds one that is; longer ones are remembered for the session only.
	maxLineBytes = 64 << 10
)

// OpenHistory reads a file of lines, a JSON string each; an empty path, and what can't be
// read, is an empty history. The file is closed to others.
func OpenHistory(path string) *History {
	h := &History{path: path}
	if path == "" {
		return h
	}
	f, err := h.open(os.O_RDONLY)
	if err != nil {
		return h
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 2*maxLineBytes+64)
	for in.Scan() {
		var line string
		if json.Unmarshal(in.Bytes(), &line) == nil && line != "" {
			h.lines = append(h.lines, line)
		}
	}
	if len(h.lines) > 2*maxLines {
		h.lines = h.lines[len(h.lines)-maxLines:]
		h.shorten()
	}
	return h
}

// shorten leaves in the file what is remembered. A kill in the very moment loses lines.
func (h *History) shorten() {
	f, err := h.open(os.O_APPEND)
	if err != nil {
		return
	}
	defer f.Close()
	var all []byte
	for _, line := range h.lines {
		all = append(all, encode(line)...)
	}
	if f.Truncate(0) == nil {
		_, _ = f.Write(all)
	}
}

// open opens the file: a regular one of the person's own, and no link.
func (h *History) open(flag int) (*os.File, error) {
	dir, err := os.Open(filepath.Dir(h.path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return history.OpenFile(int(dir.Fd()), filepath.Base(h.path), flag&^os.O_RDONLY)
}

func encode(line string) []byte {
	data, err := json.Marshal(line)
	if err != nil {
		panic(err) // a string always encodes
	}
	return append(data, '\n')
}

func (h *History) entries() []string {
	if h == nil {
		return nil
	}
	return h.lines[max(0, len(h.lines)-maxLines):]
}

// Add remembers a line, but for one that begins with a blank, or is the last one again.
// Where it can't be written it is remembered for the session.
func (h *History) Add(line string) {
	if h == nil || strings.TrimSpace(line) == "" || strings.HasPrefix(line, " ") || len(h.lines) > 0 &&
		h.lines[len(h.lines)-1] == line {
		return
	}
	h.lines = append(h.lines, line)
	if h.path == "" || len(line) > maxLineBytes {
		return
	}
	if f, err := h.open(os.O_APPEND); err == nil {
		_, _ = f.Write(encode(line)) // a full disk forgets it with the session
		f.Close()
	}
}
