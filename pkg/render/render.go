// Package render turns documents into what people read.
package render

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/tidwall/pretty"

	"paicode/pkg/turn"
)

// The formats of --output.
const (
	JSON = "json"
	Text = "text"
	Diff = "diff"
)

// Style is what the output may contain.
type Style int

// Plain is for files and pipes, Terminal for a terminal without colour.
const (
	Plain Style = iota
	Terminal
	Colour
)

// Document renders a document in a format.
func Document(doc *turn.Document, format string, style Style) ([]byte, error) {
	switch {
	case format == Diff && style == Plain:
		return []byte(Patch(doc)), nil
	case format == Diff:
		return []byte(style.diff(turn.Printable(Patch(doc)))), nil
	case format == Text:
		return []byte(style.text(doc)), nil
	case style == Plain:
		line, err := doc.MarshalJSON()
		return append(line, '\n'), err
	}
	data, err := doc.Indented()
	if style == Colour && err == nil {
		data = pretty.Color(data, nil)
	}
	return append(data, '\n'), err
}

// Patch is the unified diff of what was done or would be: empty where nothing
// changes, and after a failure, since what was refused must not be applied by
// other means.
func Patch(doc *turn.Document) string {
	exec := doc.Exec()
	if exec == nil || doc.Error() != nil {
		return ""
	}
	return diffs(exec)
}

func diffs(exec *turn.Exec) string {
	var b strings.Builder
	for _, step := range exec.Steps {
		b.WriteString(step.Diff)
	}
	return b.String()
}

