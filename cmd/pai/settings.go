package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"paicode/pkg/credentials"
	"paicode/pkg/model"
	"paicode/pkg/settings"
	"paicode/pkg/turn"
)

// settingNames are those that pai config knows.
func settingNames() string {
	var names []string
	for _, s := range settings.All() {
		names = append(names, s.Name)
	}
	return strings.Join(append(names, settings.Check), ", ")
}

// rootOf is the absolute path of the root, without links, under which its check is kept.
func rootOf(root string) (string, error) {
	if root == "" {
		root = "."
	}
	real, err := filepath.EvalSymlinks(root)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return "", turn.Errorf(turn.CodeUsage, "the root %s can't be found: %s", turn.Quote(root),
			turn.Printable(err.Error()))
	}
	return real, nil
}

// setSetting keeps a value; an empty one takes it away.
func setSetting(c *cli.Context, name, value string) error {
	value = strings.TrimSpace(value)
	all, err := settings.Load()
	if err != nil {
		return err
	}
	is, ok := settings.Named(name)
	switch {
	case credentials.LooksLikeGemini(value) || strings.HasPrefix(value, "sk-"):
		return turn.Errorf(turn.CodeUsage, "this looks like a key, not like a setting").
			WithHint("pai config set stores a key")
	case ok:
		if err = all.Set(is, value); err == nil && is.Name == "model" {
			err = model.CheckName(value)
		}
	case name == settings.Check:
		var root string
		if root, err = rootOf(c.String("root")); err == nil {
			setCheck(&all, root, value)
		}
	default: // it may be a key, which isn't printed
		return turn.Errorf(turn.CodeUsage, "no such setting").
			WithHint("one of %s; pai config set alone reads a key", settingNames())
	}
	if err != nil {
		return err
	}
	if err := all.Save(); err != nil {
		return err
	}
	if value == "" {
		return say(c, "%s is not set any more\n", name)
	}
	return say(c, "%s is %s, by %s\n", name, turn.Shown(value), turn.Shown(settings.Path()))
}

func setCheck(all *settings.Settings, root, command string) {
	if all.Checks == nil {
		all.Checks = make(map[string]string)
	}
	if all.Checks[root] = command; command == "" {
		delete(all.Checks, root)
	}
}

func unknownSetting(name string) error {
	return turn.Errorf(turn.CodeUsage, "there is no setting %s", turn.Quote(name)).
		WithHint("one of %s; pai config set alone reads a key", settingNames())
}

// setting is a value that holds, and where it comes from.
type setting struct{ name, value, from string }

// current are all settings as they hold for the root that --root names.
func current(c *cli.Context) (list []setting, err error) {
	root, err := rootOf(c.String("root"))
	if err != nil {
		return nil, err
	}
	all, err := settings.Load()
	if err != nil {
		return nil, err
	}
	for _, s := range settings.All() {
		now := setting{s.Name, "", "not set"}
		if s.Name == "model" {
			now.value, now.from = model.DefaultName, "default"
		}
		if value := all.Get(s); value != "" {
			now.value, now.from = value, settings.Path()
		}
		if value := os.Getenv(s.Variable); value != "" && value != all.Get(s) {
			now.value, now.from = value, "$"+s.Variable
		}
		list = append(list, now)
	}
	check := setting{settings.Check, "", "not set"}
	if command := all.Checks[root]; command != "" {
		check.value, check.from = command, settings.Path()+", for "+root
	}
	return append(list, check), nil
}

func configGet(c *cli.Context) error {
	if c.NArg() != 1 {
		return turn.Errorf(turn.CodeUsage, "pai config get needs the name of a setting").WithHint("one of %s", settingNames())
	}
	list, err := current(c)
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.name == c.Args().First() {
			if s.value == "" {
				return turn.Errorf(turn.CodeUsage, "%s is not set", s.name)
			}
			return say(c, "%s\n", turn.Shown(s.value))
		}
	}
	return unknownSetting(c.Args().First())
}

func configList(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	list, err := current(c)
	if err != nil {
		return err
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range list {
		value := "-"
		if s.value != "" {
			value = turn.Shown(s.value)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.name, value, turn.Shown(s.from))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return say(c, "%s", b.String())
}
