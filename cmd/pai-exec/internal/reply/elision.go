package reply

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/find"
	"paicode/pkg/lazyregexp"
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
	quoted, f := insideStrings(file, lines), elisions()
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || was[trimmed] || quoted[i] {
			continue
		}
		if f.elides(file, s, lines, i, vanished > 0) {
			return trimmed
		}
	}
	for _, h := range hunks {
		if line := emptied(s, declares(file), h, was); line != "" {
			return line
		}
	}
	return spoken(s, hunks, was, vanished)
}

// elisionForms are the patterns of lines that stand for others.
type elisionForms struct {
	emptyBody  *regexp.Regexp // a body on one line that holds nothing but dots: "{ ... }"
	behindCode *regexp.Regexp // a comment that begins with dots behind code
	between    *regexp.Regexp // dots between the members of a list, or the words of a line
	inString   *regexp.Regexp // a member that is nothing but a text, as notebooks hold their lines
	saysMore   *regexp.Regexp // dots with words behind them that are no code
	keyDots    *regexp.Regexp // a member or an entry of dots in JSON
	spread     *regexp.Regexp // an expression that is spread, as in JavaScript: "...props"
	closes     *regexp.Regexp // what ends a block
}

var elisions = sync.OnceValue(func() *elisionForms {
	return &elisionForms{
		emptyBody:  regexp.MustCompile(`[^\s(,=]\s*\{\s*(/\*)?\s*(\.{3,}|…|⋯)\s*(\*/)?\s*\}`),
		behindCode: regexp.MustCompile(`[\s\[({,](//|#|/\*|<!--)\s*(\.{3,}|…|⋯)`),
		between:    regexp.MustCompile(`,\s*(\.{3}|…)\s*,`),
		inString:   regexp.MustCompile(`^"((?:#|//)\s*(?:\.{3}|…).*?)(?:\\n)?",?$`),
		saysMore:   regexp.MustCompile(`^(\.{3,}|…|⋯)\s*\pL+\s+\pL+`),
		keyDots:    regexp.MustCompile(`^"(\.{3}|…)"\s*(:.*)?,?$`),
		spread:     regexp.MustCompile(`^\.{3}[\pL_$(\[{]`),
		closes:     regexp.MustCompile(`^(\}|end\b|fi\b|done\b|esac\b|</|\)|\])`),
	}
})

// elides judges one line by its form.
func (f *elisionForms) elides(file string, s syntax, lines []string, i int, vanished bool) bool {
	line := strings.TrimSpace(lines[i])
	switch {
	case f.keyDots.MatchString(line):
		return true
	case spreads(file) && strings.HasPrefix(line, "..."):
		return dots(strings.TrimRight(line, ",;"))
	case dots(strings.TrimRight(strings.TrimPrefix(line, "- "), ",;")):
		return !s.prose && !stub(file, lines, i)
	case strings.HasPrefix(line, "|") && dots(strings.NewReplacer("|", "", "\t", "").Replace(line)):
		return vanished // a row of a table
	case s.prose:
		words, ok := s.comment(line)
		return ok && begins(words)
	case f.within(file, line):
		return true
	}
	words, ok := s.comment(line)
	if !ok {
		words, ok = f.bracketed(file, line)
	}
	return ok && (begins(words) || ends(words) && (vanished || f.wholeBody(lines, i)))
}

// within reports whether dots, or a comment with them, are in a line of code for what is
// left out of it.
func (f *elisionForms) within(file, line string) bool {
	// among parameters, or of its own
	ellipsis := slices.Contains([]string{".py", ".pyi", ".lua", ".r"}, strings.ToLower(path.Ext(file)))
	return f.emptyBody.MatchString(line) && !yada(file) || f.behindCode.MatchString(line) ||
		f.saysMore.MatchString(line) || f.inString.MatchString(line) ||
		f.between.MatchString(line) && !ellipsis || isMakefile(file) && strings.Contains(line, " ... ")
}

