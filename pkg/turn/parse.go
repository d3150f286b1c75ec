package turn

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of what is read. They keep every document within what jq carries
// unharmed: it rounds integers from 2^53 on, and refuses lone surrogates.
const (
	// MaxBytes is the size of the largest document or text read, in bytes.
	MaxBytes = 32 << 20
	// MaxDepth is how deep arrays and objects may nest.
	MaxDepth = 100

	maxInteger = 1<<53 - 1
)

// node is one JSON value: where it stands and what is in it.
type node struct {
	kind       byte // '{' '[' '"' '0' 't' 'n', by the value's first byte; false is 't'
	start, end int  // the bytes it takes
	names      []string
	kids       []node // an object's values, in the order of names, or an array's
	twin       int    // of an object, the index of a name that another one equals but for its case; 0: none
}

// syntaxError is what the parser found wrong, and where.
type syntaxError struct {
	offset int
	what   string
}

// parser reads one strict JSON value: RFC 8259, valid UTF-8, and no member
// named twice in one object. Names that differ only in case it notes.
type parser struct {
	data  []byte
	pos   int
	depth int
}

// parse reads data as exactly one JSON value.
func parse(data []byte) (node, *Error) {
	p := &parser{data: data}
	n, err := p.document()
	if err == nil {
		return n, nil
	}
	return node{}, Errorf(CodeUsage, "not a document: %s at %s", err.what, position(data, err.offset))
}

// position names an offset as people and editors count: from one, columns in
// characters.
func position(data []byte, offset int) string {
	offset = min(offset, len(data))
	before := data[:offset]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d", line, column)
}

func (p *parser) fail(what string, args ...any) *syntaxError {
	return &syntaxError{p.pos, fmt.Sprintf(what, args...)}
}

func (p *parser) document() (node, *syntaxError) {
	p.space()
	n, err := p.value()
	if err != nil {
		return n, err
	}
	p.space()
	if p.pos < len(p.data) {
		return n, p.fail("more data after the document")
	}
	return n, nil
}

func (p *parser) space() {
	for p.pos < len(p.data) && strings.IndexByte(" \t\r\n", p.data[p.pos]) >= 0 {
		p.pos++
	}
}

// peek returns the next byte, or 0 at the end.
func (p *parser) peek() byte {
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}

func (p *parser) value() (node, *syntaxError) {
	n := node{start: p.pos, kind: p.peek()}
	var err *syntaxError
	switch c := n.kind; {
	case c == '{' || c == '[':
		if p.depth++; p.depth > MaxDepth {
			return n, p.fail("nested deeper than %d", MaxDepth)
		}
		if c == '{' {
			err = p.object(&n)
		} else {
			err = p.array(&n)
		}
		p.depth--
	case c == '"':
		_, err = p.text(false)
	case c == '-' || '0' <= c && c <= '9':
		n.kind = '0'
		err = p.number()
	default:
		err = p.literal(&n)
	}
	n.end = p.pos
	return n, err
}

func (p *parser) literal(n *node) *syntaxError {
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(p.data[p.pos:], []byte(word)) {
			n.kind = word[0]
			if n.kind == 'f' {
				n.kind = 't'
			}
			p.pos += len(word)
			return nil
		}
	}
	if p.pos >= len(p.data) {
		return p.fail("it ends too early")
	}
	return p.fail("a value was expected")
}

func (p *parser) array(n *node) *syntaxError {
	p.pos++
	p.space()
	for p.peek() != ']' {
		if len(n.kids) > 0 {
			if p.peek() != ',' {
				return p.expected("',' or ']'")
			}
			p.pos++
			p.space()
		}
		kid, err := p.value()
		if err != nil {
			return err
		}
		n.kids = append(n.kids, kid)
		p.space()
	}
	p.pos++
	return nil
}

func (p *parser) object(n *node) *syntaxError {
	p.pos++
	p.space()
	var seen names
	for p.peek() != '}' {
		if len(n.kids) > 0 {
			if p.peek() != ',' {
				return p.expected("',' or '}'")
			}
			p.pos++
			p.space()
		}
		if p.peek() != '"' {
			return p.expected("a name in quotes")
		}
		at := p.pos
		name, err := p.text(true)
		if err != nil {
			return err
		}
		switch exactly, folded := seen.add(n.names, name); {
		case exactly:
			return &syntaxError{at, fmt.Sprintf("member %s stands twice", Quote(name))}
		case folded:
			n.twin = len(n.names)
		}
		p.space()
		if p.peek() != ':' {
			return p.expected("':'")
		}
		p.pos++
		p.space()
		kid, err := p.value()
		if err != nil {
			return err
		}
		n.names, n.kids = append(n.names, name), append(n.kids, kid)
		p.space()
	}
	p.pos++
	return nil
}

