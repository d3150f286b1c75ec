// Package prompt holds what the phases share when they ask a model: how files
// and other people's words are marked as data, and how an answer is found in
// a reply.
package prompt

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"paicode/pkg/turn"
)

//go:embed system.md
var system string

// System is the system text of plan and generate: the same for both, so that
// providers' caches hit.
func System() string { return strings.TrimSpace(system) }

// File is a file whose text is sent.
type File struct {
	Path, Text string
	Lines      string // which of its lines they are, "3-9 of 120"; empty: all
}

// Excerpts are what the workspace holds of files, as a question shows it.
func Excerpts(all []turn.Excerpt) (files []File) {
	for _, e := range all {
		f := File{Path: e.Path, Text: e.Text, Lines: e.Lines}
		if e.Whole {
			f.Lines = ""
		}
		files = append(files, f)
	}
	return files
}

// Files marks files as data: each under its name in a fence that its text
// can't close.
func Files(files []File) string {
	var b strings.Builder
	for _, f := range files {
		lines := ""
		if f.Lines != "" {
			lines = ", lines " + f.Lines
		}
		fmt.Fprintf(&b, "### %s%s\n%s\n", turn.InFull(f.Path), lines, Fence(f.Text))
	}
	return b.String()
}

// Fence puts text in a fence longer than any run of backticks in it.
func Fence(text string) string {
	fence := strings.Repeat("`", max(3, LongestRun(text, '`')+1))
	end := "\n"
	if text == "" || strings.HasSuffix(text, "\n") {
		end = ""
	}
	return fence + "\n" + text + end + fence
}

// LongestRun is the length of the longest run of a byte in a text.
func LongestRun(text string, c byte) int {
	longest, run := 0, 0
	for i := range len(text) {
		if text[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// Cut keeps the beginning of a text, at most so many characters, and says
// that it was cut.
func Cut(text string, characters int) string {
	if len(text) <= characters {
		return text
	}
	if runes := []rune(text); len(runes) > characters {
		return string(runes[:characters]) + "… (cut)"
	}
	return text
}

// Fill fills a prompt's template. A name that the data doesn't have is a
// fault of the program.
func Fill(text string, data any) string {
	var b strings.Builder
	t := template.Must(template.New("prompt").Funcs(template.FuncMap{"fence": Fence}).Parse(text))
	if err := t.Execute(&b, data); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String()) + "\n"
}
