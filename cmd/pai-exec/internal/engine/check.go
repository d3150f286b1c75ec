package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"paicode/cmd/pai-exec/internal/author"
	"paicode/cmd/pai-exec/internal/check"
	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/journal"
	"paicode/pkg/event"
	"paicode/pkg/turn"
)

// startChecks starts the runner of checks, and opens what keeps a commit safe from them.
func (r *run) startChecks() (err error) {
	o := check.Options{Root: r.Root, Write: r.CheckWrite, Confine: !r.CheckAnyhow, Offline: r.CheckOffline}
	root, err := disk.OpenRoot(r.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	o.Inside = root.Name()
	if !r.DryRun {
		if r.outside.Lock, err = journal.OpenLock(root); err != nil {
			return err
		}
		o.Lock = r.outside.Lock.File
		r.outside.Keep, _ = journal.OpenKeep(root) // without one nothing can be removed
	}
	if r.CheckOffline && !check.CanBeOffline() {
		r.progress.Note("the kernel can't take TCP from the checks: they have it")
	}
	if r.runner, err = check.Start(o); err == nil && r.outside.Lock != nil {
		r.outside.Lock.Runner = r.runner.PID()
	}
	return err
}

// checking tells that a check runs, and how it ended.
func (r *run) checking(command string) (end func(passed bool)) {
	stop := r.progress.Wait("checking: " + turn.Shown(command))
	r.progress.Event(event.Event{Event: event.Check, Command: command, Status: "began"})
	return func(passed bool) {
		stop()
		status := "failed"
		if passed {
			status = "passed"
		}
		r.progress.Event(event.Event{Event: event.Check, Command: command, Status: status})
	}
}

// checkApplied runs the checks with everything in place. The error is an
// *author.Unfit: another phase may mend it.
func (r *run) checkApplied(ctx context.Context) error {
	r.watch()
	c, err := r.runner.All(ctx, r.Checks, r.CheckTimeout, r.checking)
	if err != nil {
		return err
	}
	r.exec.Check = c
	if err := r.judgeMeanwhile(c); err != nil || c.Passed {
		return err
	}
	u := r.author.CheckFailed(c, r.CheckTimeout, r.diffs())
	if r.runner.Confined() && refused(c.Results[len(c.Results)-1].Output) {
		u.Problems[0].Hint += "\nchecks write in the root, temporary folders and caches only: --check-write adds a folder, --no-check-confine lifts that"
	}
	return u
}

// judgeMeanwhile names what changed outside the plan while the checks ran. What runs code by itself
// is an error: a test that a model wrote could make it.
func (r *run) judgeMeanwhile(c *turn.Check) error {
	changed, runs := r.meanwhile()
	if len(changed) > 0 {
		words := turn.QuoteFew(changed) + " changed while the check ran, outside the plan"
		c.Add(words)
		r.progress.Note(words)
	}
	if len(runs) == 0 {
		return nil
	}
	c.Passed = false
	first := slices.Sorted(maps.Keys(runs))[0]
	words := fmt.Sprintf("the check made or changed %s: %s", turn.Quote(first), runs[first])
	c.Add(words)
	return turn.Errorf(turn.CodeCheckFailed, "%s", words).
		WithHint("look at it and restore it; a plan that names it can be confirmed")
}

// checkFound tells what checks did to the paths of the plan.
func (r *run) checkFound(f journal.Found) {
	r.written = append(r.written, f.Written...)
	if len(f.Changed) > 0 {
		r.exec.Check.Wrote(f.Changed)
		r.progress.Note("the check: " + r.exec.Check.Message)
	}
	if len(f.Aside) > 0 {
		words := "what was written there while the check ran is in " + turn.QuoteFew(f.Aside)
		r.exec.Check.Add(words)
		r.progress.Note(words)
	}
}

// checkStanding runs the checks on a change that was applied before, and stays. The error is
// errApplied if they pass.
func (r *run) checkStanding(ctx context.Context) error {
	err := r.checkApplied(ctx)
	if u, ok := errors.AsType[*author.Unfit](err); ok {
		return turn.Errorf(turn.CodeCheckFailed, "%s", turn.Printable(u.Problems[0].Message)).
			WithHint("the plan was applied already, and stays: pai-exec --undo undoes it")
	}
	if err != nil {
		return err
	}
	return errApplied
}

// refused reports whether a check's output tells that it may not write somewhere, in the words of
// the C library and of Node.
func refused(output string) bool {
	for _, words := range []string{"permission denied", "operation not permitted", "invalid cross-device link", "eacces",
		"eperm", "accessdenied", "notaccessible"} {
		if strings.Contains(strings.ToLower(output), words) {
			return true
		}
	}
	return false
}

// keepFailing applies the last change once more, without the check that refused
// it.
func (r *run) keepFailing(ctx context.Context, u *author.Unfit) error {
	failed := *r.exec.Check
	failed.Message = u.Problems[0].Message
	r.begin()
	net, err := r.resolve(ctx)
	if err != nil {
		return r.orStale(err)
	}
	r.runner.Stop()
	r.runner = nil
	if err := r.seal(net); err != nil {
		return err
	}
	r.exec.Check = &failed
	return r.apply(ctx, net)
}

// diffs is what the steps' diffs are together.
func (r *run) diffs() string {
	var b strings.Builder
	for _, s := range r.exec.Steps {
		b.WriteString(s.Diff)
	}
	return b.String()
}

// checkToCome is what the document says of checks before any ran.
func (o Options) checkToCome() *turn.Check {
	switch {
	case len(o.Checks) == 0:
		return &turn.Check{Message: "no check was run"}
	case o.DryRun:
		return &turn.Check{Message: "the check is yet to be run on the change: " + strings.Join(o.Checks, "; ")}
	}
	return &turn.Check{Message: "the check was not run: " + strings.Join(o.Checks, "; ")}
}
