package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"paicode/pkg/event"
	"paicode/pkg/filter"
	"paicode/pkg/logbook"
	"paicode/pkg/model"
	"paicode/pkg/protocol"
	"paicode/pkg/render"
	"paicode/pkg/sibling"
	"paicode/pkg/turn"
)

// course leads a document through the stages of a turn.
type course struct {
	*asker
	*conversation
	project  sibling.Project
	door     *model.Door // nil: not started
	tokens   int         // that a question may have at most; 0: any
	yes      bool
	risky    bool // changes to files that run code by themselves are agreed to
	checks   []string
	declined map[string]bool // checks that a plan proposed and the person didn't want
	confine  []string        // what pai-exec is told of what they may do
	output   *filter.Output
	events   *event.Writer // nil: nobody wants them
	edited   string        // a plan as the person wrote it, until it is resolved
	hints    hints
}

// hints are what a person can type next: on the command line, or in a session.
type hints struct{ undo, answer string }

func commandHints() hints { return hints{"pai undo undoes it", `pai --continue "…" answers it`} }
func sessionHints() hints { return hints{"undo undoes it", "the next line answers it"} }

// once does one turn and prints what came of it.
func (p *course) once(ctx context.Context, doc *turn.Document) error {
	p.openLog(p.project.Root, p.Err)
	defer p.log.Close()
	before := ended(doc)
	doc, err := p.run(ctx, doc)
	if !before {
		p.memory.add(interaction(doc.Request(), doc, err))
	}
	asked := doc.Plan() != nil && doc.Plan().Question != "" && !before // pai-exec has said it
	if _, isExit := errors.AsType[filter.Exit](err); err != nil && !isExit {
		e := turn.AsError(err)
		e.Stage = "pai"
		doc.SetError(e)
	} else if err == filter.Exit(turn.CodeNotApplied) && ctx.Err() == nil && doc.Error() == nil && !asked {
		filter.PrintError(p.Err, "pai", p.notApplied(doc))
	}
	if !p.panels {
		if writeErr := p.output.Write(p.Out, doc); writeErr != nil {
			if exec := doc.Exec(); exec != nil && exec.Applied {
				return turn.AsError(writeErr).WithHint("the change was applied all the same, all of it; pai undo undoes it")
			}
			return writeErr
		}
	}
	return err
}

// notApplied says why nothing was applied.
func (p *course) notApplied(doc *turn.Document) *turn.Error {
	if made := doc.Plan(); made != nil && made.Question != "" {
		return turn.Errorf(turn.CodeNotApplied, "not applied: the plan asks %s", turn.Quote(made.Question)).
			WithHint("pai --answer %q < document.json goes on from it", "…")
	}
	if p.panels {
		return turn.Errorf(turn.CodeNotApplied, "not applied").
			WithHint("the plan is the last line of %s/turns.jsonl; pai-exec applies it", turn.HistoryDir)
	}
	return turn.Errorf(turn.CodeNotApplied, "not applied: there is nobody to ask").
		WithHint("--yes applies without asking; pai-exec applies this document, and pai-exec --yes also its RM and MV steps")
}

// run leads a turn through the stages and returns the document as far as it
// got. A stage that fails has said why on standard error: the error is then
// only its exit code.
func (p *course) run(ctx context.Context, doc *turn.Document) (*turn.Document, error) {
	if doc.Plan() == nil && (doc.Seal() != nil || doc.Exec() != nil) {
		return doc, turn.Errorf(turn.CodeUsage, "the document has a seal, or what was done, and no plan").
			WithHint("jq 'del(.seal, .exec)' has it planned anew")
	}
	if ended(doc) {
		if !p.panels {
			filter.Tell(p.Err, doc)
		}
		p.show(p.style().Whole(doc))
		if code := doc.Outcome(); code != turn.CodeOK {
			return doc, filter.Exit(code)
		}
		return doc, nil
	}
	p.log.User(doc.Request())
	doc, err := p.stages(ctx, doc)
	p.log.Turn(doc)
	return doc, err
}

// ended reports whether a document has come to its end: it is applied, answered, carries an
// error, or a question that the person must answer first.
func ended(doc *turn.Document) bool {
	made, exec := doc.Plan(), doc.Exec()
	return doc.Error() != nil || made == nil && doc.Chat() || made != nil && made.Question != "" || exec != nil &&
		exec.Applied
}

// stages goes on where the document stands: what it has of intent and plan stays.
func (p *course) stages(ctx context.Context, doc *turn.Document) (*turn.Document, error) {
	if doc.Plan() == nil {
		var err error
		if doc, err = p.toPlan(ctx, doc, cmp.Or(p.subject, doc.Request())); err != nil || doc.Plan() == nil {
			return doc, err
		}
	}
	p.log.Planned(doc)
	p.show(p.style().Plan(doc))
	if p.panels && doc.Plan().Question != "" {
		p.say("%s", p.hints.answer)
		return doc, filter.Exit(turn.CodeNotApplied)
	}
	if p.yes {
		doc, err := p.exec(ctx, doc, agreement(p.risky)...)
		p.show(p.style().Result(doc))
		return p.suggestAfter(ctx, doc, err)
	}
	return p.sealed(ctx, doc)
}

