package author

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/find"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/cmd/pai-exec/internal/reply"
	"paicode/pkg/secret"
	"paicode/pkg/turn"
)

// draft is a step's text as the phases so far wrote it.
type draft struct {
	base    string // the text before the step
	text    string
	edits   []turn.Edit // that lead from base to text, if not whole
	whole   bool
	secrets secret.Balance // of the edits
}

// fill writes an answer into its step. What fits of it stays, also if there
// are problems with the rest.
func (a *Author) fill(tree *overlay.Tree, s *turn.Step, answer reply.Answer) []Problem {
	if s.Action == turn.ActionFinish {
		return a.fillFinish(s, answer)
	}
	d := a.drafts[s.Number]
	mending := d != nil && a.failed != nil // it may stay as it is
	if refused, final := a.unfilled(s, answer, mending, d == nil); final {
		return wrote(refused, answer)
	}
	a.reasons[s.Number] = turn.Printable(answer.NoChange)
	marked := answer
	answer, err := a.restored(answer)
	if err != nil {
		return wrote(unusable(s, reply.Problem(turn.AsError(err).Message)), marked)
	}
	d, err = a.draftOf(tree, s)
	if err != nil {
		return []Problem{{Step: s.Number, Code: turn.AsError(err).Code, Message: turn.AsError(err).Message,
			Hint: turn.AsError(err).Hint}}
	}
	before := *d
	before.secrets = maps.Clone(d.secrets)
	problems, used := a.take(d, s, answer, marked)
	if !used {
		*d = before
		return wrote(problems, marked)
	}
	a.drafts[s.Number] = d
	d.into(s)
	return problems
}

// wrote has problems carry the whole of an answer, of which nothing is used, to the next
// phase; none where there is only something to see first.
func wrote(problems []Problem, answer reply.Answer) []Problem {
	for i, p := range problems {
		if p.reads == nil && !p.final {
			problems[i].wrote = strings.TrimSpace(answer.Text)
			break
		}
	}
	return problems
}

// take writes an answer into a draft; marked is the same with placeholders for secrets.
// Used is false where nothing of it may stay.
func (a *Author) take(d *draft, s *turn.Step, answer, marked reply.Answer) (problems []Problem, used bool) {
	base := d.base
	answer, why := a.clean(d, s, answer)
	if why != "" {
		return unusable(s, why+"; leave it out, or confirm the line beneath the heading with MEANT: and the line"), false
	}
	switch {
	case answer.Content != nil:
		if refused := a.notWhole(d, s, answer); refused != nil {
			return refused, false
		}
		d.text, d.edits, d.whole = change.Adopt(d.base, *answer.Content), nil, true
	case s.Action == turn.ActionModify && strings.TrimSpace(d.base) == "" && len(answer.Edits) == 1 &&
		answer.Edits[0].Search == "":
		d.text, d.edits, d.whole = answer.Edits[0].Replace, nil, true // of an empty file
	default:
		problems = a.edit(d, s, answer.Edits, marked.Edits)
	}
	if line := reply.Doubled(base, d.text, answer.Edits); line != "" {
		return unusable(s, reply.Problem("two blocks put the same lines in one place: "+line)), false
	}
	if why := reply.Broken(s.Target, base, d.text); why != "" && len(problems) == 0 && !answer.Cut {
		return unusable(s, why), false
	}
	if why := a.misplaced(d, s, marked, len(problems) > 0); why != "" {
		return []Problem{{Step: s.Number, Code: turn.CodeRejected,
			Message: turn.Shown(s.Target) + ": " + why + "; copy what stands for a secret as it is, once",
			Hint:    "--send shows the model the file as it is, and lets it change that"}}, false
	}
	if answer.Content == nil {
		if refused := elided(s, base, d.text, answer); refused != nil {
			return refused, false
		}
	}
	if answer.Cut {
		problems = append(problems, unusable(s, "the reply was cut in it, after what is made already")...)
	}
	return problems, true
}

// clean takes the noise out of an answer, and says what can only be a mistake.
func (a *Author) clean(d *draft, s *turn.Step, answer reply.Answer) (out reply.Answer, why reply.Problem) {
	out = answer
	cleaner := reply.NewCleaner(s.Target, d.text, a.doc.Request()+"\n"+s.Description, answer.Meant)
	if answer.Content != nil {
		text, why := cleaner.Text(*answer.Content)
		out.Content = &text
		return out, why
	}
	out.Edits = slices.Clone(answer.Edits)
	for i, e := range answer.Edits {
		if out.Edits[i], why = cleaner.Edit(e); why != "" {
			return out, reply.Problem(fmt.Sprintf("edit %d: %s", i+1, why))
		}
	}
	return out, ""
}

