package author

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"paicode/cmd/pai-exec/internal/reply"
	"paicode/pkg/event"
	"paicode/pkg/model"
	"paicode/pkg/turn"
)

// Write asks for what is needed, and takes the answers into the steps. Errors are
// *Unfit, *StepError, or those of the generator.
func (a *Author) Write(ctx context.Context) error {
	question, err := a.Question()
	if err != nil {
		return err
	}
	phase := turn.Phase{Phase: len(a.phases) + 1, Steps: slices.Clone(a.wanted), Sent: a.files}
	a.phases = append(a.phases, phase)
	what := fmt.Sprintf("generating %d steps", len(a.wanted))
	if phase.Phase > 1 {
		what += fmt.Sprintf(", phase %d of %d", phase.Phase, a.o.MaxPhases)
	}
	progress := question.Progress()
	stop := a.progress.Wait(what)
	a.progress.Event(event.Event{Event: event.Phase, Phase: phase.Phase})
	came, err := a.put(ctx, question, model.Hear{Notice: a.progress.Retry, Delta: func(delta string) {
		a.progress.Event(event.Event{Event: event.Delta, Text: delta})
		for _, w := range progress.Write(delta) {
			a.progress.Show(fmt.Sprintf("step %d %s %s is written", w.Number, w.Action, turn.Shown(w.Path)))
			a.progress.Event(event.Event{Event: event.Written, Step: w.Number, Action: w.Action, Target: w.Path})
		}
	}})
	stop()
	if came.Usage.Tries > 0 {
		a.doc.AddUsage(came.Usage)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errEnded) && phase.Phase > 1:
		a.phases = a.phases[:len(a.phases)-1]
		return &Unfit{Problems: a.problems, Final: true} // it answers one question only
	case errors.Is(err, errEnded):
		return turn.Errorf(turn.CodeModel, "%s", err).WithHint("its message is above")
	case err != nil && !came.Cut:
		return err
	case came.Text == a.last && phase.Phase > 1:
		return &Unfit{Problems: a.problems, Final: true}
	}
	a.last = came.Text
	return a.takeIn(question.Read(came.Text, came.Cut), question.Marker)
}

// takeIn writes the answers into the steps, in their order, each against what
// the steps before it leave.
func (a *Author) takeIn(reading reply.Reading, marker int) error {
	var problems []Problem
	for _, s := range reading.Stray {
		problems = append(problems, Problem{Code: turn.CodeModel, Message: string(s), Hint: "try again, or another model"})
	}
	if len(problems) > 0 {
		return &Unfit{Problems: problems} // nobody knows what belongs where: nothing of it is used
	}
	a.insertAdded(reading)
	tree := a.tree()
	for i := range a.steps {
		s := &a.steps[i]
		if slices.Contains(a.wanted, s.Number) {
			problems = append(problems, a.fill(tree, s, reading.Answers[s.Number])...)
		}
		if _, err := tree.Do(i, *s, true); err != nil {
			if a.drafts[s.Number] == nil {
				return stepError(i, err)
			}
			e := turn.AsError(err)
			problems = append(problems, Problem{Step: s.Number, Code: e.Code, Message: e.Message, Hint: e.Hint})
		}
	}
	if len(problems) == 0 {
		return nil
	}
	for _, n := range a.wanted {
		if reading.Answers[n].Markers {
			a.marker = marker + 4
		}
	}
	a.Want(problems)
	return &Unfit{problems, slices.ContainsFunc(problems, func(p Problem) bool { return p.final })}
}

// insertAdded makes steps of the answers on files that the generator asked to
// read and now changes.
func (a *Author) insertAdded(reading reply.Reading) {
	for i, path := range a.added {
		number := a.addedNumber(i)
		answer := reading.Answers[number]
		if answer.Edits == nil && answer.Content == nil || a.index(number) >= 0 {
			continue
		}
		s := turn.Step{Number: number, Action: turn.ActionModify, Target: path,
			Description: "what the model asked to read, and changes",
			AddedBy:     fmt.Sprintf("phase %d", len(a.phases))}
		at := len(a.steps)
		if at > 0 && a.steps[at-1].Action == turn.ActionFinish {
			at--
		}
		a.steps = slices.Insert(a.steps, at, s)
		a.doc.InsertStep(at, s)
		a.wanted = append(a.wanted, number)
	}
}

// addedNumber is the number of a step that may be added.
func (a *Author) addedNumber(i int) int {
	greatest := 0
	for _, s := range a.plan.ExecutionPlan.Steps {
		greatest = max(greatest, s.Number)
	}
	for _, s := range a.steps {
		if s.AddedBy == "" {
			greatest = max(greatest, s.Number)
		}
	}
	return greatest + 1 + i
}