// bracketed are the words of a line that is nothing but brackets around them, if they are
// no code.
func (f *elisionForms) bracketed(file, line string) (words string, ok bool) {
	words, ok = bracketed(line)
	if f.spread.MatchString(words) && !f.saysMore.MatchString(words) || dots(words) && variadic(file) {
		return "", false
	}
	return words, ok
}

// dots reports whether a text is nothing but dots, three at least, or a letter for them.
func dots(text string) bool {
	text = strings.ReplaceAll(text, " ", "")
	return text != "" && strings.Trim(text, "…⋯") == "" || len(text) >= 3 && strings.Trim(text, ".") == ""
}

func begins(words string) bool {
	return strings.HasPrefix(words, "...") || strings.HasPrefix(words, "…") || strings.HasPrefix(words, "⋯")
}

func ends(words string) bool {
	return strings.HasSuffix(words, "...") || strings.HasSuffix(words, "…")
}

// spreads reports whether dots before a name stand for fields in a file's language.
func spreads(file string) bool {
	return slices.Contains([]string{".graphql", ".gql"}, strings.ToLower(path.Ext(file)))
}

// yada reports whether dots are a statement in a file's language, as in Perl.
func yada(file string) bool {
	return slices.Contains([]string{".pl", ".pm", ".t", ".raku"}, strings.ToLower(path.Ext(file)))
}

// variadic reports whether dots by themselves are a parameter in a file's language.
func variadic(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".lua", ".r", ".rb":
		return true
	}
	return false
}

// stub reports whether dots are what a language calls an empty body, or the end of a
// document.
func stub(file string, lines []string, i int) bool {
	if yada(file) {
		return true
	}
	before := previous(lines, i)
	if variadic(file) && (strings.HasSuffix(before, ",") || strings.HasSuffix(before, "(") ||
		strings.HasSuffix(before, "{")) {
		return true
	}
	switch path.Ext(file) {
	case ".py", ".pyi":
		before, _, _ = strings.Cut(before, "  #")
		return strings.HasSuffix(before, ":") || strings.HasSuffix(before, `"""`) || strings.HasSuffix(lines[i], ",")
	case ".yml", ".yaml":
		return strings.TrimRight(lines[i], " \r") == "..."
	}
	return false
}

// previous is the line before one that is not blank, without blanks around it.
func previous(lines []string, i int) string { return strings.TrimSpace(lineBefore(lines, i)) }

// wholeBody reports whether a line is all that a block holds.
func (f *elisionForms) wholeBody(lines []string, i int) bool {
	before := previous(lines, i)
	opens := strings.HasSuffix(before, "{") || strings.HasSuffix(before, ":")
	for _, after := range lines[i+1:] {
		if rest := strings.TrimSpace(after); rest != "" {
			closes := f.closes.MatchString(rest)
			return find.Indentation(lineBefore(lines, i)) < find.Indentation(lines[i]) &&
				(closes || opens && find.Indentation(after) < find.Indentation(lines[i])) || opens && closes
		}
	}
	return opens
}

// lineBefore is the line before one that is not blank, as it is.
func lineBefore(lines []string, i int) string {
	for i--; i >= 0; i-- {
		if strings.TrimSpace(lines[i]) != "" {
			return lines[i]
		}
	}
	return ""
}

// insideStrings marks the lines that are in a Python text of several lines.
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

// code counts the lines that are neither blank nor comments.
func (s syntax) code(lines []string) (n int) {
	for _, line := range lines {
		if _, isComment := s.comment(line); !isComment && strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// emptied finds a comment that takes the place of two lines of code and more: where no
// other code does, or where it comes last and less code comes before it; or first, where
// members of a list go.
func emptied(s syntax, declares bool, h change.Hunk, was map[string]bool) string {
	if s.prose {
		s.marks = s.marks[:1] // a # begins a heading there
	}
	gone, come := s.code(h.Old), s.code(h.New)
	returns := slices.ContainsFunc(h.Old,
		func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "return ") })
	found, first, last := s.comments(h.New, was)
	switch {
	case (gone >= 2 || returns) && come == 0:
		return found
	case last != "" && (gone-come >= 2 || returns && strings.HasPrefix(strings.TrimSpace(h.Old[len(h.Old)-1]), "return ")):
		return last
	// a comment explains no markup
	case gone > come && gone >= 2 && slices.Contains(s.marks, "<!--") && !slices.Contains(s.marks, "#"):
		return found
	case gone-come >= 2 && (declares || members(h.Old)): // nor why members of a list go
		return first
	}
	return ""
}

