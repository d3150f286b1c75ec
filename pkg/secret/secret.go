// Package secret finds secrets in texts, puts numbered placeholders in their places
// before a model sees them, and puts the secrets back into what the model writes. It is
// pure: it opens nothing and sends nothing.
package secret

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"paicode/pkg/lazyregexp"
)

// span is a secret in a text: its bytes from start to end.
type span struct {
	start, end int
	kind       string
}

// lookAlike is the kind of what is in a file and has the form of a placeholder. It
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

// find lists the secrets that are on one line each, in order, none in another.
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

// variable reports whether a value stands for another that is filled in later, or is a
// port with a path.
func variable(value string) bool {
	if port, _, ok := strings.Cut(value, "/"); ok && strings.Trim(port, "0123456789") == "" {
		return true
	}
	return strings.ContainsAny(value[:1], "$%{<*") || strings.Contains(value, "${") || strings.Contains(value, "{{") ||
		strings.Trim(value, "xX.") == ""
}

// keyBlock is a private key in a text.
type keyBlock struct {
	start, end int    // with what frames it
	lines      []span // what is between, so that a text keeps its lines whatever is withheld of it
}

var frameForm = lazyregexp.New(`-{4,5} ?(BEGIN|END) [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)? ?-{4,5}`)

// keyBlocks finds private keys. A key on one line, its lines joined by the letters "\n",
// has one span. Where the beginning or the end is missing, it reaches as far as lines look
// like one.
func keyBlocks(text string) (blocks []keyBlock) {
	blocks = putty(text)
	if !strings.Contains(text, "PRIVATE KEY") {
		return blocks
	}
	frame := frameForm()
	frames := frame.FindAllStringSubmatchIndex(text, -1)
	last := 0
	for i, m := range frames {
		begins := text[m[2]:m[3]] == "BEGIN"
		next := len(text)
		closed := i+1 < len(frames) && text[frames[i+1][2]:frames[i+1][3]] == "END"
		if i+1 < len(frames) {
			next = frames[i+1][0]
		}
		switch {
		case begins && closed:
			lines, _ := bodyLines(text, m[1], next, nil)
			blocks = append(blocks, keyBlock{m[0], frames[i+1][1], lines})
		case begins:
			lines, end := bodyLines(text, m[1], next, likeBody())
			blocks = append(blocks, keyBlock{m[0], end, lines})
		case i == 0 || text[frames[i-1][2]:frames[i-1][3]] == "END":
			blocks = append(blocks, keyBlock{m[0], m[1], linesBefore(text, last, m[0])})
		}
		last = m[1]
	}
	return blocks
}

// keyLines are the lines of all private keys in a text.
func keyLines(text string) (spans []span) {
	for _, b := range keyBlocks(text) {
		spans = append(spans, b.lines...)
	}
	return spans
}

var likeBodyForm = lazyregexp.New(`^[^0-9A-Za-z+/]*((?:[A-Za-z-]+: .*)|[0-9A-Za-z+/=\\]+)[^0-9A-Za-z+/=]*$`)

// likeBody matches a line of a key's body, with what a diff or a program writes around it.
func likeBody() *regexp.Regexp {
	return likeBodyForm()
}

// linesBefore are the lines above the end of a key whose beginning is missing.
func linesBefore(text string, from, end int) (spans []span) {
	like := likeBody()
	for end > from {
		start := strings.LastIndexByte(text[from:end], '\n') + from + 1
		if line := text[start:end]; strings.TrimSpace(line) != "" &&
			(!like.MatchString(line) || strings.Contains(line, ": ")) {
			break
		}
		found, _ := bodyLines(text, start, end, nil)
		spans = append(found, spans...)
		end = start - 1
	}
	return spans
}

var puttyForm = lazyregexp.New(`Private-Lines: ([0-9]{1,3})[^\n]*\n`)

// putty are the keys in PuTTY's own format.
func putty(text string) (blocks []keyBlock) {
	if !strings.Contains(text, "Private-Lines:") {
		return nil
	}
	for _, m := range puttyForm().FindAllStringSubmatchIndex(text, -1) {
		count, _ := strconv.Atoi(text[m[2]:m[3]])
		end := m[1]
		for ; count > 0 && end < len(text); count-- {
			end += max(strings.IndexByte(text[end:]+"\n", '\n'), 0) + 1
		}
		end = min(end, len(text))
		lines, _ := bodyLines(text, m[1], end, nil)
		blocks = append(blocks, keyBlock{m[0], end, lines})
	}
	return blocks
}

var bodyForm = lazyregexp.New(`^[^0-9A-Za-z/]{0,6}([0-9A-Za-z+/]{60,76})["'\\n,+; \t\r]{0,8}$`)

// fragments are lines that can hardly be but those of a key or a certificate of which the
// rest is missing, as in a diff or what a program printed: three and more under each
// other of 60 to 76 letters in base64, equally long.
func fragments(text string) (spans []span) {
	const least = 180 // bytes of three such lines
	if len(text) < least {
		return nil
	}
	var run []span
	flush := func() {
		if len(run) >= 3 {
			spans = append(spans, run...)
		}
		run = nil
	}
	body, at := bodyForm(), 0
	for line := range strings.Lines(text) {
		// a + may belong to a diff or to the line
		if m := body.FindStringSubmatchIndex(strings.TrimSuffix(line, "\n")); m != nil &&
			(len(run) == 0 || abs(m[3]-m[2]-run[0].end+run[0].start) < 2) {
			run = append(run, span{at + m[2], at + m[3], "private key"})
		} else {
			flush()
		}
		at += len(line)
	}
	flush()
	return spans
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
		if last := first + len(strings.TrimRight(text[first:stop], " \t\r\"'`,;+")); last > first &&
			text[first:last] != `\n` {
			spans = append(spans, span{first, last, "private key"})
		}
		start = stop + 1
	}
	return spans, to
}

func abs(n int) int { return max(n, -n) }

// apart sorts spans and drops what is in an earlier or a longer one.
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
