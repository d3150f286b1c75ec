package reply

import (
	"slices"
	"strings"
	"unicode"

	"paicode/pkg/turn"
)

// Doubled says which lines two edits put in the same place, one under the other; empty if
// none do.
func Doubled(old, text string, edits []turn.Edit) string {
	const few = 2
	seen := make(map[string]bool)
	var was, is string
	for _, e := range edits {
		lines := inserted(e)
		key := strings.Join(lines, "\n")
		if len(lines) < few || !seen[key] {
			seen[key] = true
			continue
		}
		if is == "" {
			was, is = strings.Join(filled(old), "\n"), strings.Join(filled(text), "\n")
		}
		if twice := key + "\n" + key; strings.Contains(is, twice) && !strings.Contains(was, twice) {
			return lines[0]
		}
	}
	return ""
}

// There reports whether an edit only adds lines that are in their place already.
func There(text string, e turn.Edit) bool {
	if e.All || e.Search == "" || e.Replace == e.Search || !strings.HasPrefix(e.Replace, e.Search) &&
		!strings.HasSuffix(e.Replace, e.Search) || !strings.Contains(text, e.Replace) {
		return false
	}
	return slices.ContainsFunc(inserted(e), saysSomething)
}

// saysSomething reports whether a line holds as many letters as the shortest word that
// tells one line from others.
func saysSomething(line string) bool {
	const word = 3
	n := 0
	for _, r := range line {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n >= word
}

// inserted are the lines that an edit adds and that it doesn't search for.
func inserted(e turn.Edit) (lines []string) {
	search := make(map[string]bool)
	for _, line := range filled(e.Search) {
		search[line] = true
	}
	return slices.DeleteFunc(filled(e.Replace), func(line string) bool { return search[line] })
}
