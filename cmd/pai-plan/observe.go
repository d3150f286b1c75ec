package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"paicode/pkg/filter"
	"paicode/pkg/plan"
	"paicode/pkg/preview"
	"paicode/pkg/render"
	"paicode/pkg/sibling"
	"paicode/pkg/talk"
	"paicode/pkg/turn"
)

func estimateFlag() cli.Flag {
	return &cli.BoolFlag{Name: "estimate", Usage: "say on standard error what the plan would cost, and send nothing"}
}

// run plans, or says what that would cost.
func run(ctx context.Context, call *filter.Call) error {
	tokens := call.Int(filter.ContextFlag().Name)
	project := sibling.Project{Root: call.Root(), Send: call.StringSlice(filter.SendFlag().Name)}
	if tokens != 0 {
		var err error
		if project.Room, err = plan.Room(call.Doc, tokens); err != nil {
			return err
		}
	}
	if !call.Bool("estimate") {
		prepare := func(ctx context.Context, call *filter.Call) error { return prepare(ctx, call, project) }
		return talk.Run(prepare, plan.Run(project, tokens))(ctx, call)
	}
	if err := observe(ctx, call.Doc, project); err != nil {
		return err
	}
	question, err := preview.Plan(ctx, call.Doc, tokens)
	if err == nil {
		call.Progress.Note(fmt.Sprintf("about %d tokens in, or twice that if it must be asked again", question.Tokens()))
	}
	return err
}

// prepare observes, and tells the person what is withheld.
func prepare(ctx context.Context, call *filter.Call, project sibling.Project) error {
	if err := observe(ctx, call.Doc, project); err != nil {
		return err
	}
	if all := call.Doc.Workspace().Withheld; len(all) > 0 {
		call.Progress.Note(fmt.Sprintf("%d %s withheld from the model, first in %s:%d (%s)\nhint: --send %s lets it see them",
			len(all), render.Plural(len(all), "secret"), turn.Shown(all[0].Path), all[0].Line, all[0].Kind, turn.Shown(all[0].Path)))
	}
	return nil
}

// observe has pai-exec put the files into the document, if nobody did it yet
// or if they may have changed since: pai-plan opens none itself.
func observe(ctx context.Context, doc *turn.Document, project sibling.Project) error {
	if doc.Workspace() != nil && doc.Error() == nil {
		return nil
	}
	return project.Observe(ctx, doc)
}