// comments finds the first comment among lines that says something new, and the same if it
// is before all code, or the last behind all.
func (s syntax) comments(lines []string, was map[string]bool) (found, first, last string) {
	code := false
	for _, line := range lines {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		last = ""
		if _, isComment := s.comment(line); !isComment {
			code = true
			continue
		}
		if was[line] || bare(line) == "" {
			continue
		}
		last = line
		if found == "" {
			found = line
		}
		if !code && first == "" {
			first = line
		}
	}
	return found, first, last
}

// declares reports whether a file's language has no statements: its lines are members.
func declares(file string) bool {
	return slices.Contains([]string{".yml", ".yaml", ".toml", ".ini", ".cfg", ".conf", ".env", ".properties", ".proto",
		".graphql", ".gql", ".css", ".scss", ".less", ".tf", ".hcl",
		".json5", ".jsonc", ".sql"}, strings.ToLower(path.Ext(file)))
}

// members reports whether lines are members of a list: all but the last end with a comma.
func members(lines []string) bool {
	var full []string
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			full = append(full, line)
		}
	}
	return len(full) > 2 && !slices.ContainsFunc(full[:len(full)-1],
		func(line string) bool { return !strings.HasSuffix(line, ",") })
}

var (
	saysForm    = lazyregexp.New(`(?i)\b(rest of|remaining|existing|other|previous)\b.*\b(code|file|methods?|functions?|class|lines?|implementation|content|unchanged|remains?|before|above|here|items?|logic|body|handling|behaviou?r|statements?|fields?|properties|parameters?|imports?|tests?|cases?|routes?|cells?)\b|\b(unchanged|omitted for brevity|for brevity|stays the same|remains the same|(the )?same as (before|above)\W*$)`)
	onlyForm    = lazyregexp.New(`(?i)^\W*((the|all|your|any|my)\s+)*(rest of|remaining|existing|other|previous|original)\s+([\w'-]+\s+){0,3}[\w'-]+\W*$`)
	snippedForm = lazyregexp.New(`(?i)^\W*(snip(ped)?|omitted|truncated|elided|abridged|((body|code|rest|content|logic|same)\s+)?as (before|above))\W*$`)
	bracesForm  = lazyregexp.New(`\{\s*/\*\s*(.*?)\s*\*/\s*\}`)
)

// spoken finds a new comment that says in English that others stay, where lines vanish
// anywhere in the file, or code in its place.
func spoken(s syntax, hunks []change.Hunk, was map[string]bool, vanished int) string {
	says := saysForm()
	only := onlyForm()
	snipped := snippedForm()
	// a comment that is a body on one line: "{ /* as before */ }"
	braces := bracesForm()
	for _, h := range hunks {
		if vanished == 0 && s.code(h.Old) == 0 {
			continue
		}
		for _, line := range h.New {
			line = strings.TrimSpace(line)
			words, ok := s.comment(line)
			if s.prose {
				ok = strings.HasPrefix(line, "<!--")
			} else if !ok {
				words, ok = bracketed(line)
			}
			if m := braces.FindStringSubmatch(line); m != nil && !ok {
				words, ok = m[1], true
			}
			if ok && !was[line] && (says.MatchString(words) || snipped.MatchString(words) || s.code(h.Old) > s.code(h.New)+1 &&
				only.MatchString(words)) {
				return line
			}
		}
	}
	return ""
}
