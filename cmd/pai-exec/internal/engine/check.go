package engine

import (
	"context"
	"strings"

	"paicode/cmd/pai-exec/internal/author"
	"paicode/pkg/turn"
)

// checkFirst runs the checks on the untouched tree: what they print tells the
// generator more than words.
func (r *run) checkFirst(ctx context.Context) error {
	if r.runner == nil || r.NoCheckFirst || len(r.author.Wanted()) == 0 || r.author.Failed() {
		return nil
	}
	c, err := r.runner.All(ctx, r.Checks, r.CheckTimeout, r.progress.Wait)
	r.author.Before(c)
	return err
}

// checkApplied runs the checks with everything in place. The error is an
// *author.Unfit: another phase may mend it.
func (r *run) checkApplied(ctx context.Context) error {
	c, err := r.runner.All(ctx, r.Checks, r.CheckTimeout, r.progress.Wait)
	if err != nil {
		return err
	}
	if r.exec.Check = c; c.Passed {
		return nil
	}
	return r.author.CheckFailed(c, r.CheckTimeout, r.diffs())
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
	return r.commit(ctx, net)
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
