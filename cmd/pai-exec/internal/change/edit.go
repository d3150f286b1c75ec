package change

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"paicode/pkg/turn"
)

// How the edits of a step were found in the text.
const (
	MatchedExact       = "exact"
	MatchedLineEndings = "line-endings" // the text has CRLF, or no line end at its end, where the edits have LF
)

// manyPlaces is where counting places stops.
const manyPlaces = 100

// EditError says which edit doesn't fit, counted from one, and why.
type EditError struct {
	Edit int
	Why  string
	Hint string
}

func (e *EditError) Error() string { return fmt.Sprintf("edit %d %s", e.Edit, e.Why) }

// Apply makes edits, one after the other, each in the text that the earlier
// ones left. All of them fit, or the error is an *EditError.
func Apply(text string, edits []turn.Edit) (result, matched string, err error) {
	matched = MatchedExact
	crlf := OnlyCRLF(text)
	for i, e := range edits {
		if crlf && (bareLF(e.Search) || bareLF(e.Replace)) {
			e.Search, e.Replace = toCRLF(e.Search), toCRLF(e.Replace)
			matched = MatchedLineEndings
		}
		var problem *EditError
		if !e.All && atEndWithoutLF(text, e.Search) {
			e.Search, e.Replace = trimEnd(e.Search), trimEnd(e.Replace)
			matched = MatchedLineEndings
		}
		if text, problem = apply(text, e); problem != nil {
			problem.Edit = i + 1
			return "", "", problem
		}
	}
	return text, matched, nil
}

// atEndWithoutLF tells of a search text that fits but for the line feed that
// the file's last line lacks.
func atEndWithoutLF(text, search string) bool {
	return strings.HasSuffix(search, "\n") && !strings.HasSuffix(text, "\n") &&
		trimEnd(search) != "" && strings.HasSuffix(text, trimEnd(search)) && !strings.Contains(text, search)
}

func trimEnd(text string) string {
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}

func apply(text string, e turn.Edit) (string, *EditError) {
	if e.Search == "" {
		return "", &EditError{Why: "searches for nothing", Hint: "content replaces a whole file"}
	}
	if e.All {
		return replaceAll(text, e)
	}
	at := strings.Index(text, e.Search)
	if at < 0 {
		return "", &EditError{Why: "matches nowhere", Hint: "the search text must stand in the file exactly as written"}
	}
	if n := places(text, e.Search); n > 1 {
		count := fmt.Sprint(n)
		if n == manyPlaces {
			count = fmt.Sprintf("%d or more", n)
		}
		return "", &EditError{Why: "matches " + count + " places", Hint: "more lines around it make it the only one"}
	}
	return text[:at] + e.Replace + text[at+len(e.Search):], nil
}

// places counts where a text stands in another, overlapping places too, up to
// manyPlaces.
func places(text, search string) int {
	n := 0
	for at := 0; n < manyPlaces; n++ {
		next := strings.Index(text[at:], search)
		if next < 0 {
			break
		}
		at += next + 1
	}
	return n
}

// replaceAll replaces every place that is not inside a longer identifier.
func replaceAll(text string, e turn.Edit) (string, *EditError) {
	var b strings.Builder
	first, _ := utf8.DecodeRuneInString(e.Search)
	last, _ := utf8.DecodeLastRuneInString(e.Search)
	found := false
	done := 0
	for at := 0; ; {
		next := strings.Index(text[at:], e.Search)
		if next < 0 {
			break
		}
		start, end := at+next, at+next+len(e.Search)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if identifier(first) && identifier(before) || identifier(last) && identifier(after) {
			at = start + 1
			if identifier(first) {
				at = endOfIdentifier(text, start) // what begins in it is inside it
			}
			continue
		}
		b.WriteString(text[done:start])
		b.WriteString(e.Replace)
		at, done, found = end, end, true
	}
	if !found {
		return "", &EditError{Why: "matches nowhere", Hint: "places inside longer identifiers don't count"}
	}
	b.WriteString(text[done:])
	return b.String(), nil
}

// endOfIdentifier is where the identifier ends that a place is in.
func endOfIdentifier(text string, at int) int {
	if end := strings.IndexFunc(text[at:], func(r rune) bool { return !identifier(r) }); end >= 0 {
		return at + end
	}
	return len(text)
}

func identifier(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// OnlyCRLF tells whether a text has line ends and all of them are CRLF.
func OnlyCRLF(text string) bool {
	return strings.Contains(text, "\r\n") && !bareLF(text)
}

func bareLF(text string) bool {
	return strings.Count(text, "\n") > strings.Count(text, "\r\n")
}

func toCRLF(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

const bom = "\uFEFF"

// Adopt gives a file that was written anew the habits of the one that it
// replaces, which models don't keep: byte order mark, CRLF line ends, no line
// feed at the end.
func Adopt(old, content string) string {
	if strings.HasPrefix(old, bom) && !strings.HasPrefix(content, bom) {
		content = bom + content
	}
	if OnlyCRLF(old) {
		content = toCRLF(content)
	}
	if old != "" && !strings.HasSuffix(old, "\n") {
		content = trimEnd(content)
	}
	return content
}
