package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/workspace"
	"paicode/pkg/turn"
)

// checkFirst runs the checks on the untouched tree: what they print tells the
// generator more than words.
func (r *run) checkFirst(ctx context.Context) error {
	if r.runner == nil || r.NoCheckFirst || len(r.w.wanted) == 0 || r.w.failed != nil {
		return nil
	}
	var err error
	r.w.before, err = r.runChecks(ctx)
	return err
}

// checkApplied runs the checks with everything in place. The error is an
// *unfit: another phase may mend it.
func (r *run) checkApplied(ctx context.Context) error {
	c, err := r.runChecks(ctx)
	if err != nil {
		return err
	}
	r.exec.Check = c
	if c.Passed {
		return nil
	}
	failed := c.Results[len(c.Results)-1]
	p := problem{code: turn.CodeCheckFailed, message: fmt.Sprintf("the check failed: %s: exit code %d", turn.Shown(failed.Command), failed.ExitCode)}
	if failed.TimedOut {
		p.message = fmt.Sprintf("the check failed: %s: not done within %s", turn.Shown(failed.Command), r.CheckTimeout)
	}
	p.hint = "pai-exec --keep-failing keeps the change all the same"
	if out := strings.TrimSpace(failed.Output); out != "" {
		p.hint = "its output ends:\n" + lastLines(out, 10) + "\n" + p.hint
	}
	if n := len(r.exec.Phases); n > 0 {
		r.exec.Phases[n-1].Check, r.exec.Phases[n-1].Diff = c, r.diffs()
	}
	r.w.failed = c
	r.w.wanted = nil
	for _, s := range r.steps {
		if r.w.drafts[s.Number] != nil {
			r.w.wanted = append(r.w.wanted, s.Number)
		}
	}
	return &unfit{problems: []problem{p}}
}

// keepFailing applies the last change once more, without the check that refused
// it.
func (r *run) keepFailing(ctx context.Context, u *unfit) error {
	failed := *r.exec.Check
	failed.Message = u.problems[0].message
	r.begin()
	tree, net, err := r.resolve(ctx)
	if err != nil {
		return r.orStale(err)
	}
	r.runner.stop()
	r.runner = nil
	if err := r.seal(net); err != nil {
		return err
	}
	r.exec.Check = &failed
	return r.commit(ctx, tree, net)
}

// resume goes on with the phases of an earlier pai-exec whose change a check
// refused: what the generator wrote then is what it edits now. Only a dry run
// does: what comes of it is sealed, to be reviewed as the first was.
func (r *run) resume(was *turn.Exec) {
	if was != nil && r.bound {
		r.exec.Phases = was.Phases // that made what is sealed
	}
	if was == nil || !r.DryRun || was.Applied || was.Check == nil || !was.Check.Run || was.Check.Passed || len(was.Phases) == 0 {
		return
	}
	for _, phase := range was.Phases {
		for _, number := range phase.Steps {
			if i := r.index(number); i >= 0 && writes(r.steps[i].Action) && !slices.Contains(r.w.wanted, number) {
				r.w.wanted = append(r.w.wanted, number)
			}
		}
	}
	if len(r.w.wanted) > 0 {
		r.exec.Phases, r.w.failed, r.bound, r.sealed = was.Phases, was.Check, false, nil
	}
}

// resumeDrafts takes up what the steps hold that are resumed.
func (r *run) resumeDrafts() error {
	if r.w.failed == nil {
		return nil
	}
	tree := workspace.NewTree(r.disk, r.Workspace)
	for i, s := range r.steps {
		if slices.Contains(r.w.wanted, s.Number) {
			d := &draft{whole: s.Content != nil, edits: s.Edits}
			var err error
			if s.Action == turn.ActionModify {
				d.base, _, err = tree.Text(s.Target)
			}
			if d.text = d.base; s.Content != nil {
				d.text = *s.Content
			} else if err == nil {
				d.text, _, err = change.Apply(d.base, d.edits)
			}
			if err != nil {
				return r.failStep(i, turn.AsError(err))
			}
			r.w.drafts[s.Number] = d
		}
		if _, err := tree.Do(i, s, true); err != nil {
			return r.failStep(i, err)
		}
	}
	return nil
}

// diffs is what the steps' diffs are together.
func (r *run) diffs() string {
	var b strings.Builder
	for _, s := range r.exec.Steps {
		b.WriteString(s.Diff)
	}
	return b.String()
}

func lastLines(text string, most int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// runChecks runs the commands up to the first that fails. An error means that
// the runner itself failed, or an interruption.
func (r *run) runChecks(ctx context.Context) (*turn.Check, error) {
	c := &turn.Check{Run: true, Passed: true}
	for _, command := range r.Checks {
		stop := r.progress.Wait("checking: " + turn.Shown(command))
		result, err := r.runner.run(ctx, command, r.CheckTimeout)
		stop()
		if err != nil {
			return nil, err
		}
		c.Results = append(c.Results, result)
		if result.ExitCode != 0 {
			c.Passed = false
			break
		}
	}
	return c, nil
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
