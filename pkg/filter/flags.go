package filter

import (
	"github.com/urfave/cli/v2"

	"paicode/pkg/event"
)

// The groups of options that the short help leaves out.
const (
	ModelGroup   = "model"
	LimitsGroup  = "limits"
	ChecksGroup  = "checks"
	ContextGroup = "context"
	OutputGroup  = "output"
)

// SendFlag is --send, which is no variable: a person alone lets secrets go.
func SendFlag() *cli.StringSliceFlag {
	return &cli.StringSliceFlag{Name: "send", Category: ContextGroup,
		Usage: "let the model see the secrets in the file `PATH`"}
}

// The limits of changes if nobody says otherwise. The first two are the reference
// design's.
const (
	DefaultMaxChangedLines = 500
	DefaultMaxRatio        = 0.5
	DefaultMaxShrink       = 0.5
)

// ConfineFlags say what checks may do.
func ConfineFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "check-write", Category: ChecksGroup,
			Usage: "let checks also write in `DIR` (default: only in the root, temporary directories and caches)"},
		&cli.BoolFlag{Name: "no-check-confine", Category: ChecksGroup,
			Usage: "let checks write anywhere that you may write"},
		&cli.BoolFlag{Name: "check-may-write", Category: ChecksGroup, EnvVars: []string{"PAI_CHECK_MAY_WRITE"},
			Usage: "keep what a passing check writes to the changed files, as formatters do, and add it to the document"},
		&cli.BoolFlag{Name: "check-offline", Category: ChecksGroup, Usage: "deny TCP to checks, if the kernel can"},
	}
}

// LimitFlags are those of changes.
func LimitFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "max-changed-lines", Category: LimitsGroup, Value: DefaultMaxChangedLines,
			EnvVars: []string{"PAI_MODIFY_THRESHOLD"},
			Usage:   "reject a MODIFY that changes more than `N` lines and more than --max-ratio of the file"},
		&cli.Float64Flag{Name: "max-ratio", Category: LimitsGroup, Value: DefaultMaxRatio,
			EnvVars: []string{"PAI_MODIFY_MAX_RATIO"},
			Usage:   "the `SHARE` of a file, from 0, for --max-changed-lines"},
		&cli.Float64Flag{Name: "max-shrink", Category: LimitsGroup, Value: DefaultMaxShrink,
			EnvVars: []string{"PAI_MODIFY_MAX_SHRINK"},
			Usage:   "reject a MODIFY that deletes more than this `SHARE` (0 to 1) of a file of 40 lines or more"},
	}
}

// ContextFlag is --context-tokens.
func ContextFlag() *cli.IntFlag {
	return &cli.IntFlag{Name: "context-tokens", Category: ContextGroup, EnvVars: []string{"PAI_CONTEXT_TOKENS"},
		DefaultText: "none",
		Usage:       "limit each question to `N` tokens, for a model with a small context window"}
}

// EventsFlag is --events.
func EventsFlag() cli.Flag {
	return &cli.StringFlag{Name: "events", Category: OutputGroup, EnvVars: []string{event.Variable},
		Usage: "write progress events, one JSON object per line, to the descriptor `FD` (3 or more; a pipe or a socket)"}
}

// Events opens what --events names; nil for nothing. It comes before anything else that a
// command opens.
func Events(c *cli.Context, name string) (*event.Writer, error) {
	return event.Open(name, c.String("events"))
}

// RootFlag is --root, which every command takes and hands on to pai-exec.
func RootFlag() cli.Flag {
	return &cli.StringFlag{Name: "root", Usage: "work in `DIR` (default: the current directory)"}
}
