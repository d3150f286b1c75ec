// Package talk is what the commands that ask a model share: the options that
// choose it, the usage that the document keeps, and the lock that keeps them
// from writing.
package talk

import (
	"context"
	"io"
	"log"

	"github.com/landlock-lsm/go-landlock/landlock"
	"github.com/urfave/cli/v2"

	"paicode/pkg/filter"
	"paicode/pkg/model"
	"paicode/pkg/turn"
)

// Flags are the options that choose the model and how it is asked.
func Flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "model", Value: model.DefaultName, Usage: "ask `NAME`", EnvVars: []string{"PAI_MODEL"}},
		&cli.Float64Flag{Name: "temperature", Value: model.DefaultTemperature, Usage: "between 0 and 2", EnvVars: []string{"PAI_TEMPERATURE"}},
		&cli.DurationFlag{Name: "timeout", Value: model.DefaultTimeout, Usage: "`TIME` for each question with all its tries, such as 90s; 0 means none", EnvVars: []string{"PAI_TIMEOUT"}},
	}
}

// Options reads the flags.
func Options(c *cli.Context, notice func(string)) (model.Options, error) {
	o := model.Options{
		Name:        c.String("model"),
		Temperature: c.Float64("temperature"),
		Timeout:     c.Duration("timeout"),
		Notice:      notice,
	}
	if o.Timeout < 0 {
		return o, turn.Errorf(turn.CodeUsage, "the time limit %s is negative", o.Timeout)
	}
	return o, nil
}

// Lock takes from the process, where the kernel has Landlock, the right to
// change any file. It is a second layer: the commands that talk link no code
// that changes a project's files.
func Lock() {
	// The error means that the kernel can't; there is nothing to do then.
	_ = landlock.V5.BestEffort().RestrictPaths(
		landlock.RODirs("/"), landlock.RWFiles("/dev/null", "/dev/tty").IgnoreIfMissing())
}

// Quiet keeps the SDK's own log lines off standard error: what people must
// know comes as errors.
func Quiet() { log.SetOutput(io.Discard) }

// Phase asks a model and writes what it learnt into the document.
type Phase func(ctx context.Context, ask model.Ask, doc *turn.Document) error

// Prepare is done before the process locks itself; nil: nothing.
type Prepare func(ctx context.Context, call *filter.Call) error

// Run returns the body of a stage that consists of one phase.
func Run(prepare Prepare, phase Phase) func(context.Context, *filter.Call) error {
	return func(ctx context.Context, call *filter.Call) error {
		Quiet()
		options, err := Options(call.Context, func(message string) { call.Progress.Note(message) })
		if err != nil {
			return err
		}
		m, err := model.Open(options)
		if err != nil {
			return err
		}
		if prepare != nil {
			if err := prepare(ctx, call); err != nil {
				return err
			}
		}
		Lock()
		return phase(ctx, asker(m, call, options.Name), call.Doc)
	}
}

// asker asks with the stage's name, keeps the usage, and shows that it waits.
func asker(m model.Model, call *filter.Call, name string) model.Ask {
	return func(ctx context.Context, r model.Request) (string, error) {
		r.Stage = call.Name
		stop := call.Progress.Wait("asking " + name)
		reply, err := m.Ask(ctx, r, nil)
		stop()
		if reply.Usage.Tries > 0 {
			call.Doc.AddUsage(reply.Usage)
		}
		return reply.Text, err
	}
}
