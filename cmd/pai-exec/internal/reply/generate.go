// Package reply builds the question that fills in what a plan's steps lack, and
// reads what a model replies: blocks and files under headings, in the forms in which
// models write them. It finds what nobody can have meant in them, such as a line that
// stands for others, or a part that stands for a whole file; a person's or a model's
// word that something is meant goes before what it finds. It is pure, and knows no model.
package reply

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"paicode/pkg/prompt"
	"paicode/pkg/secret"
	"paicode/pkg/turn"
)

//go:embed prompt.md
var question string

// minMarker is the length of search/replace markers where no file needs
// longer ones.
const minMarker = 7

// minFence is the length of the fences asked for where no file needs longer
// ones.
const minFence = 4

// ContextBytes is what a question shows of files: 24,000 tokens, at three and a half
// bytes each. Targets that don't fit are shown by windows, never left out.
const ContextBytes = 84_000

// Wanted is a step that lacks something.
type Wanted struct {
	Number  int // its step_number, by which the reply names it
	Action  string
	Path    string // empty for FINISH
	Do      string // what it should do
	Problem string // why an earlier reply can't be used; empty for the first
	Shown   string // what goes with the problem, a few lines
	Wrote   string // what the earlier reply had for it that can't be used
}

// Output is what an observing step, or a check, found.
type Output struct{ Title, Text string }

// Input is what the question is made of.
type Input struct {
	Request, Context, Goal string
	Tokens                 int           // that the question may have; 0: any
	Instructions           []prompt.File // of the project
	Files                  []prompt.File
	Outputs                []Output
	Wanted                 []Wanted
	Mending                bool     // an earlier reply was not good enough
	Seen                   bool     // an earlier reply asked for what is shown now
	Optional               bool     // of the steps, those that can stay may be left out
	Done                   []string // headings of steps that are not to be answered again
	Marker                 int      // the least length of markers; 0: no other than the files ask for
	Problems               []string // what was wrong with the earlier reply as a whole
	Plan                   []Wanted // all steps of the plan: a reply that speaks of them is understood
}

// Question is a question ready to be asked, and what is needed to read the
// reply.
type Question struct {
	System, Prompt string
	Marker         int // how long its markers are
	wanted, plan   []Wanted
	shown          string // the files
}

// Ask builds the question.
func Ask(in Input) Question {
	marker, fence := max(minMarker, in.Marker), minFence
	for _, f := range in.Files {
		for _, c := range []byte{'<', '=', '>'} {
			marker = max(marker, longestAtStart(f.Text, c)+1)
		}
		fence = max(fence, prompt.LongestRun(f.Text, '`')+1)
	}
	has := func(action string) bool {
		return slices.ContainsFunc(in.Wanted, func(w Wanted) bool { return w.Action == action })
	}
	limits := prompt.LimitsOf(in.Tokens)
	text := prompt.Fill(question, map[string]any{
		"Instructions": prompt.Files(in.Instructions),
		"Files":        prompt.Files(in.Files),
		"Context":      prompt.Condense(in.Context, limits.Context),
		"Outputs":      in.Outputs,
		"Wanted":       in.Wanted,
		"Mending":      in.Mending,
		"Seen":         in.Seen,
		"Withheld":     in.withheld(),
		"Optional":     in.Optional,
		"Done":         strings.Join(in.Done, ", "),
		"Problems":     in.Problems,
		"HasModify":    has(turn.ActionModify),
		"HasSmall":     in.small(),
		"Example":      example(in.Wanted),
		"HasWrite":     has(turn.ActionWrite),
		"HasFinish":    has(turn.ActionFinish),
		"Fence":        strings.Repeat("`", fence),
		"Open":         strings.Repeat("<", marker),
		"Middle":       strings.Repeat("=", marker),
		"Close":        strings.Repeat(">", marker),
		"Goal":         in.Goal,
		"Request":      prompt.Condense(in.Request, limits.Request),
	})
	var shown strings.Builder
	for _, f := range in.Files {
		shown.WriteString(f.Text)
	}
	return Question{System: prompt.System(), Prompt: text, Marker: marker, wanted: in.Wanted, plan: in.Plan,
		shown: shown.String()}
}

// small reports whether a file that is to be changed is shown whole and so short that all
// of it is the cheaper answer.
func (in Input) small() bool {
	const short = 1200 // bytes
	return slices.ContainsFunc(in.Wanted, func(w Wanted) bool {
		return w.Action == turn.ActionModify && slices.ContainsFunc(in.Files, func(f prompt.File) bool {
			return f.Path == w.Path && f.Lines == "" && len(f.Text) < short
		})
	})
}

// example is the heading that the form is shown with: of the first file to be changed.
func example(wanted []Wanted) string {
	for _, w := range wanted {
		if w.Action == turn.ActionModify {
			return strconv.Itoa(w.Number) + " " + w.Action + " " + w.Path
		}
	}
	return ""
}

// Spare cuts what a question shows beside files to so many bytes, the last of it first,
// and returns how many are left.
func (in *Input) Spare(room int) int {
	fits := func(size int) bool {
		if size > room {
			return false
		}
		room -= size
		return true
	}
	in.Instructions = slices.DeleteFunc(slices.Clone(in.Instructions),
		func(f prompt.File) bool { return !fits(len(prompt.Files([]prompt.File{f}))) })
	in.Outputs = slices.DeleteFunc(slices.Clone(in.Outputs),
		func(o Output) bool { return !fits(len(o.Title) + len(prompt.Fence(o.Text)) + 2) })
	return room
}

// withheld reports whether secrets are withheld from anything that the question shows.
func (in Input) withheld() bool {
	return secret.Marked(in.Request+in.Context) ||
		slices.ContainsFunc(in.Files, func(f prompt.File) bool { return secret.Marked(f.Text) })
}

// longestAtStart is the longest run of a byte at the beginning of a line, if
// it is as long as a marker.
func longestAtStart(text string, c byte) int {
	longest := 0
	for line := range strings.Lines(text) {
		n := len(line) - len(strings.TrimLeft(line, string(c)))
		if n >= minMarker {
			longest = max(longest, n)
		}
	}
	return longest
}
