package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"paicode/pkg/filter"
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

// suggest asks and writes the suggestion. Without a usable answer the error is of
// CodeModel.
func suggest(ctx context.Context, call *filter.Call, ask model.Ask) error {
	doc := call.Doc
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

// What a question is long by beside the request, in bytes.
const (
	likelyDone = 600      // what was done
	mostDone   = 12 << 10 // that, an error, and an answer that is told
)

// cost is one question, of which the request is known.
func cost(call *filter.Call, _ model.Request) model.Estimate {
	request := min(len(call.Doc.Request()), 2*prompt.GlanceLimit)
	return model.NewEstimate(request+likelyDone, 1, request+mostDone, 0)
}
