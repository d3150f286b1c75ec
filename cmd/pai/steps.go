package main

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"paicode/pkg/turn"
)

// chooseSteps has the person leave out steps of a plan; nil if all stay, or none would.
func (p *course) chooseSteps(ctx context.Context, doc *turn.Document) *turn.Document {
	steps := doc.Plan().ExecutionPlan.Steps
	kept := make([]bool, len(steps))
	for i := range kept {
		kept[i] = true
	}
	for {
		p.show(p.style().Choice(doc, kept))
		answer, ok := p.ask(ctx, "Numbers leave a step out or take it in; an empty line goes on: ")
		if !ok {
			return nil
		}
		if strings.TrimSpace(answer) == "" {
			break
		}
		for word := range strings.FieldsFuncSeq(answer, func(r rune) bool { return r == ',' || r == ' ' }) {
			n, err := strconv.Atoi(word)
			i := turn.StepIndex(steps, n)
			if err != nil || i < 0 {
				p.say("%s is not a step number", turn.Quote(word))
				continue
			}
			toggle(steps, kept, i)
		}
	}
	for i, s := range steps {
		if kept[i] && s.Risk != "" &&
			!p.agree(ctx, fmt.Sprintf("Step %d, %s %s, %s. Keep it? [y]es [n]o: ", s.Number, s.Action, turn.Shown(s.Target),
				turn.OneLine(s.Risk))) {
			toggle(steps, kept, i)
		}
	}
	if !slices.Contains(kept, false) {
		return nil
	}
	if !slices.ContainsFunc(steps,
		func(s turn.Step) bool { return kept[turn.StepIndex(steps, s.Number)] && s.Action != turn.ActionFinish }) {
		p.say("no step would be left: n rejects the plan")
		return nil
	}
	out := doc.Clone()
	out.KeepSteps(func(i int) bool { return kept[i] })
	out.Unseal()
	return out
}

// toggle leaves a step out, with those that need it, or takes it in, with those that it needs.
func toggle(steps []turn.Step, kept []bool, i int) {
	kept[i] = !kept[i]
	for {
		changed := false
		for later := range steps {
			for earlier := range later {
				if !needs(steps[later], steps[earlier]) || kept[earlier] || !kept[later] {
					continue
				}
				if changed = true; kept[i] {
					kept[earlier] = true
				} else {
					kept[later] = false
				}
			}
		}
		if !changed {
			return
		}
	}
}

// needs reports whether a step works on what an earlier one makes, moves or takes out of its way.
func needs(later, earlier turn.Step) bool {
	var makes []string
	switch earlier.Action {
	case turn.ActionWrite, turn.ActionTouch, turn.ActionMkdir, turn.ActionRemove:
		makes = []string{earlier.Target}
	case turn.ActionMove:
		makes = []string{earlier.Target, earlier.Destination}
	}
	for _, made := range makes {
		for _, used := range []string{later.Target, later.Destination} {
			if used != "" && within(used, made) {
				return true
			}
		}
	}
	return false
}

// within reports whether a path is another one, or lies under it.
func within(p, dir string) bool {
	p, dir = path.Clean(p), path.Clean(dir)
	return p == dir || strings.HasPrefix(p, dir+"/")
}
