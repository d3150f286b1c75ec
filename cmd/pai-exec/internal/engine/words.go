package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"paicode/cmd/pai-exec/internal/guard"
	"paicode/pkg/turn"
)

// read takes the plan and the seal out of the document and checks the plan's
// form.
func (r *run) read() error {
	if r.plan = r.doc.Plan(); r.plan == nil || r.plan.ExecutionPlan == nil {
		return turn.Errorf(turn.CodeUsage, "no plan in the document").
			WithHint("pai-plan makes one: pai-plan \"…\" | pai-exec")
	}
	r.steps = slices.Clone(r.plan.ExecutionPlan.Steps)
	r.sealed = r.doc.Seal()
	if numberAll(r.steps) {
		r.doc.FillSteps(r.steps, nil)
	}
	if err := r.choose(); err != nil {
		return err
	}
	for i, s := range r.steps {
		if s.Action == turn.ActionFinish && i != len(r.steps)-1 {
			return turn.Errorf(turn.CodeUsage, "step %d comes after FINISH", r.steps[i+1].Number).
				WithHint("FINISH is the last step")
		}
	}
	r.bound = r.sealed != nil && r.sealed.Steps == hashSteps(r.steps)
	return nil
}

// choose leaves the steps in the plan that --only and --skip say, and FINISH.
// What depends on a step that is left out doesn't resolve.
func (r *run) choose() error {
	if len(r.Only)+len(r.Skip) == 0 {
		return nil
	}
	for _, n := range slices.Concat(r.Only, r.Skip) {
		if !slices.ContainsFunc(r.steps, func(s turn.Step) bool { return s.Number == n }) {
			return turn.Errorf(turn.CodeUsage, "the plan has no step %d", n)
		}
	}
	keep := func(i int) bool {
		s := r.steps[i]
		return s.Action == turn.ActionFinish ||
			(len(r.Only) == 0 || slices.Contains(r.Only, s.Number)) && !slices.Contains(r.Skip, s.Number)
	}
	r.doc.KeepSteps(keep)
	var kept []turn.Step
	for i, s := range r.steps {
		if keep(i) {
			kept = append(kept, s)
		}
	}
	r.steps, r.plan = kept, r.doc.Plan()
	return nil
}

// numberAll numbers the steps that have no number, after the greatest, and tells
// whether there were any.
func numberAll(steps []turn.Step) (any bool) {
	greatest := 0
	for _, s := range steps {
		greatest = max(greatest, s.Number)
	}
	for i := range steps {
		if steps[i].Number == 0 {
			greatest++
			steps[i].Number, any = greatest, true
		}
	}
	return any
}

// checkWords judges the whole plan by its words, before anything is opened. A
// plan that does nothing about a name that the guard denies ends as denied,
// however politely the model put it.
func (r *run) checkWords() error {
	numbers := make(map[int]bool)
	for i, s := range r.steps {
		err := guard.CheckStep(s, &r.Overlay.Rules)
		if numbers[s.Number] && err == nil {
			err = turn.Errorf(turn.CodeUsage, "two steps have the number %d", s.Number)
		}
		numbers[s.Number] = true
		if err != nil {
			return r.failStep(i, err)
		}
	}
	w := r.doc.Workspace()
	if w == nil || len(w.Denied) == 0 || r.hasWork() {
		return nil
	}
	return turn.Errorf(turn.CodeDenied, "access denied: %s %s", turn.Quote(w.Denied[0].Name), w.Denied[0].Rule).
		WithHint("the request names it, and the plan does nothing else")
}

// hasWork reports whether the plan does more than FINISH and asking.
func (r *run) hasWork() bool {
	if r.plan.Question != "" {
		return false
	}
	for _, s := range r.steps {
		if s.Action != turn.ActionFinish {
			return true
		}
	}
	return false
}

// hashSteps is a hash of what the steps do: everything that has an effect on
// files, or on what a person is told, and nothing else.
func hashSteps(steps []turn.Step) string {
	type effect struct {
		Action, Target, Destination string
		Executable                  bool
		Content                     *string
		Edits                       []turn.Edit
	}
	effects := make([]effect, len(steps))
	for i, s := range steps {
		effects[i] = effect{s.Action, s.Target, s.Destination, s.Executable, s.Content, s.Edits}
	}
	data, err := json.Marshal(effects)
	if err != nil {
		panic(err) // plain data always encodes
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
