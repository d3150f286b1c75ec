package reply

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"paicode/pkg/lazyregexp"
	"paicode/pkg/turn"
)

// Cleaner takes out of what a model wrote for one file what it put in on the way: line
// numbers, entities for < and >, blanks that aren't, a mark at the beginning, line ends as
// two characters. Lines of the old text stay as they are, and so does what is quoted.
type Cleaner struct {
	file, old                   string
	was                         map[string]bool // the lines of the old text, and those that are meant
	reindents                   bool            // indentation may change
	indent                      depth           // of the old text
	number, entity, quoted      *regexp.Regexp
	typographic, cited, link    *regexp.Regexp
	escaped                     *regexp.Regexp
	entities, invisible, unfold *strings.Replacer
}

var (
	numberForm      = lazyregexp.New(`^\s*(L?)(\d+)(\s*[|│→] ?|: ?|\t|  )(.*\n?)$`)
	entityForm      = lazyregexp.New(`&(lt|gt|amp|quot|#39);`)
	quotedForm      = lazyregexp.New("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`")
	citedForm       = lazyregexp.New(`[ \t]*\[cite(?:_start|_end)?(?::[^\]\n]*)?\]`)
	linkForm        = lazyregexp.New(`\[(https?://[^\]\s]+)\]\((https?://[^)\s]+)\)`)
	escapedForm     = lazyregexp.New(`(^|[\s\w(\[,.])\\_`)
	typographicForm = lazyregexp.New(`[(=,:\[+]\s*[“”„‘]`)
)

// NewCleaner makes the cleaner of a file with its old text, which is empty for a new one.
// Words are those of the request and the step; lines that are meant are no mistakes.
func NewCleaner(file, old, words string, meant []string) *Cleaner {
	return &Cleaner{
		file: file, old: old, was: known(old, meant), indent: depths(old),
		reindents:   speaksOf(words, "tabs") || speaksOf(words, "spaces") || speaksOf(words, "indentation"),
		number:      numberForm(),
		entity:      entityForm(),
		quoted:      quotedForm(),
		cited:       citedForm(),
		link:        linkForm(),
		escaped:     escapedForm(),
		typographic: typographicForm(),
		entities:    strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&quot;", `"`, "&#39;", "'"),
		invisible:   strings.NewReplacer("\u00a0", " ", "\u200b", "", "\u2060", "", bom, ""),
		unfold:      strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`),
	}
}

// Text cleans a whole file. Problem says what can only be a mistake, and that nobody can
// mend.
func (c *Cleaner) Text(text string) (clean string, problem Problem) {
	if !strings.HasPrefix(c.old, bom) {
		text = strings.TrimPrefix(text, bom)
	}
	if plain, ok := c.unnumbered(text); ok {
		if _, so := c.unnumbered(c.old); !so {
			text = plain
		}
	}
	if plain, ok := c.unfolded(text); ok && !c.was[strings.TrimSpace(text)] {
		text = plain
	}
	text, problem = c.lines(text)
	if isMakefile(c.file) && c.old == "" {
		text = recipes(text, false)
	}
	if problem == "" {
		problem = c.talk(text)
	}
	if problem == "" {
		problem = c.alien(text)
	}
	return text, problem
}

// Edit cleans an edit. Its search text loses what it must to be in the old text, and
// the replacement with it.
func (c *Cleaner) Edit(e turn.Edit) (clean turn.Edit, problem Problem) {
	number := func(text string) string {
		if plain, ok := c.unnumbered(text); ok {
			return plain
		}
		return text
	}
	for _, f := range []func(string) string{number, c.entities.Replace, c.invisible.Replace} {
		if plain := f(e.Search); plain != e.Search && !holds(c.old, e.Search) && holds(c.old, plain) {
			e.Search, e.Replace = plain, f(e.Replace)
		}
	}
	if e.All {
		return e, ""
	}
	if why := c.leading(e); why != "" {
		return e, Problem(why)
	}
	if plain, ok := c.unfolded(e.Replace); ok && !strings.Contains(c.old, `\n`) {
		e.Replace = plain
	}
	if e.Replace, problem = c.lines(e.Replace); problem != "" {
		return e, problem
	}
	if isMakefile(c.file) {
		e.Replace = recipes(e.Replace, strings.HasPrefix(e.Search, "\t"))
	}
	if problem = c.alien(e.Replace); problem != "" || c.reindents {
		return e, problem
	}
	e.Replace, problem = c.indentedAlike(e)
	return e, problem
}

