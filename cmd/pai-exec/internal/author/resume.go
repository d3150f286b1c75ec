package author

import (
	"slices"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/pkg/secret"
	"paicode/pkg/turn"
)

// Adopt takes the phases of an earlier pai-exec that made what is sealed.
func (a *Author) Adopt(phases []turn.Phase) { a.phases = phases }

// Resume goes on with the phases of an earlier pai-exec whose change a check
// refused: what the generator wrote then is what it edits now. It reports
// whether there is anything to go on with.
func (a *Author) Resume(was *turn.Exec) bool {
	if was == nil || was.Applied || was.Check == nil || !was.Check.Run || was.Check.Passed {
		return false
	}
	for _, phase := range was.Phases {
		for _, number := range phase.Steps {
			if i := a.index(number); i >= 0 && writes(a.steps[i].Action) && !slices.Contains(a.wanted, number) {
				a.wanted = append(a.wanted, number)
			}
		}
	}
	if len(was.Phases) == 0 || len(a.wanted) == 0 {
		return false
	}
	a.phases, a.failed = was.Phases, was.Check
	return true
}

// TakeUp begins the drafts of what is resumed with what the steps hold. Errors are
// *StepError.
func (a *Author) TakeUp() error {
	if a.failed == nil {
		return nil
	}
	tree := a.tree()
	for i, s := range a.steps {
		if slices.Contains(a.wanted, s.Number) {
			d := &draft{whole: s.Content != nil, edits: s.Edits, secrets: make(secret.Balance)}
			var err error
			if s.Action == turn.ActionModify {
				d.base, _, err = tree.Text(s.Target)
			}
			if d.text = d.base; s.Content != nil {
				d.text = *s.Content
			} else if err == nil {
				d.text, _, err = change.Apply(d.base, d.edits)
			}
			if err != nil {
				return stepError(i, turn.AsError(err))
			}
			a.drafts[s.Number] = d
		}
		if _, err := tree.Do(i, s, true); err != nil {
			return stepError(i, err)
		}
	}
	return nil
}
