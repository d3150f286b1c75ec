package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"paicode/cmd/pai-exec/internal/check"
	"paicode/cmd/pai-exec/internal/engine"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/pkg/filter"
	"paicode/pkg/logbook"
	"paicode/pkg/turn"
)

// standalone does what needs no document: the log, and undoing.
func standalone(c *cli.Context, work *filter.Work) (bool, error) {
	switch {
	case c.Bool(check.Flag):
		return true, check.Serve(os.Stdin, os.Stdout)
	case c.IsSet("explain"):
		return true, explain(c)
	case c.Bool("rules"):
		return true, printRules()
	}
	if is, err := aboutTransactions(c); !is || err != nil {
		return is, err
	}
	o, err := options(c)
	if err != nil {
		return true, err
	}
	o.Whole = work.Whole
	_, _ = time.Now().Zone() // reads the time zone while its file can be opened
	progress := filter.NewProgress(os.Stderr, "pai-exec", nil)
	switch {
	case c.Bool("undo") && c.Bool("dry-run"):
		return true, reverse(c, o, progress)
	case c.Bool("redo"):
		redone, err := engine.Redo(c.Context, o, progress)
		if err == nil {
			err = print("redone " + line(redone) + "\n")
		}
		return true, err
	case c.Bool("undo"):
		undone, err := engine.Undo(c.Context, o, c.Args().First(), c.Bool("force"), c.String("sealed"), progress)
		if err == nil {
			err = print("undone " + line(undone) + "\n")
		}
		return true, err
	}
	transactions, err := engine.Log(o, progress)
	switch {
	case err != nil:
	case c.Bool("show"):
		err = showChange(c, transactions)
	default:
		err = print(describe(transactions, logbook.Changes(o.Root), c.Bool("json")))
	}
	return true, err
}

// aboutTransactions reports whether the options ask for one of the jobs on transactions; the
// error is of what doesn't go with it.
func aboutTransactions(c *cli.Context) (bool, error) {
	undo, redo, list, show := c.Bool("undo"), c.Bool("redo"), c.Bool("log"), c.Bool("show")
	if c.IsSet("sealed") && (!undo || c.Bool("dry-run")) {
		return true, turn.Errorf(turn.CodeUsage, "--sealed needs --undo")
	}
	if c.Bool("json") && !list {
		return true, turn.Errorf(turn.CodeUsage, "--json needs --log")
	}
	switch count(undo, redo, list, show) {
	case 0:
		return false, nil
	case 1:
	default:
		return true, turn.Errorf(turn.CodeUsage, "--log, --show, --undo and --redo can't be used together")
	}
	if most := map[bool]int{true: 1}[undo || show]; c.NArg() > most {
		return true, turn.Errorf(turn.CodeUsage, "--log and --redo take nothing, --show and --undo at most one transaction")
	}
	for _, other := range []string{"dry-run", "observe", "only", "skip"} {
		if c.IsSet(other) && (other != "dry-run" || !undo) {
			return true, turn.Errorf(turn.CodeUsage, "--%s can't be used with --log, --show, --undo or --redo", other)
		}
	}
	if undo && c.NArg() == 1 && c.Args().First() == "" {
		return true, turn.Errorf(turn.CodeUsage, "--undo needs the name of a transaction, or nothing")
	}
	return true, nil
}

// count is how many of them are true.
func count(all ...bool) (n int) {
	for _, is := range all {
		if is {
			n++
		}
	}
	return n
}

// reverse prints what undoing would do.
func reverse(c *cli.Context, o engine.Options, progress *filter.Progress) error {
	out, err := filter.NewOutput(c.String("output"))
	if err != nil {
		return err
	}
	doc, err := engine.Reverse(c.Context, o, c.Args().First(), c.Bool("force"), progress)
	if err != nil {
		return err
	}
	return out.Write(os.Stdout, doc)
}

// explain says what the guard thinks of a path.
func explain(c *cli.Context) error {
	o, err := options(c)
	if err != nil {
		return err
	}
	if err := engine.Explain(o, c.String("explain"), filter.NewProgress(os.Stderr, "pai-exec", nil)); err != nil {
		return err
	}
	return print("allowed: " + turn.Quote(c.String("explain")) + "\n")
}

// printRules prints the lists that are built in, a name a line.
func printRules() error {
	var b strings.Builder
	for _, list := range []struct {
		title   string
		entries []guard.Entry
	}{
		{"Denied, unless --allow or pai-code/allow lifts it:", guard.DenyList()},
		{"A risk, which wants --allow-risky:", guard.RiskList()},
		{"Shown with a caution, since a build or a test runs it:", guard.CautionList()},
	} {
		fmt.Fprintf(&b, "%s\n", list.title)
		for _, e := range list.entries {
			for name := range strings.FieldsSeq(e.Names) {
				fmt.Fprintf(&b, "  %-28s %s\n", name, cmp.Or(strings.TrimPrefix(e.Why, "denied: "), "not denied: an example"))
			}
		}
	}
	b.WriteString("Names are compared at any depth, without regard to case. A repository of git under another name is denied too.\n")
	return print(b.String())
}

func print(text string) error {
	return filter.Unwritten(os.Stdout.WriteString(text))
}
