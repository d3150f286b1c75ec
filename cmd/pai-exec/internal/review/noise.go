package review

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"paicode/pkg/turn"
)

// Clean takes out of a whole file what a model put in on the way: line numbers, entities
// for < and >, blanks that aren't, a mark at the beginning, line ends as two characters.
// Lines of the old text stay as they are, and so does what is quoted. Problem says what can
// only be a mistake, and that nobody can mend; lines that are meant are none.
func Clean(file, old, text string, meant []string) (clean, problem string) {
	was := known(old, meant)
	if !strings.HasPrefix(old, bom) {
		text = strings.TrimPrefix(text, bom)
	}
	if plain, ok := unnumbered(file, text); ok {
		if _, so := unnumbered(file, old); !so {
			text = plain
		}
	}
	if plain, ok := unfolded(file, text); ok && !was[strings.TrimSpace(text)] {
		text = plain
	}
	text, problem = cleanLines(file, was, text)
	if isMakefile(file) && old == "" {
		text = recipes(text, false)
	}
	if problem == "" {
		problem = talk(file, text, was)
	}
	return text, problem
}

// CleanEdit does the same for an edit. Its search text loses what it must to stand in the
// old text, and the replacement with it. Words are those of the request and the step.
func CleanEdit(file, old string, e turn.Edit, words string, meant []string) (clean turn.Edit, problem string) {
	was := known(old, meant)
	number := func(text string) string {
		if plain, ok := unnumbered(file, text); ok {
			return plain
		}
		return text
	}
	visible := func(text string) string { return invisible().Replace(text) }
	for _, f := range []func(string) string{number, entities().Replace, visible} {
		if plain := f(e.Search); plain != e.Search && !holds(old, e.Search) && holds(old, plain) {
			e.Search, e.Replace = plain, f(e.Replace)
		}
	}
	if e.All {
		return e, ""
	}
	if why := leading(file, e); why != "" {
		return e, why
	}
	if plain, ok := unfolded(file, e.Replace); ok && !strings.Contains(old, `\n`) {
		e.Replace = plain
	}
	if e.Replace, problem = cleanLines(file, was, e.Replace); problem != "" {
		return e, problem
	}
	if isMakefile(file) {
		e.Replace = recipes(e.Replace, strings.HasPrefix(e.Search, "\t"))
	}
	if speaksOf(words, "tabs") || speaksOf(words, "spaces") || speaksOf(words, "indentation") {
		return e, ""
	}
	e.Replace, problem = indentedAlike(old, e)
	return e, problem
}

// leading says what stands before all lines of a replacement and not of the search text.
func leading(file string, e turn.Edit) string {
	if _, ok := unnumbered(file, e.Replace); ok && strings.Count(e.Replace, "\n") > 1 {
		if _, so := unnumbered(file, e.Search); !so {
			return "numbers stand before its lines"
		}
	}
	if !strings.HasPrefix(e.Replace, "+") || isProse(file) || strings.Contains("\n"+e.Search, "\n+") {
		return ""
	}
	for line := range strings.Lines(e.Replace) {
		if !strings.ContainsAny(line[:1], "+ \t\n") {
			return ""
		}
	}
	return "+ stands before its lines"
}

const bom = "\uFEFF"

// known are the lines of the old text, and those that are meant.
func known(old string, meant []string) map[string]bool {
	was := make(map[string]bool)
	for line := range strings.Lines(old) {
		was[strings.TrimSpace(line)] = true
	}
	for _, line := range meant {
		was[strings.TrimSpace(line)] = true
	}
	return was
}

func holds(text, part string) bool { return strings.Contains(text, strings.TrimSuffix(part, "\n")) }

func isProse(file string) bool {
	if base := path.Base(file); base == "CMakeLists.txt" || strings.HasPrefix(base, "requirements") {
		return false
	}
	return slices.Contains([]string{".md", ".markdown", ".mdx", ".txt", ".rst", ".adoc", ".tex", ".csv", ".tsv", ".log", ".po", ".srt", ".patch", ".diff"}, strings.ToLower(path.Ext(file)))
}

func isMarkup(file string) bool {
	return slices.Contains([]string{".html", ".htm", ".xml", ".svg", ".vue", ".svelte", ".jsx", ".tsx", ".php", ".erb", ".hbs", ".ejs", ".xhtml", ".xsl", ".plist"}, strings.ToLower(path.Ext(file)))
}

func isMakefile(file string) bool {
	return slices.Contains([]string{"Makefile", "makefile", "GNUmakefile"}, path.Base(file)) || path.Ext(file) == ".mk"
}

