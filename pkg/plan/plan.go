// Package plan makes the plan of a request with one question, or with two if
// the first answer changes a file that isn't there.
package plan

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"paicode/pkg/model"
	"paicode/pkg/prompt"
	"paicode/pkg/turn"
)

//go:embed prompt.md
var question string

//go:embed schema.json
var schema []byte

// failureLimit is how much of each failure's reason is sent, in characters.
const failureLimit = 500

// Run asks and writes the plan. The document holds the request and, if the
// files are to be known, the workspace. Without a request the error is of
// CodeUsage; without a usable answer it is of CodeModel.
func Run(ctx context.Context, ask model.Ask, doc *turn.Document) error {
	if strings.TrimSpace(doc.Request()) == "" {
		return turn.Errorf(turn.CodeUsage, "the document holds no request")
	}
	answer, err := askFor(ctx, ask, doc, nil)
	if err != nil {
		return err
	}
	known := knownFiles(doc.Workspace())
	if err := answer.plansNothing(doc.Workspace()); err != nil {
		return err
	}
	p, missing := expand(answer, known)
	if len(missing) > 0 {
		if answer, err = askFor(ctx, ask, doc, missing); err != nil {
			return err
		}
		p, _ = expand(answer, known)
	}
	doc.SetPlan(p)
	return nil
}

// askFor asks for a plan; missing are the paths that an earlier answer
// changed although they are not there.
func askFor(ctx context.Context, ask model.Ask, doc *turn.Document, missing []string) (answer, error) {
	w := doc.Workspace()
	if w == nil {
		w = &turn.Workspace{}
	}
	var files []prompt.File
	for _, e := range w.Excerpts {
		files = append(files, prompt.File{Path: e.Path, Text: e.Text})
	}
	var denied []string
	for _, d := range w.Denied {
		denied = append(denied, turn.Quote(d.Name))
	}
	reply, err := ask(ctx, model.Request{
		System: prompt.System(),
		Prompt: prompt.Fill(question, map[string]string{
			"Files":   prompt.Files(files),
			"Context": prompt.Cut(doc.Context(), prompt.ContextLimit),
			"Listing": listing(w),
			"Ignored": strings.Join(w.Ignored, ", "),
			"Denied":  strings.Join(denied, ", "),
			"History": prompt.History(doc.History()),
			"Failed":  failed(doc),
			"Missing": strings.Join(missing, ", "),
			"Request": doc.Request(),
		}),
		Schema: json.RawMessage(schema),
	})
	if err != nil {
		return answer{}, err
	}
	return read(reply)
}

// listing is the project's files, a path and its number of lines each.
func listing(w *turn.Workspace) string {
	var b strings.Builder
	for _, f := range w.Files {
		fmt.Fprint(&b, f.Path)
		if f.Lines != nil {
			fmt.Fprintf(&b, " (%d)", *f.Lines)
		}
		b.WriteByte('\n')
	}
	if w.LeftOut != nil {
		fmt.Fprintf(&b, "and %d more: %s\n", w.LeftOut.Files, w.LeftOut.Reason)
	}
	return strings.TrimRight(b.String(), "\n")
}

// failed tells what went wrong when the document's plan was executed.
func failed(doc *turn.Document) string {
	e, exec, p := doc.Error(), doc.Exec(), doc.Plan()
	if e == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "- %s\n", prompt.Cut(e.Message, failureLimit))
	if exec == nil || p == nil || p.ExecutionPlan == nil {
		return b.String()
	}
	for i, s := range p.ExecutionPlan.Steps {
		if i < len(exec.Steps) && exec.Steps[i].Message != "" && exec.Steps[i].Message != e.Message {
			fmt.Fprintf(&b, "- %s %s: %s\n", s.Action, s.Target, prompt.Cut(exec.Steps[i].Message, failureLimit))
		}
	}
	return b.String()
}
