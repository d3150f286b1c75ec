package filter

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/mattn/go-isatty"

	"paicode/pkg/render"
	"paicode/pkg/turn"
)

// Output prints documents in one format.
type Output struct{ format string }

// NewOutput checks the name of a format.
func NewOutput(format string) (*Output, error) {
	switch format {
	case render.JSON, render.Text, render.Diff:
		return &Output{format}, nil
	}
	return nil, turn.Errorf(turn.CodeUsage, "unknown output format %s", turn.Quote(format)).
		WithHint("json, text or diff")
}

// Write prints a document: JSON indented and coloured on a terminal, on one
// line elsewhere. An error is of CodeInternal.
func (o *Output) Write(f *os.File, doc *turn.Document) error {
	data, err := render.Document(doc, o.format, Style(f))
	if err == nil {
		_, err = f.Write(data)
	}
	if err != nil {
		return turn.Errorf(turn.CodeInternal, "standard output can't be written: %s", err)
	}
	return nil
}

// Style says how a file likes to be written to: plainly, for a terminal, or
// for a terminal in colour. NO_COLOR and TERM=dumb turn colour off.
func Style(f *os.File) render.Style {
	switch {
	case !isatty.IsTerminal(f.Fd()):
		return render.Plain
	case os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb":
		return render.Terminal
	default:
		return render.Colour
	}
}

// Progress tells a person at a terminal what takes time. Where standard
// error is no terminal it is silent.
type Progress struct {
	mu    sync.Mutex
	w     io.Writer // nil: silent
	name  string
	shown bool
}

// NewProgress makes a progress line of a command's name.
func NewProgress(f *os.File, name string) *Progress {
	p := &Progress{name: name}
	if isatty.IsTerminal(f.Fd()) && os.Getenv("TERM") != "dumb" {
		p.w = f
	}
	return p
}

// Show replaces the progress line.
func (p *Progress) Show(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		return
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s: %s", p.name, turn.Printable(fmt.Sprintf(format, args...)))
	p.shown = true
}

// Done takes the line away.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
