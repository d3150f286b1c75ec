package main

import (
	"bytes"
	"embed"
	"os/exec"
	"strings"

	"github.com/urfave/cli/v2"

	"paicode/pkg/filter"
	"paicode/pkg/turn"
)

// share has the manual pages and the completions, as scripts/manual writes them.
//
//go:embed share/*
var share embed.FS

// printCompletion prints the completion of a shell.
func printCompletion(c *cli.Context) error {
	files := map[string]string{"bash": "pai.bash", "zsh": "_pai", "fish": "pai.fish"}
	name, ok := files[c.Args().First()]
	if !ok || c.NArg() != 1 {
		return turn.Errorf(turn.CodeUsage, "specify bash, zsh or fish").
			WithHint("eval \"$(pai completion bash)\" in ~/.bashrc, for example")
	}
	text, err := share.ReadFile("share/" + name)
	if err != nil {
		return err
	}
	return filter.Unwritten(c.App.Writer.Write(text))
}

// printManual prints a manual page's source; on a terminal it has man show the page.
func printManual(c *cli.Context) error {
	name := "pai"
	if about := c.Args().First(); about != "" && about != name {
		name += "-" + strings.TrimPrefix(about, "pai-")
	}
	var text []byte
	for _, section := range []string{"1", "5", "7"} {
		if page, err := share.ReadFile("share/" + name + "." + section); err == nil {
			text = page
		}
	}
	if text == nil || c.NArg() > 1 {
		return turn.Errorf(turn.CodeUsage, "no manual page named %s", turn.Quote(strings.Join(c.Args().Slice(), " "))).
			WithHint("commands: classify, plan, exec, suggest, model; formats: document, config; " +
				"topics: session, context, security, recipes")
	}
	if path, err := exec.LookPath("man"); err == nil && filter.Terminal(c.App.Writer) != nil {
		man := exec.CommandContext(c.Context, path, "-l", "-")
		man.Stdin, man.Stdout, man.Stderr = bytes.NewReader(text), filter.Streams(c).Out, c.App.ErrWriter
		return man.Run()
	}
	return filter.Unwritten(c.App.Writer.Write(text))
}
