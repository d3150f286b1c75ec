// Package engine carries out plans: it has the generator fill in what the
// steps lack, resolves them on an overlay, judges the changes, seals them, and
// commits them.
package engine

import (
	"context"
	"errors"
	"time"

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
	AllowRisky bool   // so are changes to files that run code by themselves
	Only, Skip []int  // the numbers of the steps to do, or not to do; FINISH stays
	Generator  string // a shell command; empty: pai generate
	NoLandlock bool
	Workspace  workspace.Options
	Limits     change.Limits
	Commit     workspace.CommitOptions

	MaxPhases    int           // how often the generator is asked at most; 0: never
	Checks       []string      // shell commands that must succeed with the change in place
	CheckTimeout time.Duration // of each
	NoCheckFirst bool          // don't run them on the untouched tree
	KeepFailing  bool          // keep the last change although a check fails
}

// run is one execution of one document.
type run struct {
	Options
	doc      *turn.Document
	plan     *turn.Plan
	progress *filter.Progress
	steps    []turn.Step
	exec     *turn.Exec
	sealed   *turn.Seal // the document's; nil if it has none
	bound    bool       // the seal is of these very steps
	disk     *workspace.Root
	removing []int // the numbers of the steps that take something away
	w        writing
	runner   *runner // nil: there are no checks to run
}

// Observe writes into the document what is to be seen beneath the root.
func Observe(o Options, doc *turn.Document, progress *filter.Progress) error {
	disk, _, err := o.enter(progress)
	if err != nil {
		return err
	}
	defer disk.Close()
	w, err := workspace.NewTree(disk, o.Workspace).Observe(doc.Request())
	if err == nil {
		doc.SetWorkspace(w)
	}
	return err
}

// enter opens the root, locks the process in, and takes back what a killed
// pai-exec left half done.
func (o Options) enter(progress *filter.Progress) (disk *workspace.Root, landlock string, err error) {
	if disk, err = workspace.OpenRoot(o.Root, o.Workspace.Rules); err != nil {
		return nil, workspace.LandlockOff, err
	}
	landlock = workspace.LandlockOff
	if !o.NoLandlock {
		if landlock, err = workspace.LockIn(o.Root); err != nil {
			disk.Close()
			return nil, landlock, turn.Errorf(turn.CodeInternal, "landlock: %s", err).WithHint("--no-landlock does without")
		}
	}
	notices, err := disk.Recover(o.Commit.LockWait)
	for _, notice := range notices {
		progress.Note(notice)
	}
	if err != nil {
		disk.Close()
		return nil, landlock, err
	}
	return disk, landlock, nil
}

// Execute carries out the document's plan. Where an earlier pai-exec ended with
// a failed check, and the error was taken out of the document, the generator
// goes on from there in a dry run. Whatever the outcome, the document's exec
// says what became of each step. An Exit of CodeNotApplied means that a person
// must answer or agree first.
func Execute(ctx context.Context, o Options, doc *turn.Document, progress *filter.Progress) error {
	failed := doc.Exec()
	doc.DropExec()
	r := &run{Options: o, doc: doc, progress: progress}
	if err := r.read(); err != nil {
		return err
	}
	r.exec = &turn.Exec{DryRun: o.DryRun, Landlock: workspace.LandlockOff, Check: o.checkToCome()}
	r.begin()
	r.w = writing{wanted: r.wanted(), drafts: make(map[int]*draft), reasons: make(map[int]string)}
	r.resume(failed)
	err := r.execute(ctx)
	r.sumUp()
	doc.SetExec(r.exec)
	return err
}

func (r *run) execute(ctx context.Context) error {
	if err := r.checkWords(); err != nil {
		return err
	}
	if r.plan.Question != "" {
		return exitNotApplied()
	}
	if len(r.w.wanted) > 0 {
		if r.w.failed != nil && len(r.exec.Phases) >= r.MaxPhases {
			return turn.Errorf(turn.CodeCheckFailed, "the check failed, and --max-phases %d lets nobody mend it", r.MaxPhases)
		}
		if r.MaxPhases == 0 {
			return r.failStep(r.index(r.w.wanted[0]), turn.Errorf(turn.CodeRejected, "step %d lacks its content, and --max-phases 0 asks no model", r.w.wanted[0]))
		}
		var err error
		if r.w.gen, err = startGenerator(ctx, r.Generator, r.doc.Usage()); err != nil {
			return err
		}
		defer r.w.gen.stop()
	}
	if len(r.Checks) > 0 && (!r.DryRun || len(r.w.wanted) > 0 && !r.NoCheckFirst) {
		var err error
		if r.runner, err = startRunner(r.Root); err != nil {
			return err
		}
		defer r.runner.stop()
	}
	tty := terminal.Open()
	if tty != nil {
		defer tty.Close()
	}
	var err error
	if r.disk, r.exec.Landlock, err = r.enter(r.progress); err != nil {
		return err
	}
	defer r.disk.Close()
	if err := r.resumeDrafts(); err != nil {
		return r.orStale(err)
	}
	if err := r.checkFirst(ctx); err != nil {
		return err
	}
	return r.work(ctx, tty)
}

// exitNotApplied ends a run that waits for a person.
func exitNotApplied() error { return filter.Exit(turn.CodeNotApplied) }

// commit makes the changes, and takes them back if a check fails on them.
func (r *run) commit(ctx context.Context, tree *workspace.Tree, net workspace.Net) (err error) {
	o := r.Commit
	if r.runner != nil {
		o.Check = func() error { return r.checkApplied(ctx) }
	}
	r.exec.Transaction, err = tree.Commit(net, o)
	if _, ok := errors.AsType[*unfit](err); ok {
		return err
	}
	if stale, ok := errors.AsType[*workspace.StaleError](err); ok {
		return r.stale(stale.Paths)
	}
	if err != nil {
		r.fail(turn.StatusFailed, "")
		return err
	}
	r.exec.Applied = true
	if c := r.exec.Check; c.Run && !c.Passed {
		return turn.Errorf(turn.CodeCheckFailed, "%s", turn.Printable(c.Message)).WithHint("the change was kept all the same; pai-exec --undo takes it back")
	}
	return nil
}
