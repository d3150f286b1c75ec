// Package secret finds secrets in texts, puts numbered placeholders in their places
// before a model sees them, and puts the secrets back into what the model writes. It is
// pure: it opens nothing and sends nothing.
package secret

import (
	"regexp"
	"slices"
	"strings"
)

// span is a secret in a text: its bytes from start to end.
type span struct {
	start, end int
	kind       string
}

// lookAlike is the kind of what stands in a file and has the form of a placeholder. It
// gets one of its own, so that no placeholder ever stands for anything but a number of
// the Vault.
const lookAlike = "text like a placeholder"

// finder finds secrets by their kinds; it compiles the pattern of one that it meets.
type finder struct {
	kinds    []kind
	keywords [][]string
	patterns []*regexp.Regexp
}

func newFinder() *finder {
	f := &finder{kinds: kinds()}
	f.patterns = make([]*regexp.Regexp, len(f.kinds))
	for _, k := range f.kinds {
		f.keywords = append(f.keywords, strings.Fields(k.keywords))
	}
	return f
}

// find lists the secrets that stand on one line each, in order, none in another.
func (f *finder) find(text string) (spans []span) {
	for i, k := range f.kinds {
		if !slices.ContainsFunc(f.keywords[i], func(word string) bool { return strings.Contains(text, word) }) {
			continue
		}
		if f.patterns[i] == nil {
			f.patterns[i] = regexp.MustCompile(k.pattern)
		}
		for _, m := range f.patterns[i].FindAllStringSubmatchIndex(text, -1) {
			s := span{m[len(m)-2], m[len(m)-1], k.name}
			if !k.template || !variable(text[s.start:s.end]) {
				spans = append(spans, s)
			}
		}
	}
	return apart(spans)
}

// variable reports whether a value stands for another that is filled in later.
func variable(value string) bool {
	return strings.ContainsAny(value[:1], "$%{<*") || strings.Contains(value, "${") || strings.Contains(value, "{{") || strings.Trim(value, "xX.") == ""
}

// keyLines are the lines between the marks of private keys, a span each, so that a text
// keeps its lines whatever is withheld of it. A key on one line, its lines joined by the
// letters "\n", is one span. One without an end is taken to reach to the end of the text,
// as far as its lines look like one.
func keyLines(text string) (spans []span) {
	if !strings.Contains(text, "PRIVATE KEY") {
		return nil
	}
	begin := regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----`)
	end := regexp.MustCompile(`-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----`)
	body := regexp.MustCompile(`^[^0-9A-Za-z+/]*((?:[A-Za-z-]+: .*)|[0-9A-Za-z+/=\\]+)[^0-9A-Za-z+/=]*$`)
	for at := 0; ; {
		m := begin.FindStringIndex(text[at:])
		if m == nil {
			return spans
		}
		from, to, looksLike := at+m[1], len(text), body
		if e := end.FindStringIndex(text[from:]); e != nil {
			to, looksLike = from+e[0], nil
		}
		var found []span
		found, at = bodyLines(text, from, to, looksLike)
		spans = append(spans, found...)
	}
}

// bodyLines are the lines of a key from one byte to another, as far as they look like
// one, and where that ends.
func bodyLines(text string, from, to int, looksLike *regexp.Regexp) (spans []span, end int) {
	const around = " \t\r\"'`,;+#*/" // what programs write around a line
	for start := from; start < to; {
		stop := to
		if i := strings.IndexByte(text[start:to], '\n'); i >= 0 {
			stop = start + i
		}
		line := text[start:stop]
		if looksLike != nil && start != from && strings.TrimSpace(line) != "" && !looksLike.MatchString(line) {
			return spans, stop
		}
		first := start + len(line) - len(strings.TrimLeft(line, around))
		if last := first + len(strings.TrimRight(text[first:stop], " \t\r\"'`,;+")); last > first && text[first:last] != `\n` {
			spans = append(spans, span{first, last, "private key"})
		}
		start = stop + 1
	}
	return spans, to
}

// apart sorts spans and drops what lies in an earlier or a longer one.
func apart(spans []span) (out []span) {
	slices.SortStableFunc(spans, func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	end := -1
	for _, s := range spans {
		if s.start >= end && s.end > s.start {
			out = append(out, s)
			end = s.end
		}
	}
	return out
}
