package prompt

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"paicode/pkg/lazyregexp"
	"paicode/pkg/secret"
	"paicode/pkg/turn"
)

// Said is what a person gave, as a model may see it: secrets are withheld, and paths
// under the root are relative to it.
type Said struct {
	Request, Context string
	History          string // a line for each earlier turn
	words            func(string) string
}

// Say makes it of a document, with the numbers that a vault gives out.
func Say(doc *turn.Document, v *secret.Vault) Said {
	place := doc.Place()
	s := Said{
		Request: v.Said(relative(doc.Request(), place)),
		Context: v.Said(relative(doc.Context(), place)),
		words:   func(text string) string { return v.Text(relative(text, place)) },
	}
	var b strings.Builder
	for _, t := range doc.History() {
		fmt.Fprintf(&b, "- %s → %s", oneLine(s.words(t.Request)), oneLine(s.words(t.Outcome)))
		if len(t.Changed) > 0 {
			fmt.Fprintf(&b, " [%s]", oneLine(s.words(strings.Join(t.Changed, ", "))))
		}
		b.WriteString("\n")
		for _, step := range t.Planned[:min(len(t.Planned), maxPlanned)] {
			fmt.Fprintf(&b, "  %s\n", oneLine(s.words(step)))
		}
	}
	s.History = b.String()
	return s
}

// maxPlanned is how many steps of an earlier plan are told.
const maxPlanned = 40

// Words are those of anybody else, such as a check's output, made fit to be seen too.
func (s Said) Words(text string) string { return s.words(text) }

func oneLine(text string) string { return Cut(strings.Join(strings.Fields(text), " "), 300) }

// Rooted makes paths under the root relative in a text.
func Rooted(text string, p turn.Place) string {
	for _, root := range p.Roots {
		text = replacePath(text, root, "")
	}
	return text
}

// relative does that, and writes the person's home as "~".
func relative(text string, p turn.Place) string { return replacePath(Rooted(text, p), p.Home, "~") }

// replacePath replaces a directory where it begins a path, also behind an option's letter
// or a colour. By itself, an empty replacement of it is ".".
func replacePath(text, dir, by string) string {
	if len(dir) < 2 || !strings.Contains(text, dir) {
		return text
	}
	var b strings.Builder
	for {
		i := strings.Index(text, dir)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		before, rest := text[:i], text[i+len(dir):]
		b.WriteString(before)
		switch {
		case within(before) || rest != "" && rest[0] != '.' && inName(rest[0]):
			b.WriteString(dir)
		case by == "" && len(rest) > 1 && rest[0] == '/' && inName(rest[1]):
			if !hosted(before) {
				rest = rest[1:]
			}
		case by == "":
			b.WriteString(".")
		default:
			b.WriteString(by)
		}
		text = rest
	}
}

// within reports whether what follows a text belongs to a path that began in it.
func within(before string) bool {
	word := before[strings.LastIndexAny(before, " \t\n\"'`=:,;()[]{}<>|")+1:]
	if strings.HasSuffix(before, "://") || hosted(before) {
		return false // "file://", and "file://localhost"
	}
	return strings.Contains(word, "/")
}

// hosted reports whether a text ends with the host of an address.
func hosted(before string) bool {
	scheme := strings.LastIndex(before, "://")
	return scheme >= 0 && scheme+3 < len(before) && !strings.ContainsAny(before[scheme+3:], "/ \t\n")
}

func inName(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c >= 0x80 || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c))
}

// GlanceLimit is how much of the request, and of what was piped in beside it, is sent to
// classify and to suggest, in characters.
const GlanceLimit = 500

// Limits are how much of them is sent to plan and to write, in characters.
type Limits struct{ Request, Context int }

// LimitsOf are those of a question of so many tokens, a quarter of it each; 0 is one
// without a bound, in which they have 6,000 and 4,000 tokens.
func LimitsOf(tokens int) Limits {
	l := Limits{Request: 24_000, Context: turn.ContextSent}
	if tokens > 0 {
		quarter := turn.TokenBytes(tokens) / 4
		l = Limits{min(l.Request, quarter), min(l.Context, quarter)}
	}
	return l
}

// Condense keeps what says most of a long text, at most so many characters and a few
// that say what is left out: its beginning and its end, and of the output of tests and
// compilers the first failures between them.
func Condense(text string, characters int) string {
	if len(text) <= characters {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	failures, library := tellingLines(lines)
	if len(failures) == 0 {
		return middle(text, characters)
	}
	keep := make([]bool, len(lines))
	room := characters
	take := func(i int) bool {
		if i < 0 || i >= len(lines) || keep[i] {
			return true
		}
		if room -= len(lines[i]); room < 0 {
			return false
		}
		keep[i] = true
		return true
	}
	const edge = 10 // the end of a log sums up
	for i := range edge {
		take(len(lines) - 1 - i)
	}
	for _, i := range failures {
		if !take(i) {
			break
		}
		for _, near := range []int{i - 1, i + 1, i + 2} {
			if !library[near] {
				take(near)
			}
		}
	}
	if !slices.Contains(keep, true) {
		return middle(text, characters)
	}
	return kept(lines, keep)
}

// kept joins the lines that are kept and counts those between them.
func kept(lines []string, keep []bool) string {
	var b strings.Builder
	left := 0
	for i, line := range lines {
		if !keep[i] {
			left++
			continue
		}
		if left > 0 {
			fmt.Fprintf(&b, "… %d lines left out …\n", left)
			left = 0
		}
		b.WriteString(line)
	}
	return b.String()
}

var (
	headForm   = lazyregexp.New(`--- FAIL|\bFAIL(ED|URE)?\b|\b[Ee]rror\b|ERROR|\w(Error|Exception)\b|^panic:|Traceback|[Aa]ssert|[Ee]xpected|\bgot:|\bwant:|^E   |^not ok|✗|✕|●|thread '|Caused by|undefined:`)
	frameForm  = lazyregexp.New(`^\s*(at \S|File "|#[0-9]+ )|^\s*\S+\.\w+:[0-9]+`)
	theirsForm = lazyregexp.New(`site-packages|dist-packages|node_modules|/usr/|/lib/python|<frozen|\bjava\.|\bjavax\.|\bjdk\.|\bsun\.|org\.junit|org\.gradle|org\.springframework|node:internal|\(internal/|/rustc/|\.cargo/registry|/go/pkg/mod/|GOROOT|/go/src/|vendor/|/gems/`)
)

// tellingLines are the lines of a log that tell of a failure, the first ones first: heads
// of failures and errors, what was expected, and places in code; apart from those of
// libraries, which are told by where they lie.
func tellingLines(lines []string) (failures []int, library map[int]bool) {
	library = make(map[int]bool)
	head := headForm()
	frame := frameForm()
	theirs := theirsForm()
	for i, line := range lines {
		switch word := strings.TrimSpace(line); {
		case word == "":
		case frame.MatchString(line) && theirs.MatchString(line):
			library[i] = true
		case head.MatchString(line) || frame.MatchString(line):
			failures = append(failures, i)
		}
	}
	if len(failures) > len(lines)/2 {
		return nil, nil // it isn't a log of tests, or all of it fails
	}
	return failures, library
}

// middle keeps the beginning and the end of a text, at most so many characters, and
// says what is left out between them.
func middle(text string, characters int) string {
	runes := []rune(text)
	if len(runes) <= characters {
		return text
	}
	head := characters / 2
	tail := characters - head
	return fmt.Sprintf("%s\n… %d characters left out …\n%s", string(runes[:head]), len(runes)-characters,
		string(runes[len(runes)-tail:]))
}
