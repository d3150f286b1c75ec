// Package engine carries out plans: it has the author write what the steps lack,
// resolves them on an overlay, judges the changes, seals them, and has the
// journal make them. It prints nothing: what a person must know comes as an
// error, as an outcome, or goes to Progress. It asks one thing itself, on the
// terminal: the yes to what removes something.
package engine

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"paicode/cmd/pai-exec/internal/author"
	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/check"
	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/find"
	"paicode/cmd/pai-exec/internal/journal"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/cmd/pai-exec/internal/reply"
	"paicode/pkg/event"
	"paicode/pkg/model"
	"paicode/pkg/prompt"
	"paicode/pkg/protocol"
	"paicode/pkg/terminal"
	"paicode/pkg/turn"
)

// Options are what the person allows and wants.
type Options struct {
	Root          string       // empty: the current directory
	DryRun        bool         // resolve and seal, change nothing
	NeverAsk      bool         // whoever is at the terminal
	Yes           bool         // RM, and MV onto something, are agreed to
	AllowRisky    bool         // so are changes to files that run code by themselves
	Only, Skip    []int        // the numbers of the steps to do, or not to do; FINISH stays
	Generator     string       // a shell command; empty: pai-model
	Inherited     *os.File     // a connection to a running pai-model; nil: there is none
	Budget        model.Budget // of all questions for the document; what was asked before is added
	NoLandlock    bool
	ContextTokens int      // that an observation may have, or a question; 0: our own measure
	Look          []string // what to add to an observation
	Stat          []string // paths of which only is asked what is there
	Overlay       overlay.Options
	Limits        change.Limits
	Journal       journal.Options

	MaxPhases     int           // how often the generator is asked at most; 0: never
	Checks        []string      // shell commands that must succeed with the change in place
	CheckTimeout  time.Duration // of each
	CheckWrite    []string      // folders outside the root that they may write to
	CheckAnyhow   bool          // they may write everywhere
	CheckOffline  bool          // they have no TCP
	CheckMayWrite bool          // what checks that pass write over the change stays
	NoCheckFirst  bool          // don't run them on the untouched tree
	KeepFailing   bool          // keep the last change although a check fails

	Whole func() (end func()) // is called around what must not be left in the middle; nil: nothing is
}

// Progress is told what a person should know.
type Progress interface {
	Done()                          // takes what is shown away
	Show(text string)               // what is being done, until the next
	Wait(text string) (stop func()) // what takes time, until stop
	Note(text string)               // what stays to be read
	Error(e *turn.Error)            // why something is not done
	Event(e event.Event)            // what other programs may show
	Retry(why string)               // that a question is asked again, or waits
}

// run is one execution of one document.
type run struct {
	Options
	doc      *turn.Document
	plan     *turn.Plan
	progress Progress
	steps    []turn.Step
	exec     *turn.Exec
	sealed   *turn.Seal // the document's; nil if it has none
	bound    bool       // the seal is of these very steps
	root     *disk.Root
	journal  *journal.Journal
	outputs  int   // how much the steps reported, in bytes
	removing []int // the numbers of the steps that take something away
	author   *author.Author
	tty      *terminal.Terminal // nil: there is nobody to ask
	runner   *check.Runner      // nil: there are no checks to run
	outside  journal.Outside
	stamps   map[string]disk.Info       // of the tree before the first check ran
	paths    map[string]turn.SealedPath // of the change that is being checked
	written  []journal.Over             // what a check made of it
}

// Observe writes into the document what is to be seen under the root.
func Observe(o Options, doc *turn.Document, progress Progress) error {
	in, err := o.enter(progress, journal.Outside{})
	if err != nil {
		return err
	}
	defer in.close()
	tree, w := overlay.NewTree(in.root, o.Overlay), doc.Workspace()
	switch {
	case len(o.Stat) > 0:
		w = &turn.Workspace{Files: []turn.File{}, Targets: tree.Targets(o.Stat)}
	case len(o.Look) > 0 && w != nil:
		err = tree.Look(w, prompt.Rooted(doc.Request(), doc.Place()), o.Look, o.ContextTokens)
	default:
		w, err = tree.Observe(prompt.Rooted(doc.Request(), doc.Place()), cmp.Or(o.ContextTokens, find.PlanTokens))
	}
	if err == nil {
		doc.SetWorkspace(w)
	}
	return err
}

