package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"paicode/pkg/filter"
	"paicode/pkg/model"
	"paicode/pkg/render"
	"paicode/pkg/sibling"
	"paicode/pkg/turn"
)

func flags() []cli.Flag { return []cli.Flag{filter.ContextFlag(), filter.SendFlag()} }

// tokens is how many a question may have; 0: any.
func tokens(call *filter.Call) int { return call.Int(filter.ContextFlag().Name) }

// project is what the planner looks at, and with how much room.
func project(call *filter.Call) (p sibling.Project, err error) {
	p = sibling.Project{Root: call.Root(), Send: call.StringSlice(filter.SendFlag().Name)}
	if tokens(call) != 0 {
		p.Room, err = room(call.Doc, tokens(call))
	}
	return p, err
}

// prepare observes, if nobody did it yet or if the files may have changed since, and tells the
// person what is withheld. Pai-plan opens no file itself.
func prepare(ctx context.Context, call *filter.Call) error {
	p, err := project(call)
	if err != nil {
		return err
	}
	if call.Doc.Workspace() == nil || call.Doc.Error() != nil {
		if err := p.Observe(ctx, call.Doc); err != nil {
			return err
		}
	}
	if all := call.Doc.Workspace().Withheld; len(all) > 0 {
		call.Progress.Note(fmt.Sprintf("%d %s withheld from the model, first in %s:%d (%s)\nhint: --send %s lets it see them",
			len(all), render.Plural(len(all), "secret"), turn.Shown(all[0].Path), all[0].Line, all[0].Kind,
			turn.Shown(all[0].Path)))
	}
	return nil
}

// plan asks and writes the plan, and looks where the model asks for it.
func plan(ctx context.Context, call *filter.Call, ask model.Ask) error {
	p, err := project(call)
	if err != nil {
		return err
	}
	return run(ctx, ask, p, tokens(call), call.Doc)
}

// lookBytes is how much two looks add to a question.
const lookBytes = 28_000

// cost is that of the first question, and of those that may follow it.
func cost(call *filter.Call, first model.Request) model.Estimate {
	n := first.Bytes()
	return model.NewEstimate(n, maxQuestions, maxQuestions*n+maxLooks*lookBytes, tokens(call))
}
