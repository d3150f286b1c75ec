// Package guard says whether a path may be touched, and why not: by its words, by
// the names in it, by the rules of ignore files and of the person's own
// configuration. It is pure: it looks at no file.
package guard

import (
	"fmt"
	"strings"
)

// pattern is one line of an ignore file. The matching follows gitignore(5)
// and git's own wildmatch; a test compares it with git check-ignore.
type pattern struct {
	prefix   string   // of an anchored one: what stands before its first wildcard
	segments []string // the rest
	negated  bool
	dirOnly  bool
	anchored bool // matches the whole path from the file's directory, not a name anywhere
	line     int  // counted from one
}

// parseIgnore reads an ignore file.
func parseIgnore(text string) []pattern {
	var out []pattern
	text = strings.TrimPrefix(text, "\uFEFF")
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		if p, ok := parsePattern(strings.TrimSuffix(line, "\r")); ok {
			p.line = number
			out = append(out, p)
		}
	}
	return out
}

func parsePattern(line string) (p pattern, ok bool) {
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	line = trimBlanks(line)
	if rest, found := strings.CutPrefix(line, "!"); found {
		p.negated, line = true, rest
	}
	if rest, found := strings.CutSuffix(line, "/"); found {
		p.dirOnly, line = true, rest
	}
	p.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	if p.anchored {
		// Git compares the letters first and matches what is left by itself, so stars
		// that follow them in the middle of a name count as at its beginning.
		wild := len(line)
		if i := strings.IndexAny(line, `*?[\`); i >= 0 {
			wild = i
		}
		p.prefix, line = line[:wild], line[wild:]
	}
	p.segments = splitSegments(line)
	return p, true
}

// splitSegments splits a pattern at its slashes, but not at one that stands
// in a bracket expression.
func splitSegments(line string) []string {
	var out []string
	start := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '/':
			out, start = append(out, line[start:i]), i+1
		case '\\':
			i++
		case '[':
			if next, _ := matchClass(line, i+1, 0); line[next-1] == ']' {
				i = next - 1
			}
		}
	}
	return append(out, line[start:])
}

// trimBlanks takes blanks from the end, but not one after a backslash.
func trimBlanks(line string) string {
	for strings.HasSuffix(line, " ") {
		rest := line[:len(line)-1]
		backslashes := len(rest) - len(strings.TrimRight(rest, `\`))
		if backslashes%2 == 1 {
			break
		}
		line = rest
	}
	return line
}

// match reports whether a pattern fits a path, given as components from the
// ignore file's directory.
func (p pattern) match(parts []string, isDir bool) bool {
	if p.dirOnly && !isDir {
		return false
	}
	if !p.anchored {
		return globSegment(p.segments[0], parts[len(parts)-1])
	}
	rest, ok := strings.CutPrefix(strings.Join(parts, "/"), p.prefix)
	if len(p.segments) == 1 && p.segments[0] == "" {
		return ok && rest == ""
	}
	return ok && globPath(p.segments, strings.Split(rest, "/"))
}

// anyDepth tells of two stars or more, which stand for any number of components.
func anyDepth(segment string) bool { return len(segment) >= 2 && strings.Trim(segment, "*") == "" }

// globPath matches component by component; "**" stands for any number of
// them, at the end for at least one.
func globPath(pattern, parts []string) bool {
	p, s := 0, 0
	star, mark := -1, 0
	for s < len(parts) {
		switch {
		case p < len(pattern) && anyDepth(pattern[p]):
			if p == len(pattern)-1 {
				return true
			}
			star, mark = p, s
			p++
			continue
		case p < len(pattern) && globSegment(pattern[p], parts[s]):
			p, s = p+1, s+1
			continue
		case star >= 0:
			mark++
			p, s = star+1, mark
			continue
		}
		return false
	}
	return p == len(pattern)
}

// globSegment matches one component, byte by byte as git does; "*" never
// takes more than linear steps back.
func globSegment(pattern, name string) bool {
	p, s := 0, 0
	star, mark := -1, 0
	for s < len(name) {
		if p < len(pattern) && pattern[p] == '*' {
			star, mark = p, s
			p++
			continue
		}
		if next, ok := matchOne(pattern, p, name[s]); ok {
			p, s = next, s+1
			continue
		}
		if star < 0 {
			return false
		}
		mark++
		p, s = star+1, mark
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// matchOne matches one byte with what stands at p in the pattern, and returns
// where the pattern goes on.
func matchOne(pattern string, p int, c byte) (next int, ok bool) {
	if p >= len(pattern) {
		return p, false
	}
	switch pattern[p] {
	case '?':
		return p + 1, true
	case '[':
		return matchClass(pattern, p+1, c)
	case '\\':
		if p+1 >= len(pattern) {
			return p, false
		}
		return p + 2, pattern[p+1] == c
	default:
		return p + 1, pattern[p] == c
	}
}

// matchClass matches a byte with a bracket expression whose inside begins at
// p. One that doesn't end matches nothing.
//
//nolint:gocognit // one pass over the grammar of a bracket expression
func matchClass(pattern string, p int, c byte) (next int, ok bool) {
	negated := p < len(pattern) && (pattern[p] == '!' || pattern[p] == '^')
	if negated {
		p++
	}
	found := false
	for first := true; ; first = false {
		if p >= len(pattern) {
			return p, false
		}
		if pattern[p] == ']' && !first {
			return p + 1, found != negated
		}
		if class, rest, isClass := strings.Cut(pattern[p:], ":]"); isClass && strings.HasPrefix(class, "[:") {
			found = found || inClass(class[2:], c)
			p = len(pattern) - len(rest)
			continue
		}
		low, after, good := classByte(pattern, p)
		if !good {
			return p, false
		}
		high := low
		if after+1 < len(pattern) && pattern[after] == '-' && pattern[after+1] != ']' {
			if high, after, good = classByte(pattern, after+1); !good {
				return p, false
			}
		}
		found = found || low <= c && c <= high
		p = after
	}
}

// classByte reads one byte of a bracket expression, escaped or not.
func classByte(pattern string, p int) (c byte, next int, ok bool) {
	if pattern[p] != '\\' {
		return pattern[p], p + 1, true
	}
	if p+1 >= len(pattern) {
		return 0, p, false
	}
	return pattern[p+1], p + 2, true
}

// inClass knows POSIX's character classes, for ASCII.
//
//nolint:gocyclo // a table of twelve classes, one line each
func inClass(class string, c byte) bool {
	upper, lower, digit := 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', '0' <= c && c <= '9'
	graph := '!' <= c && c <= '~'
	switch class {
	case "alpha":
		return upper || lower
	case "digit":
		return digit
	case "alnum":
		return upper || lower || digit
	case "upper":
		return upper
	case "lower":
		return lower
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r'
	case "blank":
		return c == ' ' || c == '\t'
	case "punct":
		return graph && !upper && !lower && !digit
	case "xdigit":
		return digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	case "cntrl":
		return c < ' ' || c == 0x7f
	case "print":
		return graph || c == ' '
	case "graph":
		return graph
	}
	return false
}

// Ignore are the patterns of one file name, found in the directories
// from the root down to one.
type Ignore struct {
	parent   *Ignore
	file     string // where they stand
	depth    int    // of the directory, in components
	patterns []pattern
}

// With adds the patterns of one file, in a directory at a depth.
func (r *Ignore) With(file string, depth int, text string) *Ignore {
	return &Ignore{parent: r, file: file, depth: depth, patterns: parseIgnore(text)}
}

// Ignored reports whether a path is ignored: the last pattern that fits
// decides, those of deeper directories later. The path's parents must not be
// ignored themselves.
func (r *Ignore) Ignored(parts []string, isDir bool) bool {
	return r.Rule(parts, isDir) != ""
}

// Rule says where the pattern stands by which a path is ignored; empty if it
// isn't.
func (r *Ignore) Rule(parts []string, isDir bool) string {
	for ; r != nil; r = r.parent {
		for i := len(r.patterns) - 1; i >= 0; i-- {
			if r.patterns[i].match(parts[r.depth:], isDir) {
				if r.patterns[i].negated {
					return ""
				}
				return fmt.Sprintf("%s line %d", r.file, r.patterns[i].line)
			}
		}
	}
	return ""
}
