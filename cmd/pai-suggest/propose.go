package main

import (
	"context"
	"errors"
	"os"

	"paicode/pkg/filter"
	"paicode/pkg/turn"
)

// propose keeps the outcome of pai-exec the outcome of the pipe: a suggestion
// that fails is only worth a warning, and one that succeeds mends no failure.
func propose(run func(context.Context, *filter.Call) error) func(context.Context, *filter.Call) error {
	return func(ctx context.Context, call *filter.Call) error {
		outcome := call.Doc.Outcome()
		if outcome == turn.CodeNotApplied {
			return filter.Exit(outcome)
		}
		if err := run(ctx, call); err != nil {
			e := turn.AsError(err)
			if e.Code == turn.CodeUsage || errors.Is(ctx.Err(), context.Canceled) {
				return err
			}
			filter.PrintError(os.Stderr, call.Name, turn.Errorf(e.Code, "no suggestion: %s", e.Message).WithHint("%s", e.Hint))
		}
		return filter.Exit(outcome)
	}
}
