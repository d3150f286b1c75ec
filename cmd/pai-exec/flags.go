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

func flags() []cli.Flag {
	return slices.Concat(filter.LimitFlags(), filter.ConfineFlags(), talk.BudgetFlags(), []cli.Flag{
		&cli.BoolFlag{Name: "dry-run", Usage: "resolve and seal the plan, change nothing"},
		&cli.BoolFlag{Name: "yes", Usage: "agree to RM, and to MV onto something"},
		&cli.BoolFlag{Name: "allow-risky",
			Usage: "agree to changes of files that run code by themselves, such as .envrc: see --rules"},
		&cli.StringFlag{Name: "ask", Value: "auto",
			Usage: "who agrees to the rest: auto, the person at the terminal if there is one; never, nobody"},
		&cli.StringSliceFlag{Name: "only", Usage: "do these steps and FINISH: `N,N`"},
		&cli.StringSliceFlag{Name: "skip", Usage: "do all but these steps: `N,N`"},
		&cli.StringSliceFlag{Name: "deny",
			Usage: "deny a `PATTERN` in gitignore's syntax, beside pai-code/deny in the configuration"},
		&cli.StringSliceFlag{Name: "allow",
			Usage: "lift a default denial for a `PATTERN`, beside pai-code/allow in the configuration"},
		&cli.StringFlag{Name: "explain",
			Usage: "say whether a `PATH` is allowed, by which rule, from where, and do nothing else"},
		&cli.BoolFlag{Name: "rules", Usage: "print what is denied and what is a risk, with the reasons, and do nothing else"},
		&cli.BoolFlag{Name: "observe", Usage: "put what is to be seen of the files into the document"},
		&cli.StringSliceFlag{Name: "look",
			Usage: "with --observe, add to the document's workspace what `X` names: a path (a.py:3-9), else a definition, else a text"},
		&cli.StringSliceFlag{Name: "stat", Usage: "with --observe, say what stands at `PATH` and nothing else"},
		filter.ContextFlag(),
		filter.SendFlag(),
		&cli.BoolFlag{Name: talk.EgressFlag,
			Usage: "print the question that the generator would be asked, and do nothing else"},
		&cli.BoolFlag{Name: talk.EstimateFlag,
			Usage: "print what the questions would cost, a JSON object, and do nothing else"},
		&cli.StringFlag{Name: "generator", Usage: "have the shell command `CMD` write what steps lack (default: pai-model)"},
		&cli.IntFlag{Name: "max-phases", Value: protocol.MaxPhases,
			Usage: "ask the generator `N` times at most, 0 to 3; 0: never"},
		&cli.StringSliceFlag{Name: "check",
			Usage: "run the shell command `CMD` on the change; if it fails nothing stays applied"},
		&cli.DurationFlag{Name: "check-timeout", Value: check.DefaultTimeout, Usage: "end a check that takes longer"},
		&cli.BoolFlag{Name: "no-check-first", Usage: "don't run the checks before the change to learn from them"},
		&cli.BoolFlag{Name: "keep-failing", Usage: "keep the last change even if a check fails"},
		&cli.BoolFlag{Name: check.Flag, Hidden: true},
		&cli.Int64Flag{Name: "max-file-bytes", Value: overlay.DefaultMaxFileBytes,
			Usage: "read and change no file larger than `N`"},
		&cli.BoolFlag{Name: "allow-hard-links", Usage: "READ and MODIFY files that have other names too"},
		&cli.BoolFlag{Name: "no-landlock", Usage: "do without the kernel's second lock"},
		&cli.BoolFlag{Name: "log", Usage: "list the transactions that can be undone, with what they were made for, and do nothing else"},
		&cli.BoolFlag{Name: "json", Usage: "with --log, print a JSON object a line"},
		&cli.BoolFlag{Name: "show", Usage: "print what the last transaction did, or the one named, as --output says, and do nothing else"},
		&cli.BoolFlag{Name: "undo", Usage: "undo the last transaction, or the one named, and do nothing else; with --dry-run say what that would do"},
		&cli.BoolFlag{Name: "redo", Usage: "make the change once more that was undone last, and do nothing else"},
		&cli.StringFlag{Name: "sealed", Usage: "undo only what --undo --dry-run showed: `SUM` is its seal.steps"},
		&cli.BoolFlag{Name: "force", Usage: "undo over later changes, which are kept in " + turn.HistoryDir},
		&cli.DurationFlag{Name: "lock-timeout", Value: 10 * time.Second,
			Usage: "wait so long for another pai-exec on the same root"},
		&cli.IntFlag{Name: "keep-days", Value: 30, Usage: "forget older transactions, but never the last one"},
		&cli.Int64Flag{Name: "keep-bytes", Value: 256 << 20, Usage: "forget the oldest ones from where all take more"},
		&cli.BoolFlag{Name: "no-sync", Usage: "don't wait for the disk: safe from kills, not from a power failure"},
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
			return nil, turn.Errorf(turn.CodeUsage, "--%s: %s is no folder", name, turn.Quote(dir))
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
				return nil, turn.Errorf(turn.CodeUsage, "--%s: %s is not a step's number", name, turn.Quote(word))
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
