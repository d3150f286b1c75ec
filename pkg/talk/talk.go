// Package talk is what the stages that ask a model share: their options, the
// connection to pai-model, the usage that the document keeps, the lock that keeps
// them from writing, and what they tell of a question that isn't asked.
package talk

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"

	"paicode/pkg/coverage"
	"paicode/pkg/filter"
	"paicode/pkg/model"
	"paicode/pkg/protocol"
	"paicode/pkg/turn"
)

// Phase is what a stage does with a document and a model.
type Phase struct {
	// Prepare is done before the process locks itself; nil: nothing.
	Prepare func(ctx context.Context, call *filter.Call) error
	// Run asks and writes what it learnt into the document.
	Run func(ctx context.Context, call *filter.Call, ask model.Ask) error
	// Hear makes what is told while an answer comes, where somebody wants events; nil: its
	// pieces are events.
	Hear func(call *filter.Call) model.Hear
	// Cost is what the phase costs, given its first question.
	Cost func(call *filter.Call, first model.Request) model.Estimate
}

// Stage completes a stage that consists of one phase.
func Stage(s filter.Stage, p Phase) filter.Stage {
	s.Flags = append(append(Flags(), tellFlags()...), s.Flags...)
	s.Open = open
	s.Run = p.run
	return s
}

// The options by which a stage tells of its question instead of asking it.
const (
	EstimateFlag = "estimate"
	EgressFlag   = "show-egress"
)

func tellFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: EstimateFlag, Category: filter.ContextGroup,
			Usage: "print what the questions would cost, as a JSON object, and send nothing"},
		&cli.BoolFlag{Name: EgressFlag, Category: filter.ContextGroup,
			Usage: "print the question that would be sent, as a JSON object, and send nothing"},
	}
}

// connection is how a stage reaches pai-model: by the connection that it inherited, or by
// one to a process of its own. The zero connection reaches nothing.
type connection struct {
	conn *model.Conn
	door *model.Door
}

func (c *connection) Close() error {
	if c.conn != nil {
		c.conn.Close()
	}
	c.door.Close()
	return nil
}

// open is done first of all: while standard input is read and files are observed, pai-model
// starts.
func open(c *cli.Context) (io.Closer, error) {
	inherited, err := model.Inherited()
	if err != nil {
		return nil, err
	}
	if err := CheckFlags(c); err != nil {
		return nil, err
	}
	if err := Share(c, Flags()...); err != nil {
		return nil, err
	}
	if inherited != nil {
		return &connection{conn: model.NewConn(inherited)}, nil
	}
	if c.Bool(EstimateFlag) || c.Bool(EgressFlag) {
		return &connection{}, nil
	}
	return dial()
}

// dial starts a pai-model for this process.
func dial() (*connection, error) {
	door, err := model.Start(os.Stderr)
	if err != nil {
		return nil, err
	}
	f, err := door.Connect()
	if err != nil {
		door.Close()
		return nil, err
	}
	return &connection{model.NewConn(f), door}, nil
}

func (p Phase) run(ctx context.Context, call *filter.Call) error {
	budget, err := Budget(call.Context, call.Doc.Usage())
	if err != nil {
		return err
	}
	if p.Prepare != nil {
		if err := p.Prepare(ctx, call); err != nil {
			return err
		}
	}
	if call.Bool(EstimateFlag) || call.Bool(EgressFlag) {
		return p.tell(ctx, call)
	}
	lock()
	return p.Run(ctx, call, p.asker(call, budget))
}

// errCaptured ends a phase of which only the question is needed.
var errCaptured = errors.New("captured")

// tell prints what would be asked, or what it would cost.
func (p Phase) tell(ctx context.Context, call *filter.Call) error {
	var first model.Request
	err := p.Run(ctx, call, func(_ context.Context, r model.Request) (string, error) {
		r.Stage = call.Name
		first = r
		return "", errCaptured
	})
	switch {
	case !errors.Is(err, errCaptured):
	case call.Bool(EstimateFlag):
		e := p.Cost(call, first)
		e.Stage = call.Name
		err = filter.Unwritten(call.App.Writer.Write(turn.Line(e)))
	default:
		q := protocol.Question{Stage: first.Stage, System: first.System, Prompt: first.Prompt, Schema: first.Schema}
		err = filter.Unwritten(call.App.Writer.Write(turn.Line(q)))
	}
	if err != nil {
		return err
	}
	return filter.Written{}
}

// asker asks with the stage's name, within the budget, keeps the usage, and shows that it waits.
func (p Phase) asker(call *filter.Call, budget model.Budget) model.Ask {
	conn, choice := call.Opened.(*connection).conn, Choice(call.Context)
	choice.Known = protocol.Lacks(call.Doc.Usage())
	hear := model.Hear{Delta: call.Progress.Deltas(), Notice: call.Progress.Retry}
	if p.Hear != nil && hear.Delta != nil {
		hear = p.Hear(call)
	}
	limited := model.Limited(func(ctx context.Context, r model.Request) (model.Reply, error) {
		stop := call.Progress.Wait("asking " + choice.Model)
		defer stop()
		return conn.Ask(ctx, choice, r, hear)
	}, budget)
	return func(ctx context.Context, r model.Request) (string, error) {
		r.Stage = call.Name
		reply, err := limited(ctx, r)
		if reply.Usage.Tries > 0 {
			call.Doc.AddUsage(reply.Usage)
		}
		return reply.Text, err
	}
}

// lock takes from the process, where the kernel has Landlock, the right to change any file. It
// is a second layer: these commands link no code that changes a project's files.
func lock() {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) // less is always allowed
	rules := []landlock.Rule{landlock.RODirs("/"), landlock.RWFiles("/dev/null", "/dev/tty").IgnoreIfMissing()}
	if dir := coverage.Dir(); dir != "" {
		rules = append(rules, landlock.RWDirs(dir))
	}
	// The error means that the kernel can't; there is nothing to do then.
	_ = landlock.V5.BestEffort().RestrictPaths(rules...)
}