// toPlan leads a document without a plan to one; a chat ends before. Files are looked for by
// the words of subject, which may be more than the request.
func (p *course) toPlan(ctx context.Context, doc *turn.Document, subject string) (*turn.Document, error) {
	if err := p.openDoor(); err != nil { // it starts while files are observed
		return doc, err
	}
	err := p.observe(ctx, doc, subject)
	if err != nil {
		return doc, err
	}
	if doc.Intent() == nil {
		var d *doing
		if doc, d, err = p.watched(ctx, doc, "pai-classify", sibling.RootArgs(p.project.Root)...); err != nil {
			return doc, err
		}
		if p.panels {
			p.screen.intent(doc, d)
		}
	}
	if doc.Chat() {
		return doc, nil
	}
	p.log.Planning(doc)
	return p.stage(ctx, doc, "pai-plan", p.project.Args()...)
}

// observe puts what is to be seen of the files into a document.
func (p *course) observe(ctx context.Context, doc *turn.Document, subject string) error {
	project := p.project
	if p.tokens != 0 {
		var err error
		if project.Room, err = p.room(ctx, doc); err != nil {
			return err
		}
	}
	asked := turn.New(subject)
	if err := project.Observe(ctx, asked); err != nil {
		return err
	}
	doc.SetWorkspace(asked.Workspace())
	return nil
}

// sealed shows the change before it is applied: what was shown is what is
// applied. After a failed check, or when the person wants something else, the next attempt is
// shown in turn.
func (p *course) sealed(ctx context.Context, doc *turn.Document) (*turn.Document, error) {
	usual := p.checks
	defer func() { p.checks = usual }() // what a plan proposes runs with its change only
	var shown *turn.Document            // sealed; nil: nothing was
	for {
		resolved, err := p.exec(ctx, doc, "--dry-run")
		if err != nil && (shown == nil || ctx.Err() != nil) {
			return p.suggestAfter(ctx, resolved, err)
		}
		if err != nil {
			p.say("the earlier plan is kept")
			doc = shown
		} else {
			doc, p.edited = resolved, ""
			p.showResult(ctx, doc)
		}
		if !doc.Changes() {
			return doc, nil
		}
		next, agreed, err := p.decide(ctx, doc)
		if err != nil {
			return next, err
		}
		if !agreed {
			doc, shown = next, doc
			continue
		}
		doc, err = p.apply(ctx, doc)
		if err != filter.Exit(turn.CodeCheckFailed) || !p.mayMend(ctx, doc) {
			return p.suggestAfter(ctx, doc, err)
		}
		doc.SetError(nil)
		shown = nil
	}
}

// apply applies what was agreed to.
func (p *course) apply(ctx context.Context, doc *turn.Document) (*turn.Document, error) {
	risky := slices.ContainsFunc(doc.Plan().ExecutionPlan.Steps, func(s turn.Step) bool { return s.Risk != "" })
	doc, err := p.exec(ctx, doc, agreement(p.risky || risky)...)
	if err == nil && p.mayKeepWritten(ctx, doc) {
		doc, err = p.keepWritten(ctx, doc)
	}
	if err == nil {
		p.applied(doc)
	}
	return doc, err
}

// mayKeepWritten asks whether what a check wrote over the change, and passed on, is to stay.
func (p *course) mayKeepWritten(ctx context.Context, doc *turn.Document) bool {
	c := doc.Exec().Check
	return p.panels && doc.Exec().Applied && c != nil && c.Passed && !c.Held() &&
		p.agree(ctx, "The check changed these files. Run it again and keep that? [y]es [n]o: ")
}

// keepWritten undoes a change, and applies it again with a check that may write.
func (p *course) keepWritten(ctx context.Context, doc *turn.Document) (*turn.Document, error) {
	_, code, err := sibling.Output(ctx, nil, p.screen, "pai-exec",
		sibling.RootArgs(p.project.Root, "--output=json", "--undo", "--", doc.Exec().Transaction)...)
	if err != nil || code != 0 {
		return doc, err // it said why, and the reviewed change stays
	}
	usual := p.confine
	defer func() { p.confine = usual }()
	p.confine = append(slices.Clone(usual), "--check-may-write")
	return p.exec(ctx, doc, agreement(true)...)
}

// applied says that a change is in place, and how to roll it back.
func (p *course) applied(doc *turn.Document) {
	if !doc.Exec().Applied {
		return // somebody else did it meanwhile
	}
	checked := ""
	if c := doc.Exec().Check; c != nil && c.Held() {
		checked = ", checked"
	}
	p.say("applied%s: %s; %s", checked, turn.Shown(doc.Exec().Transaction), p.hints.undo)
}

