// Package preview tells what would be asked of a model, and what that would
// cost at most, before anything is sent.
package preview

import (
	"context"
	"errors"

	"paicode/pkg/classify"
	"paicode/pkg/generate"
	"paicode/pkg/model"
	"paicode/pkg/plan"
	"paicode/pkg/prompt"
	"paicode/pkg/protocol"
	"paicode/pkg/turn"
)

// errCaptured ends a phase whose question is all that is wanted.
var errCaptured = errors.New("captured")

// Questions are those of a document that are known beforehand, word for word:
// what classify and plan ask. The document stays as it is.
func Questions(ctx context.Context, doc *turn.Document, tokens int) ([]model.Request, error) {
	var out []model.Request
	for _, phase := range []struct {
		stage string
		run   func(context.Context, model.Ask, *turn.Document) error
	}{{"pai-classify", classify.Run}, {"pai-plan", plan.Run(nil, tokens)}} {
		r, err := capture(ctx, phase.run, doc)
		if err != nil {
			return nil, err
		}
		r.Stage = phase.stage
		out = append(out, r)
	}
	return out, nil
}

// Plan is what plan would ask.
func Plan(ctx context.Context, doc *turn.Document, tokens int) (model.Request, error) {
	return capture(ctx, plan.Run(nil, tokens), doc)
}

func capture(ctx context.Context, run func(context.Context, model.Ask, *turn.Document) error, doc *turn.Document) (r model.Request, err error) {
	err = run(ctx, func(_ context.Context, asked model.Request) (string, error) {
		r = asked
		return "", errCaptured
	}, doc)
	if errors.Is(err, errCaptured) {
		err = nil
	}
	return r, err
}

// Bound is what a stage costs at most.
type Bound struct {
	Stage    string
	Calls    int
	TokensIn int // of all its calls; counted rather too high than too low
}

// What the bounds are made of, beside the questions themselves.
const (
	planCalls    = 2       // the second if it changes a file that isn't there
	missingBytes = 4 << 10 // what the second adds
	perFileBytes = 512     // a file's heading, and its step's
	checkBytes   = 8 << 10 // of what checks print
	mendingBytes = 1 << 10 // by which a mending question may be longer than the first
	suggestBytes = 12 << 10
)

// Estimate bounds a task's calls and tokens, if pai-exec is to be asked for
// every file that the document's workspace lists. Those that it leaves out, and
// those that git ignores, are not counted.
func Estimate(ctx context.Context, doc *turn.Document, tokens int) ([]Bound, error) {
	questions, err := Questions(ctx, doc, tokens)
	if err != nil {
		return nil, err
	}
	first := generateBytes(doc)
	return []Bound{
		{"pai-classify", 1, questions[0].Tokens()},
		{"pai-plan", planCalls, planCalls*questions[1].Tokens() + missingBytes/model.BytesPerToken},
		{"pai-exec", protocol.MaxPhases, (first + (protocol.MaxPhases-1)*(first+mendingBytes)) / model.BytesPerToken},
		{"pai-suggest", 1, (suggestBytes + len(doc.Request())) / model.BytesPerToken},
	}, nil
}

// generateBytes is how long the generator's first question may be.
func generateBytes(doc *turn.Document) int {
	empty := generate.Ask(generate.Input{Request: doc.Request(), Context: doc.Context(), Goal: doc.Request(), Wanted: []generate.Wanted{
		{Number: 1, Action: turn.ActionModify}, {Number: 2, Action: turn.ActionWrite}, {Number: 3, Action: turn.ActionFinish}}})
	total := len(empty.System) + len(empty.Prompt) + checkBytes
	if w := doc.Workspace(); w != nil {
		texts := 0
		for _, f := range w.Files {
			total += 2*len(f.Path) + perFileBytes // in headings, and where folders are listed
			if f.Lines != nil {
				texts += int(min(f.Size, generate.ContextBytes)) + len(prompt.Fence(""))
			}
		}
		for _, e := range w.Instructions {
			total += len(e.Text)
		}
		if w.LeftOut != nil {
			texts = generate.ContextBytes // a file that isn't named may be written
		}
		total += min(texts, generate.ContextBytes)
	}
	return total
}
