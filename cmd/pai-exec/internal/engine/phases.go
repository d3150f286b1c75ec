package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"paicode/cmd/pai-exec/internal/workspace"
	"paicode/pkg/generate"
	"paicode/pkg/turn"
)

// DefaultMaxPhases is how often a generator is asked at most.
const DefaultMaxPhases = 3

// writing is what is known of the steps that a generator writes.
type writing struct {
	gen      *generator
	wanted   []int             // the numbers of the steps that the next phase is asked for
	drafts   map[int]*draft    // by the steps' numbers
	added    []string          // paths that it asked to read and may change
	problems []problem         // of the last phase
	failed   *turn.Check       // of the last phase, if that was its problem
	before   *turn.Check       // on the untouched tree
	first    generate.Question // of the first phase
	sent     int               // bytes of files in it
	files    []turn.SentFile   // in the last question
	last     string            // the last reply
	marker   int               // how long markers must be at least
	reasons  map[int]string    // why a step changes nothing, by its number
}

// problem is why a step can't be used as it was written, or a whole reply.
type problem struct {
	step    int // its number; 0: the whole reply
	code    turn.Code
	message string   // for people and for the next phase
	hint    string   // for people
	shown   string   // for the next phase, a few lines
	lines   []int    // of the draft, counted from one, where it shows
	reads   []string // files that it asks to see
	final   bool     // no phase will mend it
}

// unfit is what another phase may mend.
type unfit struct {
	problems []problem
	final    bool // no phase will
}

func (u *unfit) Error() string { return u.problems[0].message }

// work asks, resolves and applies, until it is done, nothing can be mended, or
// there is no phase left.
func (r *run) work(ctx context.Context, tty *os.File) error {
	for {
		err := r.attempt(ctx, tty)
		u, ok := errors.AsType[*unfit](err)
		if !ok {
			return err
		}
		if n := len(r.exec.Phases); n > 0 {
			r.exec.Phases[n-1].Problems = told(u.problems)
		}
		if u.final || len(r.w.wanted) == 0 || r.w.gen == nil || len(r.exec.Phases) >= r.MaxPhases || ctx.Err() != nil {
			if r.KeepFailing && u.problems[0].code == turn.CodeCheckFailed && ctx.Err() == nil {
				return r.keepFailing(ctx, u)
			}
			return r.refuse(u)
		}
		r.w.problems = u.problems
	}
}

// attempt is one phase with what follows it.
func (r *run) attempt(ctx context.Context, tty *os.File) error {
	r.begin()
	if len(r.w.wanted) > 0 {
		if err := r.generate(ctx); err != nil {
			return err
		}
	}
	tree, net, err := r.resolve(ctx)
	if err != nil {
		return r.orStale(err)
	}
	if err := r.seal(net); err != nil || r.DryRun {
		return err
	}
	if !r.agreed(tty) {
		return exitNotApplied()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return r.commit(ctx, tree, net)
}

// begin forgets what an earlier attempt found of the steps.
func (r *run) begin() {
	r.removing, r.exec.NeedsYes, r.exec.Steps = nil, nil, []turn.StepResult{}
	for _, s := range r.steps {
		r.exec.Steps = append(r.exec.Steps, turn.StepResult{Number: s.Number, Status: turn.StatusSkipped})
	}
}

// refuse gives up on what the generator wrote.
func (r *run) refuse(u *unfit) error {
	first := u.problems[0]
	if first.code == turn.CodeCheckFailed {
		r.fail(turn.StatusFailed, "")
	} else {
		r.fail(turn.StatusSkipped, "")
	}
	for _, p := range u.problems {
		if i := r.index(p.step); i >= 0 {
			r.exec.Steps[i].Status, r.exec.Steps[i].Message = statusOf(p.code), p.message
		}
	}
	return turn.Errorf(first.code, "%s", turn.Printable(first.message)).WithHint("%s", first.hint)
}

func told(problems []problem) []turn.Problem {
	var out []turn.Problem
	for _, p := range problems {
		out = append(out, turn.Problem{Number: p.step, Message: p.message})
	}
	return out
}

// index is that of the step with a number; -1 if there is none.
func (r *run) index(number int) int {
	return slices.IndexFunc(r.steps, func(s turn.Step) bool { return s.Number == number })
}

// generate asks for what is wanted, and takes the answers in.
func (r *run) generate(ctx context.Context) error {
	question, err := r.question()
	if err != nil {
		return r.orStale(err)
	}
	phase := turn.Phase{Phase: len(r.exec.Phases) + 1, Steps: slices.Clone(r.w.wanted), Sent: r.w.files}
	r.exec.Phases = append(r.exec.Phases, phase)
	what := fmt.Sprintf("generating %d steps", len(r.w.wanted))
	if phase.Phase > 1 {
		what += fmt.Sprintf(", phase %d of %d", phase.Phase, r.MaxPhases)
	}
	reader := question.Reader()
	stop := r.progress.Wait(what)
	reply, cut, usage, err := r.w.gen.ask(question, func(delta string) {
		for _, w := range reader.Write(delta) {
			r.progress.Show(fmt.Sprintf("step %d %s %s is written", w.Number, w.Action, turn.Shown(w.Path)))
		}
	})
	stop()
	if usage.Tries > 0 {
		r.doc.AddUsage(usage)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errEnded) && phase.Phase > 1:
		r.exec.Phases = r.exec.Phases[:len(r.exec.Phases)-1]
		return &unfit{r.w.problems, true} // it answers one question only
	case errors.Is(err, errEnded):
		return turn.Errorf(turn.CodeModel, "%s", err).WithHint("what it has to say stands above")
	case err != nil:
		return err
	case reply == r.w.last && phase.Phase > 1:
		return &unfit{r.w.problems, true}
	}
	r.w.last = reply
	return r.takeIn(question.Read(reply, cut), question.Marker)
}

