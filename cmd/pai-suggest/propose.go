package main

import (
	"context"
	"errors"
	"os"

	"paicode/pkg/filter"
	"paicode/pkg/talk"
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
		if call.Doc.Exec() == nil && call.Doc.Error() == nil && !call.Bool(talk.EstimateFlag) {
			return turn.Errorf(turn.CodeUsage, "nothing was done yet in this document").
				WithHint("pai-suggest comes after pai-exec")
		}
		if err := run(ctx, call); err != nil {
			if _, told := errors.AsType[filter.Written](err); told {
				return err
			}
			e := turn.AsError(err)
			if e.Code == turn.CodeUsage || errors.Is(ctx.Err(), context.Canceled) {
				return err
			}
			filter.PrintError(os.Stderr, call.Name, turn.Errorf(e.Code, "no suggestion: %s", e.Message).WithHint("%s", e.Hint))
		}
		return filter.Exit(outcome)
	}
}