// unfilled judges an answer that holds nothing to fill in; final is false if it
// does. Mending says that the step may stay as it is, first that nothing was
// written to it yet.
func (a *Author) unfilled(s *turn.Step, answer reply.Answer, mending, first bool) (problems []Problem, final bool) {
	switch {
	case answer.Read != nil:
		p := unusable(s, reply.Problem("the model asks to see "+turn.QuoteFew(answer.Read)+" first"))
		p[0].reads = answer.Read
		for _, name := range answer.Read {
			name, _, _ = find.SplitRange(name)
			if err := guard.CheckStep(turn.Step{Action: turn.ActionRead, Target: name}, &a.o.Overlay.Rules); err != nil {
				p[0].Hint = turn.AsError(err).Message
			}
		}
		return p, true
	case answer.Cannot != "":
		p := unusable(s, reply.Problem("the model can't do it: "+answer.Cannot))
		p[0].final, p[0].Code, p[0].Hint = true, turn.CodeRejected,
			"say more in the request, or change the step's description in the plan"
		return p, true
	case mending && (answer.NoChange != "" || answer.Missing):
		return nil, true
	case answer.Problem != "":
		why := answer.Problem
		if answer.Line > 0 {
			why = why.At(answer.Line)
		}
		return unusable(s, why), true
	case answer.NoChange != "" && s.Action == turn.ActionWrite && first:
		return unusable(s, reply.Problem("the model writes nothing: "+answer.NoChange)), true
	}
	return nil, false
}

// unusable is the problem of an answer that can't be used.
func unusable(s *turn.Step, why reply.Problem) []Problem {
	return []Problem{{Step: s.Number, Code: turn.CodeModel, Message: turn.Shown(s.Target) + ": " + string(why),
		Hint: "try again, or another model"}}
}

// fillFinish takes FINISH's words; without any they are composed.
func (a *Author) fillFinish(s *turn.Step, answer reply.Answer) []Problem {
	if answer.Read != nil {
		return []Problem{{Step: s.Number, Code: turn.CodeModel,
			Message: "the model asks to see " + turn.QuoteFew(answer.Read) + " first",
			Hint:    "try again, or another model", reads: answer.Read}}
	}
	s.Content = answer.Content
	return nil
}

// draftOf is the draft of a step, begun with the text before it.
func (a *Author) draftOf(tree *overlay.Tree, s *turn.Step) (*draft, error) {
	if s.Action == turn.ActionWrite {
		if d := a.drafts[s.Number]; d != nil {
			return d, nil
		}
		return &draft{whole: true, secrets: make(secret.Balance)}, nil
	}
	base, _, err := tree.Text(s.Target)
	if err != nil {
		return nil, err
	}
	d := a.drafts[s.Number]
	if d == nil || d.base != base && d.whole {
		return &draft{base: base, text: base, secrets: make(secret.Balance)}, nil
	}
	if d.base != base { // a step before it was mended
		text, _, failed := change.ApplyEach(base, d.edits)
		if len(failed) > 0 {
			return &draft{base: base, text: base, secrets: make(secret.Balance)}, nil
		}
		d.base, d.text = base, text
	}
	return d, nil
}

// edit makes edits in a draft, as far as they fit. Those that an earlier phase
// made, and that are there, are not made twice.
func (a *Author) edit(d *draft, s *turn.Step, all, marked []turn.Edit) (problems []Problem) {
	var edits, marks []turn.Edit
	for i, e := range all {
		if len(a.phases) > 1 && e.Replace != "" && slices.Contains(d.edits, e) &&
			strings.Contains(d.text, strings.TrimSuffix(e.Replace, "\n")) || reply.There(d.text, e) {
			continue
		}
		edits, marks = append(edits, e), append(marks, marked[i])
	}
	if shown := a.windows[s.Target]; shown != nil {
		edits = widenAll(d.text, edits, shown)
	}
	text, _, failed := change.ApplyEach(d.text, edits)
	unfitting := make(map[int]bool)
	for _, e := range failed {
		unfitting[e.Edit] = true
		p := Problem{Step: s.Number, Code: turn.CodeRejected, Message: turn.Shown(s.Target) + ": " + e.Error(),
			Hint: e.Explain(), lines: e.Lines}
		p.shown, p.wrote = a.said.Words(shownEdit(edits[e.Edit-1], e)), block(marks[e.Edit-1])
		problems = append(problems, p)
	}
	d.text = text
	for i, e := range edits {
		if !unfitting[i+1] {
			d.edits = append(d.edits, e)
			d.secrets.Add(marks[i].Search, -1)
			d.secrets.Add(marks[i].Replace, 1)
		}
	}
	return problems
}

