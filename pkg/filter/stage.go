package filter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"

	"paicode/pkg/event"
	"paicode/pkg/render"
	"paicode/pkg/turn"
)

// Stage is one command of the pipe: a document in, the same document with one
// member more out.
type Stage struct {
	Name     string
	Usage    string // what it does, in a few words
	Synopsis string // empty: [options] ["request" [-]]
	Examples string // lines of shell
	Flags    []cli.Flag

	// NoRequest refuses arguments: the stage reads standard input only.
	NoRequest bool
	// Chats lets documents through to Run that hold an answered chat.
	Chats bool
	// FailedExec lets documents through to Run whose error is pai-exec's.
	FailedExec bool
	// Standalone, if set, may do a job of its own, without a document: it tells
	// whether that is what the person wants.
	Standalone func(c *cli.Context, work *Work) (is bool, err error)
	// Open, if set, is called before standard input is read. What it returns is in
	// Call.Opened, and is closed when the document is written.
	Open func(c *cli.Context) (io.Closer, error)
	// Run does the work on call.Doc. An error goes into the document and to
	// standard error. An Exit sets the exit code and nothing else.
	Run func(ctx context.Context, call *Call) error
}

// Call is one run of a stage.
type Call struct {
	*cli.Context
	Name     string
	Doc      *turn.Document
	Progress *Progress
	Work     *Work
	Opened   io.Closer // by Stage.Open
}

// Written is what Run returns where it has written standard output itself, and
// there is no document to write.
type Written struct{}

func (Written) Error() string { return "standard output is written" }

// Root returns the directory that --root names; empty means the current one.
func (c *Call) Root() string { return c.String("root") }

// App is the stage as a command.
func (s Stage) App() *cli.App {
	return &cli.App{
		Name:        s.Name,
		Usage:       s.Usage,
		UsageText:   cmp.Or(s.Synopsis, s.Name+` [options] ["request" [-]]`),
		Description: "examples:\n" + s.Examples,
		Flags:       append(s.Flags, commonFlags()...),
		Action:      func(c *cli.Context) error { return s.action(c) },
	}
}

func commonFlags() []cli.Flag {
	return []cli.Flag{
		RootFlag(),
		EventsFlag(),
		&cli.BoolFlag{Name: "text", Category: OutputGroup,
			Usage: "read standard input as plain text even if it begins with {"},
		&cli.StringFlag{Name: "output", Value: render.JSON, Usage: "print `FORMAT`: json, text, diff or answer"},
	}
}

func (s Stage) action(c *cli.Context) error {
	events, err := Events(c, s.Name)
	if err != nil {
		return err
	}
	out, err := NewOutput(c.String("output"))
	if err != nil {
		return err
	}
	if alone, err := s.alone(c); alone || err != nil {
		return err
	}
	var opened io.Closer
	if s.Open != nil {
		if opened, err = s.Open(c); err != nil {
			return s.finish(c, out, turn.Empty(), err)
		}
		defer opened.Close()
	}
	var doc *turn.Document
	reading := &Work{}
	err = reading.do(c.Context, func() (err error) { doc, err = s.read(c); return err })
	if err != nil {
		return s.finish(c, out, turn.Empty(), err)
	}
	if passed := doc.Error(); passed != nil && (!s.FailedExec || passed.Stage != "pai-exec") {
		return passOn(c, out, doc, passed.Exit())
	} else if doc.Chat() && doc.Plan() == nil && !s.Chats {
		return passOn(c, out, doc, turn.CodeOK)
	}
	doc.SetPlace(Place(c))
	call := &Call{Context: c, Name: s.Name, Doc: doc, Progress: NewProgress(c.App.ErrWriter, s.Name, events),
		Work: &Work{}, Opened: opened}
	asRead := doc.Clone()
	events.Send(event.Event{Event: event.Began})
	if err = call.Work.do(c.Context, func() error { return s.Run(c.Context, call) }); errors.Is(err, errAbandoned) {
		doc = asRead
	}
	call.Progress.Done()
	events.Send(ended(err))
	if _, written := errors.AsType[Written](err); written {
		return nil
	}
	return s.finish(c, out, doc, err)
}

// alone does the work that needs no document, and tells whether that was all.
func (s Stage) alone(c *cli.Context) (bool, error) {
	if s.Standalone == nil {
		return false, nil
	}
	all, work := false, &Work{}
	err := work.do(c.Context, func() (err error) { all, err = s.Standalone(c, work); return err })
	if errors.Is(err, errAbandoned) {
		err = turn.Errorf(turn.CodeInterrupted, "interrupted")
	}
	return all, err
}

// ended is the event of a stage's end.
func ended(err error) event.Event {
	code := int(turn.CodeOK)
	if exit, ok := errors.AsType[Exit](err); ok {
		code = int(exit)
	} else if err != nil {
		code = int(turn.AsError(err).Exit())
	}
	return event.Event{Event: event.Ended, Code: &code}
}