// entered is the root, open and free of what a killed pai-exec left half done.
type entered struct {
	root     *disk.Root
	journal  *journal.Journal
	outside  journal.Outside
	landlock string
}

func (in entered) close() {
	in.root.Close()
	in.outside.Close()
}

// enter opens the root, locks the process in, and recovers.
func (o Options) enter(progress Progress, outside journal.Outside) (in entered, err error) {
	in.landlock = disk.LandlockOff
	disk.NoCoreDumps()
	if in.root, err = disk.OpenRoot(o.Root); err != nil {
		return in, err
	}
	in.root.HashLimit = max(overlay.LeastHashLimit, o.Overlay.MaxFileBytes)
	if os.Getenv(check.InsideVariable) == in.root.Name() {
		in.root.Close()
		return in, turn.Errorf(turn.CodeUsage, "a check of pai-exec runs on this very root").
			WithHint("a check looks at the change; it makes none")
	}
	in.outside = outside
	leftovers := journal.Leftovers(in.root)
	in.outside.Key, in.outside.Whole = cmp.Or(outside.Key, journal.OpenKey(false)), o.Whole
	in.journal = journal.New(in.root, o.Overlay.Rules, in.outside)
	if !o.NoLandlock {
		if in.landlock, err = disk.Restrict(o.Root, journal.RemovableIn(leftovers, in.outside)); err != nil {
			in.close()
			return in, turn.Errorf(turn.CodeInternal, "landlock: %s", err).WithHint("--no-landlock does without")
		}
	}
	notices, mended, err := in.journal.Recover(o.Journal.LockWait)
	if err == nil {
		notices = append(notices, journal.Forget(leftovers, !mended)...)
	}
	for _, notice := range notices {
		progress.Note(notice)
	}
	if err != nil {
		in.close()
	}
	return in, err
}

var (
	// errNotApplied ends a run that waits for a person.
	errNotApplied = errors.New("not applied")
	// errApplied ends one whose sealed plan is in the tree already.
	errApplied = errors.New("applied already")
)

// Execute carries out the document's plan. Where an earlier pai-exec ended with
// a failed check, and the error was taken out of the document, the generator
// goes on from there in a dry run. Whatever the outcome, the document's exec
// says what became of each step. The code is CodeNotApplied where a person must
// answer or agree first, else CodeOK, also where a sealed plan was applied before.
func Execute(ctx context.Context, o Options, doc *turn.Document, progress Progress) (turn.Code, error) {
	was := doc.Exec()
	doc.DropExec()
	r := &run{Options: o, doc: doc, progress: progress}
	if err := r.read(); err != nil {
		return turn.CodeOK, err
	}
	r.exec = &turn.Exec{DryRun: o.DryRun, Landlock: disk.LandlockOff, Check: o.checkToCome()}
	r.begin()
	r.startAuthor(was)
	err := r.open(ctx)
	r.exec.Phases = r.author.Phases()
	r.sumUp()
	doc.SetExec(r.exec)
	switch {
	case errors.Is(err, errNotApplied):
		return turn.CodeNotApplied, nil
	case errors.Is(err, errApplied):
		progress.Note("nothing to change: the plan was applied already")
		return turn.CodeOK, nil
	}
	return turn.CodeOK, err
}

// startAuthor begins with the steps, or where an earlier pai-exec ended. Only a
// dry run does that: what comes of it is sealed, to be reviewed as the first was.
func (r *run) startAuthor(was *turn.Exec) {
	o := author.Options{Generator: r.Generator, Inherited: r.Inherited, Budget: r.Budget, MaxPhases: r.MaxPhases,
		Tokens: r.ContextTokens, Overlay: r.Overlay}
	r.author = author.New(o, r.doc, r.steps, r.bound, r.progress)
	if was != nil && r.bound {
		r.author.Adopt(was.Phases)
	}
	if r.DryRun && r.author.Resume(was) {
		r.bound, r.sealed = false, nil
	}
}

