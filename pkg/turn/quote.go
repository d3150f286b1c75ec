package turn

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quoteLimit is how many characters of a name are shown.
const quoteLimit = 120

// Quote shows a name that came from outside: in quotes, with everything
// escaped that could steer a terminal or deceive a reader, and cut in the
// middle when it is long.
func Quote(name string) string {
	if utf8.RuneCountInString(name) > quoteLimit {
		runes := []rune(name)
		half := quoteLimit / 2
		name = string(runes[:half]) + "…" + string(runes[len(runes)-half:])
	}
	return strconv.Quote(name)
}

// Shown shows a name as it is where that reads safely and unmistakably, and
// as Quote does otherwise.
func Shown(name string) string {
	if quoted := Quote(name); quoted != `"`+name+`"` || strings.TrimSpace(name) != name || name == "" {
		return quoted
	}
	return name
}

// InFull is a path on one line that a model can copy, whatever its length: as Shown
// shows it, but never cut.
func InFull(path string) string {
	if Printable(path) != path || strings.ContainsAny(path, "\n\t") || strings.TrimSpace(path) != path {
		return strconv.Quote(path)
	}
	return path
}

// Printable makes text from outside safe for a terminal: line ends and tabs
// stay, every other character that could steer the terminal or reorder what
// is read is written as an escape.
func Printable(text string) string {
	return escapeControls(text, func(b *strings.Builder, r rune) {
		if r <= 0xff {
			fmt.Fprintf(b, `\x%02x`, r)
		} else {
			fmt.Fprintf(b, `\u%04x`, r)
		}
	})
}

// SafeJSON does the same for JSON in UTF-8 and keeps it the same JSON: there such characters
// stand in strings only, where an escape says the same.
func SafeJSON(data []byte) []byte {
	if !bytes.ContainsFunc(data, func(r rune) bool { return r != '\n' && r != '\t' && steers(r) }) {
		return data
	}
	return []byte(escapeControls(string(data), func(b *strings.Builder, r rune) { fmt.Fprintf(b, `\u%04x`, r) }))
}

func escapeControls(text string, escape func(*strings.Builder, rune)) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			escape(&b, rune(text[i]))
		case r == '\n' || r == '\t' || !steers(r) || strings.HasPrefix(text[i:], "\r\n"):
			b.WriteRune(r)
		default:
			escape(&b, r)
		}
	}
	return b.String()
}

// steers tells of a character that acts on a terminal or on the order of
// reading: the controls, the bidirectional ones, and Unicode's ends of lines.
func steers(r rune) bool {
	if r >= ' ' && r < 0x7f {
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// QuoteFew quotes the first few names, sorted, and says how many more there are.
func QuoteFew(paths []string) string {
	const most = 5
	paths = slices.Sorted(slices.Values(paths))
	var names []string
	for _, p := range paths[:min(len(paths), most)] {
		names = append(names, Quote(p))
	}
	list := strings.Join(names, ", ")
	if more := len(paths) - most; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