// finish writes the document, with the error if there was one.
func (s Stage) finish(c *cli.Context, out *Output, doc *turn.Document, err error) error {
	exit, isExit := errors.AsType[Exit](err)
	if err != nil && !isExit {
		e := Interrupted(c.Context, turn.AsError(err))
		if e.Stage == "" {
			e.Stage = s.Name
		}
		doc.SetError(e)
		err = e
	}
	if writeErr := out.Write(c.App.Writer, doc); writeErr != nil && err == nil {
		if exec := doc.Exec(); exec != nil && exec.Applied {
			return turn.AsError(writeErr).WithHint("the plan was applied all the same, all of it")
		}
		return writeErr
	}
	if isExit && exit == Exit(turn.CodeOK) {
		return nil
	}
	return err
}

// passOn writes a document as it came.
func passOn(c *cli.Context, out *Output, doc *turn.Document, code turn.Code) error {
	Tell(c.App.ErrWriter, doc)
	if err := out.Write(c.App.Writer, doc); err != nil && code == turn.CodeOK {
		return err
	}
	if code == turn.CodeOK {
		return nil
	}
	return Exit(code)
}

// Tell prints the error of a filter that isn't Pai's, once: such a one says nothing by
// itself.
func Tell(w io.Writer, doc *turn.Document) {
	if doc.Untold() {
		e := doc.Error()
		name := turn.OneLine(e.Stage)
		if strings.TrimSpace(name) == "" {
			name = "a stage"
		}
		PrintError(w, name, e)
		doc.SetTold()
	}
}

// read makes the document of what the person gave: arguments, standard
// input, or both.
func (s Stage) read(c *cli.Context) (*turn.Document, error) {
	if s.NoRequest && c.NArg() > 0 {
		return nil, turn.Errorf(turn.CodeUsage, "unexpected argument %s", turn.Quote(c.Args().First())).
			WithHint("%s reads a document from standard input: %s < plan.json", s.Name, s.Name)
	}
	if s.NoRequest && Terminal(c.App.Reader) != nil {
		return nil, turn.Errorf(turn.CodeUsage, "nothing on standard input").
			WithHint("%s reads a document: %s < plan.json", s.Name, s.Name)
	}
	if !s.NoRequest {
		return ReadRequest(c, s.Name)
	}
	doc, err := readInput(c)
	if e := turn.AsError(err); e != nil && e.Hint == "" {
		e.WithHint("%s reads a document: %s < plan.json", s.Name, s.Name)
	}
	return doc, err
}

// readInput reads standard input as a document or a request.
func readInput(c *cli.Context) (*turn.Document, error) {
	data, err := readAll(c.App.Reader)
	if err != nil {
		return nil, err
	}
	return turn.ReadInput(data, c.Bool("text"))
}

// ReadRequest makes a document of the arguments and standard input: an
// argument is the request, and a "-" after it has standard input read as
// context; without arguments standard input is the document or the request.
func ReadRequest(c *cli.Context, name string) (*turn.Document, error) {
	args := c.Args()
	switch {
	case c.NArg() == 0 || c.NArg() == 1 && args.First() == "-":
		if Terminal(c.App.Reader) != nil {
			return nil, turn.Errorf(turn.CodeUsage, "no request").
				WithHint("give it as an argument, or pipe it in: %s \"add a power function\"", name)
		}
		doc, err := readInput(c)
		if e := turn.AsError(err); e != nil && e.Hint == "" {
			e.WithHint("give the request as an argument, or pipe it in")
		}
		return doc, err
	case c.NArg() == 2 && args.Get(1) == "-":
		data, err := readAll(c.App.Reader)
		if err != nil {
			return nil, err
		}
		doc, err := newRequest(args.First())
		if err == nil {
			doc.SetContext(turn.CleanText(data))
		}
		if n := utf8.RuneCount(data); err == nil && n > turn.ContextSent {
			fmt.Fprintf(c.App.ErrWriter,
				"%s: of the %d characters on standard input a model is sent %d at most, what tells most of a log, else the beginning and the end\n", name, n, turn.ContextSent)
		}
		return doc, err
	case c.NArg() > 1:
		return nil, turn.Errorf(turn.CodeUsage, "unexpected argument %s", turn.Quote(args.Get(1))).
			WithHint("put the request in quotes")
	default:
		if waiting(c.App.Reader) {
			fmt.Fprintf(c.App.ErrWriter, "%s: standard input was not read\nhint: a - after the request takes it as context\n",
				name)
		}
		return newRequest(args.First())
	}
}

func newRequest(text string) (*turn.Document, error) {
	return turn.ReadInput([]byte(text), true)
}

func readAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, turn.MaxBytes+1))
	if err != nil {
		return nil, turn.Errorf(turn.CodeInternal, "standard input can't be read: %s", err)
	}
	return data, nil
}

// waiting reports whether a file or a pipe holds something that was not read.
func waiting(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil {
		return false
	}
	switch {
	case info.Mode().IsRegular():
		return info.Size() > 0
	case info.Mode()&os.ModeNamedPipe != 0:
		fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 0)
		return err == nil && n == 1 && fds[0].Revents&unix.POLLIN != 0
	default:
		return false
	}
}
