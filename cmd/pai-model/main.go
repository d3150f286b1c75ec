// Pai-model answers questions, a JSON object a line, by asking a model. It is the
// only command of Pai that talks to a network, and it opens no project file.
package main

import (
	"os"

	"github.com/urfave/cli/v2"

	"paicode/pkg/filter"
)

func main() {
	os.Exit(filter.Main(&cli.App{
		Name:      "pai-model",
		Usage:     "send questions to a language model, as JSON lines",
		UsageText: "pai-model [options] < questions",
		Description: `examples:
   jq -nc '{prompt: "what is a closure?"}' | pai-model | jq -r .text
   jq -nc '{prompt: "three colours", schema: {type: "object"}}' | pai-model | jq -r .text
   pai-model --list                     the models that the provider offers
   pai-model --validate                 whether the key is accepted

a question:
   {"prompt": "…", "system": "…", "schema": {…}, "id": 1, "model": "…",
    "temperature": 0.3, "thinking": "low", "max_output_tokens": 100}
   Only the prompt must be there. A question with an id is answered with deltas too.`,
		Flags:  flags(),
		Action: run,
	}))
}
