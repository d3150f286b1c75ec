package turn

import (
	"encoding/json"
	"slices"
)

// Request returns what the person asked for, in their words.
func (d *Document) Request() string {
	var s string
	d.load(memberRequest, &s)
	return s
}

// SetRequest replaces the request.
func (d *Document) SetRequest(s string) { d.set(memberRequest, s) }

// Context returns what was piped in beside the request; empty if nothing.
func (d *Document) Context() string {
	var s string
	d.load(memberContext, &s)
	return s
}

// SetContext replaces the context.
func (d *Document) SetContext(s string) { d.set(memberContext, s) }

// History returns the earlier turns, the oldest first.
func (d *Document) History() []Interaction {
	var h []Interaction
	d.load(memberHistory, &h)
	return h
}

// SetHistory replaces the earlier turns.
func (d *Document) SetHistory(h []Interaction) { d.set(memberHistory, h) }

// Workspace returns what was observed, nil if nothing was.
func (d *Document) Workspace() *Workspace { return loaded[Workspace](d, memberWorkspace) }

// SetWorkspace replaces what was observed.
func (d *Document) SetWorkspace(w *Workspace) { d.set(memberWorkspace, w) }

// Intent returns the intent, nil if the request was not classified.
func (d *Document) Intent() *Intent { return loaded[Intent](d, memberIntent) }

// SetIntent replaces the intent.
func (d *Document) SetIntent(i *Intent) { d.set(memberIntent, i) }

// Chat reports whether the request was a chat and is answered.
func (d *Document) Chat() bool {
	i := d.Intent()
	return i != nil && i.Kind == KindChat
}

// Plan returns the plan, nil if there is none.
func (d *Document) Plan() *Plan { return loaded[Plan](d, memberPlan) }

// SetPlan replaces the plan and unseals it.
func (d *Document) SetPlan(p *Plan) {
	d.set(memberPlan, p)
	d.Unseal()
}

// Unseal takes away what came of the plan: its seal, what was done with it, and what was
// suggested then.
func (d *Document) Unseal() {
	for _, name := range []string{memberSeal, memberExec, memberSuggestion, memberError} {
		d.members.remove(name)
	}
}

// TakePlan replaces the plan by that of another document, as it is there, and unseals it.
func (d *Document) TakePlan(from *Document) {
	d.set(memberPlan, from.members.get(memberPlan))
	d.Unseal()
}

// FillSteps writes what became known of the steps into the plan: numbers,
// content and edits where there were none or the number is among written, how
// edits were found, and what is risky. Everything else in the plan stays as it
// was read. Steps are those of Plan, in the same order.
func (d *Document) FillSteps(steps []Step, written []int) {
	if len(steps) == 0 {
		return
	}
	d.changeSteps(func(raw []json.RawMessage) []json.RawMessage {
		for i, s := range steps {
			raw[i] = fillStep(raw[i], s, slices.Contains(written, s.Number))
		}
		return raw
	})
}

func fillStep(raw json.RawMessage, s Step, written bool) json.RawMessage {
	step := readObject(raw)
	if written {
		step.remove("content")
		step.remove("edits")
	}
	fill := func(name string, known bool, value any) {
		if known {
			step.set(name, encode(value))
		}
	}
	fill("step_number", absent(step, "step_number"), s.Number)
	fill("content", s.Content != nil && absent(step, "content"), s.Content)
	fill("edits", s.Edits != nil && absent(step, "edits"), s.Edits)
	fill("matched", s.Matched != "", s.Matched)
	fill("risk", s.Risk != "", s.Risk)
	fill("caution", s.Caution != "", s.Caution)
	return encode(step)
}

// InsertStep puts a step into the plan, before the one with an index.
func (d *Document) InsertStep(i int, s Step) {
	d.changeSteps(func(raw []json.RawMessage) []json.RawMessage { return slices.Insert(raw, i, encode(s)) })
}

// KeepSteps leaves only those steps in the plan that keep says, by index.
func (d *Document) KeepSteps(keep func(i int) bool) {
	d.changeSteps(func(raw []json.RawMessage) (kept []json.RawMessage) {
		for i := range raw {
			if keep(i) {
				kept = append(kept, raw[i])
			}
		}
		return kept
	})
}

// changeSteps gives the plan other steps.
func (d *Document) changeSteps(change func([]json.RawMessage) []json.RawMessage) {
	plan := d.object(memberPlan)
	execution := readObject(plan.get("execution_plan"))
	var raw []json.RawMessage
	mustDecode(execution.get("steps"), &raw)
	execution.set("steps", encode(change(raw)))
	plan.set("execution_plan", encode(execution))
	d.set(memberPlan, plan)
}

