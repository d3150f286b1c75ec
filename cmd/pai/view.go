package main

import (
	"fmt"

	"paicode/pkg/filter"
	"paicode/pkg/render"
	"paicode/pkg/sibling"
	"paicode/pkg/terminal"
)

// view is what a person is shown: parts on the screen, where there is one and text is needed;
// nothing otherwise.
type view struct {
	sibling.Streams
	looks   render.Style
	console *terminal.Terminal // nil: nobody can be asked
	screen  *screen
	panels  bool // each stage's result is shown as it comes
}

// style is how the terminal likes to be written to, as wide as it is now.
func (p *view) style() render.Style {
	s := p.looks
	if p.interactive() {
		s.Width, _ = p.console.Size()
	}
	return s
}

// say prints a line of Pai's own as a part.
func (p *view) say(format string, args ...any) {
	p.show(p.style().Row(fmt.Sprintf(format, args...)))
}

// show prints a part for the person.
func (p *view) show(part string) {
	if p.panels {
		p.screen.part(part)
	}
}

func newView(s sibling.Streams) *view {
	v := &view{Streams: s, looks: filter.Style(s.Out), console: terminal.Open()}
	v.screen = &screen{out: s.Out, style: v.style, draws: v.interactive() && !v.console.Plain()}
	return v
}

// interactive reports whether a person can be shown things and asked.
func (p *view) interactive() bool { return p.console != nil && p.looks.Terminal && !p.looks.Forced }
