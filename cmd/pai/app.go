package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"paicode/pkg/event"
	"paicode/pkg/filter"
	"paicode/pkg/line"
	"paicode/pkg/render"
	"paicode/pkg/settings"
	"paicode/pkg/sibling"
	"paicode/pkg/talk"
	"paicode/pkg/turn"
)

func flags() []cli.Flag {
	return append(append(filter.LimitFlags(), filter.ConfineFlags()...), []cli.Flag{
		filter.RootFlag(),
		&cli.BoolFlag{Name: "yes", Usage: "apply without asking, including RM and MV onto an existing path"},
		&cli.BoolFlag{Name: "allow-risky", Usage: "with --yes, allow changes to files that run code by themselves"},
		&cli.StringSliceFlag{Name: "check",
			Usage: "run the shell command `CMD` on the change; if it fails, the model may mend it, or the change is rolled back"},
		filter.SendFlag(),
		filter.ContextFlag(),
		filter.EventsFlag(),
		&cli.BoolFlag{Name: "continue", Usage: "continue the last conversation in this project"},
		&cli.StringFlag{Name: "resume", Usage: "continue the conversation `ID`"},
		&cli.StringFlag{Name: "answer",
			Usage: "answer the plan's question in the document on standard input with `TEXT`"},
		&cli.BoolFlag{Name: "estimate", Category: filter.ContextGroup,
			Usage: "print what the request would cost, likely and at most, and send nothing"},
		&cli.BoolFlag{Name: "show-egress", Category: filter.ContextGroup,
			Usage: "print what would be sent to plan the request, and send nothing"},
		&cli.BoolFlag{Name: "text", Category: filter.OutputGroup,
			Usage: "read standard input as plain text even if it begins with {"},
		&cli.StringFlag{Name: "output",
			Usage: "print `FORMAT`: json, text, diff or answer (default: text on a terminal, else json)"},
	}...)
}

func commands() []*cli.Command {
	return []*cli.Command{
		{Name: "auto", Usage: "start a session on a terminal, otherwise do one request; the same as pai alone",
			Flags: append(talk.Flags(), flags()...), Action: runTurn},
		{Name: "config", Usage: "store keys and settings", Subcommands: configCommands(), Action: unknownCommand},
		{Name: "models", Usage: "list the models that the provider offers", Action: askModels("--list", "probe"),
			Flags: append(talk.ModelFlags(),
				&cli.BoolFlag{Name: "probe",
					Usage: "ask each model a question of a few tokens, and print which ones answer"})},
		{Name: "schema", Usage: "print the JSON Schema of the document", Action: printSchema},
		{Name: "undo", Usage: "undo the last change, or the one named", ArgsUsage: "[TRANSACTION]",
			Flags: append(rootFlag(), &cli.BoolFlag{Name: "force",
				Usage: "undo even over later changes, which are kept in .pai_history"},
				&cli.BoolFlag{Name: "dry-run", Usage: "print what undo would do, and change nothing"},
				&cli.StringFlag{Name: "output", Value: render.Text,
					Usage: "with --dry-run, print `FORMAT`: json, text or diff"}),
			Action: undoCommand},
		{Name: "redo", Usage: "redo the change that was undone last", Flags: rootFlag(), Action: redoCommand},
		{Name: "log", Usage: "list the changes that can be undone or redone",
			Flags:  append(rootFlag(), &cli.BoolFlag{Name: "json", Usage: "print one JSON object per line"}),
			Action: listTransactions},
		{Name: "show", Usage: "print the last change, or the one named", ArgsUsage: "[TRANSACTION]",
			Flags: append(rootFlag(), &cli.BoolFlag{Name: "diff",
				Usage: "print the diff alone"}), Action: showTransaction},
		{Name: "completion", Usage: "print the completion script for a shell", ArgsUsage: "bash|zsh|fish", Action: printCompletion},
		{Name: "man", Usage: "show a manual page", ArgsUsage: "[PAGE]",
			Action: printManual},
	}
}

func rootFlag() []cli.Flag {
	return []cli.Flag{filter.RootFlag()}
}

