// Package author has a generator write what a plan's steps lack: it gathers what
// the generator must see, asks, reads the reply into drafts, and asks again for
// what can be mended. It changes no file: what it writes are steps, which others
// resolve and judge. The generator is a child process, since pai-exec links no
// network code.
package author

import (
	"context"
	"os"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/find"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/cmd/pai-exec/internal/reply"
	"paicode/pkg/event"
	"paicode/pkg/model"
	"paicode/pkg/prompt"
	"paicode/pkg/turn"
)

// Options are what the person allows.
type Options struct {
	Generator string       // a shell command; empty: pai-model
	Inherited *os.File     // a connection to a running pai-model; nil: one is started
	Budget    model.Budget // of all questions for the document
	MaxPhases int          // how often it is asked at most; 0: never
	Tokens    int          // that a question may have; 0: any
	Overlay   overlay.Options
}

// Progress is told what takes time.
type Progress interface {
	Show(text string)
	Wait(text string) (stop func())
	Event(e event.Event)
	Retry(why string)
}

// Author is the conversation with a generator about one plan.
type Author struct {
	o        Options
	doc      *turn.Document
	plan     *turn.Plan
	steps    []turn.Step
	progress Progress
	root     *disk.Root
	gen      generator

	phases   []turn.Phase
	wanted   []int                   // the numbers of the steps that the next phase is asked for
	drafts   map[int]*draft          // by the steps' numbers
	added    []string                // paths that the generator asked to read and may change
	problems []Problem               // of the last phase
	failed   *turn.Check             // of the last phase, if that was its problem
	before   *turn.Check             // on the untouched tree
	first    reply.Question          // of the first phase
	beside   reply.Input             // what it was made of
	files    []turn.SentFile         // in the last question
	windows  map[string][]find.Range // of files that were not shown whole
	reads    []read                  // what it asked to see in all phases
	hide     *overlay.Withholding
	said     prompt.Said
	last     string         // the last reply
	marker   int            // how long markers must be at least
	reasons  map[int]string // why a step changes nothing, by its number
}

// New begins with the steps of a document's plan. Complete says that they are
// sealed: then nothing is needed, whatever they lack.
func New(o Options, doc *turn.Document, steps []turn.Step, complete bool, progress Progress) *Author {
	a := &Author{o: o, doc: doc, plan: doc.Plan(), steps: steps, progress: progress, drafts: make(map[int]*draft),
		reasons: make(map[int]string)}
	if !complete {
		a.wanted = a.lacking()
	}
	return a
}

// Enter says under which root the plan's files lie.
func (a *Author) Enter(root *disk.Root) {
	a.root = root
	a.hide = a.tree().Withhold(a.doc.Workspace())
	a.said = prompt.Say(a.doc, a.hide.Vault)
}

// tree is the tree before the plan.
func (a *Author) tree() *overlay.Tree { return overlay.NewTree(a.root, a.o.Overlay) }

// Start starts the generator, before the process locks itself in. Errors are of
// CodeModel and CodeInternal.
func (a *Author) Start(ctx context.Context) (err error) {
	if a.o.Generator == "" {
		a.gen, err = openDoor(a.o.Inherited, a.doc.Usage())
	} else {
		a.gen, err = startProgram(ctx, a.o.Generator)
	}
	return err
}

// Stop ends the generator, which was started.
func (a *Author) Stop() { a.gen.stop() }

// Wanted are the numbers of the steps that the next phase is asked for.
func (a *Author) Wanted() []int { return a.wanted }

// Steps are the plan's, as the phases so far filled them in.
func (a *Author) Steps() []turn.Step { return a.steps }

// Phases tells of the questions so far.
func (a *Author) Phases() []turn.Phase { return a.phases }

// Written are the numbers of the steps that the generator wrote.
func (a *Author) Written() (numbers []int) {
	for number := range a.drafts {
		numbers = append(numbers, number)
	}
	return numbers
}

// Reason is why the generator changes nothing in a step; empty if it doesn't say.
func (a *Author) Reason(number int) string { return a.reasons[number] }

// Before notes how the checks ended on the untouched tree.
func (a *Author) Before(c *turn.Check) { a.before = c }

// MayAsk reports whether another phase may be asked for what is needed.
func (a *Author) MayAsk() bool {
	return len(a.wanted) > 0 && a.gen != nil && len(a.phases) < a.o.MaxPhases
}

// Failed reports whether a check refused what was written last, in this run or in
// the one that it goes on with.
func (a *Author) Failed() bool { return a.failed != nil }

// index is that of the step with a number; -1 if there is none.
func (a *Author) index(number int) int { return turn.StepIndex(a.steps, number) }
