package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"paicode/pkg/event"
	"paicode/pkg/render"
	"paicode/pkg/turn"
)

// stages is how many of them a turn has.
const stages = 4

// screen is what a person sees of a turn: parts that stay, and under them one line that tells
// what is being done.
type screen struct {
	mu     sync.Mutex
	out    io.Writer
	style  func() render.Style // as it is now
	draws  bool                // it can roll back what it drew
	begun  bool                // something was printed since the last prompt
	said   string              // by a stage, of a line that isn't whole
	status string
	doing  *doing
}

// doing is the stage that runs.
type doing struct {
	stage  string
	number int
	since  time.Time
	tokens int              // of the turn so far
	came   int              // bytes of the answer so far
	what   string           // beside the stage's name
	reply  *render.Markdown // to a chat; nil: it isn't shown as it comes
	shown  string           // of the reply

	screen      *screen
	done, ended chan struct{}
}

// Write prints what a stage says on standard error, wrapped; what it says in red stays so.
func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said += string(text)
	for {
		line, rest, ended := strings.Cut(s.said, "\n")
		if !ended {
			return len(text), nil
		}
		s.said = rest
		s.print(s.style().Said(line))
	}
}

// fail prints an error of pai's own.
func (s *screen) fail(err error) {
	e := turn.AsError(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.print(s.style().Failure("pai: "+e.Message, e.Hint))
}

// part prints a part of the turn, a blank line after the one before.
func (s *screen) part(text string) {
	if text == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun {
		text = "\n" + text
	}
	s.begun = true
	s.print(text)
}

// line prints a line that belongs to the part before.
func (s *screen) line(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.print(text)
}

// print prints with the status line out of the way.
func (s *screen) print(text string) {
	if s.status != "" {
		text = "\r\x1b[K" + text + s.status
	}
	_, _ = io.WriteString(s.out, text) // a terminal that is gone shows nothing
}

// again begins a new turn.
func (s *screen) again() { s.begun = false }

// begin shows that a stage runs, until end is called on what it returns.
func (s *screen) begin(name string, doc *turn.Document) *doing {
	numbers := map[string]int{"pai-classify": 1, "pai-plan": 2, "pai-exec": 3, "pai-suggest": 4}
	d := &doing{screen: s, stage: strings.TrimPrefix(name, "pai-"), number: numbers[name], since: time.Now(),
		done: make(chan struct{}), ended: make(chan struct{})}
	for _, u := range doc.Usage() {
		d.tokens += u.Input + u.Output + u.Thinking
	}
	if s.draws {
		d.reply = s.style().Markdown()
	}
	s.mu.Lock()
	s.doing = d
	s.mu.Unlock()
	go d.tick()
	return d
}

// tick has the status line drawn each second.
func (d *doing) tick() {
	defer close(d.ended)
	soon := 200 * time.Millisecond // what takes no time needs no line
	if !d.screen.draws {
		soon = time.Second
	}
	wait := time.NewTimer(soon)
	defer wait.Stop()
	for {
		select {
		case <-d.done:
			return
		case <-wait.C:
			d.screen.mu.Lock()
			if d.screen.draws {
				d.screen.redraw()
				wait.Reset(time.Second)
			} else {
				d.screen.print(d.line() + "\n") // once: nothing is drawn again
			}
			d.screen.mu.Unlock()
		}
	}
}

// end takes the status line away.
func (d *doing) end() {
	close(d.done)
	<-d.ended
	s := d.screen
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doing = nil
	s.redraw()
}

// redraw draws the status line again, or takes it away.
func (s *screen) redraw() {
	status := ""
	if s.doing != nil && s.draws {
		status = s.style().Cut(s.doing.line())
	}
	if status != s.status {
		_, _ = io.WriteString(s.out, "\r"+status+"\x1b[K")
	}
	s.status = status
}

// line is the status line: the stage, and what it took so far.
func (d *doing) line() string {
	text := fmt.Sprintf("%s %d/%d", d.stage, d.number, stages)
	if d.what != "" {
		text += " · " + d.what
	}
	text += fmt.Sprintf(" · %d s", int(time.Since(d.since).Seconds()))
	if tokens := d.tokens + turn.Tokens(d.came); tokens > 0 {
		text += " · " + thousands(tokens) + " tokens"
	}
	return text
}

// thousands is a number in few characters: 950, 1.2k, 35k.
func thousands(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 10_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("%dk", n/1000)
}

// follow shows the events of a stage, until they end.
func (s *screen) follow(events io.Reader, forward *event.Writer) {
	in := bufio.NewScanner(events)
	for in.Scan() {
		forward.Forward(in.Text())
		if e, ok := event.Parse(in.Bytes()); ok {
			s.mu.Lock()
			s.happened(e)
			s.mu.Unlock()
		}
	}
}

// happened shows an event.
func (s *screen) happened(e event.Event) {
	d := s.doing
	if d == nil {
		return
	}
	switch e.Event {
	case event.Delta:
		d.came += len(e.Text)
	case event.Reply:
		s.stream(e)
	case event.Retry:
		d.came = 0
	case event.Phase:
		if e.Phase > 1 {
			d.what = fmt.Sprintf("phase %d", e.Phase)
		}
	case event.Written:
		d.what = fmt.Sprintf("step %d %s", e.Step, turn.Shown(e.Target))
	case event.Check:
		if d.what = ""; e.Status == "began" {
			d.what = "checking: " + turn.OneLine(e.Command)
		}
	default:
		return
	}
	if s.status != "" {
		s.redraw()
	}
}

// stream shows the reply to a chat as it comes.
func (s *screen) stream(e event.Event) {
	d := s.doing
	if d.reply == nil {
		return
	}
	d.shown += e.Text
	if rows := d.reply.Write(e.Text); rows != "" {
		s.begun = true
		s.print(rows)
	}
}

// intent shows what classify found out, or what is left to show of it.
func (s *screen) intent(doc *turn.Document, d *doing) {
	i := doc.Intent()
	if i == nil || d.shown == "" {
		s.part(s.style().Intent(doc))
		return
	}
	rest, ok := strings.CutPrefix(i.Reply, d.shown)
	if ok {
		s.line(d.reply.Write(rest) + d.reply.Close())
		s.begun = true
		return
	}
	s.line(d.reply.Close())
	s.part(s.style().Intent(doc))
}
