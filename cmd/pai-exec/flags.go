package main

import (
	"github.com/urfave/cli/v2"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/engine"
	"paicode/cmd/pai-exec/internal/workspace"
	"paicode/pkg/turn"
)

func flags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "dry-run", Usage: "resolve and seal the plan, change nothing"},
		&cli.BoolFlag{Name: "yes", Usage: "agree to RM, and to MV onto something"},
		&cli.BoolFlag{Name: "observe", Usage: "put what is to be seen of the files into the document"},
		&cli.StringFlag{Name: "generator", Usage: "have the shell command `CMD` write what steps lack (default: pai generate)"},
		&cli.IntFlag{Name: "max-changed-lines", Value: change.DefaultMaxChangedLines, EnvVars: []string{"PAI_MODIFY_THRESHOLD"},
			Usage: "reject a MODIFY of more lines than `N` that is over --max-ratio too"},
		&cli.Float64Flag{Name: "max-ratio", Value: change.DefaultMaxRatio, EnvVars: []string{"PAI_MODIFY_MAX_RATIO"},
			Usage: "share of a file's lines, from 0, that goes with --max-changed-lines"},
		&cli.Float64Flag{Name: "max-shrink", Value: change.DefaultMaxShrink, EnvVars: []string{"PAI_MODIFY_MAX_SHRINK"},
			Usage: "share of its lines, 0 to 1, that a file of 40 or more may lose"},
		&cli.Int64Flag{Name: "max-file-bytes", Value: workspace.DefaultMaxFileBytes, Usage: "read and change no file larger than `N`"},
		&cli.BoolFlag{Name: "allow-hard-links", Usage: "READ and MODIFY files that have other names too"},
		&cli.BoolFlag{Name: "no-landlock", Usage: "do without the kernel's second lock"},
	}
}

// options reads the flags; values out of range are an error.
func options(c *cli.Context) (engine.Options, error) {
	o := engine.Options{
		Root:       c.String("root"),
		DryRun:     c.Bool("dry-run"),
		Yes:        c.Bool("yes"),
		Generator:  c.String("generator"),
		NoLandlock: c.Bool("no-landlock"),
		Workspace:  workspace.Options{MaxFileBytes: c.Int64("max-file-bytes"), AllowHardLinks: c.Bool("allow-hard-links")},
		Limits: change.Limits{MaxChangedLines: c.Int("max-changed-lines"), MaxRatio: c.Float64("max-ratio"),
			MaxShrink: c.Float64("max-shrink")},
	}
	switch l := o.Limits; {
	case l.MaxChangedLines < 0:
		return o, turn.Errorf(turn.CodeUsage, "--max-changed-lines %d is negative", l.MaxChangedLines)
	case !(l.MaxRatio >= 0):
		return o, turn.Errorf(turn.CodeUsage, "--max-ratio %v is not 0 or more", l.MaxRatio)
	case !(l.MaxShrink >= 0 && l.MaxShrink <= 1):
		return o, turn.Errorf(turn.CodeUsage, "--max-shrink %v is not between 0 and 1", l.MaxShrink)
	case o.Workspace.MaxFileBytes <= 0:
		return o, turn.Errorf(turn.CodeUsage, "--max-file-bytes %d is not positive", o.Workspace.MaxFileBytes)
	}
	return o, nil
}
