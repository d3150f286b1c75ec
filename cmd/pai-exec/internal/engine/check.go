package engine

import (
	"context"
	"fmt"
	"strings"

	"paicode/pkg/turn"
)

// checkFirst runs the checks on the untouched tree: what they print tells the
// generator more than words.
func (r *run) checkFirst(ctx context.Context) error {
	if r.runner == nil || r.NoCheckFirst || len(r.w.wanted) == 0 {
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
	p.hint = "--keep-failing keeps the change all the same"
	if out := strings.TrimSpace(failed.Output); out != "" {
		p.hint = "its output ends:\n" + lastLines(out, 10) + "\n" + p.hint
	}
	last := r.w.gen == nil || len(r.exec.Phases) >= r.MaxPhases
	if r.KeepFailing && last {
		r.exec.Check.Message = p.message
		return nil
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
		return &turn.Check{Message: "not run on the change, this is a dry run: " + strings.Join(o.Checks, "; ")}
	}
	return &turn.Check{Message: "not run: " + strings.Join(o.Checks, "; ")}
}
