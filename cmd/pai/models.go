package main

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"paicode/pkg/event"
	"paicode/pkg/filter"
	"paicode/pkg/model"
	"paicode/pkg/talk"
	"paicode/pkg/turn"
)

func modelsFlags() []cli.Flag {
	return append(talk.Flags(), &cli.BoolFlag{Name: "probe", Usage: "ask each a question of a few tokens, and say which answer"})
}

// listModels prints the models that the provider offers, a line each: the name
// as --model takes it, the tokens that it holds, and whether it answers.
func listModels(c *cli.Context) error {
	options, err := alone(c, "pai", nil)
	if err != nil {
		return err
	}
	all, err := model.List(c.Context, options)
	if err != nil {
		return err
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, m := range all {
		window, mark := "-", ""
		if m.Window > 0 {
			window = fmt.Sprint(m.Window)
		}
		if m.Name == options.Name {
			mark = "asked by default"
		}
		if c.Bool("probe") {
			mark = strings.TrimPrefix(mark+", "+probed(c, options, m.Name), ", ")
		}
		line := turn.Shown(m.Name) + "\t" + window + "\t" + mark
		fmt.Fprintln(w, strings.TrimRight(line, "\t"))
		if c.Err() != nil {
			return turn.Errorf(turn.CodeInterrupted, "interrupted")
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return say("%s", b.String())
}

// alone reads the options of a command that takes no arguments and talks to a
// provider by itself; name begins its notices, which are events, too.
func alone(c *cli.Context, name string, events *event.Writer) (model.Options, error) {
	if err := noArguments(c); err != nil {
		return model.Options{}, err
	}
	talk.Quiet()
	return talk.Options(c, filter.NewProgress(os.Stderr, name, events).Retry)
}

// probed says whether a model answers, or in a line why not.
func probed(c *cli.Context, options model.Options, name string) string {
	options.Name = name
	if err := model.Probe(c.Context, options); err != nil {
		return "doesn't answer: " + err.Error()
	}
	return "answers"
}