// exec runs pai-exec with the checks.
func (p *course) exec(ctx context.Context, doc *turn.Document, args ...string) (*turn.Document, error) {
	for _, check := range p.checks {
		args = append(args, "--check", check)
	}
	args = append(args, p.confine...)
	return p.stage(ctx, doc, "pai-exec", p.project.Args(append(args, "--ask=never")...)...)
}

// agreement is what pai-exec is told that a person agreed to.
func agreement(risky bool) []string {
	if risky {
		return []string{"--yes", "--allow-risky"}
	}
	return []string{"--yes"}
}

// mayMend asks whether the model may go on where the check failed; it can't
// where it wrote nothing, or has had its phases.
func (p *course) mayMend(ctx context.Context, doc *turn.Document) bool {
	exec := doc.Exec()
	return p.panels && exec != nil && !exec.Applied && len(exec.Phases) > 0 && len(exec.Phases) < protocol.MaxPhases &&
		p.agree(ctx, "The check failed, and nothing stays applied. Have the model mend it? [y]es [n]o: ")
}

// stage runs one stage. A failure, or a dry run that a person must answer
// first, is an Exit.
func (p *course) stage(ctx context.Context, doc *turn.Document, name string, args ...string) (*turn.Document, error) {
	out, _, err := p.watched(ctx, doc, name, args...)
	return out, err
}

// watched runs one stage, and tells what was shown of it.
func (p *course) watched(ctx context.Context, doc *turn.Document, name string, args ...string) (*turn.Document, *doing,
	error) {
	out, d, err := p.pipe(ctx, doc, name, args...)
	if err != nil {
		return doc, d, err
	}
	if e := out.Error(); e != nil {
		return out, d, filter.Exit(e.Exit())
	}
	if out.Exec() != nil && out.Outcome() != turn.CodeOK {
		return out, d, filter.Exit(out.Outcome())
	}
	return out, d, nil
}

// pipe pipes a document through a stage. Where pai-model died under it, and nothing of an answer
// was shown, another is started, and the stage has its document again, once.
func (p *course) pipe(ctx context.Context, doc *turn.Document, name string, args ...string) (*turn.Document, *doing,
	error) {
	conn, err := p.connection(name, doc)
	if err != nil {
		return nil, nil, err
	}
	out, d, err := p.through(ctx, doc, conn, name, args...)
	if conn == nil {
		return out, d, err
	}
	defer conn.Close()
	if err != nil || ctx.Err() != nil || out.Error() == nil || out.Error().Code != turn.CodeModel ||
		!model.HungUp(conn) || d != nil && d.shown != "" {
		return out, d, err
	}
	p.closeDoor()
	again, err := p.connection(name, doc)
	if err != nil {
		return nil, nil, err
	}
	defer again.Close()
	return p.through(ctx, doc, again, name, args...)
}

// through pipes a document through a stage, with a connection to pai-model unless it is nil, and
// shows what the stage tells meanwhile.
func (p *course) through(ctx context.Context, doc *turn.Document, conn *os.File, name string, args ...string) (
	*turn.Document, *doing, error) {
	r := sibling.Runner{Stderr: p.Err, Env: []string{logbook.Variable + "=1"}}
	if conn != nil {
		r.Files = append(r.Files, sibling.File{Variable: model.Variable, File: conn})
	}
	if !p.panels && p.events == nil {
		out, err := r.Run(ctx, doc, name, args...)
		return out, nil, err
	}
	from, to, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	r.Files = append(r.Files, sibling.File{Variable: event.Variable, File: to})
	d := &doing{}
	if p.panels {
		r.Stderr = p.screen
		d = p.screen.begin(name, doc)
		defer d.end()
		if p.style().Colour {
			r.Env = append(r.Env, "CLICOLOR_FORCE=1")
		}
	}
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		p.screen.follow(from, p.events)
	}()
	out, err := r.Run(ctx, doc, name, args...)
	to.Close()
	const late = time.Second // what the stage left behind may hold the pipe
	_ = from.SetReadDeadline(time.Now().Add(late))
	<-followed
	from.Close()
	return out, d, err
}

// suggestAfter has the next step proposed, and keeps the outcome.
func (p *course) suggestAfter(ctx context.Context, doc *turn.Document, outcome error) (*turn.Document, error) {
	if exit, ok := outcome.(filter.Exit); outcome != nil && !ok || exit == filter.Exit(turn.CodeNotApplied) ||
		ctx.Err() != nil || p.output.OnlyAnswer() {
		return doc, outcome
	}
	if e := doc.Error(); e != nil && (e.Code == turn.CodeModel || e.Code == turn.CodeUsage) {
		return doc, outcome // the model that failed can't help, nor any where the document is wrong
	}
	out, _, err := p.pipe(ctx, doc, "pai-suggest", sibling.RootArgs(p.project.Root)...)
	if err != nil {
		return doc, outcome
	}
	p.show(p.style().Suggestion(out))
	p.say("%s", render.Tokens(out))
	return out, outcome
}
