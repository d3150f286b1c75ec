// Package suggest proposes the next step after a turn, or the way out of a
// failure, with one question.
package suggest

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"paicode/pkg/model"
	"paicode/pkg/prompt"
	"paicode/pkg/secret"
	"paicode/pkg/turn"
)

//go:embed system.md
var system string

//go:embed prompt.md
var question string

//go:embed schema.json
var schema []byte

// Limits of what is sent, in characters.
const (
	answerLimit = 1500
	stepLimit   = 200
)

// Run asks and writes the suggestion. Without anything done the error is of
// CodeUsage; without a usable answer it is of CodeModel.
func Run(ctx context.Context, ask model.Ask, doc *turn.Document) error {
	if doc.Exec() == nil && doc.Error() == nil {
		return turn.Errorf(turn.CodeUsage, "nothing was done yet in this document").
			WithHint("pai-suggest comes after pai-exec")
	}
	said := prompt.Say(doc, secret.NewVault(doc.Workspace()))
	done, answer := describe(doc, said)
	failure := ""
	if e := doc.Error(); e != nil {
		failure = prompt.Cut(said.Words(e.Message), stepLimit)
	}
	reply, err := ask(ctx, model.Request{
		System: strings.TrimSpace(system),
		Prompt: prompt.Fill(question, map[string]string{
			"Request": prompt.Condense(said.Request, prompt.GlanceLimit),
			"Error":   failure,
			"Done":    done,
			"Answer":  prompt.Cut(answer, answerLimit),
		}),
		Schema: json.RawMessage(schema),
	})
	if err != nil {
		return err
	}
	o, err := prompt.Object(reply, "suggestion")
	if err != nil {
		return err
	}
	text := strings.TrimSpace(o.Get("suggestion").String())
	if text == "" {
		return turn.Errorf(turn.CodeModel, "the model suggests nothing")
	}
	doc.SetSuggestion(&turn.Suggestion{Text: text})
	return nil
}

// describe tells what the steps did, which checks ran, and what the person was answered.
func describe(doc *turn.Document, said prompt.Said) (done, answer string) {
	exec, plan := doc.Exec(), doc.Plan()
	if exec == nil || plan == nil || plan.ExecutionPlan == nil {
		return "", ""
	}
	var b strings.Builder
	for i, s := range plan.ExecutionPlan.Steps {
		if i >= len(exec.Steps) {
			break
		}
		r := exec.Steps[i]
		if s.Action == turn.ActionFinish {
			answer = r.Output
			continue
		}
		line := fmt.Sprintf("%s %s: %s", s.Action, s.Target, r.Status)
		if r.Added+r.Removed > 0 {
			line += fmt.Sprintf(" (+%d -%d lines)", r.Added, r.Removed)
		}
		if r.Message != "" {
			line += ", " + r.Message
		}
		fmt.Fprintln(&b, prompt.Cut(said.Words(line), stepLimit))
	}
	if exec.Check != nil && exec.Check.Run {
		for _, r := range exec.Check.Results {
			fmt.Fprintln(&b, prompt.Cut(said.Words(fmt.Sprintf("check %s: exit code %d", r.Command, r.ExitCode)), stepLimit))
		}
	}
	return b.String(), said.Words(answer)
}
