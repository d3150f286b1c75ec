package change

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"paicode/pkg/turn"
)

// How the edits of a step were found in the text, from the strictest to the
// most tolerant. Of several edits the most tolerant counts.
const (
	MatchedExact          = "exact"
	MatchedLineEndings    = "line-endings"    // the text has CRLF, or no line end at its end, where the edit has LF
	MatchedTrailingBlanks = "trailing-blanks" // and blanks at the ends of lines differ
	MatchedIndentation    = "indentation"     // and all lines are indented by the same string more or less
	MatchedBlankLines     = "blank-lines"     // and there are other blank lines between the lines
	// tabs stand throughout where the edit has a number of blanks, or the other way round
	MatchedTabs       = "tabs"
	MatchedPartOfLine = "part-of-line" // punctuation, or a comment, is behind the last line
)

// manyPlaces is where counting places stops.
const manyPlaces = 100

// EditError says which edit doesn't fit, counted from one, and why.
type EditError struct {
	Edit  int
	Why   string
	Hint  string
	Near  Near  // what comes nearest to a search text that stands nowhere
	Lines []int // where it shows, counted from one, in the text as the edits before left it
}

func (e *EditError) Error() string { return fmt.Sprintf("edit %d %s", e.Edit, e.Why) }

// Explain is the hint, and what comes nearest where something does.
func (e *EditError) Explain() string {
	switch {
	case e.Near.Line == 0 && len(e.Lines) > 1:
		var numbers []string
		for _, n := range e.Lines {
			numbers = append(numbers, strconv.Itoa(n))
		}
		return fmt.Sprintf("%s; it stands at lines %s", e.Hint, strings.Join(numbers, ", "))
	case e.Near.Line == 0:
		return e.Hint
	}
	return fmt.Sprintf("line %d comes nearest (- searched, + there):\n%s", e.Near.Line,
		strings.TrimSuffix(e.Near.Diff, "\n"))
}

// Apply makes edits in order. Each is looked for in the text that the earlier
// ones left, first exactly, then with the differences that can't change its
// meaning, and must be in one place; places in what the earlier ones wrote
// count only if there is no other. All of them fit, or the error is an
// *EditError.
func Apply(text string, edits []turn.Edit) (result, matched string, err error) {
	text, matched, failed := ApplyEach(text, edits)
	if len(failed) > 0 {
		return "", "", failed[0]
	}
	return text, matched, nil
}

// ApplyEach does the same, but goes on after an edit that doesn't fit: the
// result is what the others lead to.
//
// A byte order mark is no part of the first line, unless an edit has one.
func ApplyEach(text string, edits []turn.Edit) (result, matched string, failed []*EditError) {
	if rest, ok := strings.CutPrefix(text, bom); ok &&
		!slices.ContainsFunc(edits, func(e turn.Edit) bool { return strings.HasPrefix(e.Search, bom) }) {
		result, matched, failed = ApplyEach(rest, edits)
		return bom + result, matched, failed
	}
	m := newMatcher(text, edits)
	for i, e := range edits {
		if problem := m.apply(i, e); problem != nil {
			problem.Edit = i + 1
			failed = append(failed, problem)
		}
	}
	return m.current(), levels()[m.worst], failed
}

// replaceAll replaces every place that is not inside a longer identifier. A result of more
// than limit bytes is refused.
func replaceAll(text string, e turn.Edit, limit int, work *budget) (string, *EditError) {
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
		if !work.spend(1) {
			return "", work.problem()
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
		if size := b.Len() + len(text) - end; size > limit {
			return "", &EditError{Why: fmt.Sprintf("makes more than %d bytes of %d", limit, len(text)),
				Hint: fmt.Sprintf("a file may grow to %d times its size, and by what the plan holds", growth)}
		}
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
	const nonJoiner, joiner = '\u200c', '\u200d'
	return r == '_' || r == joiner || r == nonJoiner || r != utf8.RuneError &&
		(unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// OnlyCRLF reports whether a text has line ends and all of them are CRLF.
func OnlyCRLF(text string) bool {
	return strings.Contains(text, "\r\n") && !bareLF(text)
}

func bareLF(text string) bool {
	return strings.Count(text, "\n") > strings.Count(text, "\r\n")
}

func toCRLF(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

func trimEnd(text string) string {
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}

const bom = "\uFEFF"

// Adopt gives a file that was written again the habits of the one that it
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
