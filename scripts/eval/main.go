// Eval measures Pai on tasks, with the model that is configured, a replay, or answers that
// were written by hand.
//
//	go run ./scripts/eval [-tasks DIR] [-runs N] [-jobs N] [-out FILE] [-scripted] [-- options of pai]
//	go run ./scripts/eval exercism -test CMD [-hidden] EXERCISES DIR
//
// It prints a table: of each task and of all, how many runs succeeded, seconds, steps,
// questions and tokens, with 95% confidence intervals. -out keeps a JSON object for each run,
// with its document. -scripted plays the model with answers that were written by hand, and say
// nothing of any model: those of model.rules in the directory above the tasks, in the form of
// package modeltest. The exit code doesn't tell how runs ended. To record answers and to measure on
// them without a network:
//
//	go run ./scripts/eval -- --record DIR
//	go run ./scripts/eval -- --model replay:DIR
//
// A task is a directory:
//
//	request    what is asked; several requests, with lines "---" between, take turns
//	start/     the tree before; without it, an empty one
//	setup      a shell script that runs in the tree before, for what can't be committed
//	options    options of pai's, an argument a line
//	check      a shell script that runs in the tree after, and says by its exit code whether the
//	           task is done; $REQUEST is what was asked, $CODE the exit code, $DOCUMENT the
//	           document's path, $TASK the task's directory
//	code       the exit code that is needed; without it 0
//	keeps      paths that must be as they were, a line each; . is everything
//
// Checks run what a model wrote, without Pai's confinement: for a model that you don't trust,
// run all of it in a container.
//
// The second form makes such tasks of exercises in Exercism's layout; see exercism.go.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"paicode/pkg/model/modeltest"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) > 0 && args[0] == "exercism" {
		return exercism(args[1:])
	}
	flags := flag.NewFlagSet("eval", flag.ContinueOnError)
	dir := flags.String("tasks", "scripts/eval/tasks", "the tasks in `DIR`")
	runs := flags.Int("runs", 3, "do each task `N` times")
	jobs := flags.Int("jobs", 1, "do `N` at once")
	keep := flags.String("out", "", "write a JSON object for each run to `FILE`")
	wait := flags.Duration("timeout", 20*time.Minute, "for a run of pai, of a setup and of a check each")
	scripted := flags.Bool("scripted", false, "play the model with answers that were written by hand")
	if err := flags.Parse(args); err != nil {
		return err
	}
	tasks, err := load(*dir)
	if err != nil {
		return err
	}
	e := eval{options: flags.Args(), env: os.Environ(), wait: *wait}
	if *scripted {
		server, err := script(filepath.Join(*dir, "..", "model.rules"))
		if err != nil {
			return err
		}
		defer server.Close()
		e.env = append(e.env, "GOOGLE_GEMINI_BASE_URL="+server.URL, "GEMINI_API_KEY="+modeltest.Key)
		fmt.Fprintln(out, "The model's answers were written by hand.")
	}
	results, err := e.all(tasks, *runs, *jobs)
	if err != nil {
		return err
	}
	if *keep != "" {
		if err := writeAll(*keep, results); err != nil {
			return err
		}
	}
	return table(out, results)
}

// script starts a model that answers by rules.
func script(path string) (*modeltest.Server, error) {
	rules, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return modeltest.Start(string(rules))
}
