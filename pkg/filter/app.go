// Package filter is the frame of every command: flags and help, standard
// input to document, document to standard output, errors to standard error,
// exit codes. What a command does is elsewhere.
package filter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"paicode/pkg/settings"
	"paicode/pkg/sibling"
	"paicode/pkg/turn"
)

// helpAll is the option that shows those too that have a category.
const helpAll = "help-all"

const helpTemplate = `{{.Name}} - {{.Usage}}

usage: {{.UsageText}}
` + helpBody

const commandHelpTemplate = `{{.HelpName}} - {{.Usage}}

usage: {{.HelpName}}{{if .VisibleFlags}} [options]{{end}}{{if .ArgsUsage}} {{.ArgsUsage}}{{end}}
` + helpBody

const helpBody = `{{if .Description}}
{{.Description}}
{{end}}{{if .VisibleCommands}}
commands:{{range .VisibleCommands}}
   {{join .Names ", "}}{{"\t"}}{{.Usage}}{{end}}
{{end}}{{if .VisibleFlags}}
options:{{range .VisibleFlags}}{{if not .GetCategory}}
   {{.}}{{end}}{{end}}
{{end}}`

const helpGroups = `{{range .VisibleFlagCategories}}{{if .Name}}
{{.Name}} options:{{range .Flags}}
   {{.}}{{end}}
{{end}}{{end}}`

const exitCodes = `
exit codes:
   0    done as asked (also: nothing to change)
   1    internal or I/O error
   2    usage error, or invalid document
   3    not applied: it needs a person's yes or answer, or was rejected
   4    denied by the guard
   5    rejected by a limit, or an edit that doesn't fit
   6    stale: a file changed since the plan was sealed
   7    model: missing or rejected key, blocked or truncated answer, no answer
   8    model: rate limit, quota or budget
   9    the check failed
   130  interrupted
`

