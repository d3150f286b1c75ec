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
	"paicode/pkg/filter"
	"paicode/pkg/line"
	"paicode/pkg/model"
	"paicode/pkg/render"
	"paicode/pkg/turn"
)

// session reads requests from the person, one after the other, and leads each through a turn.
type session struct {
	*course
	model string // as --model takes it
	offer string // what Enter puts into an empty line
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
	p.openLog(p.project.Root, p.Err)
	defer p.log.Close()
	p.panels, p.holds, p.hints = true, true, sessionHints()
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
	p.screen.line(p.style().Cut(fmt.Sprintf("Pai · %s%s · %s · /help", turn.Shown(p.model), key, turn.Shown(where))) +
		"\n")
}

// sayResumed says which conversation goes on, if one does.
func (p *session) sayResumed() {
	if n := len(p.memory.turns); n > 0 {
		p.screen.line(p.style().Row(fmt.Sprintf("goes on with %s, %d %s, the last: %s", p.memory.id, n,
			render.Plural(n, "turn"), turn.Quote(p.memory.turns[n-1].Request))))
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

// next reads one line and does what it says; it returns how the line ended.
func (p *session) next(ctx context.Context) line.End {
	text, end := p.editor.Read(ctx, line.Request{Prompt: "pai> ", Offer: p.offer, Leave: p.leave})
	request := strings.TrimSpace(text)
	if end != line.Sent || request == "" {
		return end
	}
	p.leave = time.Time{} // who sends a line stays
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
	} else if isExit && e == filter.Exit(turn.CodeNotApplied) && ctx.Err() == nil &&
		(doc.Plan() == nil || doc.Plan().Question == "") {
		p.say("not applied")
	}
	p.memory.add(interaction(request, doc, err))
	p.last, p.offer = doc, ""
	if s := doc.Suggestion(); s != nil {
		p.offer = turn.OneLine(s.Text)
	}
}
