package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"paicode/cmd/pai-model/internal/provider"
	"paicode/pkg/credentials"
	"paicode/pkg/filter"
	"paicode/pkg/model"
	"paicode/pkg/turn"
)

// list prints the models that the provider offers, a line each: the name
// as --model takes it, the tokens that it holds, and whether it answers.
func list(c *cli.Context, o provider.Options) error {
	all, err := provider.List(c.Context, o)
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
		if m.Name == o.Name {
			mark = "asked by default"
		}
		if c.Bool("probe") {
			mark = strings.TrimPrefix(mark+", "+probed(c, o, m.Name), ", ")
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
	return say(c, "%s", b.String())
}

// probed says whether a model answers, or in a line why not.
func probed(c *cli.Context, o provider.Options, name string) string {
	o.Name = name
	if err := provider.Probe(c.Context, o); err != nil {
		return "doesn't answer: " + err.Error()
	}
	return "answers"
}

// validate says what was tried and found, a line each, and ends at the
// first that is wrong.
func validate(c *cli.Context, o provider.Options) error {
	if err := validateKey(c, o); err != nil {
		return err
	}
	if c.Bool("offline") {
		return nil
	}
	if err := provider.Probe(c.Context, o); err != nil {
		return err
	}
	return say(c, "accepted, and the model %q answers\n", o.Name)
}

// validateKey looks at a key's form and at who can read its file. A server of
// one's own may need no key.
func validateKey(c *cli.Context, o provider.Options) error {
	key, known, err := provider.KeyOf(o)
	if err != nil || !known && key.Value == "" {
		if err == nil && model.AsksServer(o.Name) {
			return say(c, "no key, which a server of one's own may not need\n")
		}
		return err
	}
	if warning := credentials.Unusual(key.Value); model.IsGemini(o.Name) && warning != "" {
		fmt.Fprintf(c.App.ErrWriter, "%s: %s\n", c.App.Name, warning)
	}
	return say(c, "key %s from %s\n", credentials.Mask(key.Value), turn.Shown(key.Source))
}

func say(c *cli.Context, format string, args ...any) error {
	return filter.Unwritten(fmt.Fprintf(c.App.Writer, format, args...))
}