// names finds out whether an object has a name already. Few names are
// compared one by one, more are kept in maps.
type names struct{ exact, folded map[string]bool }

const fewNames = 24

// add reports whether the name stands among the earlier ones, or one that
// differs from it only in case.
func (s *names) add(earlier []string, name string) (exactly, folded bool) {
	if len(earlier) < fewNames {
		for _, other := range earlier {
			exactly = exactly || other == name
			folded = folded || strings.EqualFold(other, name)
		}
		return exactly, folded
	}
	if s.exact == nil {
		s.exact, s.folded = make(map[string]bool), make(map[string]bool)
		for _, other := range earlier {
			s.exact[other], s.folded[foldCase(other)] = true, true
		}
	}
	key := foldCase(name)
	exactly, folded = s.exact[name], s.folded[key]
	s.exact[name], s.folded[key] = true, true
	return exactly, folded
}

func (p *parser) expected(what string) *syntaxError {
	if p.pos >= len(p.data) {
		return p.fail("it ends too early")
	}
	return p.fail("%s was expected", what)
}

// text reads a string and returns what it says, if that is to be kept.
//
//nolint:gocognit // one pass over the grammar of a string
func (p *parser) text(keep bool) (string, *syntaxError) {
	p.pos++
	start := p.pos
	var out []byte // nil as long as there was no escape
	for {
		for p.pos < len(p.data) && plain(p.data[p.pos]) {
			p.pos++
		}
		if p.pos >= len(p.data) {
			return "", p.fail("it ends inside a string")
		}
		switch c := p.data[p.pos]; {
		case c == '"':
			text := p.data[start:p.pos]
			p.pos++
			if !keep {
				return "", nil
			}
			return string(append(out, text...)), nil
		case c == '\\':
			if keep {
				out = append(out, p.data[start:p.pos]...)
			}
			escaped, err := p.escape(out)
			if err != nil {
				return "", err
			}
			if keep {
				out = escaped
			}
			start = p.pos
		case c < ' ':
			return "", p.fail("a control character stands in a string")
		default:
			r, size := utf8.DecodeRune(p.data[p.pos:])
			if r == utf8.RuneError && size == 1 {
				return "", p.fail("invalid UTF-8")
			}
			p.pos += size
		}
	}
}

// plain tells of a byte that stands for itself.
func plain(c byte) bool { return c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' }

// escape reads one escape, or a pair of them that makes one character.
func (p *parser) escape(out []byte) ([]byte, *syntaxError) {
	const letters, meanings = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if p.pos+1 >= len(p.data) {
		return nil, p.fail("it ends inside a string")
	}
	if i := strings.IndexByte(letters, p.data[p.pos+1]); i >= 0 {
		p.pos += 2
		return append(out, meanings[i]), nil
	}
	first, ok := p.unicode(p.pos)
	if !ok {
		return nil, p.fail("an escape that JSON doesn't have")
	}
	if utf16.IsSurrogate(first) {
		second, _ := p.unicode(p.pos + 6)
		first = utf16.DecodeRune(first, second)
		if first == utf8.RuneError {
			return nil, p.fail("a lone surrogate")
		}
		p.pos += 6
	}
	p.pos += 6
	return utf8.AppendRune(out, first), nil
}

// unicode reads an escape of four hexadecimal digits at an offset.
func (p *parser) unicode(at int) (rune, bool) {
	if at+6 > len(p.data) || p.data[at] != '\\' || p.data[at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(p.data[at+2:at+6]), 16, 32)
	return rune(n), err == nil
}

func (p *parser) number() *syntaxError {
	start := p.pos
	whole := true
	if p.peek() == '-' {
		p.pos++
	}
	if p.peek() == '0' {
		p.pos++
	} else if !p.digits() {
		return p.expected("a digit")
	}
	if p.peek() == '.' {
		whole = false
		p.pos++
		if !p.digits() {
			return p.expected("a digit")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		whole = false
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		if !p.digits() {
			return p.expected("a digit")
		}
	}
	f, err := strconv.ParseFloat(string(p.data[start:p.pos]), 64)
	if err != nil || whole && (f > maxInteger || f < -maxInteger) {
		p.pos = start
		return p.fail("a number too large to be carried exactly")
	}
	return nil
}

func (p *parser) digits() bool {
	start := p.pos
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		p.pos++
	}
	return p.pos > start
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldCase maps names that differ only in case to one: each character to the
// least of those that Unicode's simple folding makes equal to it.
func foldCase(name string) string {
	if isASCII(name) {
		return strings.ToUpper(name) // the least of ASCII's letters
	}
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, name)
}
