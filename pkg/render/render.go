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
	JSON   = "json"
	Text   = "text"
	Diff   = "diff"
	Answer = "answer"
)

// Document renders a document in a format.
func Document(doc *turn.Document, format string, style Style) ([]byte, error) {
	switch {
	case format == Answer:
		return []byte(answer(doc)), nil
	case format == Diff:
		return []byte(style.diff(Patch(doc))), nil
	case format == Text:
		return []byte(style.Whole(doc)), nil
	case !style.Terminal || style.Forced:
		line, err := doc.MarshalJSON()
		return append(line, '\n'), err
	}
	data, err := doc.Indented()
	if style.Colour && err == nil {
		data = pretty.Color(data, nil)
	}
	return append(data, '\n'), err
}

// answer is the model's answer to the person as it wrote it, with a newline at its end; empty where
// there is none, after a failure, and where a change is not applied.
func answer(doc *turn.Document) string {
	text, exec := "", doc.Exec()
	switch made := doc.Plan(); {
	case doc.Error() != nil:
	case made == nil && doc.Chat():
		text = doc.Intent().Reply
	case made == nil || exec == nil || doc.Changes() && !exec.Applied:
	default:
		for i, s := range made.ExecutionPlan.Steps {
			if s.Action == turn.ActionFinish && i < len(exec.Steps) {
				text = exec.Steps[i].Output
			}
		}
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
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

// Whole is the whole turn for people.
func (s Style) Whole(doc *turn.Document) string {
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
	text := s.row("error: ", s.field(strings.TrimPrefix(e.Stage+": ", ": ")+e.Message))
	if e.Hint != "" {
		text += s.row("hint: ", s.field(e.Hint))
	}
	return text
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
	return s.said(words)
}

// said is what a model says to the person.
func (s Style) said(words string) string {
	if !s.Terminal {
		return s.apart(words)
	}
	m := s.Markdown()
	return m.Write(strings.TrimRight(words, "\n")) + m.Close()
}

// Plan is the table of steps, or the question that must be answered first.
func (s Style) Plan(doc *turn.Document) string {
	p := doc.Plan()
	if p == nil || p.ExecutionPlan == nil {
		return ""
	}
	var b strings.Builder
	if p.Analysis != nil {
		b.WriteString(s.apart(p.Analysis.UserIntent))
	}
	b.WriteString(s.labelled("question", p.Question))
	for i, step := range p.ExecutionPlan.Steps {
		if step.Number == 0 {
			step.Number = i + 1
		}
		b.WriteString(s.step(step))
	}
	b.WriteString(s.labelled("worth running afterwards", p.Check))
	return b.String()
}

// Choice is the table of steps with those marked that are kept.
func (s Style) Choice(doc *turn.Document, kept []bool) string {
	var b strings.Builder
	for i, step := range doc.Plan().ExecutionPlan.Steps {
		mark := "[ ]"
		if kept[i] {
			mark = "[x]"
		}
		b.WriteString(mark + s.step(step))
	}
	return b.String()
}

// step is a step's line in the table, and the lines of its description that don't fit.
func (s Style) step(step turn.Step) string {
	target := ""
	if step.Target != "" {
		target = turn.Shown(step.Target)
	}
	if step.Destination != "" {
		target += " → " + turn.Shown(step.Destination)
	}
	head := fmt.Sprintf("%3d  %-9s  %-28s  ", step.Number, s.field(step.Action), target)
	words := s.field(step.Description)
	switch {
	case words == "":
		return s.row("", strings.TrimRight(head, " "))
	case !s.Terminal:
		return head + words + "\n"
	case columns(head+bar+words) <= s.width():
		return head + bar + words + "\n"
	}
	const indent = "     "
	out := s.row("", strings.TrimRight(head, " "))
	for _, row := range wrap(words, s.width()-len(indent)-columns(bar)) {
		out += strings.TrimRight(indent+bar+row, " ") + "\n"
	}
	return out
}

// Result is what pai-exec did or would do: the diffs, what the steps said,
// and a line that sums up.
func (s Style) Result(doc *turn.Document) string {
	exec := doc.Exec()
	if exec == nil {
		return ""
	}
	diff, reports := s.diff(diffs(exec)), s.Reports(doc)
	if s.Terminal && diff != "" {
		diff += "\n"
	}
	return diff + reports
}

// Diff is what pai-exec changed or would change.
func (s Style) Diff(doc *turn.Document) string {
	if exec := doc.Exec(); exec != nil {
		return s.diff(diffs(exec))
	}
	return ""
}

// Reports is Result without the diffs.
func (s Style) Reports(doc *turn.Document) string {
	exec := doc.Exec()
	if exec == nil {
		return ""
	}
	var b strings.Builder
	made := doc.Plan()
	for i, step := range exec.Steps {
		if step.Message != "" {
			b.WriteString(s.row(fmt.Sprintf("step %d: %s: ", step.Number, s.field(step.Status)), s.field(step.Message)))
		}
		b.WriteString(s.reported(planned(made, i), step.Output))
	}
	b.WriteString(s.Risks(doc))
	const nothing = "nothing to change"
	verb, ok := "not applied", "ok"
	if exec.Applied {
		verb = "applied"
	} else if doc.Error() == nil && !doc.Changes() {
		verb = nothing
	} else if exec.DryRun && doc.Error() == nil {
		verb, ok = "not applied yet", "can be done"
	}
	text := fmt.Sprintf("%s: %d of %d steps %s", verb, exec.Summary.OK, exec.Summary.Total, ok)
	if verb == nothing {
		text = verb
	}
	if len(exec.Phases) > 1 {
		text += fmt.Sprintf(" after %d phases", len(exec.Phases))
	}
	text += s.checked(exec.Check)
	if exec.Transaction != "" {
		text += ", transaction " + s.field(exec.Transaction)
	}
	return b.String() + s.Row(text)
}

// planned is the step of a plan with an index; an empty one if there is none.
func planned(p *turn.Plan, i int) (step turn.Step) {
	if p != nil && p.ExecutionPlan != nil && i < len(p.ExecutionPlan.Steps) {
		step = p.ExecutionPlan.Steps[i]
	}
	return step
}

// reported is what a step says. Of a file that was read a terminal shows the beginning.
func (s Style) reported(step turn.Step, output string) string {
	const most = 10 // lines
	lines := strings.SplitAfter(output, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	switch {
	case !s.Terminal || output == "":
		return s.apart(output)
	case step.Action == turn.ActionFinish:
		return s.said(output)
	case step.Action != turn.ActionRead:
		return s.apart(output)
	}
	text := s.row("read ", fmt.Sprintf("%s, %d %s", name(step.Target), len(lines), Plural(len(lines), "line")))
	text += s.apart(strings.Join(lines[:min(most, len(lines))], ""))
	if more := len(lines) - most; more > 0 {
		text += s.row("", fmt.Sprintf("and %d more %s", more, Plural(more, "line")))
	}
	return text
}

// checked says how the checks ended.
func (s Style) checked(c *turn.Check) string {
	switch {
	case c == nil:
		return ""
	case c.Held():
		return ", checked"
	case c.Run && c.Passed:
		return ", the check: " + s.field(c.Message)
	case c.Run:
		return ", the check failed"
	}
	return ", " + s.field(c.Message)
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
			b.WriteString(s.row("risk: ", fmt.Sprintf("step %d: %s", step.Number, s.field(step.Risk))))
		}
		if step.Caution != "" {
			b.WriteString(s.row("caution: ", fmt.Sprintf("step %d: %s", step.Number, s.field(step.Caution))))
		}
	}
	return b.String()
}

// Context says what of the files went along with a request.
func (s Style) Context(doc *turn.Document) string {
	w := doc.Workspace()
	if w == nil {
		return ""
	}
	var b strings.Builder
	list := func(label string, excerpts []turn.Excerpt) {
		for _, e := range excerpts {
			lines := "lines " + e.Lines
			if e.Whole {
				lines = "whole"
			}
			b.WriteString(s.row(label, fmt.Sprintf("%s, %s", name(e.Path), s.field(lines))))
		}
	}
	list("instructions: ", w.Instructions)
	list("shown: ", w.Excerpts)
	for _, o := range w.Outlines {
		b.WriteString(s.row("outlined: ",
			fmt.Sprintf("%s, %d %s", name(o.Path), len(o.Symbols), Plural(len(o.Symbols), "definition"))))
	}
	for _, l := range w.Looks {
		b.WriteString(s.row("looked at: ", s.field(l.Asked)))
	}
	for _, h := range w.Withheld {
		b.WriteString(s.row("withheld: ", fmt.Sprintf("%s:%d, %s", name(h.Path), h.Line, s.field(h.Kind))))
	}
	fmt.Fprintf(&b, "%d %s named\n", len(w.Files), Plural(len(w.Files), "file"))
	if w.LeftOut != nil {
		b.WriteString(s.row("", fmt.Sprintf("%d left out: %s", w.LeftOut.Files, s.field(w.LeftOut.Reason))))
	}
	return b.String()
}

// Suggestion is the proposed next step.
func (s Style) Suggestion(doc *turn.Document) string {
	if sug := doc.Suggestion(); sug != nil && sug.Text != "" {
		return s.labelled("next", sug.Text)
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
