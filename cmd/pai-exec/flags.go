package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/check"
	"paicode/cmd/pai-exec/internal/engine"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/cmd/pai-exec/internal/journal"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/pkg/filter"
	"paicode/pkg/logbook"
	"paicode/pkg/model"
	"paicode/pkg/protocol"
	"paicode/pkg/talk"
	"paicode/pkg/turn"
)

// The groups of options that pai-exec alone has.
const (
	historyGroup = "history"
	guardGroup   = "guard"
)

func flags() []cli.Flag {
	return slices.Concat(filter.LimitFlags(), filter.ConfineFlags(), talk.BudgetFlags(), []cli.Flag{
		&cli.BoolFlag{Name: "dry-run", Usage: "resolve and seal the plan, but change nothing"},
		&cli.BoolFlag{Name: "yes", Usage: "allow steps that delete or overwrite: RM, and MV onto an existing path"},
		&cli.BoolFlag{Name: "allow-risky",
			Usage: "allow changes to files that run code by themselves, such as .envrc (see --rules)"},
		&cli.StringFlag{Name: "ask", Value: "auto",
			Usage: "who confirms deletions, overwriting and risky changes: `WHO` is auto (the person at the terminal) or never"},
		&cli.StringSliceFlag{Name: "only", Usage: "run only the steps `N,N` and FINISH"},
		&cli.StringSliceFlag{Name: "skip", Usage: "run all steps but `N,N`"},
		&cli.StringSliceFlag{Name: "deny", Category: guardGroup,
			Usage: "deny paths that match `PATTERN` (gitignore syntax), as pai-code/deny in the configuration directory does"},
		&cli.StringSliceFlag{Name: "allow", Category: guardGroup,
			Usage: "lift a default denial for `PATTERN`, as pai-code/allow does"},
		&cli.StringFlag{Name: "explain", Category: guardGroup,
			Usage: "print whether `PATH` is allowed, and by which rule"},
		&cli.BoolFlag{Name: "rules", Category: guardGroup,
			Usage: "print what is denied and what is risky, with the reasons"},
		&cli.BoolFlag{Name: "observe", Category: filter.ContextGroup,
			Usage: "add to the document what a model may see of the files"},
		&cli.StringSliceFlag{Name: "look", Category: filter.ContextGroup,
			Usage: "with --observe, add `NAME`: a path (a.py:3-9), a definition or a text"},
		&cli.StringSliceFlag{Name: "stat", Category: filter.ContextGroup,
			Usage: "with --observe, only report what exists at `PATH`"},
		filter.ContextFlag(),
		filter.SendFlag(),
		&cli.BoolFlag{Name: talk.EgressFlag, Category: filter.ContextGroup,
			Usage: "print the question to the generator, as a JSON object, and send nothing"},
		&cli.BoolFlag{Name: talk.EstimateFlag, Category: filter.ContextGroup,
			Usage: "print what the questions would cost, as a JSON object, and send nothing"},
		&cli.StringFlag{Name: "generator",
			Usage: "run the shell command `CMD` to write what the steps lack (default: pai-model)"},
		&cli.IntFlag{Name: "max-phases", Category: filter.LimitsGroup, Value: protocol.MaxPhases,
			Usage: "ask the generator at most `N` times, 0 to 3"},
		&cli.StringSliceFlag{Name: "check",
			Usage: "run the shell command `CMD` on the change; if it fails, roll the change back"},
		&cli.DurationFlag{Name: "check-timeout", Category: filter.ChecksGroup, Value: check.DefaultTimeout,
			Usage: "stop a check after `TIME`"},
		&cli.BoolFlag{Name: "no-check-first", Category: filter.ChecksGroup,
			Usage: "don't run the checks before the change"},
		&cli.BoolFlag{Name: "keep-failing", Category: filter.ChecksGroup,
			Usage: "keep the last change even if a check fails"},
		&cli.BoolFlag{Name: check.Flag, Hidden: true},
		&cli.Int64Flag{Name: "max-file-bytes", Category: filter.LimitsGroup, Value: overlay.DefaultMaxFileBytes,
			Usage: "read and change no file larger than `N` bytes"},
		&cli.BoolFlag{Name: "allow-hard-links", Category: guardGroup,
			Usage: "READ and MODIFY files that have other hard links"},
		&cli.BoolFlag{Name: "no-landlock", Category: guardGroup, Usage: "don't use Landlock, the kernel's sandbox"},
		&cli.BoolFlag{Name: "log", Category: historyGroup, Usage: "list the changes that can be undone or redone"},
		&cli.BoolFlag{Name: "json", Category: historyGroup, Usage: "with --log, print one JSON object per line"},
		&cli.BoolFlag{Name: "show", Category: historyGroup, Usage: "print the last change, or the one named"},
		&cli.BoolFlag{Name: "undo", Category: historyGroup,
			Usage: "undo the last change, or the one named; with --dry-run, show what that would do"},
		&cli.BoolFlag{Name: "redo", Category: historyGroup, Usage: "redo the change that was undone last"},
		&cli.StringFlag{Name: "sealed", Category: historyGroup,
			Usage: "undo only what --undo --dry-run showed: `SUM` is its seal.steps"},
		&cli.BoolFlag{Name: "force", Category: historyGroup,
			Usage: "undo over later changes, which are kept in " + turn.HistoryDir},
		&cli.DurationFlag{Name: "lock-timeout", Category: historyGroup, Value: 10 * time.Second,
			Usage: "wait up to `TIME` for another pai-exec in the same root"},
		&cli.IntFlag{Name: "keep-days", Category: historyGroup, Value: 30,
			Usage: "delete changes older than `N` days from the history, except the last one"},
		&cli.Int64Flag{Name: "keep-bytes", Category: historyGroup, Value: 256 << 20,
			Usage: "delete the oldest changes when the history takes more than `N` bytes"},
		&cli.BoolFlag{Name: "no-sync", Category: historyGroup,
			Usage: "don't wait for the disk: safe against kills, not against power failures"},
	})
}