// unnumbered takes line numbers from all lines, which go up by one; ok is false if they
// aren't numbered, or may be data.
func unnumbered(file, text string) (plain string, ok bool) {
	form := regexp.MustCompile(`^\s*(L?)(\d+)(\s*[|│→] ?|: ?|\t|  )(.*\n?)$`)
	var b strings.Builder
	next, n := -1, 0
	data := slices.Contains([]string{".yml", ".yaml", ".json", ".toml"}, strings.ToLower(path.Ext(file)))
	if isProse(file) {
		return text, false
	}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			b.WriteString(line)
			continue
		}
		m := form.FindStringSubmatch(line)
		if m == nil {
			return text, false
		}
		number, err := strconv.Atoi(m[2])
		if err != nil || next >= 0 && number < next || data && m[1] == "" && !strings.ContainsAny(m[3], "|│→") {
			return text, false
		}
		next, n = number+1, n+1
		b.WriteString(m[4])
	}
	return b.String(), n > 1
}

// unfolded makes lines of a text that is one, in which \n stands for their ends outside of
// everything quoted.
func unfolded(file, text string) (plain string, ok bool) {
	line := strings.TrimSpace(text)
	if strings.Contains(line, "\n") || !strings.Contains(quotes().ReplaceAllString(line, ""), `\n`) || isProse(file) || strings.HasSuffix(file, ".json") {
		return text, false
	}
	plain = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`).Replace(strings.Trim(text, "\n"))
	return strings.TrimRight(plain, "\n") + "\n", true
}

func entities() *strings.Replacer {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&quot;", `"`, "&#39;", "'")
}

func invisible() *strings.Replacer {
	return strings.NewReplacer("\u00a0", " ", "\u200b", "", "\u2060", "", bom, "")
}

// cleaner cleans the new lines of a file, one by one.
type cleaner struct {
	file                        string
	entity, quoted, typographic *regexp.Regexp
	escaped                     bool   // < and > are entities throughout
	problem                     string // the first
}

// unseen are characters that look like a blank, or like nothing.
const unseen = "\u00a0\u200b\u2060" + bom

// cleanLines cleans lines that aren't known.
func cleanLines(file string, was map[string]bool, text string) (clean, problem string) {
	if isProse(file) {
		return text, ""
	}
	c := cleaner{file: file, entity: regexp.MustCompile(`&(lt|gt|amp|quot|#39);`), quoted: quotes(),
		typographic: regexp.MustCompile(`[(=,:\[+]\s*[“”„‘]`),
		escaped:     isMarkup(file) && !strings.ContainsAny(text, "<>") && strings.Contains(text, "&lt;") && strings.Contains(text, "&gt;")}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !was[strings.TrimSpace(line)] {
			line = c.line(line)
		}
		b.WriteString(line)
	}
	return b.String(), c.problem
}

// line cleans one line.
func (c *cleaner) line(line string) string {
	code := c.quoted.ReplaceAllString(line, "")
	if c.entity.MatchString(code) && !isMarkup(c.file) || c.escaped {
		if strings.ContainsAny(code, "<>") {
			c.problem = cmp.Or(c.problem, "&lt; and the like stand beside < in its code")
		}
		line = entities().Replace(line)
	}
	inText := strings.ContainsAny(strings.Join(c.quoted.FindAllString(line, -1), ""), unseen)
	leads := strings.ContainsAny(line[:len(line)-len(strings.TrimLeft(line, " \t"+unseen))], unseen)
	if strings.ContainsAny(code, unseen) && !inText && (isCode(c.file) || leads) {
		line = invisible().Replace(line)
	}
	bare, _, _ := strings.Cut(code, "//")
	bare, _, _ = strings.Cut(bare, "#")
	if isCode(c.file) && c.typographic.MatchString(bare) {
		c.problem = cmp.Or(c.problem, "typographic quotes stand where code has straight ones: "+strings.TrimSpace(line))
	}
	return line
}

// quotes are the quoted parts of a line.
func quotes() *regexp.Regexp {
	return regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`")
}

// isCode reports whether a file is written in a language that knows no other blanks and
// quotes than ASCII's.
func isCode(file string) bool {
	return slices.Contains([]string{".py", ".go", ".js", ".ts", ".java", ".c", ".h", ".cc", ".cpp", ".rs", ".rb", ".cs", ".kt", ".swift", ".sh", ".sql", ".json", ".lua",
		".php", ".css", ".scss", ".scala", ".yml", ".yaml", ".toml"}, strings.ToLower(path.Ext(file)))
}

// talk finds a sentence to the person in the place of a file's first or last line, or in
// that of the file.
func talk(file, text string, was map[string]bool) (problem string) {
	lines := filled(text)
	if len(lines) == 0 {
		return ""
	}
	const fewLines = 4
	sorry := regexp.MustCompile(`(?i)^(i['’]m sorry|sorry[,.!]|i (cannot|can['’]t|could not|couldn['’]t|am unable|don['’]t have)|unfortunately,|as an ai\b)`)
	if len(lines) <= fewLines && sorry.MatchString(lines[0]) && !was[lines[0]] {
		return "it says that it can't be done: " + lines[0]
	}
	if isProse(file) {
		return ""
	}
	sentence := regexp.MustCompile("^\\pL[^(){}\\[\\];=<>\"`#@/\\\\|]*[.:!]$")
	for _, line := range []string{lines[0], lines[len(lines)-1]} {
		first, _, _ := strings.Cut(line, " ")
		const fewWords = 4
		if !was[line] && sentence.MatchString(line) && len(strings.Fields(line)) >= fewWords && strings.ToLower(first) != first {
			return "a sentence stands in it: " + line
		}
	}
	return ""
}

