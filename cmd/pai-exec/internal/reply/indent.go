package reply

import (
	"regexp"
	"strconv"
	"strings"

	"paicode/cmd/pai-exec/internal/find"
	"paicode/pkg/lazyregexp"
	"paicode/pkg/turn"
)

var ruleForm = lazyregexp.New(`^[^\s#=:][^=]*:([^=]|$)`)

// recipes gives a Makefile's recipes the tabs that they need; within says that the text
// begins within one.
func recipes(text string, within bool) string {
	rule := ruleForm()
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

var indentedAlikeForm = lazyregexp.New(`(?m)^\t+`)

// indentedAlike gives a replacement tabs where file and search text have them and it has a
// number of blanks each, or the other way round; and says if its lines move against those
// that were searched for, as no shift explains.
func (c *Cleaner) indentedAlike(e turn.Edit) (replace string, problem Problem) {
	was, is := depths(e.Search), depths(e.Replace)
	whole := c.indent
	switch {
	case was.tabs > 0 && was.blanks == 0 && whole.blanks == 0 && is.tabs == 0 && is.blanks > 0:
		if width := is.blanks / was.tabs; width > 1 {
			tabbed := regexp.MustCompile(`(?m)^(?: {`+strconv.Itoa(width)+`})+`).
				ReplaceAllStringFunc(e.Replace, func(in string) string {
					return strings.Repeat("\t", len(in)/width)
				})
			if !strings.Contains("\n"+strings.ReplaceAll(tabbed, "\t", ""), "\n ") {
				return tabbed, ""
			}
		}
		return e.Replace, "blanks stand where the file has tabs"
	case was.blanks > 0 && was.tabs == 0 && whole.tabs == 0 && is.blanks == 0 && is.tabs > 0:
		if width := was.blanks / is.tabs; width > 1 {
			return indentedAlikeForm().
				ReplaceAllStringFunc(e.Replace, func(in string) string { return strings.Repeat(" ", width*len(in)) }), ""
		}
		return e.Replace, "tabs stand where the file has blanks"
	}
	search, replaced := strings.Split(e.Search, "\n"), strings.Split(e.Replace, "\n")
	same := strings.TrimSpace(search[0]) == strings.TrimSpace(replaced[0]) && holds(c.old, e.Search)
	if moved := find.Indentation(search[0]) - find.Indentation(replaced[0]); same && moved > 0 && len(search) > 2 &&
		find.Indentation(replaced[0]) == 0 && strings.TrimSpace(e.Search) != strings.TrimSpace(e.Replace) {
		return e.Replace, "its first line is indented otherwise than the one that is searched for"
	}
	return e.Replace, ""
}

// depth is how lines are indented: the least tabs and blanks that one begins with, not
// counting none.
type depth struct{ tabs, blanks int }

func depths(text string) (d depth) {
	for line := range strings.Lines(text) {
		in := line[:find.Indentation(line)]
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
	}
	return d
}
