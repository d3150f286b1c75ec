package generate

import (
	"slices"
	"strings"
)

// token is what a line is to the fences of a reply.
type token int

const (
	outside token = iota // of every fence
	opens                // it begins a fence
	inside               // of a fence
	nested               // inside, and like the beginning of one of the same length: nobody can tell which end is whose
	closes               // it ends the fence
)

// fences finds fences line by line: the only place where what a fence is is
// decided. The zero value is outside of every fence.
type fences struct {
	run  string // the backticks or tildes of the open fence; empty outside
	info string // what stands behind them
}

// take reads the next line.
func (f *fences) take(line string) token {
	run, info := fenceRun(line)
	switch {
	case f.run == "" && run == "":
		return outside
	case f.run == "":
		f.run, f.info = run, strings.TrimSpace(info)
		return opens
	case run == "" || run[0] != f.run[0] || len(run) < len(f.run):
		return inside
	case strings.TrimSpace(info) != "":
		return nested
	}
	*f = fences{}
	return closes
}

// open reports whether a fence is open.
func (f fences) open() bool { return f.run != "" }

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

// split returns the insides of the fences, and whether the last one is left open.
// A fence inside one of the same length is a problem.
func split(lines []string) (out []fenced, open bool, problem string, at int) {
	var f fences
	for i, line := range lines {
		switch f.take(line) {
		case nested:
			return nil, false, "a fence stands inside a fence of the same length", i
		case opens:
			out = append(out, fenced{info: f.info, start: i + 1})
		case inside:
			last := &out[len(out)-1]
			last.lines = append(last.lines, line)
		}
	}
	return out, f.open(), "", 0
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
