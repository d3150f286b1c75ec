package reply

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"paicode/cmd/pai-exec/internal/find"
	"paicode/pkg/lazyregexp"
)

// Limits of what a whole file may lose.
const (
	smallLines = 10      // a file up to this keeps no fewer lines than it had
	keptLines  = 2.0 / 3 // of a file without definitions, at least
	shortBody  = 6       // a definition up to this may become any other of its length
	shortest   = 3       // a shorter one may become any other
	keptBody   = 1.0 / 2 // of a longer one, at least
)

// Part says why a text that stands for a whole file can't be all of it: what it lacks of
// the old one. Names among words, which are those of the request and the step, and names
// that are removed on purpose may be gone. Empty if nothing is missing.
func Part(file, old, text, words string, removed []string) Problem {
	if why := tabs(old, text); why != "" && !speaksOf(words, "tabs") && !speaksOf(words, "spaces") {
		return why
	}
	was, is := filled(old), filled(text)
	if len(was) <= smallLines && len(is) < len(was) && len(removed) == 0 {
		return Problem(fmt.Sprintf("it has %d lines where %d were", len(is), len(was)))
	}
	if why := head(was, is, words, tail(old)); why != "" {
		return why
	}
	mayGo := func(name string) bool { return slices.Contains(removed, name) || speaksOf(words, name) }
	if why := sections(file, was, is, mayGo); why != "" {
		return why
	}
	defs, now := find.Definitions(file, old), find.Definitions(file, text)
	if len(defs) == 0 {
		if kept := shared(was, is); len(was) > smallLines && len(is) < len(was) && len(removed) == 0 &&
			float64(kept) < keptLines*float64(len(was)) {
			return Problem(fmt.Sprintf("of %d lines it keeps %d", len(was), kept))
		}
	}
	if why := edges(was, is); why != "" && len(is) < len(was) && len(removed) == 0 {
		return why
	}
	return lacking(old, text, defs, now, mayGo)
}

// lacking says which definition is missing, or most of one, but for those that may go.
func lacking(old, text string, defs, now []find.Definition, mayGo func(name string) bool) Problem {
	oldBodies, newBodies := bodies(old, defs), bodies(text, now)
	before, after := counts(defs), counts(now)
	for _, d := range defs {
		if mayGo(d.Name) {
			continue
		}
		body, there := newBodies[d.Name]
		was := oldBodies[d.Name]
		switch {
		case !there || after[d.Name] < before[d.Name]:
			return Problem(fmt.Sprintf("the definition of %s is missing", d.Name))
		case filledIn(was) > 0 && there && filledIn(body) == 0:
			return Problem(fmt.Sprintf("what %s does is missing", d.Name))
		case len(was) >= shortest && 2*(len(body)-1) < len(was)-1, len(was) > shortBody &&
			float64(shared(was, body)) < keptBody*float64(len(was)):
			return Problem(fmt.Sprintf("more than half of %s is missing", d.Name))
		}
	}
	return ""
}

// filledIn is how many lines of a definition do something, behind its first.
func filledIn(body []string) (n int) {
	for _, line := range body[min(1, len(body)):] {
		if strings.ContainsFunc(line, unicode.IsLetter) && line != "end" {
			n++
		}
	}
	return n
}

var headerForm = lazyregexp.New(`^\s*(?:async\s+)?(def|class|if|elif|else|for|while|with|try|except|finally)\b[^#]*:\s*(#.*)?$`)

// bodiless says which header of a Python file has no body, as where its indentation is lost,
// but for one that had none before.
func bodiless(file, old, text string) Problem {
	if ext := path.Ext(file); ext != ".py" && ext != ".pyi" {
		return ""
	}
	header := headerForm()
	lines := strings.Split(text, "\n")
	quoted := insideStrings(file, lines)
	last := -1 // the header that still wants its body
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") || quoted[i] {
			continue
		}
		if last >= 0 && find.Indentation(line) <= find.Indentation(lines[last]) &&
			!strings.Contains("\n"+old, "\n"+lines[last]+"\n"+line+"\n") {
			return Problem(strings.TrimSpace(lines[last]) + " has no body")
		}
		last = -1
		if header.MatchString(line) {
			last = i
		}
	}
	return ""
}

