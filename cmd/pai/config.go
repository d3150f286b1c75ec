package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"paicode/pkg/credentials"
	"paicode/pkg/filter"
	"paicode/pkg/talk"
	"paicode/pkg/turn"
)

func configCommands() []*cli.Command {
	return []*cli.Command{
		{Name: "set", Usage: "store a key, from a prompt or from standard input; or a setting: set model NAME",
			ArgsUsage: "[- | NAME VALUE]", Action: configSet, Flags: append(providerFlag(), filter.RootFlag())},
		{Name: "get", Usage: "print a setting: " + settingNames(), ArgsUsage: "NAME", Action: configGet, Flags: rootFlag()},
		{Name: "list", Usage: "list the settings, and where each comes from", Action: configList, Flags: rootFlag()},
		{Name: "show", Usage: "tell where the key comes from, and show it masked", Action: configShow, Flags: providerFlag()},
		{Name: "remove", Usage: "delete the stored keys, or one", Action: configRemove,
			Flags: []cli.Flag{&cli.StringFlag{Name: "provider", Usage: "the key of `NAME` only: " + providerNames()}}},
		{Name: "validate", Usage: "look at the key and its file, and ask the model's provider",
			Action: askModels("--validate", "offline"),
			Flags:  append(talk.ModelFlags(), &cli.BoolFlag{Name: "offline", Usage: "don't ask the provider"})},
	}
}

func providerFlag() []cli.Flag {
	return []cli.Flag{&cli.StringFlag{Name: "provider", Value: credentials.Providers()[0].Name,
		Usage: "the key of `NAME`: " + providerNames()}}
}

func providerNames() string {
	var names []string
	for _, p := range credentials.Providers() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ") + ", or a server's host such as llm.example.com:8080"
}

func configSet(c *cli.Context) error {
	if c.NArg() == 2 {
		return setSetting(c, c.Args().First(), c.Args().Get(1))
	}
	provider, err := credentials.Named(c.String("provider"))
	if err != nil {
		return err
	}
	key, err := givenKey(c)
	if err != nil {
		return err
	}
	if err := credentials.CheckForm(key); err != nil {
		return turn.Errorf(turn.CodeUsage, "the key %s", err)
	}
	store, err := credentials.Load()
	if err != nil {
		return err
	}
	store.SetKey(provider.Name, key)
	if err := store.Save(); err != nil {
		return err
	}
	if warning := credentials.Unusual(key); provider.Name == credentials.Providers()[0].Name && warning != "" {
		fmt.Fprintln(c.App.ErrWriter, "pai: "+warning)
	}
	return say(c, "stored in %s\n", turn.Shown(credentials.Path()))
}

// givenKey takes the key from where nobody else sees it, or from the
// argument, with a warning.
func givenKey(c *cli.Context) (string, error) {
	switch {
	case c.NArg() > 1:
		return "", turn.Errorf(turn.CodeUsage, "unexpected argument after the key").
			WithHint("pai config set model NAME chooses a model")
	case c.NArg() == 1 && c.Args().First() != "-" && !credentials.LooksLikeKey(c.Args().First()):
		return "", turn.Errorf(turn.CodeUsage, "%s does not look like a key", turn.Quote(c.Args().First())).
			WithHint("pai config set reads a key of any form from a prompt, or from standard input; pai config set model NAME chooses a model")
	case c.NArg() == 1 && c.Args().First() != "-":
		fmt.Fprintln(c.App.ErrWriter,
			"pai: a key among the arguments can be seen by every user and stays in the shell's history\nhint: pai config set reads it from a prompt")
		return strings.TrimSpace(c.Args().First()), nil
	case c.NArg() == 0 && filter.Terminal(c.App.Reader) != nil:
		return typedKey(c, filter.Terminal(c.App.Reader))
	}
	line, err := bufio.NewReader(io.LimitReader(c.App.Reader, 64<<10)).ReadString('\n')
	if err != nil && err != io.EOF {
		return "", turn.Errorf(turn.CodeInternal, "the key can't be read: %s", err)
	}
	if strings.TrimSpace(line) == "" {
		return "", turn.Errorf(turn.CodeUsage, "nothing on standard input").WithHint("pai config set < keyfile")
	}
	return strings.TrimSpace(line), nil
}

// typedKey reads a key at the terminal without showing it, until somebody interrupts.
func typedKey(c *cli.Context, terminal *os.File) (string, error) {
	fd := int(terminal.Fd())
	before, err := term.GetState(fd)
	if err == nil {
		err = hideTyped(fd) // before anybody is asked to type
	}
	if err != nil {
		return "", turn.Errorf(turn.CodeInternal, "the key can't be read: %s", err)
	}
	defer func() { _ = term.Restore(fd, before) }() // a terminal that went away has no modes
	fmt.Fprint(c.App.ErrWriter, "API key: ")
	typed := make(chan error, 1)
	var key []byte
	go func() {
		var err error
		key, err = term.ReadPassword(fd)
		typed <- err
	}()
	select {
	case <-c.Done():
		err = c.Err()
	case err = <-typed:
	}
	fmt.Fprintln(c.App.ErrWriter)
	if err != nil {
		return "", turn.Errorf(turn.CodeInternal, "the key can't be read: %s", err)
	}
	return strings.TrimSpace(string(key)), nil
}

// hideTyped has a terminal show nothing of what is typed.
func hideTyped(fd int) error {
	modes, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return err
	}
	modes.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(fd, unix.TCSETS, modes)
}

func configShow(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	provider, err := credentials.Named(c.String("provider"))
	if err != nil {
		return err
	}
	key, err := provider.Find()
	if err != nil {
		return err
	}
	return say(c, "%s (from %s)\n", credentials.Mask(key.Value), turn.Shown(key.Source))
}

func configRemove(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if name := c.String("provider"); name != "" {
		return removeKey(c, name)
	}
	was, err := credentials.Remove()
	if err != nil {
		return err
	}
	if !was {
		return say(c, "there was no stored key\n")
	}
	return say(c, "removed %s\n", turn.Shown(credentials.Path()))
}

// removeKey removes one provider's key from the file.
func removeKey(c *cli.Context, name string) error {
	provider, err := credentials.Named(name)
	if err != nil {
		return err
	}
	store, err := credentials.Load()
	if err != nil {
		return err
	}
	if store.Key(provider.Name) == "" {
		return say(c, "there was no stored key\n")
	}
	store.SetKey(provider.Name, "")
	if err := store.Save(); err != nil {
		return err
	}
	return say(c, "removed the key of %s from %s\n", provider.Name, turn.Shown(credentials.Path()))
}
