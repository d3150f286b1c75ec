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
	prefix   string    // of an anchored one: what is before its first wildcard
	segments []segment // the rest; nil: it matches nothing
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
	p.segments = compile(line)
	return p, true
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
	if p.dirOnly && !isDir || p.segments == nil {
		return false
	}
	if !p.anchored {
		return p.segments[0].fits(parts[len(parts)-1])
	}
	rest, ok := strings.CutPrefix(strings.Join(parts, "/"), p.prefix)
	if len(p.segments) == 1 && p.segments[0].empty() {
		return ok && rest == ""
	}
	return ok && globPath(p.segments, strings.Split(rest, "/"))
}

// Ignore are the patterns of one file name, found in the directories
// from the root down to one.
type Ignore struct {
	parent   *Ignore
	file     string // where they stand
	depth    int    // of the directory, in components
	count    int    // of the patterns, of those above too
	patterns []pattern
}

// With adds the patterns of one file, in a directory at a depth.
func (r *Ignore) With(file string, depth int, text string) *Ignore {
	patterns := parseIgnore(text)
	count := len(patterns)
	if r != nil {
		count += r.count
	}
	return &Ignore{parent: r, file: file, depth: depth, count: count, patterns: patterns}
}

// MaxPatterns is how many patterns may hold for one path: each is compared with each.
const MaxPatterns = 10_000

// Count is how many patterns hold for a path in the directory.
func (r *Ignore) Count() int { return r.count }

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
