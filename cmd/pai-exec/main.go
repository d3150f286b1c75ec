// Pai-exec observes a project and carries out plans on it. It is the only
// command of Pai that opens a project's files, and it links no network code.
package main

import (
	"context"
	"os"

	"paicode/cmd/pai-exec/internal/engine"
	"paicode/pkg/filter"
)

func main() {
	os.Exit(filter.MainStage(filter.Stage{
		Name:  "pai-exec",
		Usage: "carry out a plan, all of it or nothing",
		Examples: `   pai-plan "add a power function" | pai-exec --dry-run --output diff
   pai-exec < plan.json                 apply a reviewed plan, without a model
   pai-exec --yes < plan.json           agree to RM, and to MV onto something
   pai-exec --log                       list what can be undone
   pai-exec --undo                      put back what was before the last change
   echo "tidy up" | pai-exec --observe  show what a plan is made from`,
		Flags:     flags(),
		Alone:     alone,
		NoRequest: true,
		Run:       run,
	}))
}

func run(ctx context.Context, call *filter.Call) error {
	options, err := options(call.Context)
	if err != nil {
		return err
	}
	if call.Bool("observe") {
		return engine.Observe(options, call.Doc, call.Progress)
	}
	if call.Bool("show-egress") {
		if err := engine.ShowEgress(options, call.Doc, os.Stdout, call.Progress); err != nil {
			return err
		}
		return filter.Written{}
	}
	return engine.Execute(ctx, options, call.Doc, call.Progress)
}