// block is an edit as a reply writes it.
func block(e turn.Edit) string {
	return "<<<<<<< SEARCH\n" + e.Search + "=======\n" + e.Replace + ">>>>>>> REPLACE"
}

// elided refuses a text in which a line stands for others; nil if none does. What was cut
// is judged when it is whole.
func elided(s *turn.Step, base, text string, answer reply.Answer) []Problem {
	line := reply.Elision(s.Target, base, text, answer.Meant)
	if line == "" || answer.Cut {
		return nil
	}
	return unusable(s, reply.Problem("a line stands for others: "+line+
		" — write out what it stands for, or confirm it beneath the heading with MEANT: and the line"))
}

// notWhole refuses a text that can't be all of a file; nil if it can.
func (a *Author) notWhole(d *draft, s *turn.Step, answer reply.Answer) []Problem {
	modifies := s.Action == turn.ActionModify
	if modifies && a.windows[s.Target] != nil {
		return unusable(s, "it was shown in part, so no whole file can take its place; blocks change a part")
	}
	if refused := elided(s, d.base, *answer.Content, answer); refused != nil || !modifies {
		return refused
	}
	lacks := reply.Part(s.Target, d.text, *answer.Content, a.doc.Request()+"\n"+s.Description, answer.Removed)
	if lacks == "" {
		return nil
	}
	return unusable(s, "the fence holds no more than a part of the file: "+lacks+
		"; blocks change a part, and REMOVED: name beneath the heading names what goes on purpose")
}

// restored is an answer with secrets in the places of their placeholders. FINISH's words
// keep them.
func (a *Author) restored(answer reply.Answer) (out reply.Answer, err error) {
	out = answer
	if answer.Content != nil {
		text, err := a.hide.Restore(*answer.Content)
		if err != nil {
			return out, err
		}
		out.Content = &text
	}
	out.Edits = slices.Clone(answer.Edits)
	for i, e := range out.Edits {
		if out.Edits[i].Search, err = a.hide.Restore(e.Search); err != nil {
			return out, err
		}
		if out.Edits[i].Replace, err = a.hide.Restore(e.Replace); err != nil {
			return out, err
		}
	}
	return out, nil
}

// misplaced says which secret an answer would lose or double; empty if none, or if not
// all of it fits yet.
func (a *Author) misplaced(d *draft, s *turn.Step, marked reply.Answer, unfinished bool) string {
	switch {
	case marked.Content != nil:
		d.secrets = make(secret.Balance)
		d.secrets.Add(*marked.Content, 1)
		if s.Action == turn.ActionModify {
			d.secrets.Add(a.hide.Lines(s.Target, d.base, d.base, 1), -1)
		}
	case unfinished:
		return ""
	}
	if why := a.hide.Problem(d.secrets); why != "" {
		return why
	}
	return a.hide.Broken(d.base, d.text)
}

// widenAll makes those edits unique that only what was shown makes so.
func widenAll(text string, edits []turn.Edit, shown []find.Range) []turn.Edit {
	edits = slices.Clone(edits)
	for i := range edits {
		if _, _, failed := change.ApplyEach(text, edits[i:i+1]); len(failed) == 1 && len(failed[0].Lines) > 1 {
			edits[i], _ = widen(text, edits[i], shown)
		}
	}
	return edits
}

// shownEdit reminds of an edit that doesn't fit, and shows what comes nearest.
func shownEdit(e turn.Edit, problem *change.EditError) string {
	if problem.Near.Line > 0 {
		return fmt.Sprintf("line %d comes nearest (- SEARCH, + file):\n%s", problem.Near.Line, problem.Near.Diff)
	}
	const most = 400 // bytes
	text := e.Search
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// into writes a draft into its step: as edits if they lead to the same text
// from the beginning, else as a whole.
func (d *draft) into(s *turn.Step) {
	s.Content, s.Edits = nil, nil
	if !d.whole {
		if text, _, err := change.Apply(d.base, d.edits); err == nil && text == d.text {
			if s.Edits = d.edits; s.Edits == nil {
				s.Edits = []turn.Edit{}
			}
			return
		}
	}
	text := d.text
	s.Content = &text
}
