package filter

import (
	"io"
	"os"

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
func (o *Output) Write(w io.Writer, doc *turn.Document) error {
	data, err := render.Document(doc, o.format, Style(w))
	if err != nil {
		return err
	}
	return Unwritten(w.Write(data))
}

// Style says how a stream likes to be written to: plainly, for a terminal, or
// for a terminal in colour. NO_COLOR and TERM=dumb turn colour off.
func Style(w io.Writer) render.Style {
	switch {
	case terminalOf(w) == nil:
		return render.Plain
	case os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb":
		return render.Terminal
	default:
		return render.Colour
	}
}
