package engine

import (
	"context"
	"errors"

	"paicode/cmd/pai-exec/internal/author"
	"paicode/pkg/event"
	"paicode/pkg/turn"
)

// phases asks, resolves and applies, until it is done, nothing can be mended, or
// there is no phase left.
func (r *run) phases(ctx context.Context) error {
	for {
		err := r.phase(ctx)
		u, ok := errors.AsType[*author.Unfit](err)
		if !ok {
			return err
		}
		r.author.Note(u.Problems)
		if u.Final || !r.author.MayAsk() || ctx.Err() != nil {
			if r.KeepFailing && u.Problems[0].Code == turn.CodeCheckFailed && ctx.Err() == nil {
				return r.keepFailing(ctx, u)
			}
			return r.refuse(u)
		}
		r.author.Mend(u.Problems)
	}
}

// phase is one phase with what follows it.
func (r *run) phase(ctx context.Context) error {
	r.begin()
	if len(r.author.Wanted()) > 0 {
		err := r.author.Write(ctx)
		r.steps = r.author.Steps()
		if err != nil {
			return r.unwritten(err)
		}
		r.begin() // there may be more steps now
	}
	net, err := r.resolve(ctx)
	r.tellSteps()
	if err != nil {
		return r.orStale(err)
	}
	if err := r.seal(net); err != nil || r.DryRun {
		return err
	}
	agreed := r.agreed(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !agreed {
		return errNotApplied
	}
	return r.apply(ctx, net)
}

// tellSteps tells how each step was resolved.
func (r *run) tellSteps() {
	for i, s := range r.exec.Steps {
		r.progress.Event(event.Event{Event: event.Step, Step: s.Number, Action: r.steps[i].Action, Target: r.steps[i].Target,
			Status: s.Status, Text: s.Message})
	}
}

// begin forgets what an earlier attempt found of the steps.
func (r *run) begin() {
	r.removing, r.outputs, r.exec.NeedsYes, r.exec.Steps = nil, 0, nil, []turn.StepResult{}
	for _, s := range r.steps {
		r.exec.Steps = append(r.exec.Steps, turn.StepResult{Number: s.Number, Status: turn.StatusSkipped})
	}
}

// refuse gives up on what the generator wrote.
func (r *run) refuse(u *author.Unfit) error {
	first := u.Problems[0]
	if first.Code == turn.CodeCheckFailed {
		r.fail(turn.StatusFailed, "")
	} else {
		r.fail(turn.StatusSkipped, "")
	}
	for _, p := range u.Problems {
		if i := r.index(p.Step); i >= 0 {
			r.exec.Steps[i].Status, r.exec.Steps[i].Message = statusOf(p.Code), p.Message
		}
	}
	return turn.Errorf(first.Code, "%s", turn.Printable(first.Message)).WithHint("%s", first.Hint)
}

// index is that of the step with a number; -1 if there is none.
func (r *run) index(number int) int { return turn.StepIndex(r.steps, number) }

// unwritten is a failure of the generator, or of a step on the way to its
// question.
func (r *run) unwritten(err error) error {
	if s, ok := errors.AsType[*author.StepError](err); ok {
		return r.orStale(r.failStep(s.Index, s.Err))
	}
	return err
}
