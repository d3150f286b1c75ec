// Pai pipes the stages of a turn, asks the person, and keeps the session.
package main

import (
	"os"

	"github.com/urfave/cli/v2"

	"paicode/pkg/filter"
	"paicode/pkg/talk"
)

func main() {
	os.Exit(filter.Main(&cli.App{
		Name:  "pai",
		Usage: "a coding agent that plans changes and then applies them",
		UsageText: `pai [options]                          start a session, on a terminal
       pai [options] "request" [-]            do one request; - adds standard input
       pai [options] < document.json          continue where a document stopped
       pai command [options]`,
		Description: `examples:
   pai "add a power function"           show the plan and the diff, ask, apply
   git diff | pai "review this" -       ask about standard input
   pai --yes "add a power function"     apply without asking, for scripts
   pai --yes < reviewed.json            apply what was reviewed, or refuse it as stale
   pai undo                             undo the last change`,
		Flags:    append(talk.Flags(), flags()...),
		Action:   runTurn,
		Commands: commands(),
	}))
}