// open opens what the run needs: a generator, checks, the terminal and the root.
func (r *run) open(ctx context.Context) (err error) {
	if err := r.checkWords(); err != nil {
		return err
	}
	if r.plan.Question != "" {
		r.progress.Error(turn.Errorf(turn.CodeNotApplied, "not applied: the plan asks %s", turn.Quote(r.plan.Question)).
			WithHint("pai --answer \"…\" goes on from the document"))
		return errNotApplied
	}
	if wanted := r.author.Wanted(); len(wanted) > 0 {
		if err := r.mayAsk(wanted[0]); err != nil {
			return err
		}
		if err := r.author.Start(ctx); err != nil {
			return err
		}
		defer r.author.Stop()
	}
	if len(r.Checks) > 0 && (!r.DryRun || len(r.author.Wanted()) > 0 && !r.NoCheckFirst) {
		if err := r.startChecks(); err != nil {
			return err
		}
		defer func() { r.runner.Stop() }()
	}
	if !r.NeverAsk && !r.Yes {
		r.tty = terminal.Open()
		defer func() { _ = r.tty.Close() }()
	}
	r.outside.Key = journal.OpenKey(!r.DryRun)
	in, err := r.enter(r.progress, r.outside)
	r.exec.Landlock = in.landlock
	if err != nil {
		return err
	}
	defer in.close()
	r.root, r.journal = in.root, in.journal
	r.author.Enter(in.root)
	if err := r.author.TakeUp(); err != nil {
		return r.unwritten(err)
	}
	if err := r.checkFirst(ctx); err != nil {
		return err
	}
	err = r.phases(ctx)
	if errors.Is(err, errApplied) && r.runner != nil {
		return r.checkStanding(ctx)
	}
	return err
}

// mayAsk refuses to start a generator that may not be asked.
func (r *run) mayAsk(first int) error {
	switch {
	case r.author.Failed() && len(r.author.Phases()) >= r.MaxPhases:
		return turn.Errorf(turn.CodeCheckFailed, "the check failed, and --max-phases %d allows no more attempts", r.MaxPhases)
	case r.MaxPhases == 0:
		return r.failStep(r.index(first),
			turn.Errorf(turn.CodeRejected, "step %d lacks its content, and --max-phases 0 asks no model", first))
	}
	return nil
}

// ShowEgress prints the question that a generator would be asked, a JSON object
// on a line; nothing where none would be.
func ShowEgress(o Options, doc *turn.Document, w io.Writer, progress Progress) error {
	r := &run{Options: o, doc: doc, progress: progress, exec: &turn.Exec{}}
	if err := r.read(); err != nil {
		return err
	}
	r.begin()
	if err := r.checkWords(); err != nil {
		return err
	}
	r.startAuthor(nil)
	if len(r.author.Wanted()) == 0 {
		return nil
	}
	in, err := o.enter(progress, journal.Outside{})
	if err != nil {
		return err
	}
	defer in.close()
	r.root = in.root
	r.author.Enter(in.root)
	if len(o.Checks) > 0 && !o.NoCheckFirst {
		progress.Note("what the checks print is added to the question, up to 4,000 bytes of each")
	}
	var q reply.Question
	if q, err = r.author.Question(); err != nil {
		return r.unwritten(err)
	}
	_, err = w.Write(turn.Line(protocol.Question{Stage: "pai-exec", System: q.System, Prompt: q.Prompt}))
	return err
}

// Estimate is what the generator's questions about a document cost.
func Estimate(o Options, doc *turn.Document) model.Estimate {
	return author.Estimate(doc, o.ContextTokens)
}

// apply makes the changes, and rolls them back if a check fails on them.
func (r *run) apply(ctx context.Context, net overlay.Net) (err error) {
	o := r.Journal
	if r.runner != nil {
		r.paths = net.Paths
		o.Check = func() error { return r.checkApplied(ctx) }
		o.Found, r.written = r.checkFound, nil
		o.MayWrite = func(changed []string) bool { return r.keepWritten(ctx, changed) }
	}
	r.exec.Transaction, err = r.journal.Commit(ctx, net.Ops, net.Paths, o)
	if _, ok := errors.AsType[*author.Unfit](err); ok {
		return err
	}
	if stale, ok := errors.AsType[*disk.StaleError](err); ok {
		return r.stale(stale.Paths)
	}
	if err != nil {
		r.fail(turn.StatusFailed, "")
		return err
	}
	r.exec.Applied = true
	r.addWritten(net)
	r.progress.Event(event.Event{Event: event.Applied, Transaction: r.exec.Transaction})
	if c := r.exec.Check; c.Run && !c.Passed {
		return turn.Errorf(turn.CodeCheckFailed, "%s", turn.Printable(c.Message)).
			WithHint("the change was kept all the same; pai-exec --undo undoes it")
	}
	return nil
}
