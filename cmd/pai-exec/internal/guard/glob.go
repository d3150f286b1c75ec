package guard

import (
	"strings"
)

// segment is what is between two slashes of a pattern, compiled.
type segment struct {
	tokens []token
	least  int  // how many bytes it takes at least
	depth  bool // two stars or more: any number of components
}

// token matches one byte, or is a star.
type token struct {
	star bool
	set  *[256]bool // of bytes that match; nil: literal does
	only byte
}

func (s segment) empty() bool { return len(s.tokens) == 0 }

// compile reads a pattern once, from the left to the right. One with a bracket expression that
// doesn't end matches nothing, and is nil.
func compile(pattern string) []segment {
	out := []segment{{}}
	for p := 0; p < len(pattern); {
		last := &out[len(out)-1]
		t := token{only: pattern[p]}
		switch pattern[p] {
		case '/':
			out = append(out, segment{})
			p++
			continue
		case '*':
			t = token{star: true}
		case '?':
			t.set = new([256]bool)
			for i := range t.set {
				t.set[i] = true
			}
		case '\\':
			if p++; p == len(pattern) {
				return nil
			}
			t.only = pattern[p]
		case '[':
			var ok bool
			if t.set, p, ok = class(pattern, p+1); !ok {
				return nil
			}
			p-- // to the bracket that ends it
		}
		last.add(t)
		p++
	}
	for i := range out {
		out[i].depth = len(out[i].tokens) >= 2 && out[i].least == 0
	}
	return out
}

func (s *segment) add(t token) {
	if s.tokens = append(s.tokens, t); !t.star {
		s.least++
	}
}

// globPath matches component by component; "**" stands for any number of
// them, at the end for at least one.
func globPath(pattern []segment, parts []string) bool {
	p, s := 0, 0
	star, mark := -1, 0
	for s < len(parts) {
		switch {
		case p < len(pattern) && pattern[p].depth:
			if p == len(pattern)-1 {
				return true
			}
			star, mark = p, s
			p++
			continue
		case p < len(pattern) && pattern[p].fits(parts[s]):
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

// fits matches one component, byte by byte as git does; a star never
// takes more than linear steps back.
func (s segment) fits(name string) bool {
	if s.least > len(name) {
		return false
	}
	p, at := 0, 0
	star, mark := -1, 0
	for at < len(name) {
		switch {
		case p < len(s.tokens) && s.tokens[p].star:
			star, mark = p, at
			p++
		case p < len(s.tokens) && s.tokens[p].fits(name[at]):
			p, at = p+1, at+1
		case star < 0:
			return false
		default:
			mark++
			p, at = star+1, mark
		}
	}
	for p < len(s.tokens) && s.tokens[p].star {
		p++
	}
	return p == len(s.tokens)
}

func (t token) fits(c byte) bool {
	if t.set != nil {
		return t.set[c]
	}
	return t.only == c
}

// class reads a bracket expression whose inside begins at p, and returns where the pattern goes
// on; ok is false if it doesn't end.
func class(pattern string, p int) (set *[256]bool, next int, ok bool) {
	r := classReader{pattern: pattern, p: p, set: new([256]bool)}
	negated := p < len(pattern) && (pattern[p] == '!' || pattern[p] == '^')
	if negated {
		r.p++
	}
	for first := true; first || r.p < len(pattern) && pattern[r.p] != ']'; first = false {
		if !r.named() && !r.member() {
			return nil, r.p, false
		}
	}
	if r.p >= len(pattern) {
		return nil, r.p, false
	}
	if negated {
		for i := range r.set {
			r.set[i] = !r.set[i]
		}
	}
	return r.set, r.p + 1, true
}

// classReader reads what is in a bracket expression.
type classReader struct {
	pattern string
	p       int
	set     *[256]bool
	closing int // where the next ":]" stands, searched for once; the pattern's length if there is none
}

// named reads a class like [:alpha:].
func (r *classReader) named() bool {
	if r.p >= len(r.pattern) || !strings.HasPrefix(r.pattern[r.p:], "[:") {
		return false
	}
	from := r.p + 2
	if r.closing < from {
		r.closing = len(r.pattern)
		if i := strings.Index(r.pattern[from:], ":]"); i >= 0 {
			r.closing = from + i
		}
	}
	if r.closing == len(r.pattern) {
		return false
	}
	addClass(r.set, r.pattern[from:r.closing])
	r.p = r.closing + 2
	return true
}

// member reads a byte, or a range of them.
func (r *classReader) member() bool {
	if r.p >= len(r.pattern) {
		return false
	}
	low, after, ok := classByte(r.pattern, r.p)
	if !ok {
		return false
	}
	high := low
	if after+1 < len(r.pattern) && r.pattern[after] == '-' && r.pattern[after+1] != ']' {
		if high, after, ok = classByte(r.pattern, after+1); !ok {
			return false
		}
	}
	for c := int(low); c <= int(high); c++ {
		r.set[c] = true
	}
	r.p = after
	return true
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

// addClass adds one of POSIX's character classes, for ASCII; what is none adds nothing.
func addClass(set *[256]bool, name string) {
	const upper, lower, digit, blank = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789", " \t"
	const punct = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
	const cntrl = "\x00\x01\x02\x03\x04\x05\x06\a\b\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f"
	members := map[string]string{
		"alpha": upper + lower, "digit": digit, "alnum": upper + lower + digit, "upper": upper, "lower": lower,
		"space": " \t\n\v\f\r",
		"blank": blank, "punct": punct, "xdigit": digit + "abcdefABCDEF", "cntrl": cntrl,
		"print": " " + upper + lower + digit + punct,
		"graph": upper + lower + digit + punct,
	}[name]
	for i := range len(members) {
		set[members[i]] = true
	}
}
