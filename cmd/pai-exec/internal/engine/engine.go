// Package engine carries out plans: it has the generator fill in what the
// steps lack, resolves them on an overlay, judges the changes, seals them, and
// commits them.
package engine

import (
	"context"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/workspace"
	"paicode/pkg/filter"
	"paicode/pkg/terminal"
	"paicode/pkg/turn"
)

// Options are what the person allows and wants.
type Options struct {
	Root       string // empty: the current directory
	DryRun     bool   // resolve and seal, change nothing
	Yes        bool   // RM, and MV onto something, are agreed to
	Generator  string // a shell command; empty: pai generate
	NoLandlock bool
	Workspace  workspace.Options
	Limits     change.Limits
}

// run is one execution of one document.
type run struct {
	Options
	doc      *turn.Document
	progress *filter.Progress
	steps    []turn.Step
	exec     *turn.Exec
	sealed   *turn.Seal // the document's; nil if it has none
	bound    bool       // the seal is of these very steps
	disk     *workspace.Root
}

// Observe writes into the document what is to be seen beneath the root.
func Observe(o Options, doc *turn.Document) error {
	disk, err := workspace.OpenRoot(o.Root)
	if err != nil {
		return err
	}
	defer disk.Close()
	if !o.NoLandlock {
		if _, err := workspace.LockIn(o.Root); err != nil {
			return turn.Errorf(turn.CodeInternal, "landlock: %s", err).WithHint("--no-landlock does without")
		}
	}
	w, err := workspace.NewTree(disk, o.Workspace).Observe(doc.Request())
	if err == nil {
		doc.SetWorkspace(w)
	}
	return err
}

// Execute carries out the document's plan. Whatever the outcome, the
// document's exec says what became of each step. An Exit of CodeNotApplied
// means that a person must answer or agree first.
func Execute(ctx context.Context, o Options, doc *turn.Document, progress *filter.Progress) error {
	r := &run{Options: o, doc: doc, progress: progress}
	if err := r.read(); err != nil {
		return err
	}
	r.exec = &turn.Exec{DryRun: o.DryRun, Landlock: workspace.LandlockOff, Check: &turn.Check{Message: "no check was run"}}
	for _, s := range r.steps {
		r.exec.Steps = append(r.exec.Steps, turn.StepResult{Number: s.Number, Status: turn.StatusSkipped})
	}
	err := r.execute(ctx)
	r.sumUp()
	doc.SetExec(r.exec)
	return err
}

func (r *run) execute(ctx context.Context) error {
	if err := r.checkWords(); err != nil {
		return err
	}
	if r.doc.Plan().Question != "" {
		return filter.Exit(turn.CodeNotApplied)
	}
	wanted := r.wanted()
	var gen *generator
	if len(wanted) > 0 {
		var err error
		if gen, err = startGenerator(ctx, r.Generator); err != nil {
			return err
		}
		defer gen.stop()
	}
	tty := terminal.Open()
	if tty != nil {
		defer tty.Close()
	}
	if err := r.enter(); err != nil {
		return err
	}
	defer r.disk.Close()
	if len(wanted) > 0 {
		if err := r.generate(gen, wanted); err != nil {
			return err
		}
	}
	tree, net, err := r.resolve()
	if err != nil {
		return r.orStale(err)
	}
	if err := r.seal(net); err != nil || r.DryRun {
		return err
	}
	if len(r.exec.NeedsYes) > 0 && !r.Yes && !agree(tty, r.steps, r.exec.NeedsYes) {
		return filter.Exit(turn.CodeNotApplied)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return r.commit(tree, net)
}

// enter opens the root and locks the process in.
func (r *run) enter() (err error) {
	if r.disk, err = workspace.OpenRoot(r.Root); err != nil || r.NoLandlock {
		return err
	}
	if r.exec.Landlock, err = workspace.LockIn(r.Root); err != nil {
		r.disk.Close()
		return turn.Errorf(turn.CodeInternal, "landlock: %s", err).WithHint("--no-landlock does without")
	}
	return nil
}

// commit makes the changes, once more compared with the disk.
func (r *run) commit(tree *workspace.Tree, net workspace.Net) error {
	changed, err := tree.Changed(net.Paths)
	if err != nil {
		return err
	}
	if len(changed) > 0 {
		return r.stale(changed)
	}
	if _, err := tree.Commit(); err != nil {
		r.fail(turn.StatusFailed, "")
		return err
	}
	r.exec.Applied = true
	return nil
}
