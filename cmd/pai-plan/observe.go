package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"paicode/pkg/filter"
	"paicode/pkg/plan"
	"paicode/pkg/preview"
	"paicode/pkg/sibling"
	"paicode/pkg/talk"
)

func estimateFlag() cli.Flag {
	return &cli.BoolFlag{Name: "estimate", Usage: "say on standard error what the plan would cost, and send nothing"}
}

// run plans, or says what that would cost.
func run(ctx context.Context, call *filter.Call) error {
	if !call.Bool("estimate") {
		return talk.Run(observe, plan.Run(sibling.Project(call.Root())))(ctx, call)
	}
	if err := observe(ctx, call); err != nil {
		return err
	}
	question, err := preview.Plan(ctx, call.Doc)
	if err == nil {
		call.Progress.Note(fmt.Sprintf("about %d tokens in, or twice that if it must be asked again", question.Tokens()))
	}
	return err
}

// observe has pai-exec put the files into the document, if nobody did it yet
// or if they may have changed since: pai-plan opens none itself.
func observe(ctx context.Context, call *filter.Call) error {
	if call.Doc.Workspace() != nil && call.Doc.Error() == nil {
		return nil
	}
	seen, err := sibling.Observe(ctx, call.Root(), call.Doc.Request())
	if err == nil {
		call.Doc.SetWorkspace(seen)
	}
	return err
}
