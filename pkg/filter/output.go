package filter

import (
	"io"
	"os"

	"golang.org/x/sys/unix"

	"paicode/pkg/render"
	"paicode/pkg/turn"
)

// Output prints documents in one format.
type Output struct{ format string }

// NewOutput checks the name of a format.
func NewOutput(format string) (*Output, error) {
	switch format {
	case render.JSON, render.Text, render.Diff, render.Answer:
		return &Output{format}, nil
	}
	return nil, turn.Errorf(turn.CodeUsage, "unknown output format %s", turn.Quote(format)).
		WithHint("json, text, diff or answer")
}

// OnlyAnswer reports whether all that is printed is the answer to the person.
func (o *Output) OnlyAnswer() bool { return o.format == render.Answer }

// Write prints a document: JSON indented and coloured on a terminal, on one
// line elsewhere. An error is of CodeInternal.
func (o *Output) Write(w io.Writer, doc *turn.Document) error {
	data, err := render.Document(doc, o.format, Style(w))
	if err != nil {
		return err
	}
	return Unwritten(w.Write(data))
}

// Style says how a stream likes to be written to: as it is, or for a terminal, in colour
// unless NO_COLOR or TERM=dumb says otherwise. CLICOLOR_FORCE has a stream that is none written
// to like one; documents in JSON stay as they are.
func Style(w io.Writer) render.Style {
	f, plain := Terminal(w), os.Getenv("NO_COLOR") != ""
	force := os.Getenv("CLICOLOR_FORCE")
	if f == nil && (plain || force == "" || force == "0") {
		return render.Style{}
	}
	if f == nil {
		return render.Style{Terminal: true, Colour: true, Forced: true}
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	width := 0
	if err == nil {
		width = int(size.Col)
	}
	return render.Style{Terminal: true, Colour: !plain && os.Getenv("TERM") != "dumb" && os.Getenv("TERM") != "",
		Width: width}
}
