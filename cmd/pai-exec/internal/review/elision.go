// Package review finds what nobody can have meant in a text that a model wrote: a line
// that stands for others, a part that stands for a whole file. It is pure. A person's or
// a model's word that something is meant goes before what it finds.
package review

import (
	"path"
	"regexp"
	"strings"

	"paicode/cmd/pai-exec/internal/change"
)

// Elision finds the first line of a new text that stands for lines which the model left
// out, and which isn't in the old one; old is empty for a new file. Lines that are meant
// as they are are passed over. The line comes back without blanks around it; empty if
// there is none.
func Elision(file, old, text string, meant []string) string {
	was := make(map[string]bool)
	for line := range strings.Lines(old) {
		was[strings.TrimSpace(line)] = true
	}
	for _, line := range meant {
		was[strings.TrimSpace(line)] = true
	}
	s := syntaxOf(file)
	hunks := change.Compare(old, text).Hunks()
	vanished := 0
	for _, h := range hunks {
		vanished += max(0, len(h.Old)-len(h.New))
	}
	lines := strings.Split(text, "\n")
	quoted := insideStrings(file, lines)
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || was[trimmed] || quoted[i] {
			continue
		}
		if elides(file, s, lines, i, vanished > 0) {
			return trimmed
		}
	}
	for _, h := range hunks {
		if line := emptied(s, h, was); line != "" {
			return line
		}
	}
	return spoken(s, hunks, was, vanished)
}

// elides judges one line by its form.
func elides(file string, s syntax, lines []string, i int, vanished bool) bool {
	line := strings.TrimSpace(lines[i])
	if dots(strings.TrimRight(line, ",;")) {
		return !s.prose && !stub(file, lines, i)
	}
	words, ok := s.comment(line)
	if !ok {
		words, ok = bracketed(line)
		if ok && s.prose {
			return false
		}
	}
	switch {
	case !ok:
		return false
	case begins(words):
		return true
	}
	return ends(words) && (vanished || wholeBody(lines, i))
}

// dots reports whether a text is nothing but dots, three at least.
func dots(text string) bool {
	return text == "…" || len(text) >= 3 && strings.Trim(text, ".") == ""
}

func begins(words string) bool {
	return strings.HasPrefix(words, "...") || strings.HasPrefix(words, "…")
}

func ends(words string) bool {
	return strings.HasSuffix(words, "...") || strings.HasSuffix(words, "…")
}

// stub reports whether dots are what a language calls an empty body, or the end of a
// document.
func stub(file string, lines []string, i int) bool {
	switch path.Ext(file) {
	case ".py", ".pyi":
		before := previous(lines, i)
		return strings.HasSuffix(before, ":") || strings.HasSuffix(before, `"""`)
	case ".yml", ".yaml":
		return strings.TrimRight(lines[i], " \r") == "..."
	}
	return false
}

// previous is the line before one that is not blank, without blanks around it.
func previous(lines []string, i int) string {
	for i--; i >= 0; i-- {
		if line := strings.TrimSpace(lines[i]); line != "" {
			return line
		}
	}
	return ""
}

// wholeBody reports whether a line is all that a block holds.
func wholeBody(lines []string, i int) bool {
	before := previous(lines, i)
	if !strings.HasSuffix(before, "{") && !strings.HasSuffix(before, ":") {
		return false
	}
	for _, after := range lines[i+1:] {
		if rest := strings.TrimSpace(after); rest != "" {
			return strings.HasPrefix(rest, "}") || indentation(after) < indentation(lines[i])
		}
	}
	return true
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// insideStrings marks the lines that lie in a Python text of several lines.
func insideStrings(file string, lines []string) []bool {
	inside := make([]bool, len(lines))
	if ext := path.Ext(file); ext != ".py" && ext != ".pyi" {
		return inside
	}
	open := ""
	for i, line := range lines {
		inside[i] = open != ""
		for _, mark := range []string{`"""`, `'''`} {
			if n := strings.Count(line, mark); n%2 == 1 && (open == "" || open == mark) {
				if open == "" {
					open = mark
				} else {
					open = ""
				}
			}
		}
	}
	return inside
}

// emptied finds a comment that takes the place of two lines of code and more, where no
// other code does.
func emptied(s syntax, h change.Hunk, was map[string]bool) string {
	if s.prose {
		return ""
	}
	code := 0
	for _, line := range h.Old {
		if _, isComment := s.comment(line); !isComment && strings.TrimSpace(line) != "" {
			code++
		}
	}
	found := ""
	for _, line := range h.New {
		line = strings.TrimSpace(line)
		_, isComment := s.comment(line)
		if line != "" && !isComment {
			return ""
		}
		if isComment && found == "" && !was[line] && bare(line) != "" {
			found = line
		}
	}
	if code < 2 {
		return ""
	}
	return found
}

// spoken finds a new comment that says in English that others stay, where lines vanish
// anywhere in the file.
func spoken(s syntax, hunks []change.Hunk, was map[string]bool, vanished int) string {
	if vanished < 2 || s.prose {
		return ""
	}
	says := regexp.MustCompile(`(?i)\b(rest of|remaining|existing|other|previous|same)\b.*\b(code|file|methods?|functions?|class|lines?|implementation|content|unchanged|remains?|before|above|here|items?)\b|\b(unchanged|omitted for brevity|for brevity|stays the same|remains the same|same as before)\b`)
	for _, h := range hunks {
		for _, line := range h.New {
			line = strings.TrimSpace(line)
			words, ok := s.comment(line)
			if !ok {
				words, ok = bracketed(line)
			}
			if ok && !was[line] && says.MatchString(words) {
				return line
			}
		}
	}
	return ""
}