// leading says what is before all lines of a replacement and not of the search text.
func (c *Cleaner) leading(e turn.Edit) string {
	if _, ok := c.unnumbered(e.Replace); ok && strings.Count(e.Replace, "\n") > 1 {
		if _, so := c.unnumbered(e.Search); !so {
			return "numbers stand before its lines"
		}
	}
	if !strings.HasPrefix(e.Replace, "+") || isProse(c.file) || strings.Contains("\n"+e.Search, "\n+") {
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
	return slices.Contains([]string{".md", ".markdown", ".mdx", ".txt", ".rst", ".adoc", ".tex", ".csv", ".tsv", ".log",
		".po", ".srt", ".patch", ".diff"}, strings.ToLower(path.Ext(file)))
}

func isMarkup(file string) bool {
	return slices.Contains([]string{".html", ".htm", ".xml", ".svg", ".vue", ".svelte", ".jsx", ".tsx", ".php", ".erb",
		".hbs", ".ejs", ".xhtml", ".xsl", ".plist"}, strings.ToLower(path.Ext(file)))
}

func isMakefile(file string) bool {
	return slices.Contains([]string{"Makefile", "makefile", "GNUmakefile"}, path.Base(file)) || path.Ext(file) == ".mk"
}

// unnumbered takes line numbers from all lines, which go up by one; ok is false if they
// aren't numbered, or may be data.
func (c *Cleaner) unnumbered(text string) (plain string, ok bool) {
	var b strings.Builder
	next, n := -1, 0
	data := slices.Contains([]string{".yml", ".yaml", ".json", ".toml"}, strings.ToLower(path.Ext(c.file)))
	if isProse(c.file) {
		return text, false
	}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			b.WriteString(line)
			continue
		}
		m := c.number.FindStringSubmatch(line)
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
func (c *Cleaner) unfolded(text string) (plain string, ok bool) {
	line := strings.TrimSpace(text)
	if strings.Contains(line, "\n") || !strings.Contains(c.quoted.ReplaceAllString(line, ""), `\n`) || isProse(c.file) ||
		strings.HasSuffix(c.file, ".json") {
		return text, false
	}
	plain = c.unfold.Replace(strings.Trim(text, "\n"))
	return strings.TrimRight(plain, "\n") + "\n", true
}

// unseen are characters that look like a blank, or like nothing.
const unseen = "\u00a0\u200b\u2060" + bom

// lines cleans lines that aren't known; problem is the first.
func (c *Cleaner) lines(text string) (clean string, problem Problem) {
	if isProse(c.file) {
		if !strings.Contains(c.old, "[cite") {
			text = c.cited.ReplaceAllString(text, "")
		}
		return text, ""
	}
	escaped := isMarkup(c.file) && !strings.ContainsAny(text, "<>") && strings.Contains(text, "&lt;") &&
		strings.Contains(text, "&gt;")
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !c.was[strings.TrimSpace(line)] {
			line = c.plain(line)
			var why Problem
			line, why = c.line(line, escaped)
			problem = cmp.Or(problem, why)
		}
		b.WriteString(line)
	}
	return b.String(), problem
}

// line cleans one line; escaped says that < and > are entities throughout.
func (c *Cleaner) line(line string, escaped bool) (clean string, problem Problem) {
	code := c.quoted.ReplaceAllString(line, "")
	if c.entity.MatchString(code) && !isMarkup(c.file) || escaped {
		if strings.ContainsAny(code, "<>") {
			problem = "&lt; and the like stand beside < in its code"
		}
		line = c.entities.Replace(line)
	}
	inText := strings.ContainsAny(strings.Join(c.quoted.FindAllString(line, -1), ""), unseen)
	leads := strings.ContainsAny(line[:len(line)-len(strings.TrimLeft(line, " \t"+unseen))], unseen)
	if strings.ContainsAny(code, unseen) && !inText && (isCode(c.file) || leads) {
		line = c.invisible.Replace(line)
	}
	bare, _, _ := strings.Cut(code, "//")
	bare, _, _ = strings.Cut(bare, "#")
	if isCode(c.file) && c.typographic.MatchString(bare) {
		problem = cmp.Or(problem, Problem("typographic quotes stand where code has straight ones: "+strings.TrimSpace(line)))
	}
	return line, problem
}

// isCode reports whether a file is written in a language that knows no other blanks and
// quotes than ASCII's.
func isCode(file string) bool {
	return slices.Contains([]string{".py", ".go", ".js", ".ts", ".java", ".c", ".h", ".cc", ".cpp", ".rs", ".rb", ".cs",
		".kt", ".swift", ".sh", ".sql", ".json", ".lua",
		".php", ".css", ".scss", ".scala", ".yml", ".yaml", ".toml"}, strings.ToLower(path.Ext(file)))
}

var (
	sorryForm    = lazyregexp.New(`(?i)^(i['’]m sorry|sorry[,.!]|i (cannot|can['’]t|could not|couldn['’]t|am unable|don['’]t have)|unfortunately,|as an ai\b)`)
	sentenceForm = lazyregexp.New("^\\pL[^(){}\\[\\];=<>\"`#@/\\\\|]*[.:!]$")
	markdownForm = lazyregexp.New(`^\*\*\pL[^*]*\*\*:?\s+\pL`)
)

// talk finds a sentence to the person in the place of a file's first or last line, or in
// that of the file.
func (c *Cleaner) talk(text string) (problem Problem) {
	lines := filled(text)
	if len(lines) == 0 {
		return ""
	}
	const fewLines = 4
	sorry := sorryForm()
	if len(lines) <= fewLines && sorry.MatchString(lines[0]) && !c.was[lines[0]] {
		return Problem("it says that it can't be done: " + lines[0])
	}
	if isProse(c.file) {
		return ""
	}
	sentence := sentenceForm()
	markdown := markdownForm()
	for _, line := range []string{lines[0], lines[len(lines)-1]} {
		first, _, _ := strings.Cut(line, " ")
		const fewWords = 4
		if markdown.MatchString(line) && !c.was[line] {
			return Problem("a sentence stands in it: " + line)
		}
		if !c.was[line] && sentence.MatchString(line) && len(strings.Fields(line)) >= fewWords &&
			strings.ToLower(first) != first {
			return Problem("a sentence stands in it: " + line)
		}
	}
	return ""
}
