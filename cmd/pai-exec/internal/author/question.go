package author

import (
	"slices"

	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/pkg/generate"
	"paicode/pkg/prompt"
	"paicode/pkg/turn"
)

// maxCheckSent is how much of a check's output is sent at first, in bytes.
const maxCheckSent = 4000

// lacking lists the numbers of the steps that lack what only a generator can
// write. FINISH is among them if something else is, or if the plan looks at
// something for a person who asked, or does nothing else; otherwise its words
// are composed.
func (a *Author) lacking() []int {
	var out []int
	observes := false
	for _, s := range a.steps {
		switch s.Action {
		case turn.ActionWrite, turn.ActionModify:
			if s.Content == nil && s.Edits == nil {
				out = append(out, s.Number)
			}
		case turn.ActionRead, turn.ActionTree, turn.ActionList:
			observes = true
		}
	}
	last := len(a.steps) - 1
	if last >= 0 && a.steps[last].Action == turn.ActionFinish && a.steps[last].Content == nil &&
		(len(out) > 0 || (observes || last == 0) && a.doc.Request() != "") {
		out = append(out, a.steps[last].Number)
	}
	return out
}

// input does the steps on an overlay, as far as they are known, and gathers
// what the generator must see.
func (a *Author) input(tree *overlay.Tree) (generate.Input, error) {
	in := generate.Input{Request: a.doc.Request(), Context: a.doc.Context()}
	if a := a.plan.Analysis; a != nil {
		in.Goal = a.UserIntent
	}
	if w := a.doc.Workspace(); w != nil {
		in.Instructions = prompt.Excerpts(w.Instructions)
	}
	var files shownFiles
	texts, dos := make(map[string]string), make(map[string]string)
	show := func(p, text, do string) {
		texts[p], dos[p] = text, dos[p]+" "+do
		files.add(p, text, a.parts(p, text, dos[p]))
	}
	for i, s := range a.steps {
		result, err := tree.Do(i, s, true)
		if err == nil {
			err = a.gather(tree, s, result, show, &in)
		}
		if err != nil {
			return in, stepError(i, err)
		}
	}
	files.fit(generate.ContextBytes, func(p string, lines int) []turn.Excerpt { return a.window(p, texts[p], dos[p], lines) })
	a.windows = files.windows()
	in.Files = append(in.Files, files.prompts()...)
	a.asPlanned(in.Files)
	in.Files = a.withContext(in.Files)
	if a.before != nil {
		in.Outputs = append(in.Outputs, checkOutputs("fails before the change", a.before, maxCheckSent)...)
	}
	for _, number := range a.wanted {
		s := a.steps[a.index(number)]
		in.Wanted = append(in.Wanted, generate.Wanted{Number: s.Number, Action: s.Action, Path: s.Target, Do: s.Description})
	}
	return in, nil
}

// asPlanned puts files into the order in which the planner saw them, those that
// it didn't last: providers keep what questions have in common from their
// beginning.
func (a *Author) asPlanned(files []prompt.File) {
	w := a.doc.Workspace()
	if w == nil {
		return
	}
	place := func(f prompt.File) int {
		i := slices.IndexFunc(w.Excerpts, func(e turn.Excerpt) bool { return e.Path == f.Path })
		if i < 0 {
			return len(w.Excerpts)
		}
		return i
	}
	slices.SortStableFunc(files, func(a, b prompt.File) int { return place(a) - place(b) })
}

// gather adds what one step lets the generator see: the text that it reads or
// changes, or the folder that it lists.
func (a *Author) gather(tree *overlay.Tree, s turn.Step, result overlay.Result, show func(p, text, do string), in *generate.Input) error {
	switch s.Action {
	case turn.ActionRead:
		if result.Message != "" {
			in.Outputs = append(in.Outputs, generate.Output{Title: turn.Shown(s.Target), Text: result.Message})
			return nil
		}
		show(s.Target, result.Output, s.Description)
	case turn.ActionModify:
		if s.Content != nil || s.Edits != nil {
			return nil
		}
		text, ok, err := tree.Text(s.Target)
		if err != nil || !ok {
			return err
		}
		show(s.Target, text, s.Description)
	case turn.ActionTree, turn.ActionList:
		in.Outputs = append(in.Outputs, generate.Output{Title: s.Action + " " + turn.Shown(s.Target), Text: result.Output})
	}
	return nil
}
