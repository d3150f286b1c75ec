package main

import (
	"context"
	"maps"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"paicode/pkg/filter"
	"paicode/pkg/sibling"
	"paicode/pkg/turn"
)

// undo shows what comes back when a change is undone, and undoes it if the person agrees:
// exactly what was shown, or nothing.
func (p *session) undo(ctx context.Context, id string) {
	args := []string{"--undo", "--dry-run"}
	if id != "" {
		args = append(args, "--", id)
	}
	shown, err := sibling.Runner{Stderr: p.screen}.Run(ctx, turn.New("undo"), "pai-exec", append(sibling.RootArgs(p.project.Root, "--output=json"), args...)...)
	if err != nil {
		filter.PrintError(os.Stderr, "pai", turn.AsError(err))
		return
	}
	exec, seal := shown.Exec(), shown.Seal()
	if shown.Error() != nil || exec == nil || seal == nil {
		return // it said why
	}
	p.show(p.style.Result(shown))
	if !p.agree(ctx, "Undo? [y]es [n]o: ") {
		p.say("not undone")
		return
	}
	if p.pass(ctx, "--undo", "--sealed="+seal.Steps, "--", exec.Transaction) {
		p.memory.add(turn.Interaction{Request: "undo", Outcome: "the change " + exec.Transaction + " was taken back", Changed: slices.Sorted(maps.Keys(seal.Paths))})
		p.last, p.offer = nil, ""
	}
}

// undoCommand is pai undo: on a terminal as in a session, else at once.
func undoCommand(c *cli.Context) error {
	if c.NArg() > 1 {
		return turn.Errorf(turn.CodeUsage, "unexpected argument %s", turn.Quote(c.Args().Get(1)))
	}
	args := []string{"--undo"}
	if c.Bool("force") {
		args = append(args, "--force")
	}
	if c.Bool("dry-run") {
		args = append(args, "--dry-run", "--output="+c.String("output"))
	}
	return passthrough(c, sibling.RootArgs(c.String("root"), append(append(args, "--"), c.Args().Slice()...)...))
}
