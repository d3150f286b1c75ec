package engine

import (
	"context"
	"fmt"
	"slices"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/pkg/turn"
)

// addedByCheck marks the steps that say what a check made of the change.
const addedByCheck = "check"

// keepWritten reports whether what a check that passed wrote over the change stays: on a terminal the
// person says.
func (r *run) keepWritten(ctx context.Context, changed []string) bool {
	if r.CheckMayWrite || r.tty == nil {
		return r.CheckMayWrite
	}
	r.progress.Done()
	fmt.Fprintln(r.tty, "The check passed, and changed "+turn.QuoteFew(changed)+".")
	return r.tty.Agree(ctx, "Keep what it wrote? [y]es [n]o, put back what was reviewed: ")
}

// addWritten adds what a check made of the change to the plan, as steps that were carried out, and
// seals the whole.
func (r *run) addWritten(net overlay.Net) {
	if len(r.written) == 0 {
		return
	}
	last := 0
	for _, s := range r.steps {
		last = max(last, s.Number)
	}
	at := len(r.steps)
	if r.steps[at-1].Action == turn.ActionFinish {
		at--
	}
	var paths []string
	for _, w := range r.written {
		last++
		paths = append(paths, w.Path)
		text := string(w.Is)
		r.steps = slices.Insert(r.steps, at, turn.Step{Number: last, Action: turn.ActionModify, Target: w.Path,
			Content: &text, AddedBy: addedByCheck})
		r.exec.Steps = slices.Insert(r.exec.Steps, at,
			writtenStep(last, w.Path, string(w.Was), text, net.Paths[w.Path].After))
		at++
	}
	words := "it wrote " + turn.QuoteFew(paths) + ": steps were added"
	r.exec.Check.Add(words)
	r.progress.Note("the check: " + words)
	r.plan.ExecutionPlan.Steps = r.steps
	r.doc.SetPlan(r.plan)
	r.doc.SetSeal(&turn.Seal{Steps: hashSteps(r.steps), Paths: digested(net.Paths)})
}

// writtenStep is the outcome of a step that a check made.
func writtenStep(number int, path, was, is string, state *turn.State) turn.StepResult {
	mode := change.ModeFile
	if state != nil && disk.Executable(state) {
		mode = change.ModeExecutable
	}
	f := change.File{Old: &change.Side{Path: path, Text: was, Mode: mode}, New: &change.Side{Path: path, Text: is, Mode: mode}}
	s := turn.StepResult{Number: number, Status: turn.StatusOK, Message: "the check wrote it"}
	d := f.Diff()
	s.Added, s.Removed = d.Added(), d.Removed()
	note := ""
	s.Diff, note = f.Unified(d, false)
	addNote(&s, note)
	return s
}
