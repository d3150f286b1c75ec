package main

import (
	"context"
	"os"
	"strings"
	"time"

	"paicode/pkg/filter"
	"paicode/pkg/line"
	"paicode/pkg/turn"
)

// asker asks the person at the terminal.
type asker struct {
	*view
	editor *line.Editor // on the console; nil without one
	holds  bool         // what is typed while nothing is asked is kept for the next line
	held   func()       // ends that; nil: it isn't so now
	leave  time.Time    // until when an interruption ends the session
}

// hold has what is typed kept for the next line; release ends that.
func (p *asker) hold() {
	if p.holds && p.held == nil {
		p.held = p.editor.Hold()
	}
}

func (p *asker) release() {
	if p.held != nil {
		p.held()
		p.held = nil
	}
}

// ask asks a question; ok is false where there is no answer.
func (p *asker) ask(ctx context.Context, question string) (answer string, ok bool) {
	p.release()
	defer p.hold()
	text, end := p.editor.Read(ctx, line.Request{Prompt: question, Question: true})
	if end == line.Interrupted {
		p.leave = time.Now().Add(leaveWithin)
	}
	return text, end == line.Sent
}

// agree asks a question that is a yes or a no; nobody to ask is a no.
func (p *asker) agree(ctx context.Context, question string) bool {
	for {
		answer, ok := p.ask(ctx, question)
		switch strings.ToLower(answer) {
		case "y", "yes":
			return true
		case "n", "no", "":
			return false
		}
		if !ok {
			return false
		}
	}
}

// refused is the end of a question without an answer.
func (p *asker) refused(ctx context.Context) error {
	if ctx.Err() != nil {
		return turn.Errorf(turn.CodeInterrupted, "interrupted")
	}
	return filter.Exit(turn.CodeNotApplied)
}

// page shows a text, in the person's pager if it has more rows than the screen.
func (p *asker) page(ctx context.Context, text string) {
	_, height := p.console.Size()
	if strings.Count(text, "\n") < height || p.console.Plain() || !p.runPager(ctx, text) {
		p.show(text)
	}
}

// showResult shows what a dry run found, diffs of more than a screen in the pager if the
// person has chosen one.
func (p *asker) showResult(ctx context.Context, doc *turn.Document) {
	diff := p.style().Diff(doc)
	_, height := 0, 0
	if p.panels {
		_, height = p.console.Size()
	}
	if p.panels && os.Getenv("PAGER") != "" && strings.Count(diff, "\n") >= height {
		p.page(ctx, diff)
		p.show(p.style().Reports(doc))
		return
	}
	p.show(p.style().Result(doc))
}