// inherited is the connection to a running pai-model that the process was started with; its
// file is nil if there is none.
type inherited struct{ *os.File }

func (i inherited) Close() error {
	if i.File == nil {
		return nil
	}
	return i.File.Close()
}

// open takes the connection, before the process starts others.
func open(*cli.Context) (io.Closer, error) {
	f, err := model.Inherited()
	return inherited{f}, err
}

// run does what the flags say with a document.
func run(ctx context.Context, call *filter.Call) error {
	options, err := options(call.Context)
	if err != nil {
		return err
	}
	if options.Budget, err = talk.Budget(call.Context, nil); err != nil {
		return err
	}
	options.Whole, options.Inherited = call.Work.Whole, call.Opened.(inherited).File
	logged := os.Getenv(logbook.Variable) != ""
	_ = os.Unsetenv(logbook.Variable) // fails for impossible names only
	if call.Bool(talk.EstimateFlag) {
		err := filter.Unwritten(call.App.Writer.Write(turn.Line(engine.Estimate(options, call.Doc))))
		return cmp.Or[error](err, filter.Written{})
	}
	if call.Bool("observe") {
		return engine.Observe(options, call.Doc, call.Progress)
	}
	if call.Bool(talk.EgressFlag) {
		if err := engine.ShowEgress(options, call.Doc, os.Stdout, call.Progress); err != nil {
			return err
		}
		return filter.Written{}
	}
	code, err := engine.Execute(ctx, options, call.Doc, call.Progress)
	if exec := call.Doc.Exec(); exec != nil && exec.Applied && exec.Transaction != "" {
		keepLog(call, options, logged)
	}
	if err == nil && code != turn.CodeOK {
		return filter.Exit(code)
	}
	return err
}

// keepLog notes what was applied, unless whoever runs this does so, and forgets what is old.
func keepLog(call *filter.Call, o engine.Options, logged bool) {
	logbook.Forget(o.Root, o.Journal.KeepFor)
	if logged {
		return
	}
	book, err := logbook.Open(o.Root)
	if err != nil {
		call.Progress.Note("no log: " + err.Error())
		return
	}
	defer book.Close()
	book.User(call.Doc.Request())
	book.Planned(call.Doc)
	book.Turn(call.Doc)
}

