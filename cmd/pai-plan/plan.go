package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"paicode/pkg/model"
	"paicode/pkg/prompt"
	"paicode/pkg/secret"
	"paicode/pkg/turn"
)

//go:embed prompt.md
var question string

//go:embed schema.json
var schema []byte

// failureLimit is how much of each failure's reason is sent, in characters.
const failureLimit = 500

// maxQuestions is how often a model is asked for one plan, for whatever reasons.
const maxQuestions = 3

// maxLooks is how many of its questions may be spent on looking.
const maxLooks = 2

// looker is how a planner, which opens no file, sees more of a project.
type looker interface {
	// Stands says what is at paths: one of the kinds of turn.Target each.
	Stands(ctx context.Context, paths []string) (map[string]string, error)
	// Look finds what the entries name and puts it into the document's workspace.
	Look(ctx context.Context, doc *turn.Document, entries []string) error
}

// run asks for the plan and writes it into the document, which holds the request and, if the
// files are to be known, the workspace. Without a request the error is of CodeUsage; without a
// usable answer it is of CodeModel. The looker may be nil: then the first answer is the plan. A
// question takes no more than so many tokens, if they are not 0: what comes last in the
// workspace is left out first.
func run(ctx context.Context, ask model.Ask, look looker, tokens int, doc *turn.Document) error {
	if strings.TrimSpace(doc.Request()) == "" {
		return turn.Errorf(turn.CodeUsage, "the document holds no request")
	}
	return (&planner{ask, look, doc, tokens}).run(ctx)
}

type planner struct {
	ask    model.Ask
	look   looker
	doc    *turn.Document
	tokens int // of a question at most; 0: any
}

func (p *planner) run(ctx context.Context) error {
	var again prior
	looks := 0
	for n := 1; ; n++ {
		answer, err := p.askFor(ctx, again)
		last := n == maxQuestions || p.look == nil
		if unusable, ok := errors.AsType[*unusableError](err); ok && again.unusable == "" && !last {
			again.unusable = unusable.Error()
			continue
		}
		if err != nil {
			return err
		}
		if answer.looks() && looks < maxLooks && !last {
			looks++
			if err := p.look.Look(ctx, p.doc, answer.look); err != nil {
				return err
			}
			continue
		}
		there, err := p.known(ctx, answer)
		if err != nil {
			return err
		}
		plan, gone := expand(answer, there)
		if len(gone) > 0 && again.missing == nil && !last {
			again.missing = gone
			continue
		}
		p.doc.SetPlan(plan)
		return nil
	}
}

// prior is what was wrong with an earlier answer.
type prior struct {
	missing  []string // paths that it changes although they are not there
	unusable string   // why it is no plan
}

// unusableError is the error of an answer that is no plan; another may be asked for.
type unusableError struct{ err *turn.Error }

func (e *unusableError) Error() string { return e.err.Error() }
func (e *unusableError) Unwrap() error { return e.err }

// known asks what is at an answer's targets, and reads them as meant by that.
func (p *planner) known(ctx context.Context, a answer) (files, error) {
	paths := a.paths()
	if p.look == nil || len(paths) == 0 {
		return files{}, nil
	}
	kinds, err := p.look.Stands(ctx, paths)
	if err != nil {
		return files{}, err
	}
	kinds, err = p.understand(ctx, a, kinds)
	return files{kinds}, err
}

// askFor asks for a plan. Errors are *unusableError, or those of the model.
func (p *planner) askFor(ctx context.Context, again prior) (answer, error) {
	w := turn.Workspace{}
	if known := p.doc.Workspace(); known != nil {
		w = *known
	}
	q := p.question(w, again)
	for p.tokens > 0 && q.Bytes() > turn.TokenBytes(p.tokens) && shrink(&w) {
		q = p.question(w, again)
	}
	reply, err := p.ask(ctx, q)
	if err != nil {
		return answer{}, err
	}
	a, err := read(reply)
	if err == nil && !a.looks() {
		err = a.plansNothing(p.doc.Workspace())
	}
	if e := turn.AsError(err); e != nil {
		return a, &unusableError{err: e}
	}
	return a, nil
}

// room is how many tokens a question of so many at most leaves for the workspace. Where
// that is nothing, the error is of CodeUsage.
func room(doc *turn.Document, tokens int) (int, error) {
	q := (&planner{doc: doc, tokens: tokens}).question(turn.Workspace{}, prior{})
	room := tokens - turn.Tokens(q.Bytes())
	if room < leastRoom {
		return 0, turn.Errorf(turn.CodeUsage, "--context-tokens %d leaves no room for files: the question takes %d without",
			tokens, turn.Tokens(q.Bytes()))
	}
	return room, nil
}

// leastRoom is what a plan can be made from, in tokens.
const leastRoom = 500

// shrink takes the last of what is worth least out of a workspace; false if only what was
// asked for is left.
func shrink(w *turn.Workspace) bool {
	switch {
	case len(w.Directories) > 0:
		w.Directories = nil
	case len(w.Files) > 0:
		w.Files = w.Files[:len(w.Files)/2]
	case len(w.Outlines) > 0:
		w.Outlines = w.Outlines[:len(w.Outlines)/2]
	case len(w.Excerpts) > 0:
		w.Excerpts = w.Excerpts[:len(w.Excerpts)-1]
	case len(w.Instructions) > 0:
		w.Instructions = nil
	default:
		return false
	}
	return true
}

func (p *planner) question(w turn.Workspace, again prior) model.Request {
	said, limits := prompt.Say(p.doc, secret.NewVault(&w)), prompt.LimitsOf(p.tokens)
	var denied []string
	for _, d := range w.Denied {
		denied = append(denied, turn.Quote(said.Words(d.Name)))
	}
	return model.Request{
		System: prompt.System(),
		Prompt: prompt.Fill(question, map[string]any{
			"Instructions": prompt.Files(prompt.Excerpts(w.Instructions)),
			"Files":        prompt.Files(prompt.Excerpts(w.Excerpts)),
			"Context":      prompt.Condense(said.Context, limits.Context),
			"Outlines":     outlines(w),
			"Hits":         hits(w),
			"Listing":      listing(w),
			"Empty":        len(w.Files)+len(w.Excerpts)+len(w.Outlines) == 0,
			"Looks":        looked(w),
			"Ignored":      said.Words(strings.Join(w.Ignored, ", ")),
			"Denied":       strings.Join(denied, ", "),
			"History":      said.History,
			"Failed":       failed(p.doc, said),
			"Missing":      strings.Join(again.missing, ", "),
			"Unusable":     again.unusable,
			"Request":      prompt.Condense(said.Request, limits.Request),
			"Withheld":     len(w.Withheld) > 0 || secret.Marked(said.Request+said.Context),
		}),
		Schema: json.RawMessage(schema),
	}
}

// failed tells what went wrong when the document's plan was executed.
func failed(doc *turn.Document, said prompt.Said) string {
	e, exec, p := doc.Error(), doc.Exec(), doc.Plan()
	if e == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "- %s\n", prompt.Cut(said.Words(e.Message), failureLimit))
	if exec == nil || p == nil || p.ExecutionPlan == nil {
		return b.String()
	}
	for i, s := range p.ExecutionPlan.Steps {
		if i < len(exec.Steps) && exec.Steps[i].Message != "" && exec.Steps[i].Message != e.Message {
			fmt.Fprintf(&b, "- %s %s: %s\n", s.Action, s.Target, prompt.Cut(said.Words(exec.Steps[i].Message), failureLimit))
		}
	}
	return b.String()
}
