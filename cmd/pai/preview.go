package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"paicode/pkg/preview"
	"paicode/pkg/render"
	"paicode/pkg/turn"
)

// showEgress prints what would leave the machine before the plan is made: the
// questions of classify and plan, a JSON object a line.
func (p *session) showEgress(ctx context.Context, doc *turn.Document) error {
	if err := p.observe(ctx, doc); err != nil {
		return err
	}
	questions, err := preview.Questions(ctx, doc, p.tokens)
	if err != nil {
		return err
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, q := range questions {
		shown := struct {
			Stage  string          `json:"stage"`
			System string          `json:"system"`
			Prompt string          `json:"prompt"`
			Schema json.RawMessage `json:"schema"`
		}{q.Stage, q.System, q.Prompt, q.Schema}
		if err := e.Encode(shown); err != nil {
			return err
		}
	}
	fmt.Fprintln(os.Stderr, "pai: what is asked after that hangs on the plan: pai-exec --show-egress shows it of one")
	return say("%s", b.String())
}

// estimate prints what a task would cost at most, a stage a line.
func (p *session) estimate(ctx context.Context, doc *turn.Document) error {
	if err := p.observe(ctx, doc); err != nil {
		return err
	}
	bounds, err := preview.Estimate(ctx, doc, p.tokens)
	if err != nil {
		return err
	}
	var b strings.Builder
	calls, tokens := 0, 0
	for _, stage := range bounds {
		fmt.Fprintf(&b, "%-13s  at most %d %s, %d tokens in\n", stage.Stage, stage.Calls, render.Plural(stage.Calls, "call"), stage.TokensIn)
		calls, tokens = calls+stage.Calls, tokens+stage.TokensIn
	}
	fmt.Fprintf(&b, "%-13s  at most %d calls, %d tokens in%s\n", "all", calls, tokens, render.Price(tokens, 0))
	if w := doc.Workspace(); w != nil && w.LeftOut != nil {
		fmt.Fprintf(&b, "%d files are not counted: %s\n", w.LeftOut.Files, turn.Printable(w.LeftOut.Reason))
	}
	if w := doc.Workspace(); w != nil && len(w.Ignored) > 0 {
		fmt.Fprintf(&b, "what git ignores is not counted: %s\n", turn.Printable(strings.Join(w.Ignored, ", ")))
	}
	return say("%s", b.String())
}
