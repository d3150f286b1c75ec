package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"paicode/pkg/filter"
	"paicode/pkg/model"
	"paicode/pkg/render"
	"paicode/pkg/turn"
)

// showEgress prints what would leave the machine before the plan is made: the
// questions of classify and plan, a JSON object a line.
func (p *course) showEgress(ctx context.Context, doc *turn.Document) error {
	if err := p.observe(ctx, doc, doc.Request()); err != nil {
		return err
	}
	text := ""
	for _, stage := range []string{"pai-classify", "pai-plan"} {
		q, err := p.question(ctx, doc, stage)
		if err != nil {
			return err
		}
		text += q
	}
	fmt.Fprintln(p.Err, "pai: what is asked after that hangs on the plan: pai-exec --show-egress shows it of one")
	return filter.Unwritten(io.WriteString(p.Out, text))
}

// estimate prints what a task will likely cost and what at most, a stage a line.
func (p *course) estimate(ctx context.Context, doc *turn.Document) error {
	if err := p.observe(ctx, doc, doc.Request()); err != nil {
		return err
	}
	stages, err := p.estimates(ctx, doc)
	if err != nil {
		return err
	}
	var b strings.Builder
	line := func(name string, likely, most model.Cost, price bool) {
		fmt.Fprintf(&b, "%-13s", name)
		for _, c := range []struct {
			how string
			model.Cost
		}{{"likely", likely}, {"at most", most}} {
			text := fmt.Sprintf("%s %d %s, %d tokens in", c.how, c.Calls, render.Plural(c.Calls, "call"), c.TokensIn)
			if price {
				text += render.Price(c.TokensIn, 0)
			}
			fmt.Fprintf(&b, "  %-32s", text)
		}
		b.WriteString("\n")
	}
	var likely, most model.Cost
	var assumed []string
	for _, s := range stages {
		assumed = append(assumed, s.Assumes...)
		line(s.Stage, s.Likely, s.Most, false)
		likely = model.Cost{Calls: likely.Calls + s.Likely.Calls, TokensIn: likely.TokensIn + s.Likely.TokensIn}
		most = model.Cost{Calls: most.Calls + s.Most.Calls, TokensIn: most.TokensIn + s.Most.TokensIn}
	}
	line("all", likely, most, true)
	if len(assumed) > 0 {
		fmt.Fprintf(&b, "likely assumes that these change: %s\n", turn.Printable(strings.Join(assumed, ", ")))
	}
	if w := doc.Workspace(); w != nil && w.LeftOut != nil {
		fmt.Fprintf(&b, "%d files are not counted: %s\n", w.LeftOut.Files, turn.Printable(w.LeftOut.Reason))
	}
	if w := doc.Workspace(); w != nil && len(w.Ignored) > 0 {
		fmt.Fprintf(&b, "what git ignores is not counted: %s\n", turn.Printable(strings.Join(w.Ignored, ", ")))
	}
	return filter.Unwritten(io.WriteString(p.Out, trimLines(b.String())))
}

// trimLines takes blanks from the ends of lines.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