// absent tells of a member that isn't there, or is null.
func absent(o object, name string) bool {
	raw := o.get(name)
	return raw == nil || string(raw) == "null"
}

// Seal returns the seal, nil if the plan was not resolved.
func (d *Document) Seal() *Seal { return loaded[Seal](d, memberSeal) }

// SetSeal replaces the seal.
func (d *Document) SetSeal(s *Seal) { d.set(memberSeal, s) }

// Exec returns what pai-exec did, nil if nothing.
func (d *Document) Exec() *Exec { return loaded[Exec](d, memberExec) }

// SetExec replaces what pai-exec did.
func (d *Document) SetExec(e *Exec) { d.set(memberExec, e) }

// DropExec takes away what an earlier pai-exec did, and what came of it.
func (d *Document) DropExec() {
	d.members.remove(memberExec)
	d.members.remove(memberSuggestion)
}

// Suggestion returns what was proposed, nil if nothing.
func (d *Document) Suggestion() *Suggestion { return loaded[Suggestion](d, memberSuggestion) }

// SetSuggestion replaces what was proposed.
func (d *Document) SetSuggestion(s *Suggestion) { d.set(memberSuggestion, s) }

// Usage returns the questions to models so far.
func (d *Document) Usage() []Usage {
	var u []Usage
	d.load(memberUsage, &u)
	return u
}

// AddUsage notes one more question to a model.
func (d *Document) AddUsage(u Usage) {
	raw := d.members.get(memberUsage)
	var all []json.RawMessage
	if raw != nil {
		mustDecode(raw, &all)
	}
	d.set(memberUsage, append(slices.Clip(all), encode(u)))
}

// Error returns the error of an earlier stage, nil if there is none.
func (d *Document) Error() *Error { return loaded[Error](d, memberError) }

// SetError replaces the error; nil takes it away.
func (d *Document) SetError(e *Error) {
	if e == nil {
		d.members.remove(memberError)
		return
	}
	d.set(memberError, e)
}

// memberTold marks, within the error, that some command printed it.
const memberTold = "x_told"

// Untold reports whether the document carries an error of a filter that isn't Pai's, which
// says nothing by itself, and that no command has printed yet.
func (d *Document) Untold() bool {
	e := d.Error()
	if e == nil || slices.Contains([]string{"pai", "pai-classify", "pai-plan", "pai-exec", "pai-suggest"}, e.Stage) {
		return false
	}
	return string(d.object(memberError).get(memberTold)) != "true"
}

// SetTold notes that an untold error was printed.
func (d *Document) SetTold() {
	if d.Untold() {
		e := d.object(memberError)
		e.set(memberTold, encode(true))
		d.set(memberError, e)
	}
}

func loaded[T any](d *Document, name string) *T {
	v := new(T)
	if !d.load(name, v) {
		return nil
	}
	return v
}

func (d *Document) object(name string) object { return readObject(d.members.get(name)) }

// readObject reads an object that the codec has checked or written.
func readObject(raw json.RawMessage) object {
	n, err := parse(raw)
	if err != nil {
		panic("turn: checked JSON doesn't parse: " + err.Message)
	}
	return objectOf(raw, n)
}

func mustDecode(raw json.RawMessage, into any) {
	if err := json.Unmarshal(raw, into); err != nil {
		panic("turn: checked JSON doesn't decode: " + err.Error())
	}
}

// Changes reports whether the sealed plan changes anything, or did where it wasn't applied
// before.
func (d *Document) Changes() bool {
	seal, exec := d.Seal(), d.Exec()
	if seal == nil || exec != nil &&
		!slices.ContainsFunc(exec.Steps, func(s StepResult) bool { return s.Status != StatusUnchanged }) {
		return false
	}
	for _, p := range seal.Paths {
		if (p.Before == nil) != (p.After == nil) || p.Before != nil && *p.Before != *p.After {
			return true
		}
	}
	return false
}

// Outcome is the exit code that the document stands for: that of its error,
// CodeNotApplied where a person must answer or agree first, else CodeOK.
func (d *Document) Outcome() Code {
	if e := d.Error(); e != nil {
		return e.Exit()
	}
	if p := d.Plan(); p != nil && p.Question != "" {
		return CodeNotApplied
	}
	if e := d.Exec(); e != nil && len(e.NeedsYes) > 0 && !e.Applied && !e.DryRun {
		return CodeNotApplied
	}
	return CodeOK
}
