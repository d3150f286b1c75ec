// Pai-suggest proposes the next step after a turn, or the way out of a failure,
// with one question to a model.
package main

import (
	"os"

	"paicode/pkg/filter"
	"paicode/pkg/talk"
)

func main() {
	stage := talk.Stage(filter.Stage{
		Name:       "pai-suggest",
		Usage:      "propose the next step, or the way out of a failure",
		Examples:   `   pai-plan "add a power function" | pai-exec | pai-suggest | jq -r .suggestion.text`,
		Synopsis:   "pai-suggest [options] < document.json",
		NoRequest:  true,
		FailedExec: true,
	}, talk.Phase{Run: suggest, Cost: cost})
	stage.Run = propose(stage.Run)
	os.Exit(filter.Main(stage.App()))
}
