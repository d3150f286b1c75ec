// Pai-plan makes the plan of a request.
package main

import (
	"os"

	"paicode/pkg/filter"
	"paicode/pkg/talk"
)

func main() {
	os.Exit(filter.MainStage(filter.Stage{
		Name:  "pai-plan",
		Usage: "plan a request, without changing anything",
		Examples: `   echo "add a power function" | pai-plan | jq .plan
   git diff | pai-plan "write tests for this" - | pai-exec --dry-run --output diff
   pai-plan "tidy up" > plan.json; $EDITOR plan.json; pai-exec < plan.json`,
		Flags:      append(talk.Flags(), filter.ContextFlag(), filter.SendFlag(), estimateFlag()),
		FailedExec: true,
		Run:        run,
	}))
}