// takeIn writes the answers into the steps, in their order, each against what
// the steps before it leave.
func (r *run) takeIn(reading generate.Reading, marker int) error {
	var problems []problem
	for _, s := range reading.Stray {
		problems = append(problems, problem{code: turn.CodeModel, message: s, hint: "try again, or another model"})
	}
	if len(problems) > 0 {
		return &unfit{problems: problems} // nobody knows what belongs where: nothing of it is used
	}
	r.insertAdded(reading)
	tree := workspace.NewTree(r.disk, r.Workspace)
	for i := range r.steps {
		s := &r.steps[i]
		if slices.Contains(r.w.wanted, s.Number) {
			problems = append(problems, r.fill(tree, s, reading.Answers[s.Number])...)
		}
		if _, err := tree.Do(i, *s, true); err != nil {
			if r.w.drafts[s.Number] == nil {
				return r.failStep(i, err)
			}
			e := turn.AsError(err)
			problems = append(problems, problem{step: s.Number, code: e.Code, message: e.Message, hint: e.Hint})
		}
	}
	if len(problems) == 0 {
		return nil
	}
	for _, n := range r.w.wanted {
		if reading.Answers[n].Markers {
			r.w.marker = marker + 4
		}
	}
	r.w.want(problems, r.steps)
	return &unfit{problems, slices.ContainsFunc(problems, func(p problem) bool { return p.final })}
}

// want notes which steps the next phase is asked for.
func (w *writing) want(problems []problem, steps []turn.Step) {
	var next []int
	for _, p := range problems {
		if !slices.Contains(next, p.step) {
			next = append(next, p.step)
		}
	}
	if last := len(steps) - 1; last >= 0 && steps[last].Action == turn.ActionFinish && steps[last].Content == nil &&
		slices.Contains(w.wanted, steps[last].Number) && !slices.Contains(next, steps[last].Number) {
		next = append(next, steps[last].Number)
	}
	w.wanted = next
}

// insertAdded makes steps of the answers on files that the generator asked to
// read and now changes.
func (r *run) insertAdded(reading generate.Reading) {
	for i, path := range r.w.added {
		number := r.addedNumber(i)
		a := reading.Answers[number]
		if a.Edits == nil && a.Content == nil || r.index(number) >= 0 {
			continue
		}
		s := turn.Step{Number: number, Action: turn.ActionModify, Target: path, Description: "what the model asked to read, and changes",
			AddedBy: fmt.Sprintf("phase %d", len(r.exec.Phases))}
		at := len(r.steps)
		if at > 0 && r.steps[at-1].Action == turn.ActionFinish {
			at--
		}
		r.steps = slices.Insert(r.steps, at, s)
		r.doc.InsertStep(at, s)
		r.exec.Steps = slices.Insert(r.exec.Steps, at, turn.StepResult{Number: number, Status: turn.StatusSkipped})
		r.w.wanted = append(r.w.wanted, number)
	}
}

// addedNumber is the number of a step that may be added.
func (r *run) addedNumber(i int) int {
	greatest := 0
	for _, s := range r.plan.ExecutionPlan.Steps {
		greatest = max(greatest, s.Number)
	}
	for _, s := range r.steps {
		if s.AddedBy == "" {
			greatest = max(greatest, s.Number)
		}
	}
	return greatest + 1 + i
}
