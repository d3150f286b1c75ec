// Conform checks a stage or a generator that isn't Pai's. Its argument is a shell
// command; it prints a line for each case, and exits with 1 if one failed.
//
//	go run ./scripts/conform [-owns plan,x_a] stage COMMAND
//	go run ./scripts/conform generator COMMAND
//
// A stage is given documents of every kind, as pkg/turn/testdata/golden has them, and input
// that is none. What it may do is said in the documentation of package turn. With -owns it
// may change further members; a suggestion of its own, for example.
//
// A generator is given three questions, in one process, as pai-exec asks them. What its text says
// isn't judged: pai-exec --show-egress prints a whole question, with the form of the answer.
// Nor is whether a stage does what it is for.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "conform:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("conform", flag.ContinueOnError)
	documents := flags.String("documents", "pkg/turn/testdata/golden", "check a stage with the documents in `DIR`")
	owns := flags.String("owns", "", "members that the stage may change, with commas between")
	wait := flags.Duration("timeout", 30*time.Second, "for each case")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 {
		return fmt.Errorf("usage: conform [-owns MEMBERS] stage|generator COMMAND")
	}
	r := &report{out: out}
	switch flags.Arg(0) {
	case "stage":
		s := stage{command: flags.Arg(1), owns: strings.Split(*owns, ","), wait: *wait}
		if err := s.check(*documents, r); err != nil {
			return err
		}
	case "generator":
		generator{flags.Arg(1), *wait}.check(r)
	default:
		return fmt.Errorf("%q is neither stage nor generator", flags.Arg(0))
	}
	if r.failed > 0 {
		return fmt.Errorf("%d of %d cases failed", r.failed, r.cases)
	}
	fmt.Fprintf(out, "all %d cases hold\n", r.cases)
	return nil
}

// report prints cases as they end.
type report struct {
	out           io.Writer
	cases, failed int
}

// note prints one; a nil error is a case that holds.
func (r *report) note(name string, err error) {
	r.cases++
	if err != nil {
		r.failed++
		fmt.Fprintf(r.out, "FAIL  %s: %s\n", name, err)
		return
	}
	fmt.Fprintf(r.out, "ok    %s\n", name)
}