// text is the whole turn for people.
func (s Style) text(doc *turn.Document) string {
	var parts []string
	for _, part := range []string{s.Intent(doc), s.Plan(doc), s.Result(doc), s.failure(doc), s.Suggestion(doc)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if len(doc.Usage()) > 0 {
		parts = append(parts, Tokens(doc)+"\n")
	}
	return strings.Join(parts, "\n")
}

// failure is the error that ended the turn.
func (s Style) failure(doc *turn.Document) string {
	e := doc.Error()
	if e == nil {
		return ""
	}
	return paragraph(s.bold("error: ") + strings.TrimPrefix(e.Stage+": ", ": ") + e.Message)
}

// Intent is the acknowledgment of a task or the reply to a chat.
func (s Style) Intent(doc *turn.Document) string {
	i := doc.Intent()
	if i == nil {
		return ""
	}
	words := i.Acknowledgment
	if i.Kind == turn.KindChat {
		words = i.Reply
	}
	return paragraph(words)
}

// Plan is the table of steps, or the question that must be answered first.
func (s Style) Plan(doc *turn.Document) string {
	p := doc.Plan()
	if p == nil || p.ExecutionPlan == nil {
		return ""
	}
	var b strings.Builder
	if p.Analysis != nil && p.Analysis.UserIntent != "" {
		fmt.Fprintf(&b, "%s\n", s.bold(turn.Printable(p.Analysis.UserIntent)))
	}
	if p.Question != "" {
		fmt.Fprintf(&b, "question: %s\n", turn.Printable(p.Question))
	}
	for _, step := range p.ExecutionPlan.Steps {
		target := step.Target
		if target != "" {
			target = turn.Shown(target)
		}
		if step.Destination != "" {
			target += " → " + turn.Shown(step.Destination)
		}
		line := fmt.Sprintf("%3d  %-9s  %-28s  %s", step.Number, turn.Printable(step.Action), target, turn.Printable(step.Description))
		fmt.Fprintln(&b, strings.TrimRight(line, " "))
	}
	if p.Check != "" {
		fmt.Fprintf(&b, "worth running afterwards: %s\n", turn.Printable(p.Check))
	}
	return b.String()
}

// Result is what pai-exec did or would do: the diffs, what the steps said,
// and a line that sums up.
func (s Style) Result(doc *turn.Document) string {
	exec := doc.Exec()
	if exec == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(s.diff(turn.Printable(diffs(exec))))
	for _, step := range exec.Steps {
		if step.Message != "" {
			fmt.Fprintf(&b, "step %d: %s: %s\n", step.Number, step.Status, turn.Printable(step.Message))
		}
		if step.Output != "" {
			b.WriteString(paragraph(step.Output))
		}
	}
	b.WriteString(s.Risks(doc))
	verb, ok := "not applied", "ok"
	if exec.Applied {
		verb = "applied"
	} else if exec.DryRun && doc.Error() == nil {
		verb, ok = "not applied yet", "can be done"
		if !doc.Changes() {
			verb = "nothing to change"
		}
	}
	fmt.Fprintf(&b, "%s: %d of %d steps %s", verb, exec.Summary.OK, exec.Summary.Total, ok)
	if len(exec.Phases) > 1 {
		fmt.Fprintf(&b, " after %d phases", len(exec.Phases))
	}
	b.WriteString(checked(exec.Check))
	if exec.Transaction != "" {
		fmt.Fprintf(&b, ", transaction %s", turn.Printable(exec.Transaction))
	}
	b.WriteString("\n")
	return b.String()
}

// Will says in a few lines what will happen when a sealed document is applied: the files
// with their lines, what is removed or moved, what runs code by itself, and the checks.
func (s Style) Will(doc *turn.Document, checks []string) string {
	p, exec := doc.Plan(), doc.Exec()
	if p == nil || p.ExecutionPlan == nil || exec == nil {
		return ""
	}
	var b strings.Builder
	for i, step := range p.ExecutionPlan.Steps {
		if i >= len(exec.Steps) {
			break
		}
		if line := s.will(step, exec.Steps[i]); line != "" {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	for _, check := range checks {
		fmt.Fprintf(&b, "  then run %s; if it fails, nothing stays\n", turn.Shown(check))
	}
	if b.Len() == 0 {
		return ""
	}
	return s.bold("This will:") + "\n" + b.String()
}

// will says what one step will do; empty if it changes nothing.
func (s Style) will(step turn.Step, result turn.StepResult) string {
	verbs := map[string]string{turn.ActionWrite: "write", turn.ActionModify: "change", turn.ActionTouch: "create", turn.ActionMkdir: "make the folder",
		turn.ActionRemove: "remove", turn.ActionMove: "move"}
	verb, changes := verbs[step.Action]
	if !changes || result.Status == turn.StatusUnchanged {
		return ""
	}
	line := verb + " " + turn.Shown(step.Target)
	if step.Destination != "" {
		line += " to " + turn.Shown(step.Destination)
	}
	if result.Added+result.Removed > 0 {
		line += fmt.Sprintf("  +%d −%d", result.Added, result.Removed)
	}
	if step.Executable {
		line += ", executable"
	}
	if step.Action == turn.ActionRemove {
		line = s.bold(line)
	}
	if step.Risk != "" {
		line += "  " + s.bold("risk: ") + turn.Printable(step.Risk)
	}
	return line
}

// checked says how the checks ended.
func checked(c *turn.Check) string {
	switch {
	case c == nil:
		return ""
	case c.Run && c.Passed:
		return ", checked"
	case c.Run:
		return ", the check failed"
	}
	return ", " + turn.Printable(c.Message)
}

// Risks tells of the steps that change what runs code by itself.
func (s Style) Risks(doc *turn.Document) string {
	p := doc.Plan()
	if p == nil || p.ExecutionPlan == nil {
		return ""
	}
	var b strings.Builder
	for _, step := range p.ExecutionPlan.Steps {
		if step.Risk != "" {
			fmt.Fprintf(&b, "%s step %d: %s\n", s.bold("risk:"), step.Number, turn.Printable(step.Risk))
		}
	}
	return b.String()
}

// Suggestion is the proposed next step.
func (s Style) Suggestion(doc *turn.Document) string {
	if sug := doc.Suggestion(); sug != nil && sug.Text != "" {
		return paragraph("next: " + sug.Text)
	}
	return ""
}

// Tokens sums up the questions to models: "4 calls, 1169 tokens in, 203 out".
func Tokens(doc *turn.Document) string {
	var calls, in, out int
	for _, u := range doc.Usage() {
		calls++
		in += u.Input
		out += u.Output + u.Thinking
	}
	return fmt.Sprintf("%d %s, %d tokens in, %d out%s", calls, Plural(calls, "call"), in, out, Price(in, out))
}

// Plural is a word for so many things.
func Plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// Price is what tokens cost, by PAI_PRICE_IN and PAI_PRICE_OUT: money for a
// million. It is empty where neither is set to a number: prices are never built
// in.
func Price(in, out int) string {
	priceIn, errIn := strconv.ParseFloat(os.Getenv("PAI_PRICE_IN"), 64)
	priceOut, errOut := strconv.ParseFloat(os.Getenv("PAI_PRICE_OUT"), 64)
	if errIn != nil && errOut != nil {
		return ""
	}
	const million = 1e6
	return fmt.Sprintf(", %.6f in money", (float64(in)*priceIn+float64(out)*priceOut)/million)
}

func paragraph(text string) string {
	text = strings.TrimRight(turn.Printable(text), "\n")
	if text == "" {
		return ""
	}
	return text + "\n"
}

func (s Style) bold(text string) string { return s.paint("\x1b[1m", text) }

func (s Style) paint(code, text string) string {
	if s != Colour {
		return text
	}
	return code + text + "\x1b[0m"
}

// diff colours a unified diff.
func (s Style) diff(patch string) string {
	if s != Colour {
		return patch
	}
	var b strings.Builder
	for line := range strings.Lines(patch) {
		body, end := strings.TrimSuffix(line, "\n"), ""
		if len(body) < len(line) {
			end = "\n"
		}
		switch {
		case strings.HasPrefix(body, "+++ ") || strings.HasPrefix(body, "--- ") || strings.HasPrefix(body, "diff "):
			body = s.bold(body)
		case strings.HasPrefix(body, "@@"):
			body = s.paint("\x1b[36m", body)
		case strings.HasPrefix(body, "+"):
			body = s.paint("\x1b[32m", body)
		case strings.HasPrefix(body, "-"):
			body = s.paint("\x1b[31m", body)
		}
		b.WriteString(body + end)
	}
	return b.String()
}
