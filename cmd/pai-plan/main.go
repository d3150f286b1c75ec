// Pai-plan makes the plan of a request: with one question to a model, or with up to
// three if the model must see more first, or changes a file that isn't there.
package main

import (
	"os"

	"paicode/pkg/filter"
	"paicode/pkg/talk"
)

func main() {
	os.Exit(filter.Main(talk.Stage(filter.Stage{
		Name:  "pai-plan",
		Usage: "plan a request, without changing anything",
		Examples: `   echo "add a power function" | pai-plan | jq .plan
   git diff | pai-plan "write tests for this" - | pai-exec --dry-run --output diff
   pai-plan "tidy up" > plan.json; $EDITOR plan.json; pai-exec < plan.json`,
		Flags:      flags(),
		FailedExec: true,
	}, talk.Phase{Prepare: prepare, Run: plan, Cost: cost}).App()))
}
