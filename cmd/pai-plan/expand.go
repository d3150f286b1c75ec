package main

import (
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"paicode/pkg/prompt"
	"paicode/pkg/turn"
)

// answer is the plan in the model's own small form.
type answer struct {
	goal, question, check string
	steps                 []group
	look                  []string // what must be seen first
}

// mostLooks is how many entries one answer may look at.
const mostLooks = 8

// looks reports whether an answer asks to see something instead of planning: small
// models fill every field, so steps and questions go before it.
func (a answer) looks() bool { return len(a.look) > 0 && len(a.steps) == 0 && a.question == "" }

// paths are those that the steps name, in order.
func (a answer) paths() (all []string) {
	for _, g := range a.steps {
		for _, p := range append(slices.Clone(g.targets), g.destination) {
			if p != "" && !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// group is one action on several targets.
type group struct {
	action      string
	targets     []string
	destination string
	do          string
}

// read takes a plan from a reply. What models do out of habit is read as
// meant: a target as a text instead of a list, an empty text for none, "./"
// before a path. An action that doesn't exist is refused.
func read(reply string) (answer, error) {
	o, err := prompt.Object(reply, "steps", "question", "look")
	if err != nil {
		return answer{}, err
	}
	a := answer{goal: text(o, "goal"), question: text(o, "question"), check: text(o, "check")}
	if saysNothing(a.question) {
		a.question = ""
	}
	if saysNothing(a.check) {
		a.check = ""
	}
	for _, entry := range o.Get("look").Array() {
		if e := strings.TrimSpace(entry.String()); !saysNothing(e) && len(a.look) < mostLooks {
			a.look = append(a.look, e)
		}
	}
	for _, s := range o.Get("steps").Array() {
		g := group{
			action:      turn.ActionOf(text(s, "action")),
			targets:     targets(s),
			destination: destination(s),
			do:          text(s, "do"),
		}
		if g.action == "" {
			return answer{}, turn.Errorf(turn.CodeModel, "the model planned an unknown action, %s",
				turn.Quote(text(s, "action"))).
				WithHint("try again, or another model")
		}
		if err := g.check(); err != nil {
			return answer{}, err
		}
		a.steps = append(a.steps, g)
	}
	if slices.ContainsFunc(a.steps, func(g group) bool { return g.action != turn.ActionFinish }) {
		a.question = "" // small models fill every field
	}
	return a, nil
}

// plansNothing is the error of an answer that is JSON, but no plan. Where the
// request names what is denied, doing nothing is one.
func (a answer) plansNothing(w *turn.Workspace) error {
	if len(a.steps) > 0 || a.question != "" || w != nil && len(w.Denied) > 0 {
		return nil
	}
	return turn.Errorf(turn.CodeModel, "the model's answer is no plan: it has neither steps nor a question").
		WithHint("try again, or another model")
}

func (g group) check() error {
	switch g.action {
	case turn.ActionFinish, turn.ActionTree, turn.ActionList:
		return nil
	case turn.ActionMove:
		if g.destination == "" && len(g.targets) != 2 {
			return turn.Errorf(turn.CodeModel, "the model planned MV without a destination").
				WithHint("try again, or another model")
		}
	}
	if len(g.targets) == 0 {
		return turn.Errorf(turn.CodeModel, "the model planned %s without a target", g.action).
			WithHint("try again, or another model")
	}
	return nil
}

func text(o gjson.Result, name string) string { return strings.TrimSpace(o.Get(name).String()) }

// files are what is at the paths of a plan, by the kinds of turn.Target; nil
// where nobody was asked.
type files struct{ kinds map[string]string }

// expand makes the document's plan of an answer: one step per path, numbered,
// FINISH last. WRITE onto a file that is there becomes MODIFY. It returns the
// paths that the plan changes although they are not there.
func expand(a answer, known files) (p *turn.Plan, missing []string) {
	p = &turn.Plan{
		Analysis:      &turn.Analysis{UserIntent: a.goal},
		ExecutionPlan: &turn.ExecutionPlan{Steps: []turn.Step{}},
		Question:      a.question,
		Check:         a.check,
	}
	if a.question != "" {
		return p, nil
	}
	there := make(map[string]bool)
	for p, kind := range known.kinds {
		there[p] = kind == turn.TargetFile
	}
	finish := turn.Step{Action: turn.ActionFinish}
	for _, g := range a.steps {
		if g.action == turn.ActionFinish {
			finish.Description = g.do
			continue
		}
		for _, s := range g.steps() {
			switch {
			case s.Action == turn.ActionWrite && there[s.Target]:
				s.Action = turn.ActionModify
			case s.Action == turn.ActionModify && !there[s.Target] &&
				(known.kinds[s.Target] == turn.TargetNone || known.kinds[s.Target] == turn.TargetDir):
				missing = append(missing, s.Target)
			}
			there[s.Target] = s.Action != turn.ActionRemove && s.Action != turn.ActionMove
			there[s.Destination] = true
			note(p.Analysis, s)
			p.ExecutionPlan.Steps = append(p.ExecutionPlan.Steps, s)
		}
	}
	p.ExecutionPlan.Steps = append(p.ExecutionPlan.Steps, finish)
	for i := range p.ExecutionPlan.Steps {
		p.ExecutionPlan.Steps[i].Number = i + 1
	}
	return p, missing
}

// steps takes a group apart into steps on one path each.
func (g group) steps() []turn.Step {
	paths := g.targets
	switch {
	case len(paths) == 0:
		paths = []string{"."} // only TREE and LIST_PATH come without
	case g.action == turn.ActionMove && g.destination == "":
		paths, g.destination = paths[:1], paths[1]
	}
	var out []turn.Step
	for _, p := range paths {
		s := turn.Step{Action: g.action, Target: p, Description: g.do}
		if g.action == turn.ActionMove {
			s.Destination = g.destination
			if len(paths) > 1 {
				s.Destination = strings.TrimSuffix(g.destination, "/") + "/" + path.Base(p)
			}
		}
		out = append(out, s)
	}
	return out
}

// note keeps the analysis's lists of files.
func note(a *turn.Analysis, s turn.Step) {
	switch s.Action {
	case turn.ActionRead:
		a.FilesToRead = append(a.FilesToRead, s.Target)
	case turn.ActionWrite, turn.ActionTouch:
		a.FilesToCreate = append(a.FilesToCreate, s.Target)
	case turn.ActionModify:
		a.FilesToModify = append(a.FilesToModify, s.Target)
	}
}