func listTransactions(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	args := []string{"--log"}
	if c.Bool("json") {
		args = append(args, "--json")
	}
	return passthrough(c, "pai-exec", sibling.RootArgs(c.String("root"), args...))
}

// oneTransaction is the error of more arguments than the name of a transaction.
func oneTransaction(c *cli.Context) error {
	if c.NArg() > 1 {
		return turn.Errorf(turn.CodeUsage, "unexpected argument %s", turn.Quote(c.Args().Get(1)))
	}
	return nil
}

func showTransaction(c *cli.Context) error {
	if err := oneTransaction(c); err != nil {
		return err
	}
	args := []string{"--show"}
	if c.Bool("diff") {
		args = append(args, "--output=diff")
	}
	return passthrough(c, "pai-exec",
		sibling.RootArgs(c.String("root"), append(append(args, "--"), c.Args().Slice()...)...))
}

// askModels leaves a job to pai-model, with one of the command's own switches.
func askModels(job, own string) cli.ActionFunc {
	return func(c *cli.Context) error {
		if err := noArguments(c); err != nil {
			return err
		}
		if err := talk.Share(c, talk.ModelFlags()...); err != nil {
			return err
		}
		args := []string{job}
		if c.Bool(own) {
			args = append(args, "--"+own)
		}
		return passthrough(c, "pai-model", args)
	}
}

// passthrough leaves the job to another command.
func passthrough(c *cli.Context, name string, args []string) error {
	code, err := sibling.Passthrough(c.Context, filter.Streams(c), name, args...)
	if err == nil && code != 0 {
		err = filter.Exit(code)
	}
	return err
}

func printSchema(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	return say(c, "%s", turn.Schema())
}