// Broken says what can't be meant in a new text, however it came about: a header in Python
// that has no body, a definition at the left margin that is there twice to the letter.
// What the old text had is passed over. Empty if nothing is.
func Broken(file, old, text string) Problem {
	if why := bodiless(file, old, text); why != "" {
		return why
	}
	was, is := copies(file, old), copies(file, text)
	for _, body := range slices.Sorted(maps.Keys(is)) {
		const few = 2 // lines
		if name, lines, _ := strings.Cut(body, "\n"); is[body] > max(1, was[body]) && strings.Count(lines, "\n") >= few-1 {
			return Problem("the definition of " + name + " stands in it twice")
		}
	}
	return ""
}

// copies counts definitions at the left margin by their text, behind their name.
func copies(file, text string) map[string]int {
	n := make(map[string]int)
	defs := find.Definitions(file, text)
	lines := strings.Split(text, "\n")
	for i, d := range defs {
		end := len(lines)
		if i+1 < len(defs) {
			end = defs[i+1].Line - 1
		}
		if find.Indentation(lines[d.Line-1]) == 0 {
			n[d.Name+"\n"+strings.Join(filled(strings.Join(lines[d.Line-1:end], "\n")), "\n")]++
		}
	}
	return n
}

var (
	makeHeadForm  = lazyregexp.New(`^([\w.-]+):$`)
	tableHeadForm = lazyregexp.New(`^\[+([^\]]+)\]+$`)
	braceHeadForm = lazyregexp.New(`^([^{}]+?)\s*\{$`)
)

// sections says which section of a file that has them is missing, by the heads that its
// language gives them.
func sections(file string, was, is []string, mayGo func(name string) bool) Problem {
	var head *regexp.Regexp
	switch strings.ToLower(path.Ext(file)) {
	case ".yml", ".yaml":
		head = makeHeadForm()
	case ".toml", ".ini", ".cfg", ".conf":
		head = tableHeadForm()
	case ".css", ".scss", ".less":
		head = braceHeadForm()
	default:
		return ""
	}
	there := make(map[string]bool)
	for _, line := range is {
		there[line] = true
	}
	for _, line := range was {
		if m := head.FindStringSubmatch(line); m != nil && !there[line] && !mayGo(m[1]) {
			return Problem(fmt.Sprintf("the section %s is missing", m[1]))
		}
	}
	return ""
}

// counts is how many definitions have each name.
func counts(defs []find.Definition) map[string]int {
	n := make(map[string]int)
	for _, d := range defs {
		n[d.Name]++
	}
	return n
}

// speaksOf reports whether a name is in words by itself.
func speaksOf(words, name string) bool {
	for at := 0; name != ""; {
		i := strings.Index(words[at:], name)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(words[:at+i])
		after, _ := utf8.DecodeRuneInString(words[at+i+len(name):])
		if !inName(before) && !inName(after) {
			return true
		}
		at += i + len(name)
	}
	return false
}

