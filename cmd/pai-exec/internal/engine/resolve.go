package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/pkg/turn"
)

// maxOutput is how much of what a step reports the document carries, in
// bytes.
const maxOutput = 64 << 10

// maxOutputs is how much of what all steps report together.
const maxOutputs = 4 << 20

// progressEvery is after how many steps a person is told how far it got.
const progressEvery = 100

// resolve does all steps on an overlay and judges what they change together.
func (r *run) resolve(ctx context.Context) (overlay.Net, error) {
	tree := overlay.NewTree(r.root, r.Overlay)
	for i, s := range r.steps {
		if ctx.Err() != nil {
			return overlay.Net{}, r.failStep(i, ctx.Err())
		}
		if i%progressEvery == 0 {
			r.progress.Show(fmt.Sprintf("step %d of %d", i+1, len(r.steps)))
		}
		result, err := tree.Do(i, s, false)
		if err != nil {
			return overlay.Net{}, r.failStep(i, err)
		}
		r.steps[i].Matched = result.Matched
		r.note(i, result)
	}
	net, err := tree.Net()
	if stale, ok := errors.AsType[*disk.StaleError](err); ok {
		return net, r.stale(stale.Paths)
	}
	if err != nil {
		r.fail(turn.StatusSkipped, "")
		return net, err
	}
	if err := r.judge(net); err != nil {
		return net, err
	}
	r.markRisks(net)
	r.tellUnkept(net)
	r.finish(net)
	return net, nil
}

// tellUnkept says of what is too large to be kept that it can't be put back for long.
func (r *run) tellUnkept(net overlay.Net) {
	var size int64
	for _, o := range net.Ops {
		size += o.Size
	}
	if size <= r.Journal.KeepBytes {
		return
	}
	note := fmt.Sprintf("%d MB are more than the %d MB that are kept: this can't be undone after the next change", size>>20,
		r.Journal.KeepBytes>>20)
	for i := range r.exec.Steps {
		if slices.Contains(r.removing, r.exec.Steps[i].Number) {
			addNote(&r.exec.Steps[i], note)
		}
	}
	r.progress.Note(note)
}

// markRisks marks what is risky and gathers the steps that need a yes.
func (r *run) markRisks(net overlay.Net) {
	risks, cautions := net.Risks(r.steps)
	for i := range r.steps {
		r.steps[i].Risk, r.steps[i].Caution = risks[i], cautions[i]
		if risks[i] != "" || slices.Contains(r.removing, r.steps[i].Number) {
			r.exec.NeedsYes = append(r.exec.NeedsYes, r.steps[i].Number)
		}
	}
}

// note writes what a step did into its result.
func (r *run) note(i int, result overlay.Result) {
	out := &r.exec.Steps[i]
	out.Status, out.Message, out.Output = turn.StatusOK, result.Message, result.Output
	if result.Unchanged {
		out.Status = turn.StatusUnchanged
		addNote(out, r.author.Reason(r.steps[i].Number))
	}
	if room := min(maxOutput, maxOutputs-r.outputs); len(out.Output) > room {
		out.Output = strings.ToValidUTF8(out.Output[:room], "")
		out.Message = fmt.Sprintf("cut after %d bytes", room)
	}
	r.outputs += len(out.Output)
	if result.Removes {
		r.removing = append(r.removing, r.steps[i].Number)
	}
}

// addNote adds to a step's message what isn't said there yet.
func addNote(step *turn.StepResult, note string) {
	if note == "" || strings.Contains(step.Message, note) {
		return
	}
	if step.Message != "" {
		note = step.Message + "; " + note
	}
	step.Message = note
}

// finish gives FINISH its words: those that it has, else composed ones.
func (r *run) finish(net overlay.Net) {
	last := len(r.steps) - 1
	if last < 0 || r.steps[last].Action != turn.ActionFinish {
		return
	}
	if r.steps[last].Content == nil {
		words := compose(net)
		r.steps[last].Content = &words
	}
	r.exec.Steps[last].Output = *r.steps[last].Content
}

// compose describes a change without claiming that it was made.
func compose(net overlay.Net) string {
	const most = 10
	var parts []string
	for _, f := range net.Files {
		verb := "changes "
		switch {
		case f.Old == nil:
			verb = "new: "
		case f.New == nil:
			verb = "removes "
		case f.Old.Path != f.New.Path:
			verb = "moves " + turn.Shown(f.Old.Path) + " to "
		}
		parts = append(parts, verb+turn.Shown(f.Path()))
	}
	if more := len(parts) - most; more > 0 {
		parts = append(parts[:most], fmt.Sprintf("and %d more", more))
	}
	if len(parts) == 0 {
		return "no file changes"
	}
	return strings.Join(parts, ", ")
}

// failStep marks a step as failed and the others as skipped, and returns the
// error.
func (r *run) failStep(i int, err error) error {
	if stale, ok := errors.AsType[*disk.StaleError](err); ok {
		return r.stale(stale.Paths)
	}
	e := turn.AsError(err)
	r.fail(turn.StatusSkipped, "")
	r.exec.Steps[i].Status, r.exec.Steps[i].Message = statusOf(e.Code), e.Message
	return e
}

// statusOf is that of a step whose error has the code.
func statusOf(code turn.Code) string {
	switch code {
	case turn.CodeDenied:
		return turn.StatusDenied
	case turn.CodeRejected:
		return turn.StatusRejected
	case turn.CodeStale:
		return turn.StatusStale
	}
	return turn.StatusFailed
}

// fail gives all steps one status and rolls back what they promised. The
// diffs stay: they show what was refused.
func (r *run) fail(status, message string) {
	r.exec.NeedsYes = nil
	for i := range r.exec.Steps {
		step := &r.exec.Steps[i]
		step.Status, step.Message, step.Output = status, message, ""
	}
}

// sumUp counts the steps.
func (r *run) sumUp() {
	s := turn.Summary{Total: len(r.exec.Steps), SuccessRate: 1}
	for _, step := range r.exec.Steps {
		if step.Status == turn.StatusOK || step.Status == turn.StatusUnchanged {
			s.OK++
		}
	}
	if s.Total > 0 {
		s.SuccessRate = float64(s.OK) / float64(s.Total)
	}
	r.exec.Summary = s
}
