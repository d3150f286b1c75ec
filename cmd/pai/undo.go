package main

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"paicode/pkg/sibling"
	"paicode/pkg/turn"
)

// undo shows what comes back when a change is undone, and undoes it if the person agrees:
// exactly what was shown, or nothing.
func (p *session) undo(ctx context.Context, argument string) {
	how := []string{"--undo"}
	id, forced := strings.CutPrefix(argument, "--force")
	if forced {
		how = append(how, "--force")
	}
	args := append(slices.Clone(how), "--dry-run")
	if id = strings.TrimSpace(id); id != "" {
		args = append(args, "--", id)
	}
	out, code, err := sibling.Output(ctx, nil, p.screen, "pai-exec",
		append(sibling.RootArgs(p.project.Root, "--output=json"), args...)...)
	if err == nil && code != 0 {
		return // it said why
	}
	var shown *turn.Document
	if err == nil {
		shown, err = turn.Read([]byte(out))
	}
	if err != nil {
		p.screen.fail(err)
		return
	}
	exec, seal := shown.Exec(), shown.Seal()
	if exec == nil || seal == nil {
		p.screen.fail(turn.Errorf(turn.CodeInternal, "pai-exec doesn't say what undoing would do"))
		return
	}
	p.show(p.style().Result(shown))
	if !p.agree(ctx, "Undo? [y]es [n]o: ") {
		p.say("not undone")
		return
	}
	if p.pass(ctx, append(how, "--sealed="+seal.Steps, "--", exec.Transaction)...) {
		p.memory.add(turn.Interaction{Request: "undo", Outcome: "the change " + exec.Transaction + " was taken back",
			Changed: slices.Sorted(maps.Keys(seal.Paths))})
		p.last, p.offer = nil, ""
	}
}

// redo makes the change once more that was undone last.
func (p *session) redo(ctx context.Context, _ string) {
	if p.pass(ctx, "--redo") {
		p.memory.add(turn.Interaction{Request: "redo", Outcome: "the change that was undone last was made once more"})
		p.last, p.offer = nil, ""
	}
}

// redoCommand is pai redo, which is pai-exec's.
func redoCommand(c *cli.Context) error {
	if c.NArg() > 0 {
		return turn.Errorf(turn.CodeUsage, "unexpected argument %s", turn.Quote(c.Args().First()))
	}
	return passthrough(c, "pai-exec", sibling.RootArgs(c.String("root"), "--redo"))
}

// undoCommand is pai undo, which is pai-exec's and asks nobody.
func undoCommand(c *cli.Context) error {
	if err := oneTransaction(c); err != nil {
		return err
	}
	args := []string{"--undo"}
	if c.Bool("force") {
		args = append(args, "--force")
	}
	if c.Bool("dry-run") {
		args = append(args, "--dry-run", "--output="+c.String("output"))
	}
	return passthrough(c, "pai-exec",
		sibling.RootArgs(c.String("root"), append(append(args, "--"), c.Args().Slice()...)...))
}
