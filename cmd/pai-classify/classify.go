package main

import (
	"context"
	_ "embed"
	"encoding/json"
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

// classify asks and writes the intent. Without a request the error is of
// CodeUsage; where the model fails it is of CodeModel.
func classify(ctx context.Context, call *filter.Call, ask model.Ask) error {
	doc := call.Doc
	if strings.TrimSpace(doc.Request()) == "" {
		return turn.Errorf(turn.CodeUsage, "the document holds no request")
	}
	said := prompt.Say(doc, secret.NewVault(doc.Workspace()))
	reply, err := ask(ctx, model.Request{
		System: strings.TrimSpace(system),
		Prompt: prompt.Fill(question, map[string]string{
			"History": said.History,
			"Context": prompt.Condense(said.Context, prompt.GlanceLimit),
			"Request": prompt.Condense(said.Request, prompt.GlanceLimit),
		}),
		Schema: json.RawMessage(schema),
	})
	if err != nil {
		return err
	}
	intent := read(reply)
	if len(said.Request) > prompt.GlanceLimit || len(said.Context) > prompt.GlanceLimit {
		intent.Kind, intent.Reply = turn.KindTask, "" // an answer to a part may be wrong: the plan sees more
	}
	// A chat about what the guard denies is a task: whether something is
	// refused must not hang on the model's manners.
	if w := doc.Workspace(); w != nil && len(w.Denied) > 0 {
		intent = &turn.Intent{Kind: turn.KindTask, Acknowledgment: intent.Acknowledgment + intent.Reply}
	}
	doc.SetIntent(intent)
	return nil
}

// read takes the intent from a reply. What can't be read, and a chat without an answer, is a task:
// then the plan decides, and the answer comes from FINISH.
func read(reply string) *turn.Intent {
	task := &turn.Intent{Kind: turn.KindTask}
	o, err := prompt.Object(reply, "kind")
	if err != nil {
		return task
	}
	chat := &turn.Intent{Kind: turn.KindChat, Reply: strings.TrimSpace(o.Get("reply").String())}
	if strings.ToLower(strings.TrimSpace(o.Get("kind").String())) == turn.KindChat && chat.Reply != "" {
		return chat
	}
	task.Acknowledgment = strings.TrimSpace(o.Get("acknowledgment").String())
	return task
}

// cost is one question, which is known.
func cost(_ *filter.Call, first model.Request) model.Estimate {
	return model.NewEstimate(first.Bytes(), 1, first.Bytes(), 0)
}
