package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"paicode/pkg/filter"
	"paicode/pkg/protocol"
	"paicode/pkg/turn"
)

const (
	// keptTurns is how many earlier turns go with a request.
	keptTurns = 5
	// outcomeLimit is how much of an outcome is remembered, in characters.
	outcomeLimit = 300
	// leaveWithin is the time between two interruptions that end the session.
	leaveWithin = 2 * time.Second
)

// loop reads requests until the person leaves. An interruption stops the
// turn that runs, a second one soon after it the session.
func (p *session) loop(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	p.log = openLog(p.project.Root)
	defer p.log.close()
	p.panels = true
	p.show("Pai. A request, or exit.\n")
	var history []turn.Interaction
	var last time.Time
	for {
		var done bool
		interrupted := p.interruptible(ctx, signals, func(ctx context.Context) {
			history, done = p.next(ctx, history)
		})
		switch {
		case interrupted == nil && done:
			return nil
		case interrupted == nil:
			continue
		case interrupted != os.Interrupt || time.Since(last) < leaveWithin:
			return filter.Exit(turn.CodeInterrupted)
		}
		last = time.Now()
		p.show("interrupted; once more leaves\n")
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

// next reads one request and does it; done tells that the person leaves.
func (p *session) next(ctx context.Context, history []turn.Interaction) (_ []turn.Interaction, done bool) {
	line, ok := p.console.Line(ctx, "pai> ")
	request := strings.TrimSpace(line)
	switch {
	case !ok:
		return history, ctx.Err() == nil
	case request == "exit" || request == "quit":
		return history, true
	case request == "":
		return history, false
	}
	doc := turn.New(turn.CleanText([]byte(request)))
	if len(history) > 0 {
		doc.SetHistory(history)
	}
	doc, err := p.run(ctx, doc)
	remember(doc)
	if e, isExit := errors.AsType[filter.Exit](err); err != nil && !isExit {
		filter.PrintError(os.Stderr, "pai", turn.AsError(err))
	} else if isExit && e == filter.Exit(turn.CodeNotApplied) {
		p.show("not applied\n")
	}
	history = append(history, turn.Interaction{Request: request, Outcome: outcome(doc, err)})
	return slices.Clone(history[max(0, len(history)-keptTurns):]), false
}

// remember has the next turns know what this one found out about servers.
func remember(doc *turn.Document) {
	if lacks := protocol.EncodeLacks(doc.Usage()); lacks != "" {
		_ = os.Setenv(protocol.KnownLacks, lacks) // fails for impossible names only
	}
}

// outcome is what the next turns should know of this one.
func outcome(doc *turn.Document, err error) string {
	text := "done"
	switch e, exec := doc.Error(), doc.Exec(); {
	case e != nil:
		text = "failed: " + e.Message
	case doc.Chat():
		text = doc.Intent().Reply
	case err != nil:
		text = "not applied"
	case exec != nil && len(exec.Steps) > 0:
		text = exec.Steps[len(exec.Steps)-1].Output
	}
	if runes := []rune(text); len(runes) > outcomeLimit {
		text = string(runes[:outcomeLimit]) + "…"
	}
	return text
}