// Main runs an app with the process's arguments and streams, and returns its
// exit code. SIGINT, SIGTERM, SIGHUP and SIGQUIT cancel the context of the action, and
// the second of them ends the process; a broken pipe is an error of the write,
// never the end of the process.
func Main(app *cli.App) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process as usual
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return Run(ctx, app, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// Run runs an app with arguments and streams and returns its exit code. Actions
// find the streams in the app: Reader, Writer and ErrWriter.
func Run(ctx context.Context, app *cli.App, args []string, in io.Reader, out, errs io.Writer) int {
	all := slices.Index(args, "--"+helpAll)
	if all >= 0 {
		args = slices.Replace(slices.Clone(args), all, all+1, "--help")
	}
	customize(app, all >= 0)
	written := &keeper{w: out}
	app.Reader, app.Writer, app.ErrWriter = in, written, errs
	err := share(args)
	if err == nil {
		err = app.RunContext(ctx, append([]string{app.Name}, flagsFirst(app, args)...))
	}
	if err == nil && errors.Is(written.err, syscall.EPIPE) {
		return int(turn.CodeInternal) // whoever closed it has seen enough
	}
	if err == nil {
		err = Unwritten(0, written.err)
	}
	return int(report(ctx, app, err))
}

// share puts the person's settings where options look for them. Help, and what mends the
// settings, do without.
func share(args []string) error {
	if slices.ContainsFunc(args, func(arg string) bool {
		return slices.Contains([]string{"--help", "-h", "--version",
			"-v"}, arg)
	}) {
		return nil
	}
	s, err := settings.Load()
	if err != nil && len(args) > 0 && args[0] == "config" {
		return nil
	}
	if err != nil {
		return err
	}
	return s.Share()
}

// Unwritten is the error of CodeInternal of a write to standard output that
// failed; nil if it didn't. It takes what Write and Printf return.
func Unwritten(_ int, err error) error {
	if err == nil {
		return nil
	}
	return turn.Errorf(turn.CodeInternal, "standard output can't be written: %s", err)
}

// keeper remembers the error of a write that the library doesn't look at.
type keeper struct {
	w   io.Writer
	err error
}

func (k *keeper) Write(p []byte) (int, error) {
	n, err := k.w.Write(p)
	if err != nil {
		k.err = err
	}
	return n, err
}

// Streams are the command's own, to be handed on to others.
func Streams(c *cli.Context) sibling.Streams {
	s := sibling.Streams{In: c.App.Reader, Out: c.App.Writer, Err: c.App.ErrWriter}
	if k, ok := s.Out.(*keeper); ok {
		s.Out = k.w
	}
	return s
}

// Terminal is the terminal behind a stream; nil if there is none.
func Terminal(stream any) *os.File {
	if k, ok := stream.(*keeper); ok {
		stream = k.w
	}
	if f, ok := stream.(*os.File); ok && isatty.IsTerminal(f.Fd()) {
		return f
	}
	return nil
}

// customize gives an app what all commands share, and takes from the library the
// habit of printing on standard output and exiting by itself.
func customize(app *cli.App, all bool) {
	groups := ""
	if all {
		groups = helpGroups
	}
	app.Version = version()
	app.HideHelpCommand = true
	app.CustomAppHelpTemplate = helpTemplate + groups + exitCodes
	app.OnUsageError = usageError
	app.ExitErrHandler = func(*cli.Context, error) {}
	app.CommandNotFound = nil
	app.DisableSliceFlagSeparator = true // a comma is part of a command or a pattern
	app.Flags = withHelpAll(app.Flags)
	customizeCommands(app.Commands, commandHelpTemplate+groups+exitCodes)
}

// withHelpAll adds --help-all where an option has a category, and takes "(default: false)" from the
// help of switches.
func withHelpAll(flags []cli.Flag) []cli.Flag {
	more := false
	for _, f := range flags {
		if c, ok := f.(cli.CategorizableFlag); ok && c.GetCategory() != "" {
			more = true
		}
		if b, ok := f.(*cli.BoolFlag); ok {
			b.DisableDefaultText = true
		}
	}
	if !more {
		return flags
	}
	return append(slices.Clip(flags), &cli.BoolFlag{Name: helpAll, DisableDefaultText: true,
		Usage: "show all options, as the manual page does"})
}

func customizeCommands(commands []*cli.Command, template string) {
	for _, c := range commands {
		c.CustomHelpTemplate = template
		c.HideHelpCommand = true
		c.OnUsageError = usageError
		c.Flags = withHelpAll(c.Flags)
		customizeCommands(c.Subcommands, template)
	}
}

func usageError(c *cli.Context, err error, _ bool) error {
	message := err.Error()
	if name, ok := strings.CutPrefix(message, "flag provided but not defined: -"); ok {
		message = "unknown option --" + name
		if len(name) == 1 {
			message = "unknown option -" + name
		}
	}
	if name, ok := strings.CutPrefix(message, "flag needs an argument: -"); ok {
		message = "--" + strings.TrimLeft(name, "-") + " needs a value"
	}
	if value, rest, ok := strings.Cut(message, " for flag -"); ok {
		name, _, _ := strings.Cut(strings.TrimLeft(rest, "-"), ":")
		message = "--" + name + ": " + strings.TrimPrefix(value, "could not parse ")
	}
	e := turn.Errorf(turn.CodeUsage, "%s", turn.Printable(message))
	if meant := nearOption(c, message); meant != "" {
		return e.WithHint("did you mean --%s?", meant)
	}
	return e.WithHint("%s --help lists the options", c.App.Name)
}

// nearOption is the option that an unknown one is a typo of; empty if there is none.
func nearOption(c *cli.Context, message string) string {
	name, ok := strings.CutPrefix(message, "unknown option --")
	if !ok {
		return ""
	}
	flags := c.App.Flags
	if c.Command != nil && len(c.Command.Flags) > 0 {
		flags = c.Command.Flags
	}
	var names []string
	for _, f := range flags {
		names = append(names, f.Names()...)
	}
	return turn.Nearest(name, names)
}

// Exit is an outcome that is no error: nothing more is printed, and the
// command exits with the code.
type Exit turn.Code

func (e Exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// report prints an error and returns the exit code. After an interruption
// every failure counts as interrupted.
func report(ctx context.Context, app *cli.App, err error) turn.Code {
	if err == nil {
		return turn.CodeOK
	}
	if exit, ok := errors.AsType[Exit](err); ok {
		return turn.Code(exit)
	}
	e := Interrupted(ctx, turn.AsError(err))
	PrintError(app.ErrWriter, app.Name, e)
	return e.Exit()
}

// Interrupted turns a failure into that of an interruption if the context
// was cancelled by a signal.
func Interrupted(ctx context.Context, e *turn.Error) *turn.Error {
	if ctx.Err() == nil || e.Code == turn.CodeInterrupted {
		return e
	}
	return &turn.Error{Stage: e.Stage, Code: turn.CodeInterrupted, Message: "interrupted"}
}

// PrintError prints an error as people see it: the command's name, the
// message, and the hint on a line of its own.
func PrintError(w io.Writer, name string, e *turn.Error) {
	fmt.Fprint(w, Style(w).Wrong(name+": "+indented(e.Message))+"\n")
	if e.Hint != "" {
		fmt.Fprintf(w, "hint: %s\n", indented(e.Hint))
	}
}

// indented is text safe for a terminal, of which no later line can be taken
// for one of the command's own.
func indented(text string) string {
	return strings.ReplaceAll(turn.Printable(text), "\n", "\n  ")
}

// flagsFirst moves options before the arguments, where the library looks for
// them: what a person puts after the request must not become part of it.
// Everything after "--" is an argument.
func flagsFirst(app *cli.App, args []string) []string {
	if len(args) > 0 && app.Command(args[0]) != nil {
		return args
	}
	var options, rest []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			rest = append(rest, args[i+1:]...)
			i = len(args)
			app.Metadata, app.Commands = map[string]any{literal: true}, nil // a word isn't a command there
		case len(arg) < 2 || arg[0] != '-':
			rest = append(rest, arg)
		default:
			options = append(options, arg)
			if takesValue(app.Flags, arg) && i+1 < len(args) {
				i++
				options = append(options, args[i])
			}
		}
	}
	if len(rest) == 0 {
		return options
	}
	return append(append(options, "--"), rest...)
}

// literal marks an app whose arguments were given behind "--".
const literal = "literal"

// Literal reports whether the arguments were given behind "--".
func Literal(c *cli.Context) bool { return c.App.Metadata[literal] == true }

// takesValue reports whether an option's value is the next argument.
func takesValue(flags []cli.Flag, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			d, ok := f.(cli.DocGenerationFlag)
			return ok && d.TakesValue()
		}
	}
	return false
}

// Place is where the project lies that --root names. What can't be found out is empty.
func Place(c *cli.Context) (p turn.Place) {
	if root, err := filepath.Abs(c.String("root")); err == nil {
		p.Roots = []string{root}
		if real, err := filepath.EvalSymlinks(root); err == nil && real != root {
			p.Roots = append(p.Roots, real)
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		p.Home = filepath.Clean(home)
	}
	return p
}
