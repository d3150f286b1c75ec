package filter

import (
	"os"

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
