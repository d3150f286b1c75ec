package reply

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"paicode/cmd/pai-exec/internal/find"
	"paicode/pkg/lazyregexp"
)

// plain takes out of a new line what only a chat's window has: marks of citations, links of
// an address to itself, and Markdown's escapes of _ in code.
func (c *Cleaner) plain(line string) string {
	line = c.cited.ReplaceAllString(line, "")
	line = c.link.ReplaceAllStringFunc(line, func(link string) string {
		m := c.link.FindStringSubmatch(link)
		if m[1] == m[2] {
			return m[1]
		}
		return link
	})
	if statements(c.file) && c.escaped.MatchString(c.quoted.ReplaceAllString(line, "")) && !strings.Contains(c.old, `\_`) {
		line = strings.ReplaceAll(line, `\_`, "_")
	}
	return line
}

// statements reports whether a file's language has names with _, and no use for \_.
func statements(file string) bool {
	return slices.Contains([]string{".py", ".go", ".js", ".ts", ".jsx", ".tsx", ".java", ".c", ".h", ".cc", ".cpp", ".rs",
		".rb", ".cs", ".kt", ".swift", ".php", ".scala", ".lua"},
		strings.ToLower(path.Ext(file)))
}

var (
	goneForm  = lazyregexp.New(`(?i)^[(\[<*_]+(deleted|removed|empty|nothing|none)( (line|lines|block|here))?[)\]>*_.]+$`)
	arrowForm = lazyregexp.New(`(?i)\s(<-{1,2}|←|⬅)\s*(changed|new|added|modified|updated|fixed|here|this|removed|note)\b[^"']*$`)
)

// alien says what is in new lines and can't be meant in a file of code; empty if
// nothing does.
func (c *Cleaner) alien(text string) Problem {
	if isProse(c.file) {
		return ""
	}
	gone := goneForm()
	if line := strings.TrimSpace(text); gone.MatchString(line) && !c.was[line] {
		return Problem(line + " stands where nothing should stand")
	}
	a := aliens{arrow: arrowForm(),
		ext: strings.ToLower(path.Ext(c.file)), code: isCode(c.file), tabs: strings.Contains(c.old, "\t")}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || c.was[trimmed] {
			continue
		}
		if why := a.in(line, c.quoted.ReplaceAllString(trimmed, "")); why != "" {
			return why + Problem(": "+trimmed)
		}
	}
	return ""
}

// aliens are what has no place in lines of code.
type aliens struct {
	arrow *regexp.Regexp
	ext   string
	code  bool // the language knows no other punctuation than ASCII's
	tabs  bool // are in the old text
}

// in says what is in a line, given as it is and without what is quoted.
func (a aliens) in(line, bare string) Problem {
	code, _, _ := strings.Cut(bare, "//")
	code, _, _ = strings.Cut(code, "#")
	in := func(all ...string) bool { return slices.Contains(all, a.ext) }
	switch {
	case a.code && strings.ContainsAny(code, "（），；：［］｛｝") && !in(".css", ".scss", ".yml", ".yaml"):
		return "full-width punctuation stands in its code"
	case a.code && len(bare) > 4 && strings.HasPrefix(bare, "**") && strings.HasSuffix(bare, "**") &&
		strings.ContainsAny(bare, "();="):
		return "** stands around its code"
	case a.arrow.MatchString(code) && !strings.Contains(code, "<!--"):
		return "an arrow points at its code"
	case in(".yml", ".yaml") && strings.Contains(line[:find.Indentation(line)], "\t") && !a.tabs:
		return "a tab indents YAML"
	}
	return ""
}
