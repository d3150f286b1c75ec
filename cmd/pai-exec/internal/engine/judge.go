package engine

import (
	"fmt"
	"strings"

	"paicode/cmd/pai-exec/internal/author"
	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/pkg/turn"
)

// judge counts and shows the changes at the steps that complete them, and
// rejects the plan if one is over the limits.
func (r *run) judge(net overlay.Net) error {
	var over []author.Problem
	patches := patches{steps: make([]strings.Builder, len(r.steps)), room: maxDiffs}
	diffs := make([]change.Diff, len(net.Files))
	git, size := false, 0
	for i, f := range net.Files {
		diffs[i] = f.Diff()
		size += diffs[i].ChangedBytes()
		git = git || f.NeedsGit() || size > change.MaxDiffBytes
		if f.Old != nil && f.New != nil && f.Old.Binary && !f.Same && !f.Unseen {
			return r.failStep(net.Steps[i],
				turn.Errorf(turn.CodeRejected, "%s can't be replaced: what is there is not text that can be compared",
					turn.Shown(f.Path())))
		}
	}
	for i, c := range r.Limits.Judge(net.Files, diffs) {
		step := &r.exec.Steps[net.Steps[i]]
		text, note := net.Files[i].Unified(diffs[i], git)
		step.Added += c.Added
		step.Removed += c.Removed
		addNote(step, patches.add(net.Steps[i], net.Files[i], text, note))
		if c.Moved > 0 && r.steps[net.Steps[i]].Action != turn.ActionMove { // of which that is the sense
			addNote(step, fmt.Sprintf("%d of the removed lines move to other files, %s", c.Moved, c.LostNames()))
		}
		if problem := c.Problem(); problem != "" {
			step.Diff = patches.steps[net.Steps[i]].String()
			e := turn.Errorf(turn.CodeRejected, "%s: %s", turn.Shown(c.Path), problem).
				WithHint("--max-changed-lines, --max-ratio and --max-shrink set the limits")
			p, mendable := r.author.OverLimit(r.steps[net.Steps[i]].Number, e)
			if !mendable {
				return r.failStep(net.Steps[i], e)
			}
			over = append(over, p)
		}
	}
	if len(over) > 0 {
		r.author.Want(over)
		return &author.Unfit{Problems: over}
	}
	for i := range patches.steps {
		r.exec.Steps[i].Diff = patches.steps[i].String()
	}
	return nil
}

// maxDiffs is how much of all diffs together the document carries, in bytes; maxStubs how
// much more of what stands for those that are left out.
const (
	maxDiffs = 8 << 20
	maxStubs = 1 << 20
)

// patches gathers the diffs of the steps' files, up to what the document may carry.
type patches struct {
	steps []strings.Builder
	room  int
	stubs int // bytes
}

// add adds the diff of one file to its step's, or what stands for it, and returns the note
// that goes with it.
func (p *patches) add(step int, f change.File, text, note string) string {
	if text == "" {
		return note
	}
	if size := len(text); size > min(change.MaxDiffBytes-p.steps[step].Len(), p.room) {
		text, note = f.LeftOut(size)
		if p.stubs += len(text); p.stubs > maxStubs {
			text, note = "", "the diffs of further files are left out"
		}
	} else {
		p.room -= size
	}
	p.steps[step].WriteString(text)
	return note
}