// recipes gives a Makefile's recipes the tabs that they need; within says that the text
// begins within one.
func recipes(text string, within bool) string {
	rule := regexp.MustCompile(`^[^\s#=:][^=]*:([^=]|$)`)
	var b strings.Builder
	goesOn := false
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\n")
		if within && !goesOn && strings.HasPrefix(bare, "  ") && strings.TrimSpace(bare) != "" {
			line = "\t" + strings.TrimLeft(line, " ")
		}
		if goesOn = strings.HasSuffix(bare, "\\"); strings.TrimSpace(bare) != "" && !goesOn {
			within = strings.HasPrefix(line, "\t") || rule.MatchString(bare)
		}
		b.WriteString(line)
	}
	return b.String()
}

// indentedAlike gives a replacement tabs where file and search text have them and it has a
// number of blanks each, or the other way round; and says if its lines move against those
// that were searched for, as no shift explains.
func indentedAlike(old string, e turn.Edit) (replace, problem string) {
	was, is := depths(e.Search), depths(e.Replace)
	whole := depths(old)
	switch {
	case was.tabs > 0 && was.blanks == 0 && whole.blanks == 0 && is.tabs == 0 && is.blanks > 0:
		if width := is.blanks / was.tabs; width > 1 && is.unit%width == 0 {
			return regexp.MustCompile(`(?m)^(?: {`+strconv.Itoa(width)+`})+`).ReplaceAllStringFunc(e.Replace, func(in string) string {
				return strings.Repeat("\t", len(in)/width)
			}), ""
		}
		return e.Replace, "blanks stand where the file has tabs"
	case was.blanks > 0 && was.tabs == 0 && whole.tabs == 0 && is.blanks == 0 && is.tabs > 0:
		if width := was.blanks / is.tabs; width > 1 {
			return regexp.MustCompile(`(?m)^\t+`).ReplaceAllStringFunc(e.Replace, func(in string) string { return strings.Repeat(" ", width*len(in)) }), ""
		}
		return e.Replace, "tabs stand where the file has blanks"
	}
	search, replaced := strings.Split(e.Search, "\n"), strings.Split(e.Replace, "\n")
	same := strings.TrimSpace(search[0]) == strings.TrimSpace(replaced[0]) && holds(old, e.Search)
	if moved := indentation(search[0]) - indentation(replaced[0]); same && moved > 0 && len(search) > 2 && indentation(replaced[0]) == 0 && strings.TrimSpace(e.Search) != strings.TrimSpace(e.Replace) {
		return e.Replace, "its first line is indented otherwise than the one that is searched for"
	}
	return e.Replace, ""
}

// depth is how lines are indented: the least tabs and blanks that one begins with, not
// counting none, and what all numbers of blanks are multiples of.
type depth struct{ tabs, blanks, unit int }

func depths(text string) (d depth) {
	for line := range strings.Lines(text) {
		in := line[:indentation(line)]
		tabs, blanks := strings.Count(in, "\t"), strings.Count(in, " ")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if tabs > 0 && (d.tabs == 0 || tabs < d.tabs) {
			d.tabs = tabs
		}
		if blanks > 1 && tabs == 0 && (d.blanks == 0 || blanks < d.blanks) {
			d.blanks = blanks
		}
		if blanks > 0 {
			d.unit = gcd(d.unit, blanks)
		}
	}
	return d
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Doubled says which lines two edits put in the same place, one beneath the other; empty if
// none do.
func Doubled(old, text string, edits []turn.Edit) string {
	for i, e := range edits {
		for _, other := range edits[i+1:] {
			lines := inserted(e)
			const few = 2
			if len(lines) < few || !slices.Equal(lines, inserted(other)) {
				continue
			}
			twice := strings.Join(append(slices.Clone(lines), lines...), "\n")
			if strings.Contains(strings.Join(filled(text), "\n"), twice) && !strings.Contains(strings.Join(filled(old), "\n"), twice) {
				return lines[0]
			}
		}
	}
	return ""
}

// There reports whether an edit only adds lines that stand in their place already.
func There(text string, e turn.Edit) bool {
	if e.All || e.Search == "" || e.Replace == e.Search || !strings.HasPrefix(e.Replace, e.Search) && !strings.HasSuffix(e.Replace, e.Search) || !strings.Contains(text, e.Replace) {
		return false
	}
	const word = 3 // letters
	return slices.ContainsFunc(inserted(e), func(line string) bool { return len(regexp.MustCompile(`\pL`).FindAllString(line, word)) == word })
}

// inserted are the lines that an edit adds and that it doesn't search for.
func inserted(e turn.Edit) (lines []string) {
	search := filled(e.Search)
	return slices.DeleteFunc(filled(e.Replace), func(line string) bool { return slices.Contains(search, line) })
}
