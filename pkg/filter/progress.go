package filter

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"paicode/pkg/event"
	"paicode/pkg/turn"
)

// Progress tells people what takes time, on one line that is overwritten.
// Where standard error is no terminal only notes are printed.
type Progress struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	name     string
	shown    bool
	events   *event.Writer
}

// NewProgress makes a progress line that begins with a command's name. Where events are sent,
// it is left to whoever reads them.
func NewProgress(w io.Writer, name string, events *event.Writer) *Progress {
	draws := Terminal(w) != nil && os.Getenv("TERM") != "dumb" && os.Getenv("ACCESSIBLE") == "" && events == nil
	return &Progress{w: w, name: name, terminal: draws, events: events}
}

// Event sends an event.
func (p *Progress) Event(e event.Event) { p.events.Send(e) }

// Deltas is what is called with each piece of a model's answer; nil where nobody wants them.
func (p *Progress) Deltas() func(string) {
	if p.events == nil {
		return nil
	}
	return func(text string) { p.events.Send(event.Event{Event: event.Delta, Text: text}) }
}

// Retry notes that a question is asked again, or waits.
func (p *Progress) Retry(why string) {
	p.events.Send(event.Event{Event: event.Retry, Text: why})
	p.Note(why)
}

// Show replaces the line.
func (p *Progress) Show(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal {
		fmt.Fprintf(p.w, "\r\x1b[K%s: %s", p.name, turn.Printable(text))
		p.shown = true
	}
}

// Note prints a line that stays.
func (p *Progress) Note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintf(p.w, "%s: %s\n", p.name, turn.Printable(text))
}

// Error prints an error with its hint.
func (p *Progress) Error(e *turn.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	PrintError(p.w, p.name, e)
}

// Wait shows the text with the seconds that pass until the returned function
// is called, which takes the line away.
func (p *Progress) Wait(text string) (stop func()) {
	if !p.terminal {
		return func() {}
	}
	p.Show(text)
	start, done, ended := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				p.Show(fmt.Sprintf("%s, %d s", text, int(time.Since(start).Seconds())))
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		p.Done()
	}
}

// Done takes the line away.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *Progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
