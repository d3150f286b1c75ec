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
		Name:      "pai",
		Usage:     "a coding agent made of filters",
		UsageText: `pai [options] ["request" [-]] | pai command`,
		Description: `examples:
   pai                                  a session, on a terminal
   pai "add a power function"           one turn
   git diff | pai "review this" -       with something to look at
   pai --yes "add a power function"     without asking; off a terminal nothing
                                        is applied without --yes
   pai --yes < reviewed.json            goes on where a document stands: a plan is
                                        not planned again, a sealed one is applied
                                        exactly or refused as stale, an applied one
                                        passes`,
		Flags:    append(talk.Flags(), flags()...),
		Action:   runTurn,
		Commands: commands(),
	}))
}