// unknownCommand is what a command that has commands does by itself.
func unknownCommand(c *cli.Context) error {
	e := turn.Errorf(turn.CodeUsage, "%s needs a command", c.Command.FullName())
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
func say(c *cli.Context, format string, args ...any) error {
	return filter.Unwritten(fmt.Fprintf(c.App.Writer, format, args...))
}

// runTurn is pai without a command: a session if there is a terminal and no
// request, else one turn.
func runTurn(c *cli.Context) error {
	events, err := filter.Events(c, "pai")
	if err != nil {
		return err
	}
	p, err := newSession(c, events)
	if err != nil {
		return err
	}
	defer p.closeDoor()
	if c.NArg() == 0 && filter.Terminal(c.App.Reader) != nil && p.interactive() && !c.Bool("estimate") &&
		!c.Bool("show-egress") {
		return p.loop(c.Context)
	}
	if err := mistyped(c); err != nil {
		return err
	}
	doc, err := filter.ReadRequest(c, "pai")
	if err != nil {
		return err
	}
	if doc, err = p.answered(c, doc); err != nil {
		return err
	}
	doc.SetPlace(p.place)
	switch {
	case c.Bool("estimate"):
		return p.estimate(c.Context, doc)
	case c.Bool("show-egress"):
		return p.showEgress(c.Context, doc)
	}
	if earlier := p.memory.history(); len(earlier) > 0 && len(doc.History()) == 0 {
		doc.SetHistory(earlier)
	}
	return p.once(c.Context, doc)
}

// confine is what pai-exec is told of what checks may do.
func confine(c *cli.Context) (args []string) {
	for _, dir := range c.StringSlice("check-write") {
		args = append(args, "--check-write="+dir)
	}
	for _, name := range []string{"no-check-confine", "check-may-write", "check-offline"} {
		if c.Bool(name) {
			args = append(args, "--"+name)
		}
	}
	return args
}

// newSession reads the options. The stages get the model's by environment, so
// that they reach pai-exec's generator too.
func newSession(c *cli.Context, events *event.Writer) (*session, error) {
	if err := talk.CheckFlags(c); err != nil {
		return nil, err
	}
	if err := talk.Share(c, slices.Concat(talk.Flags(), filter.LimitFlags(), []cli.Flag{filter.ContextFlag()})...); err != nil {
		return nil, err
	}
	v := newView(filter.Streams(c))
	p := &session{model: c.String("model"), course: &course{
		asker:        &asker{view: v},
		conversation: &conversation{place: filter.Place(c), home: home(c.String("root"))},
		project:      sibling.Project{Root: c.String("root"), Send: c.StringSlice(filter.SendFlag().Name)},
		tokens:       c.Int(filter.ContextFlag().Name),
		yes:          c.Bool("yes"),
		risky:        c.Bool("allow-risky"),
		checks:       c.StringSlice("check"),
		declined:     make(map[string]bool),
		confine:      confine(c),
		events:       events,
		hints:        commandHints(),
	}}
	if err := p.usualCheck(p.project.Root); err != nil {
		return nil, err
	}
	if v.console != nil {
		p.editor = &line.Editor{Terminal: v.console, Complete: p.complete, Edit: p.editText}
	}
	format := c.String("output")
	if format == "" {
		format = render.JSON
		if v.interactive() {
			format = render.Text
		}
	}
	v.panels = v.interactive() && format == render.Text
	var err error
	if p.output, err = filter.NewOutput(format); err != nil {
		return nil, err
	}
	return p, p.recall(c)
}

// usualCheck takes the check that the person keeps for the root, if they name none.
func (p *course) usualCheck(root string) error {
	all, err := settings.Load()
	if err != nil || len(p.checks) > 0 || len(all.Checks) == 0 {
		return err
	}
	real, err := rootOf(root)
	if command := all.Checks[real]; err == nil && command != "" {
		p.checks = []string{command}
	}
	return nil // a root that isn't there is told by pai-exec
}

// linesFile is where the lines of a project are remembered; empty: nowhere.
func linesFile(home string) string {
	if home == "" {
		return ""
	}
	return filepath.Join(home, "lines")
}

// recall opens the memory of the session that is to be continued, or of a new one.
func (p *session) recall(c *cli.Context) (err error) {
	id := ""
	if c.Bool("continue") || c.IsSet("resume") {
		if id, err = resumable(p.home, c.String("resume")); err != nil {
			return err
		}
	}
	if p.memory, err = remembered(p.home, id); err != nil {
		return turn.Errorf(turn.CodeInternal, "the conversation %s can't be read: %s", turn.Quote(id), err)
	}
	return nil
}

// answered goes on from a document whose plan asks a question, with the answer to it.
func (p *course) answered(c *cli.Context, asked *turn.Document) (*turn.Document, error) {
	if !c.IsSet("answer") {
		return asked, nil
	}
	made := asked.Plan()
	if made == nil || made.Question == "" || asked.Error() != nil {
		return nil, turn.Errorf(turn.CodeUsage, "--answer: the document asks no question").
			WithHint("pai \"request\" > doc.json; pai --answer \"…\" < doc.json")
	}
	answer := strings.TrimSpace(c.String("answer"))
	if answer == "" {
		return nil, turn.Errorf(turn.CodeUsage, "--answer is empty")
	}
	doc := turn.New(turn.CleanText([]byte(answer)))
	doc.SetHistory(append(asked.History(), interaction(asked.Request(), asked, nil)))
	doc.SetIntent(&turn.Intent{Kind: turn.KindTask})
	if context := asked.Context(); context != "" {
		doc.SetContext(context)
	}
	for _, u := range asked.Usage() {
		doc.AddUsage(u)
	}
	p.subject = asked.Request() + "\n" + answer
	return doc, nil
}

// mistyped is the error of a request that is likely a mistyped command. What follows "--" never
// is.
func mistyped(c *cli.Context) error {
	if c.NArg() != 1 || filter.Literal(c) {
		return nil
	}
	word := strings.ToLower(c.Args().First())
	meant := map[string]string{"help": "--help", "version": "--version"}[word]
	if meant == "" {
		var names []string
		for _, command := range c.App.Commands {
			names = append(names, command.Name)
		}
		meant = turn.Nearest(word, append(names, "help", "version"))
		if meant == "help" || meant == "version" {
			meant = "--" + meant
		}
	}
	if meant == "" {
		return nil
	}
	return turn.Errorf(turn.CodeUsage, "did you mean pai %s? nothing was sent", meant).
		WithHint("pai -- %s sends the word as a request", turn.OneLine(c.Args().First()))
}
