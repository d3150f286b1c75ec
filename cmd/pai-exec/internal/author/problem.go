package author

import (
	"fmt"
	"slices"
	"strings"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/pkg/turn"
)

// Problem is why a step can't be used as it was written, or a whole reply.
type Problem struct {
	Step    int // its number; 0: the whole reply
	Code    turn.Code
	Message string // for people and for the next phase
	Hint    string // for people

	shown string   // for the next phase, a few lines
	wrote string   // what the reply had that can't be used, for the next phase
	lines []int    // of the draft, counted from one, where it shows
	reads []string // files that it asks to see
	final bool     // no phase will mend it
}

// Unfit is the error of what another phase may mend.
type Unfit struct {
	Problems []Problem // one at least
	Final    bool      // no phase will
}

func (u *Unfit) Error() string { return u.Problems[0].Message }

// StepError is the error of one step that no phase mends.
type StepError struct {
	Index int
	Err   error
}

func (e *StepError) Error() string { return e.Err.Error() }
func (e *StepError) Unwrap() error { return e.Err }

func stepError(i int, err error) error { return &StepError{i, err} }

// Mend notes what the next phase is to mend.
func (a *Author) Mend(problems []Problem) {
	a.problems = problems
	a.noteReads(problems)
}

// Note writes into the last phase why what it gave could not be used.
func (a *Author) Note(problems []Problem) {
	if len(a.phases) == 0 {
		return
	}
	last := &a.phases[len(a.phases)-1]
	last.Problems = nil
	for _, p := range problems {
		last.Problems = append(last.Problems, turn.Problem{Number: p.Step, Message: p.Message})
	}
}

// Want notes which steps the next phase is asked for.
func (a *Author) Want(problems []Problem) {
	var next []int
	for _, p := range problems {
		if !slices.Contains(next, p.Step) {
			next = append(next, p.Step)
		}
	}
	if last := len(a.steps) - 1; last >= 0 && a.steps[last].Action == turn.ActionFinish && a.steps[last].Content == nil &&
		slices.Contains(a.wanted, a.steps[last].Number) && !slices.Contains(next, a.steps[last].Number) {
		next = append(next, a.steps[last].Number)
	}
	a.wanted = next
}

// OverLimit makes a problem of a rejected change, if the generator wrote it: it
// begins again with the text before.
func (a *Author) OverLimit(number int, e *turn.Error) (p Problem, ok bool) {
	d := a.drafts[number]
	if d == nil {
		return p, false
	}
	diff := change.Compare(d.base, d.text)
	s := &a.steps[a.index(number)]
	s.Content, s.Edits = nil, nil
	delete(a.drafts, number)
	return Problem{Step: number, Code: e.Code,
		Message: e.Message + "; change less, with blocks, or say CANNOT: and which definitions must go", Hint: e.Hint,
		lines: diff.OldPlaces()}, true
}

// CheckFailed notes a check that failed on the change, with the change's diff:
// the next phase may edit all that the generator wrote.
func (a *Author) CheckFailed(c *turn.Check, limit fmt.Stringer, diff string) *Unfit {
	failed := c.Results[len(c.Results)-1]
	command := turn.Shown(a.said.Words(failed.Command)) // the message goes to models too
	p := Problem{Code: turn.CodeCheckFailed,
		Message: fmt.Sprintf("the check failed: %s: exit code %d", command, failed.ExitCode)}
	if failed.TimedOut {
		p.Message = fmt.Sprintf("the check failed: %s: not done within %s", command, limit)
	}
	p.Hint = "pai-exec --keep-failing would have kept the change"
	if out := strings.TrimSpace(failed.Output); out != "" {
		p.Hint = "its output ends:\n" + lastLines(out, 10) + "\n" + p.Hint
	}
	if n := len(a.phases); n > 0 {
		a.phases[n-1].Check, a.phases[n-1].Diff = c, diff
	}
	a.failed, a.wanted = c, nil
	for _, s := range a.steps {
		if a.drafts[s.Number] != nil {
			a.wanted = append(a.wanted, s.Number)
		}
	}
	return &Unfit{Problems: []Problem{p}}
}

func lastLines(text string, most int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
