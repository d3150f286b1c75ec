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

// Cost is that of all questions of a stage.
type Cost struct{ Calls, TokensIn int }

// Bounds are what a stage costs.
type Bounds struct {
	Stage  string
	Likely Cost // each question is asked once
	Most   Cost // counted rather too high than too low
}

// What the bounds are made of, beside the questions themselves.
const (
	planCalls    = 3        // with what must be seen first
	lookBytes    = 28_000   // of what two of them add
	perFileBytes = 512      // a file's heading, and its step's
	checkBytes   = 8 << 10  // of what checks print
	mendingBytes = 1 << 10  // by which a mending question may be longer than the first
	suggestBytes = 12 << 10 // of an error, and of an answer that is told
	likelyFiles  = 2        // that are changed
	windowBytes  = 10_000   // of a long file, 240 lines
	likelyDone   = 600      // of what suggest is told
)

// Estimate bounds a task's cost, with no more than so many tokens a question if that is
// not 0, and names the files that it assumes to be changed in what is likely. At most
// pai-exec is asked for every file that the document's workspace lists; those that it
// leaves out, and those that git ignores, are not counted.
func Estimate(ctx context.Context, doc *turn.Document, tokens int) (stages []Bounds, assumed []string, err error) {
	questions, err := Questions(ctx, doc, tokens)
	if err != nil {
		return nil, nil, err
	}
	bounds := func(stage string, likely, calls, most int) Bounds {
		if tokens > 0 {
			likely, most = min(likely, prompt.Bytes(tokens)), min(most, calls*prompt.Bytes(tokens))
		}
		return Bounds{stage, Cost{1, likely * 2 / 7}, Cost{calls, (most + model.BytesPerToken - 1) / model.BytesPerToken}}
	}
	classify, plan := length(questions[0]), length(questions[1])
	request := min(len(doc.Request()), 2*prompt.GlanceLimit)
	empty := emptyQuestion(doc)
	files, assumed := likelyBytes(doc)
	first := empty + checkBytes + mostBytes(doc)
	return []Bounds{
		bounds("pai-classify", classify, 1, classify),
		bounds("pai-plan", plan, planCalls, planCalls*plan+2*lookBytes),
		bounds("pai-exec", empty+files, protocol.MaxPhases, first+(protocol.MaxPhases-1)*(first+mendingBytes)),
		bounds("pai-suggest", request+likelyDone, 1, request+suggestBytes),
	}, assumed, nil
}

func length(r model.Request) int { return len(r.System) + len(r.Prompt) + len(r.Schema) }

// emptyQuestion is how long the generator's first question is without files, in bytes.
func emptyQuestion(doc *turn.Document) int {
	q := generate.Ask(generate.Input{Request: doc.Request(), Context: doc.Context(), Goal: prompt.Cut(doc.Request(), 200), Wanted: []generate.Wanted{
		{Number: 1, Action: turn.ActionModify}, {Number: 2, Action: turn.ActionWrite}, {Number: 3, Action: turn.ActionFinish}}})
	return len(q.System) + len(q.Prompt)
}

// likelyBytes is what a generator is shown if the best files are changed: windows of
// them, and a quarter of what else the planner sees.
func likelyBytes(doc *turn.Document) (bytes int, assumed []string) {
	w := doc.Workspace()
	if w == nil {
		return 0, nil
	}
	for _, f := range w.Files[:min(likelyFiles, len(w.Files))] {
		bytes += int(min(f.Size, windowBytes)) + perFileBytes
		assumed = append(assumed, f.Path)
	}
	others := 0
	for _, e := range w.Excerpts {
		others += len(e.Text)
	}
	for _, e := range w.Instructions {
		bytes += len(e.Text)
	}
	return bytes + others/4, assumed
}

// mostBytes is what a generator may be shown of files.
func mostBytes(doc *turn.Document) (total int) {
	w := doc.Workspace()
	if w == nil {
		return 0
	}
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
	return total + min(texts, generate.ContextBytes)
}
