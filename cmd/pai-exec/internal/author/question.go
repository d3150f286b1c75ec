package author

import (
	"slices"
	"strings"

	"paicode/cmd/pai-exec/internal/find"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/cmd/pai-exec/internal/reply"
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
func (a *Author) input(tree *overlay.Tree) (reply.Input, error) {
	in := reply.Input{Request: a.said.Request, Context: a.said.Context, Tokens: a.o.Tokens, Plan: a.planned()}
	if plan := a.plan.Analysis; plan != nil {
		in.Goal = a.said.Words(plan.UserIntent)
	}
	if w := a.doc.Workspace(); w != nil {
		in.Instructions = prompt.Excerpts(w.Instructions)
	}
	var files shownFiles
	show := func(p, text, do string) { files.add(p, text, do, a.parts) }
	words := ""
	for i, s := range a.steps {
		result, err := tree.Do(i, s, true)
		if err == nil {
			err = a.gather(tree, s, result, show, &in)
		}
		if err != nil {
			return in, stepError(i, err)
		}
		words += s.Target + " " + s.Description + "\n"
	}
	read := a.showReads(tree, func(p, text, do string) {
		if files.files[p] == nil {
			show(p, text, do)
		}
	}, &in)
	for _, number := range a.wanted {
		s := a.steps[a.index(number)]
		in.Wanted = append(in.Wanted,
			reply.Wanted{Number: s.Number, Action: s.Action, Path: s.Target, Do: a.said.Words(s.Description)})
	}
	a.offer(read, &in)
	if len(a.phases) > 0 {
		in.Seen, in.Marker, in.Done = true, a.marker, a.done()
	}
	room, spare := a.roomIn(in)
	files.fit(room, a.window)
	a.windows = files.windows()
	in.Files = files.prompts(a.hide, explains(in.Wanted))
	a.asPlanned(in.Files)
	a.outline(&files, &in)
	if a.before != nil {
		in.Outputs = append(in.Outputs, a.checkOutputs("fails before the change", a.before, maxCheckSent)...)
	}
	if spare -= files.total(); a.o.Tokens > 0 {
		spare = in.Spare(spare)
	}
	for _, p := range files.paths {
		words += files.files[p].text
	}
	in.Files = a.withContext(tree, in.Files, in.Request+words, spare)
	return in, nil
}

// planned are all steps of the plan, as a reply may speak of them.
func (a *Author) planned() (out []reply.Wanted) {
	for _, s := range a.steps {
		out = append(out, reply.Wanted{Number: s.Number, Action: s.Action, Path: s.Target})
	}
	return out
}

// explains reports whether all that is needed is an answer.
func explains(wanted []reply.Wanted) bool {
	return !slices.ContainsFunc(wanted, func(w reply.Wanted) bool { return w.Action != turn.ActionFinish })
}

// roomIn is how much a question may show of the files that it is about, and of all that
// comes beside its words, in bytes.
func (a *Author) roomIn(in reply.Input) (files, all int) {
	if a.o.Tokens == 0 {
		return reply.ContextBytes, reply.ContextBytes
	}
	in.Outputs, in.Instructions, in.Files = nil, nil, nil
	q := reply.Ask(in)
	const headings = 400 // and fences, of files
	all = max(0, turn.TokenBytes(a.o.Tokens)-len(q.System)-len(q.Prompt)-headings)
	return min(all, reply.ContextBytes), all
}

// outlineBytes is how much of a long file's definitions is listed.
const outlineBytes = 1200

// outline lists the definitions of the files that are to be changed and are shown in
// part, so that the generator knows what it may ask to read.
func (a *Author) outline(files *shownFiles, in *reply.Input) {
	for _, p := range files.paths {
		t := files.files[p]
		if t.whole() {
			continue
		}
		if symbols := find.NewQuery(t.do+" "+a.doc.Request()).Outline(p, t.text, outlineBytes); len(symbols) > 0 {
			in.Outputs = append(in.Outputs,
				reply.Output{Title: "Definitions in " + turn.InFull(p) + ", by line",
					Text: a.said.Words(strings.Join(symbols, "\n"))})
		}
	}
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
func (a *Author) gather(tree *overlay.Tree, s turn.Step, result overlay.Result, show func(p, text, do string),
	in *reply.Input) error {
	switch s.Action {
	case turn.ActionRead:
		if result.Message != "" {
			in.Outputs = append(in.Outputs, reply.Output{Title: turn.InFull(s.Target), Text: result.Message})
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
		in.Outputs = append(in.Outputs,
			reply.Output{Title: s.Action + " " + turn.InFull(s.Target), Text: a.said.Words(result.Output)})
	}
	return nil
}
