package engine

import (
	"fmt"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/workspace"
	"paicode/pkg/generate"
	"paicode/pkg/prompt"
	"paicode/pkg/turn"
)

// maxSendBytes is how large a file may be that is sent to a model.
const maxSendBytes = 256 << 10

// wanted lists the steps, by index, that lack what only a generator can
// write. FINISH is among them if something else is, or if the plan looks at
// something for a person who asked; otherwise its words are composed. A bound
// seal wants nothing: what was reviewed is complete.
func (r *run) wanted() []int {
	if r.bound {
		return nil
	}
	var out []int
	observes := false
	for i, s := range r.steps {
		switch s.Action {
		case turn.ActionWrite, turn.ActionModify:
			if s.Content == nil && s.Edits == nil {
				out = append(out, i)
			}
		case turn.ActionRead, turn.ActionTree, turn.ActionList:
			observes = true
		}
	}
	last := len(r.steps) - 1
	if last >= 0 && r.steps[last].Action == turn.ActionFinish && r.steps[last].Content == nil &&
		(len(out) > 0 || observes && r.doc.Request() != "") {
		out = append(out, last)
	}
	return out
}

// generate asks for what is wanted, and fills it into the steps.
func (r *run) generate(gen *generator, wanted []int) error {
	tree := workspace.NewTree(r.disk, r.Workspace)
	input, err := r.input(tree, wanted)
	if err != nil {
		return r.orStale(err)
	}
	question := generate.Ask(input)
	stop := r.progress.Wait(fmt.Sprintf("generating %d steps", len(wanted)))
	reply, usage, err := gen.ask(question)
	stop()
	if usage.Tries > 0 {
		r.doc.AddUsage(usage)
	}
	if err != nil {
		return err
	}
	phase := turn.Phase{Phase: len(r.exec.Phases) + 1}
	reading := question.Read(reply, false)
	if len(reading.Stray) > 0 {
		return turn.Errorf(turn.CodeModel, "%s", turn.Printable(reading.Stray[0])).WithHint("try again, or another model")
	}
	for _, i := range wanted {
		phase.Steps = append(phase.Steps, r.steps[i].Number)
		if err := r.fill(tree, i, reading.Answers[r.steps[i].Number]); err != nil {
			return err
		}
	}
	r.exec.Phases = append(r.exec.Phases, phase)
	return nil
}

// input does the steps on an overlay, as far as they are known, and gathers
// what the generator must see.
func (r *run) input(tree *workspace.Tree, wanted []int) (generate.Input, error) {
	in := generate.Input{Request: r.doc.Request(), Context: r.doc.Context()}
	if a := r.plan.Analysis; a != nil {
		in.Goal = a.UserIntent
	}
	seen := make(map[string]int)
	show := func(p, text string) error {
		if len(text) > maxSendBytes {
			return turn.Errorf(turn.CodeRejected, "%s has %d bytes, too many to send to a model", turn.Quote(p), len(text)).
				WithHint("give the step its edits by hand")
		}
		if i, again := seen[p]; again {
			in.Files[i].Text = text // an earlier step of the plan changes it
			return nil
		}
		seen[p] = len(in.Files)
		in.Files = append(in.Files, prompt.File{Path: p, Text: text})
		return nil
	}
	for i, s := range r.steps {
		result, err := tree.Do(i, s, true)
		if err == nil {
			err = r.gather(tree, s, result, show, &in)
		}
		if err != nil {
			return in, r.failStep(i, err)
		}
	}
	for _, i := range wanted {
		s := r.steps[i]
		in.Wanted = append(in.Wanted, generate.Wanted{Number: s.Number, Action: s.Action, Path: s.Target, Do: s.Description})
	}
	return in, nil
}

// gather adds what one step lets the generator see: the text that it reads or
// changes, or the folder that it lists.
func (r *run) gather(tree *workspace.Tree, s turn.Step, result workspace.Result, show func(p, text string) error, in *generate.Input) error {
	switch s.Action {
	case turn.ActionRead:
		if result.Message != "" {
			in.Outputs = append(in.Outputs, generate.Output{Title: turn.Shown(s.Target), Text: result.Message})
			return nil
		}
		return show(s.Target, result.Output)
	case turn.ActionModify:
		if s.Content != nil || s.Edits != nil {
			return nil
		}
		text, ok, err := tree.Text(s.Target)
		if err != nil || !ok {
			return err
		}
		return show(s.Target, text)
	case turn.ActionTree, turn.ActionList:
		in.Outputs = append(in.Outputs, generate.Output{Title: s.Action + " " + turn.Shown(s.Target), Text: result.Output})
	}
	return nil
}

// fill writes an answer into its step.
func (r *run) fill(tree *workspace.Tree, i int, a generate.Answer) error {
	s := &r.steps[i]
	switch {
	case s.Action == turn.ActionFinish && a.Content == nil:
		return nil // composed instead
	case a.Read != nil:
		return r.failStep(i, turn.Errorf(turn.CodeModel, "%s: the model asks to see %s first", turn.Shown(s.Target), listed(a.Read)))
	case a.Problem != "":
		return r.failStep(i, turn.Errorf(turn.CodeModel, "%s: %s", turn.Shown(s.Target), turn.Printable(a.Problem)).
			WithHint("try again, or another model"))
	case a.NoChange != "" && s.Action == turn.ActionWrite:
		return r.failStep(i, turn.Errorf(turn.CodeModel, "%s: the model writes nothing: %s", turn.Shown(s.Target), turn.Printable(a.NoChange)))
	case a.NoChange != "" || a.Edits != nil:
		s.Edits = a.Edits
		if s.Edits == nil {
			s.Edits = []turn.Edit{}
		}
		return nil
	}
	s.Content = a.Content
	if s.Action != turn.ActionModify {
		return nil
	}
	if old, ok, err := tree.Text(s.Target); err == nil && ok {
		adopted := change.Adopt(old, *a.Content)
		s.Content = &adopted
	}
	return nil
}
