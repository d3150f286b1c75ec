package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"paicode/pkg/credentials"
	"paicode/pkg/model"
	"paicode/pkg/talk"
	"paicode/pkg/turn"
)

func configCommands() []*cli.Command {
	return []*cli.Command{
		{Name: "set", Usage: "store the key, from a prompt or from standard input", ArgsUsage: "[-]", Action: configSet},
		{Name: "show", Usage: "tell where the key comes from, and show it masked", Action: configShow},
		{Name: "remove", Usage: "delete the stored key", Action: configRemove},
		{Name: "validate", Usage: "look at the key's form and ask the provider", Action: configValidate,
			Flags: append(talk.Flags(), &cli.BoolFlag{Name: "offline", Usage: "don't ask the provider"})},
	}
}

func configSet(c *cli.Context) error {
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
	store.APIKey = key
	if err := store.Save(); err != nil {
		return err
	}
	warnForm(key)
	return say("stored in %s\n", turn.Shown(credentials.Path()))
}

// givenKey takes the key from where nobody else sees it, or from the
// argument, with a warning.
func givenKey(c *cli.Context) (string, error) {
	switch {
	case c.NArg() > 1:
		return "", turn.Errorf(turn.CodeUsage, "unexpected argument after the key")
	case c.NArg() == 1 && c.Args().First() != "-":
		fmt.Fprintln(os.Stderr, "pai: a key among the arguments can be seen by every user and stays in the shell's history\nhint: pai config set reads it from a prompt")
		return strings.TrimSpace(c.Args().First()), nil
	case c.NArg() == 0 && isatty.IsTerminal(os.Stdin.Fd()):
		fmt.Fprint(os.Stderr, "API key: ")
		key, err := term.ReadPassword(int(os.Stdin.Fd()))
		fmt.Fprintln(os.Stderr)
		if err != nil {
			return "", turn.Errorf(turn.CodeInternal, "the key can't be read: %s", err)
		}
		return strings.TrimSpace(string(key)), nil
	}
	line, err := bufio.NewReader(io.LimitReader(os.Stdin, 64<<10)).ReadString('\n')
	if err != nil && err != io.EOF {
		return "", turn.Errorf(turn.CodeInternal, "the key can't be read: %s", err)
	}
	if strings.TrimSpace(line) == "" {
		return "", turn.Errorf(turn.CodeUsage, "nothing on standard input").WithHint("pai config set < keyfile")
	}
	return strings.TrimSpace(line), nil
}

func warnForm(key string) {
	if !credentials.LooksLikeGemini(key) {
		fmt.Fprintln(os.Stderr, "pai: a Gemini key usually begins with \"AIza\", this one doesn't")
	}
}

func configShow(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	key, err := credentials.Gemini()
	if err != nil {
		return err
	}
	return say("%s (from %s)\n", credentials.Mask(key.Value), turn.Shown(key.Source))
}

func configRemove(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	was, err := credentials.Remove()
	if err != nil {
		return err
	}
	if !was {
		return say("there was no stored key\n")
	}
	return say("removed %s\n", turn.Shown(credentials.Path()))
}

func configValidate(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	key, err := credentials.Gemini()
	if err != nil {
		return err
	}
	warnForm(key.Value)
	if err := say("key %s from %s\n", credentials.Mask(key.Value), turn.Shown(key.Source)); err != nil || c.Bool("offline") {
		return err
	}
	talk.Quiet()
	options, err := talk.Options(c, func(message string) { fmt.Fprintf(os.Stderr, "pai: %s\n", message) })
	if err != nil {
		return err
	}
	if err := model.Validate(c.Context, options); err != nil {
		return err
	}
	return say("accepted, and the model %q is known\n", options.Name)
}
