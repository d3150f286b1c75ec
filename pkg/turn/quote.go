package turn

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
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
	return QuoteInFull(name)
}

// QuoteInFull is Quote for a name that must not be cut.
func QuoteInFull(name string) string {
	var b strings.Builder
	for _, r := range strconv.Quote(name) {
		if hidden(r) { // strconv takes selectors and fillers for printable
			writeEscape(&b, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
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
	if OneLine(path) != path || strings.TrimSpace(path) != path {
		return QuoteInFull(path)
	}
	return path
}

// SafeJSON is JSON in UTF-8 without anything that steers a terminal or the order of reading.
// It stays the same JSON: there such characters are in strings only, where an escape says
// the same.
func SafeJSON(data []byte) []byte {
	escaped := func(r rune) bool { return steers(r) && r != '\n' && r != '\t' && r != '\r' }
	if !bytes.ContainsFunc(data, escaped) {
		return data
	}
	var b bytes.Buffer
	for _, r := range string(data) {
		if escaped(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}

// QuoteFew quotes the first few names, sorted, and says how many more there are.
func QuoteFew(paths []string) string {
	const most = 3
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