func inName(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// filled are a text's lines that are not blank, without blanks around them.
func filled(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// shared is how many of the old lines stand among the new ones.
func shared(old, text []string) (n int) {
	have := make(map[string]int)
	for _, line := range text {
		have[line]++
	}
	for _, line := range old {
		if have[line]--; have[line] >= 0 {
			n++
		}
	}
	return n
}

var frameForm = lazyregexp.New(`^(package|namespace|module|<\?php|<!DOCTYPE|<\?xml|if __name__|export default|module\.exports|['"]use (strict|client|server)['"]|<(template|script|style|html|head|body)|return \w+$)`)

// head says what is missing of what frames a file, by the language's words for it: the
// line that names its interpreter, its package, most of its imports, what it exports or
// runs at its end. What the request speaks of may go.
func head(was, is []string, words, tail string) Problem {
	if len(was) > 0 && strings.HasPrefix(was[0], "#!") && (len(is) == 0 || !strings.HasPrefix(is[0], "#!")) {
		return Problem("its first line, " + was[0] + ", is missing")
	}
	frame := frameForm()
	for _, line := range was {
		word := frame.FindString(line)
		if strings.HasPrefix(word, "return ") && line != tail {
			continue
		}
		if word != "" && !strings.Contains(words, word) &&
			!slices.ContainsFunc(is, func(l string) bool { return strings.HasPrefix(l, word) }) {
			return Problem(line + " is missing")
		}
	}
	return imports(was, is, words)
}

// edges says that none of a longer file's first lines, or of its last, is there.
func edges(was, is []string) Problem {
	const few = 3
	if len(was) <= smallLines {
		return ""
	}
	gone := func(lines []string) bool {
		return !slices.ContainsFunc(lines, func(line string) bool { return slices.Contains(is, line) })
	}
	switch {
	case gone(was[:few]):
		return Problem("its beginning, " + was[0] + ", is missing")
	case gone(was[len(was)-few:]):
		return Problem("its end, " + was[len(was)-1] + ", is missing")
	}
	return ""
}

var importForm = lazyregexp.New(`^(import|from|use|using|require|require_relative|#include|const \w+ = (require|@import)|@import|\\(documentclass|usepackage))\b`)

// imports says that most of what a file imports is missing, but for a request about that.
func imports(was, is []string, words string) Problem {
	form := importForm()
	had, has := 0, 0
	first := ""
	spoken := func(line string) bool {
		return slices.ContainsFunc(strings.FieldsFunc(form.ReplaceAllString(line, ""),
			func(r rune) bool { return !inName(r) }), func(name string) bool { return len(name) > 2 && speaksOf(words, name) })
	}
	for _, line := range was {
		if form.MatchString(line) && (!spoken(line) || slices.Contains(is, line)) {
			if had++; first == "" {
				first = line
			}
		}
	}
	for _, line := range is {
		if form.MatchString(line) {
			has++
		}
	}
	if had > 0 && 2*has < had+had%2 && !strings.Contains(words, "import") {
		return Problem("its beginning, " + first + ", is missing")
	}
	return ""
}

// tail is the last line of a text, if it isn't indented.
func tail(text string) string {
	lines := strings.Split(strings.TrimRight(text, " \t\r\n"), "\n")
	if last := lines[len(lines)-1]; find.Indentation(last) == 0 {
		return strings.TrimRight(last, " \t\r")
	}
	return ""
}

// bodies are the lines of definitions, up to the next that is indented no further.
func bodies(text string, defs []find.Definition) map[string][]string {
	lines := strings.Split(text, "\n")
	out := make(map[string][]string)
	for i, d := range defs {
		end := len(lines)
		for _, next := range defs[i+1:] {
			if find.Indentation(lines[next.Line-1]) <= find.Indentation(lines[d.Line-1]) {
				end = next.Line - 1
				break
			}
		}
		out[d.Name] = append(out[d.Name], filled(strings.Join(lines[d.Line-1:end], "\n"))...)
	}
	return out
}

var (
	deepForm     = lazyregexp.New(`(?m)^[ \t]+\S`)
	indentedForm = lazyregexp.New(`(?m)^[ \t]+\S|\S  +\S`)
)

// tabs says that a file with tabs comes back without any.
func tabs(old, text string) Problem {
	const some = 3
	if deep := deepForm(); len(deep.FindAllString(old, some)) == some &&
		!deep.MatchString(text) && strings.Count(text, "\n") > some {
		return "its indentation is missing"
	}
	indented := indentedForm()
	inLines := strings.Contains("\n"+old, "\n\t") || 2*strings.Count(old, "\t") > strings.Count(old, "\n") &&
		strings.Count(old, "\n") > 1
	if inLines && !strings.Contains(text, "\t") && indented.MatchString(text) {
		return "its tabs are missing"
	}
	return ""
}
