package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"paicode/pkg/credentials"
	"paicode/pkg/event"
	"paicode/pkg/filter"
	"paicode/pkg/line"
	"paicode/pkg/logbook"
	"paicode/pkg/model"
	"paicode/pkg/render"
	"paicode/pkg/sibling"
	"paicode/pkg/terminal"
	"paicode/pkg/turn"
)

// session leads turns through the stages.
type session struct {
	project     sibling.Project
	model       string      // as --model takes it
	door        *model.Door // nil: not started
	tokens      int         // that a question may have at most; 0: any
	yes         bool
	risky       bool // changes to files that run code by themselves are agreed to
	checks      []string
	declined    map[string]bool // checks that a plan proposed and the person didn't want
	confine     []string        // what pai-exec is told of what they may do
	interactive bool            // a person can be shown things and asked
	panels      bool            // and is shown each stage's result as it comes
	looping     bool            // requests are read one after the other
	looks       render.Style
	output      *filter.Output
	console     *terminal.Terminal // nil: nobody can be asked
	editor      *line.Editor       // on the console
	screen      *screen
	events      *event.Writer // nil: nobody wants them
	log         *logbook.Book // nil: nothing is logged
	memory      *memory
	place       turn.Place
	subject     string // the words by which files are looked for, if not the request
	home        string // the person's own directory for the project; empty: there is none

	held   func()         // ends that what is typed is held for the next line; nil: it isn't
	last   *turn.Document // the turn before; nil: there was none
	edited string         // a plan as the person wrote it, until it is resolved
	offer  string         // what Enter puts into an empty line
	leave  time.Time      // until when an interruption ends the session
}

// leaveWithin is the time between two interruptions that end the session.
const leaveWithin = 2 * time.Second

// loop reads requests until the person leaves. An interruption stops the
// turn that runs, a second one soon after it the session.
func (p *session) loop(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)
	p.openLog()
	defer p.log.Close()
	p.panels, p.looping = true, true
	p.editor.History = line.OpenHistory(linesFile(p.home))
	p.greet()
	for {
		end := line.Sent
		interrupted := p.interruptible(ctx, signals, func(ctx context.Context) { end = p.next(ctx) })
		switch {
		case interrupted == nil && end == line.Closed:
			return nil
		case interrupted == nil && end != line.Interrupted:
			continue
		case interrupted != nil && interrupted != os.Interrupt || time.Now().Before(p.leave):
			return filter.Exit(turn.CodeInterrupted)
		}
		p.leave = time.Now().Add(leaveWithin)
		if interrupted != nil {
			p.screen.line("interrupted; once more leaves\n")
		} else {
			p.screen.line("once more leaves\n")
		}
	}
}

// openLog begins the session's log.
func (p *session) openLog() {
	var err error
	if p.log, err = logbook.Open(p.project.Root); err != nil {
		fmt.Fprintf(os.Stderr, "pai: no session log: %s\n", turn.Printable(err.Error()))
		p.log = nil
	}
}

// greet says in a line which model is asked, whether it can be, and where.
func (p *session) greet() {
	key := ""
	switch gemini := credentials.Providers()[0]; {
	case !model.IsGemini(p.model):
	case gemini.Stored():
		key = " · key found"
	default:
		key = " · no key: pai config set"
	}
	where, err := filepath.Abs(p.project.Root)
	if err != nil {
		where = p.project.Root
	}
	if home, err := os.UserHomeDir(); err == nil {
		if rest, ok := strings.CutPrefix(where, home); ok && (rest == "" || rest[0] == '/') {
			where = "~" + rest
		}
	}
	defer p.sayResumed()
	p.screen.line(p.style().Cut(fmt.Sprintf("Pai · %s%s · %s · /help", turn.Shown(p.model), key, turn.Shown(where))) + "\n")
}

// sayResumed says which conversation goes on, if one does.
func (p *session) sayResumed() {
	if n := len(p.memory.turns); n > 0 {
		p.screen.line(p.style().Row(fmt.Sprintf("goes on with %s, %d %s, the last: %s", p.memory.id, n, render.Plural(n, "turn"), turn.Quote(p.memory.turns[n-1].Request))))
	}
}

// interruptible runs f until it is done; a signal cancels f's context, is
// waited out, and returned.
func (p *session) interruptible(ctx context.Context, signals <-chan os.Signal, f func(context.Context)) os.Signal {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(ctx)
	}()
	select {
	case <-done:
		return nil
	case s := <-signals:
		cancel()
		<-done
		return s
	}
}

// hold has what is typed kept for the next line; release ends that.
func (p *session) hold() {
	if p.looping && p.held == nil {
		p.held = p.editor.Hold()
	}
}

func (p *session) release() {
	if p.held != nil {
		p.held()
		p.held = nil
	}
}

// next reads one line and does what it says; it returns how the line ended.
func (p *session) next(ctx context.Context) line.End {
	text, end := p.editor.Read(ctx, line.Request{Prompt: "pai> ", Offer: p.offer, Leave: p.leave})
	request := strings.TrimSpace(text)
	if end != line.Sent || request == "" {
		return end
	}
	p.hold()
	defer p.release()
	p.screen.again()
	if done, end := p.command(ctx, request); done {
		return end
	}
	p.turn(ctx, request)
	return line.Sent
}

// turn does a request.
func (p *session) turn(ctx context.Context, request string) {
	doc := turn.New(turn.CleanText([]byte(request)))
	doc.SetPlace(p.place)
	if earlier := p.memory.history(); len(earlier) > 0 {
		doc.SetHistory(earlier)
	}
	if p.asked() {
		doc.SetIntent(&turn.Intent{Kind: turn.KindTask}) // it answers a plan's question
		p.subject = p.last.Request() + "\n" + request
	}
	defer func() { p.subject = "" }()
	doc, err := p.run(ctx, doc)
	if e, isExit := errors.AsType[filter.Exit](err); err != nil && !isExit {
		p.screen.fail(err)
	} else if isExit && e == filter.Exit(turn.CodeNotApplied) && ctx.Err() == nil && (doc.Plan() == nil || doc.Plan().Question == "") {
		p.say("not applied")
	}
	p.memory.add(interaction(request, doc, err))
	p.last, p.offer = doc, ""
	if s := doc.Suggestion(); s != nil {
		p.offer = turn.OneLine(s.Text)
	}
}

// asked reports whether the last plan asks something.
func (p *session) asked() bool {
	return p.last != nil && p.last.Plan() != nil && p.last.Plan().Question != ""
}
