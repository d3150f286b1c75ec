// Manual writes the manual pages and the shells' completions: those of commands from what they
// print with --help-all, pai-document(5) from the doc comment of pkg/turn, and the others from the
// Markdown in scripts/manual.
//
//	go run ./scripts/manual BINDIR DIR
//
// DIR is cmd/pai/share, from where pai prints them and packages take them.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

func write(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: manual BINDIR DIR")
	}
	var all []*command
	for _, name := range []string{"pai", "pai-classify", "pai-plan", "pai-exec", "pai-suggest", "pai-model"} {
		c, err := ask(filepath.Join(args[0], name), name)
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	files := map[string]string{"pai.bash": bash(all), "_pai": zsh(all), "pai.fish": fish(all)}
	for _, c := range all {
		files[c.name+".1"] = manual(c, all)
	}
	if err := pages(files); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(args[1], name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
