package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"paicode/pkg/filter"
	"paicode/pkg/lazyregexp"
	"paicode/pkg/line"
	"paicode/pkg/turn"
)

const approval = "Apply? [y]es [n]o [d]iff [e]dit [s]teps, or say what to change: "

// decide has the person decide about a sealed plan. The document that comes back is to be
// applied if it is agreed to, otherwise resolved, shown and decided about again. An error is an
// Exit for a no.
func (p *course) decide(ctx context.Context, doc *turn.Document) (_ *turn.Document, agreed bool, err error) {
	if !p.panels {
		return doc, false, filter.Exit(turn.CodeNotApplied)
	}
	p.offerCheck(ctx, doc)
	for {
		p.show(p.style().Will(doc, p.checks))
		answer, ok := p.ask(ctx, approval)
		if !ok {
			return doc, false, p.refused(ctx)
		}
		switch words := strings.TrimSpace(answer); strings.ToLower(words) {
		case "y", "yes":
			if answer == words {
				return doc, true, nil
			}
			p.say("y agrees, without blanks around it")
		case "n", "no", "":
			return doc, false, filter.Exit(turn.CodeNotApplied)
		case "d", "diff":
			p.page(ctx, p.style().Diff(doc))
		case "e", "edit":
			if edited := p.editPlan(ctx, doc); edited != nil {
				p.show(p.style().Plan(edited))
				return edited, false, nil
			}
		case "s", "steps":
			if chosen := p.chooseSteps(ctx, doc); chosen != nil {
				p.show(p.style().Plan(chosen))
				return chosen, false, nil
			}
		default:
			if !strings.ContainsAny(words, " \n") && len(words) < 5 {
				p.say("y, n, d, e or s, or a sentence that says what to change")
				continue
			}
			next, err := p.replan(ctx, doc, words)
			return next, false, err
		}
	}
}

// replan has the planner change a plan that was shown as the person says.
func (p *course) replan(ctx context.Context, doc *turn.Document, words string) (*turn.Document, error) {
	request := doc.Request()
	next := turn.New(turn.CleanText([]byte(words)))
	next.SetPlace(doc.Place())
	next.SetIntent(&turn.Intent{Kind: turn.KindTask})
	before := append(doc.History(), turn.Interaction{Request: request, Planned: planned(doc),
		Outcome: "planned as follows, and not applied: the request now says what to change in this plan"})
	next.SetHistory(before)
	for _, u := range doc.Usage() {
		next.AddUsage(u)
	}
	p.log.User(words)
	next, err := p.toPlan(ctx, next, request+"\n"+words)
	if err != nil {
		return next, err
	}
	if next.Plan() == nil || next.Plan().Question != "" {
		p.show(p.style().Plan(next))
		p.say("%s", p.hints.answer)
		return next, filter.Exit(turn.CodeNotApplied)
	}
	p.log.Planned(next)
	p.show(p.style().Plan(next))
	return next, nil
}

// planned is a line for each step of a plan.
func planned(doc *turn.Document) (lines []string) {
	for _, s := range doc.Plan().ExecutionPlan.Steps {
		text := fmt.Sprintf("%d %s %s", s.Number, s.Action, s.Target)
		if s.Destination != "" {
			text += " to " + s.Destination
		}
		lines = append(lines, strings.TrimSpace(text)+": "+s.Description)
	}
	return lines
}

// offerCheck offers the check that a plan proposes as a draft: what the person sends of it
// runs with the change.
func (p *course) offerCheck(ctx context.Context, doc *turn.Document) {
	proposed := doc.Plan().Check
	if len(p.checks) > 0 || proposed == "" || p.declined[proposed] {
		return
	}
	p.say("worth running with the change; Enter runs it, an empty line doesn't")
	p.release()
	defer p.hold()
	text, end := p.editor.Read(ctx, line.Request{Prompt: "check> ", Draft: turn.OneLine(proposed), Question: true})
	if end != line.Sent || strings.TrimSpace(text) == "" {
		p.declined[proposed] = true
		return
	}
	p.checks = []string{strings.TrimSpace(text)}
}

// editPlan has the person edit the plan in their editor; nil if nothing came of it.
func (p *course) editPlan(ctx context.Context, doc *turn.Document) *turn.Document {
	before, err := planJSON(doc)
	if err != nil {
		p.screen.line(p.style().Wrong("the plan can't be written: "+err.Error()) + "\n")
		return nil
	}
	text, at := cmp.Or(p.edited, before), 0 // what couldn't be done is edited further
	for {
		p.release()
		text, err = p.editFile(ctx, "plan.json", text, at)
		p.hold()
		if err != nil {
			p.screen.line(p.style().Wrong(turn.Printable(err.Error())) + "\n")
			return nil
		}
		if strings.TrimSpace(text) == "" || text == before {
			p.say("the plan is unchanged")
			return nil
		}
		edited, err := readPlan(doc, text)
		if err == nil {
			p.edited = text
			return edited
		}
		e := turn.AsError(err)
		at = lineOf(e.Message)
		p.screen.line(p.style().Wrong("plan.json: "+turn.Printable(e.Message)) + "\n" + excerpt(text, at))
		if !p.agree(ctx, "Edit it again? [y]es [n]o: ") {
			return nil
		}
	}
}

// planJSON is the plan of a document as a person edits it.
func planJSON(doc *turn.Document) (string, error) {
	shown := turn.Empty()
	shown.TakePlan(doc)
	data, err := shown.Indented()
	return string(data) + "\n", err
}

// readPlan puts an edited plan into a copy of its document.
func readPlan(doc *turn.Document, text string) (*turn.Document, error) {
	edited, err := turn.Read(bytes.TrimSpace([]byte(text)))
	if err != nil {
		return nil, err
	}
	if edited.Plan() == nil || edited.Plan().ExecutionPlan == nil {
		return nil, turn.Errorf(turn.CodeUsage, "there is no plan in it")
	}
	out := doc.Clone()
	out.TakePlan(edited)
	return out, nil
}

var lineOfForm = lazyregexp.New(`\bline (\d+)`)

// lineOf is the line that an error of the codec names; 0 if it names none.
func lineOf(message string) int {
	m := lineOfForm().FindStringSubmatch(message)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// excerpt is a line of a text with its number.
func excerpt(text string, at int) string {
	lines := strings.Split(text, "\n")
	if at < 1 || at > len(lines) {
		return ""
	}
	return fmt.Sprintf("%5d  %s\n", at, turn.OneLine(short(lines[at-1], 200)))
}
