// Pai-suggest proposes the next step.
package main

import (
	"os"

	"paicode/pkg/filter"
	"paicode/pkg/suggest"
	"paicode/pkg/talk"
)

func main() {
	os.Exit(filter.MainStage(filter.Stage{
		Name:       "pai-suggest",
		Usage:      "propose the next step, or the way out of a failure",
		Examples:   `   pai-plan "add a power function" | pai-exec | pai-suggest | jq -r .suggestion.text`,
		Flags:      talk.Flags(),
		NoRequest:  true,
		FailedExec: true,
		Run:        propose(talk.Run(nil, suggest.Run)),
	}))
}