// options reads the flags; values out of range are an error.
func options(c *cli.Context) (engine.Options, error) {
	o := engine.Options{
		Root:          c.String("root"),
		DryRun:        c.Bool("dry-run"),
		Yes:           c.Bool("yes"),
		AllowRisky:    c.Bool("allow-risky"),
		Generator:     c.String("generator"),
		NoLandlock:    c.Bool("no-landlock"),
		ContextTokens: c.Int("context-tokens"), Look: c.StringSlice("look"), Stat: c.StringSlice("stat"),
		Overlay: overlay.Options{MaxFileBytes: c.Int64("max-file-bytes"), AllowHardLinks: c.Bool("allow-hard-links"),
			Send: c.StringSlice("send")},
		Limits: change.Limits{MaxChangedLines: c.Int("max-changed-lines"), MaxRatio: c.Float64("max-ratio"),
			MaxShrink: c.Float64("max-shrink")},
		Journal: journal.Options{LockWait: c.Duration("lock-timeout"), NoSync: c.Bool("no-sync"),
			KeepFor: time.Duration(c.Int("keep-days")) * 24 * time.Hour, KeepBytes: c.Int64("keep-bytes")},
		MaxPhases: c.Int("max-phases"), Checks: c.StringSlice("check"), CheckTimeout: c.Duration("check-timeout"),
		CheckAnyhow: c.Bool("no-check-confine"), CheckOffline: c.Bool("check-offline"),
		CheckMayWrite: c.Bool("check-may-write"),
		NoCheckFirst:  c.Bool("no-check-first"), KeepFailing: c.Bool("keep-failing"),
	}
	switch ask := c.String("ask"); ask {
	case "auto":
	case "never":
		o.NeverAsk = true
	default:
		return o, turn.Errorf(turn.CodeUsage, "--ask is auto or never, not %s", turn.Quote(ask))
	}
	var err error
	if o.CheckWrite, err = folders(c, "check-write"); err != nil {
		return o, err
	}
	if o.Overlay.Rules, err = rules(c); err != nil {
		return o, err
	}
	if o.Only, err = numbers(c, "only"); err != nil {
		return o, err
	}
	if o.Skip, err = numbers(c, "skip"); err != nil {
		return o, err
	}
	return o, bounds(c, o)
}

// bounds is the error of a value out of range.
func bounds(c *cli.Context, o engine.Options) error {
	switch l := o.Limits; {
	case l.MaxChangedLines < 0:
		return turn.Errorf(turn.CodeUsage, "--max-changed-lines %d is negative", l.MaxChangedLines)
	case !(l.MaxRatio >= 0):
		return turn.Errorf(turn.CodeUsage, "--max-ratio %v is not 0 or more", l.MaxRatio)
	case !(l.MaxShrink >= 0 && l.MaxShrink <= 1):
		return turn.Errorf(turn.CodeUsage, "--max-shrink %v is not between 0 and 1", l.MaxShrink)
	case o.Journal.LockWait < 0 || o.Journal.KeepFor < 0 || o.Journal.KeepBytes < 0:
		return turn.Errorf(turn.CodeUsage, "--lock-timeout, --keep-days and --keep-bytes can't be negative")
	case o.MaxPhases < 0 || o.MaxPhases > protocol.MaxPhases:
		return turn.Errorf(turn.CodeUsage, "--max-phases %d is not between 0 and %d", o.MaxPhases, protocol.MaxPhases)
	case o.CheckTimeout <= 0:
		return turn.Errorf(turn.CodeUsage, "--check-timeout %s is not positive", o.CheckTimeout)
	case slices.Contains(o.Checks, ""):
		return turn.Errorf(turn.CodeUsage, "--check is empty")
	case o.ContextTokens < 0 || c.IsSet("context-tokens") && o.ContextTokens < overlay.LeastTokens:
		return turn.Errorf(turn.CodeUsage, "--context-tokens %d is under %d", o.ContextTokens, overlay.LeastTokens)
	case o.Overlay.MaxFileBytes <= 0:
		return turn.Errorf(turn.CodeUsage, "--max-file-bytes %d is not positive", o.Overlay.MaxFileBytes)
	}
	return nil
}

// folders are the absolute paths of folders that are there.
func folders(c *cli.Context, name string) (out []string, err error) {
	for _, dir := range c.StringSlice(name) {
		is, err := os.Stat(dir)
		if err != nil || !is.IsDir() {
			return nil, turn.Errorf(turn.CodeUsage, "--%s: %s is not a directory", name, turn.Quote(dir))
		}
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		out = append(out, abs)
	}
	return out, nil
}

// numbers reads lists of step numbers.
func numbers(c *cli.Context, name string) (out []int, err error) {
	for _, list := range c.StringSlice(name) {
		for word := range strings.SplitSeq(list, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(word))
			if err != nil {
				return nil, turn.Errorf(turn.CodeUsage, "--%s: %s is not a step number", name, turn.Quote(word))
			}
			out = append(out, n)
		}
	}
	return out, nil
}

// rules gathers the person's own rules: files in their configuration, which no
// project can bring along, and flags.
func rules(c *cli.Context) (r guard.Rules, err error) {
	for name, into := range map[string]*[]guard.Rule{"deny": &r.Deny, "allow": &r.Allow} {
		if dir, err := os.UserConfigDir(); err == nil {
			file := filepath.Join(dir, "pai-code", name)
			text, err := os.ReadFile(file)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return r, turn.Errorf(turn.CodeInternal, "the rules in %s can't be read: %s", turn.Quote(file), errors.Unwrap(err))
			}
			*into = guard.ParseRules(string(text), file)
		}
		*into = append(*into, guard.ParseRules(strings.Join(c.StringSlice(name), "\n"), "--"+name)...)
	}
	return r, nil
}
