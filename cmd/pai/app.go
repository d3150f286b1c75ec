package main

import (
	"fmt"
	"os"

	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"

	"paicode/pkg/filter"
	"paicode/pkg/render"
	"paicode/pkg/sibling"
	"paicode/pkg/talk"
	"paicode/pkg/terminal"
	"paicode/pkg/turn"
)

func flags() []cli.Flag {
	return append(append(filter.LimitFlags(), filter.ConfineFlags()...), []cli.Flag{
		filter.RootFlag(),
		&cli.BoolFlag{Name: "yes", Usage: "apply without asking, RM and MV onto something too"},
		&cli.BoolFlag{Name: "allow-risky", Usage: "with --yes, apply changes to files that run code by themselves too"},
		&cli.StringSliceFlag{Name: "check", Usage: "run the shell command `CMD` on the change; if it fails the model may mend it, and else nothing stays applied"},
		filter.SendFlag(),
		filter.ContextFlag(),
		&cli.BoolFlag{Name: "estimate", Usage: "say what the request would likely cost and at most, and send nothing"},
		&cli.BoolFlag{Name: "show-egress", Usage: "print what would be sent to plan the request, and send nothing"},
		&cli.BoolFlag{Name: "text", Usage: "take standard input as plain text even if it begins with {"},
		&cli.StringFlag{Name: "output", Usage: "print `FORMAT`: json, text or diff (default: text on a terminal, else json)"},
	}...)
}

func commands() []*cli.Command {
	return []*cli.Command{
		{Name: "auto", Usage: "a session on a terminal, one turn off it; the same as pai alone",
			Flags: append(talk.Flags(), flags()...), Action: runTurn},
		{Name: "config", Usage: "keep the key of the model's provider", Subcommands: configCommands(), Action: unknownCommand},
		{Name: "models", Usage: "list the models that the provider offers", Flags: modelsFlags(), Action: listModels},
		{Name: "schema", Usage: "print the JSON Schema of the document", Action: printSchema},
		{Name: "undo", Usage: "put back what was before the last change, or the one named", ArgsUsage: "[TRANSACTION]",
			Flags: append(rootFlag(), &cli.BoolFlag{Name: "force", Usage: "over later changes, which are kept"}), Action: undo},
		{Name: "log", Usage: "list what can be undone", Flags: rootFlag(), Action: listTransactions},
		{Name: "generate", Usage: "answer pai-exec's questions, one JSON object a line",
			Flags: talk.Flags(), Action: generate},
	}
}

func rootFlag() []cli.Flag {
	return []cli.Flag{filter.RootFlag()}
}

func undo(c *cli.Context) error {
	if c.NArg() > 1 {
		return turn.Errorf(turn.CodeUsage, "unexpected argument %s", turn.Quote(c.Args().Get(1)))
	}
	args := []string{"--undo"}
	if c.Bool("force") {
		args = append(args, "--force")
	}
	return passthrough(c, sibling.RootArgs(c.String("root"), append(args, c.Args().Slice()...)...))
}

func listTransactions(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	return passthrough(c, sibling.RootArgs(c.String("root"), "--log"))
}

// passthrough leaves the job to pai-exec.
func passthrough(c *cli.Context, args []string) error {
	code, err := sibling.Passthrough(c.Context, "pai-exec", args...)
	if err == nil && code != 0 {
		err = filter.Exit(code)
	}
	return err
}

func printSchema(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	return say("%s", turn.Schema())
}

// unknownCommand is what a command that has commands does by itself.
func unknownCommand(c *cli.Context) error {
	e := turn.Errorf(turn.CodeUsage, "%s wants a command", c.Command.FullName())
	if c.NArg() > 0 {
		e = turn.Errorf(turn.CodeUsage, "unknown command %s", turn.Quote(c.Args().First()))
	}
	return e.WithHint("%s --help lists them", c.Command.HelpName)
}

func noArguments(c *cli.Context) error {
	if c.NArg() > 0 {
		return turn.Errorf(turn.CodeUsage, "unexpected argument %s", turn.Quote(c.Args().First()))
	}
	return nil
}

// say prints on standard output.
func say(format string, args ...any) error {
	return filter.Unwritten(fmt.Printf(format, args...))
}

// runTurn is pai without a command: a session if there is a terminal and no
// request, else one turn.
func runTurn(c *cli.Context) error {
	p, err := newSession(c)
	if err != nil {
		return err
	}
	if c.Bool("estimate") || c.Bool("show-egress") {
		doc, err := filter.ReadRequest(c, "pai")
		if err != nil {
			return err
		}
		doc.SetPlace(filter.Place(c))
		if c.Bool("estimate") {
			return p.estimate(c.Context, doc)
		}
		return p.showEgress(c.Context, doc)
	}
	if c.NArg() == 0 && isatty.IsTerminal(os.Stdin.Fd()) && p.interactive {
		return p.loop(c.Context)
	}
	doc, err := filter.ReadRequest(c, "pai")
	if err != nil {
		return err
	}
	return p.once(c.Context, doc)
}

// confine is what pai-exec is told of what checks may do.
func confine(c *cli.Context) (args []string) {
	for _, dir := range c.StringSlice("check-write") {
		args = append(args, "--check-write="+dir)
	}
	for _, name := range []string{"no-check-confine", "check-offline"} {
		if c.Bool(name) {
			args = append(args, "--"+name)
		}
	}
	return args
}

// newSession reads the options. The stages get the model's by environment, so
// that they reach pai-exec's generator too.
func newSession(c *cli.Context) (*session, error) {
	if _, err := talk.Options(c, nil); err != nil {
		return nil, err
	}
	if err := talk.Share(c, append(filter.LimitFlags(), filter.ContextFlag())...); err != nil {
		return nil, err
	}
	p := &session{tokens: c.Int(filter.ContextFlag().Name), project: sibling.Project{Root: c.String("root"), Send: c.StringSlice(filter.SendFlag().Name)}, yes: c.Bool("yes"), risky: c.Bool("allow-risky"), checks: c.StringSlice("check"), confine: confine(c), style: filter.Style(os.Stdout)}
	p.console = terminal.Open()
	p.interactive = p.console != nil && p.style.Terminal
	format := c.String("output")
	if format == "" {
		format = render.JSON
		if p.interactive {
			format = render.Text
		}
	}
	p.panels = p.interactive && format == render.Text
	var err error
	p.output, err = filter.NewOutput(format)
	return p, err
}
