package engine

import (
	"fmt"
	"slices"
	"strings"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/workspace"
	"paicode/pkg/generate"
	"paicode/pkg/turn"
)

// draft is a step's text as the phases so far wrote it.
type draft struct {
	base  string // the text before the step
	text  string
	edits []turn.Edit // that lead from base to text, if not whole
	whole bool
}

// fill writes an answer into its step. What fits of it stays, also if there
// are problems with the rest.
func (r *run) fill(tree *workspace.Tree, s *turn.Step, a generate.Answer) []problem {
	if s.Action == turn.ActionFinish {
		return r.fillFinish(s, a)
	}
	name := turn.Shown(s.Target)
	unusable := func(why string) []problem {
		return []problem{{step: s.Number, code: turn.CodeModel, message: name + ": " + why, hint: "try again, or another model"}}
	}
	d := r.w.drafts[s.Number]
	mending := d != nil && r.w.failed != nil // it may stay as it is
	var problems []problem
	switch {
	case a.Read != nil:
		p := unusable("the model asks to see " + listed(a.Read) + " first")
		p[0].reads = a.Read
		for _, name := range a.Read {
			if err := workspace.CheckStep(turn.Step{Action: turn.ActionRead, Target: name}, &r.Workspace.Rules); err != nil {
				p[0].hint = turn.AsError(err).Message
			}
		}
		return p
	case a.Cannot != "":
		p := unusable("the model can't do it: " + a.Cannot)
		p[0].final = true
		return p
	case mending && (a.NoChange != "" || a.Missing):
		return nil
	case a.Problem != "":
		why := a.Problem
		if a.Line > 0 {
			why += fmt.Sprintf(" (line %d of the reply)", a.Line)
		}
		return unusable(why)
	case a.NoChange != "" && s.Action == turn.ActionWrite && d == nil:
		return unusable("the model writes nothing: " + a.NoChange)
	}
	r.w.reasons[s.Number] = turn.Printable(a.NoChange)
	d, err := r.draftOf(tree, s)
	if err != nil {
		return []problem{{step: s.Number, code: turn.AsError(err).Code, message: turn.AsError(err).Message, hint: turn.AsError(err).Hint}}
	}
	switch {
	case a.Content != nil && s.Action == turn.ActionModify && !wholeOf(d.text, *a.Content):
		return unusable("the fence holds no more than a part of the file; blocks change a part")
	case a.Content != nil:
		d.text, d.edits, d.whole = change.Adopt(d.base, *a.Content), nil, true
	case s.Action == turn.ActionModify && strings.TrimSpace(d.base) == "" && len(a.Edits) == 1 && a.Edits[0].Search == "":
		d.text, d.edits, d.whole = a.Edits[0].Replace, nil, true // of an empty file
	default:
		problems = r.edit(d, s, a.Edits)
	}
	if a.Cut {
		problems = append(problems, unusable("the reply was cut in it, after what is made already")...)
	}
	r.w.drafts[s.Number] = d
	d.into(s)
	return problems
}

// wholeOf tells whether a text is a whole file that stands for another: most
// lines of the old one are still there, and none says that it stands for others.
func wholeOf(old, text string) bool {
	const kept = 2.0 / 3
	have := make(map[string]int)
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); elides(line) && !strings.Contains(old, line) {
			return false
		}
		have[line]++
	}
	total, found := 0, 0
	for line := range strings.Lines(old) {
		if line = strings.TrimSpace(line); line != "" {
			total++
			if have[line]--; have[line] >= 0 {
				found++
			}
		}
	}
	return float64(found) >= kept*float64(total)
}

// elides tells of a line that stands for others: "# ... existing code ...".
func elides(line string) bool {
	words, ok := strings.CutPrefix(strings.TrimLeft(line, "#/*-<!; \t"), "...")
	if !ok {
		words, ok = strings.CutPrefix(strings.TrimLeft(line, "#/*-<!; \t"), "…")
	}
	return ok && slices.ContainsFunc([]string{"existing", "rest", "unchanged", "remain", "other", "same", "previous"},
		func(word string) bool { return strings.Contains(strings.ToLower(words), word) })
}

// fillFinish takes FINISH's words; without any they are composed.
func (r *run) fillFinish(s *turn.Step, a generate.Answer) []problem {
	if a.Read != nil {
		return []problem{{step: s.Number, code: turn.CodeModel, message: "the model asks to see " + listed(a.Read) + " first",
			hint: "try again, or another model", reads: a.Read}}
	}
	s.Content = a.Content
	return nil
}

// draftOf is the draft of a step, begun with the text before it.
func (r *run) draftOf(tree *workspace.Tree, s *turn.Step) (*draft, error) {
	if s.Action == turn.ActionWrite {
		if d := r.w.drafts[s.Number]; d != nil {
			return d, nil
		}
		return &draft{whole: true}, nil
	}
	base, _, err := tree.Text(s.Target)
	if err != nil {
		return nil, err
	}
	d := r.w.drafts[s.Number]
	if d == nil || d.base != base && d.whole {
		return &draft{base: base, text: base}, nil
	}
	if d.base != base { // a step before it was mended
		text, _, failed := change.ApplyEach(base, d.edits)
		if len(failed) > 0 {
			return &draft{base: base, text: base}, nil
		}
		d.base, d.text = base, text
	}
	return d, nil
}

// edit makes edits in a draft, as far as they fit. Those that an earlier phase
// made, and that are there, are not made twice.
func (r *run) edit(d *draft, s *turn.Step, edits []turn.Edit) (problems []problem) {
	edits = slices.DeleteFunc(slices.Clone(edits), func(e turn.Edit) bool {
		return len(r.exec.Phases) > 1 && e.Replace != "" && slices.Contains(d.edits, e) && strings.Contains(d.text, strings.TrimSuffix(e.Replace, "\n"))
	})
	text, _, failed := change.ApplyEach(d.text, edits)
	unfitting := make(map[int]bool)
	for _, e := range failed {
		unfitting[e.Edit] = true
		p := problem{step: s.Number, code: turn.CodeRejected, message: turn.Shown(s.Target) + ": " + e.Error(), hint: e.Explain(), lines: e.Lines}
		p.shown = shownEdit(edits[e.Edit-1], e)
		problems = append(problems, p)
	}
	d.text = text
	for i, e := range edits {
		if !unfitting[i+1] {
			d.edits = append(d.edits, e)
		}
	}
	return problems
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
