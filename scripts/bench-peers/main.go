// Bench-peers does the same two tasks with Pai and with other agents for the terminal, on a
// provider on loopback that answers at once, and prints what each took.
//
//	go run ./scripts/bench-peers [-rounds N] [-peers DIR] [-log FILE] BINDIR
//
// Agents that npm has are installed into DIR, at the versions that are in peers.go, with
// nothing else of the network needed. Each runs without its sandbox, asks nobody, and has a
// home of its own in which updates and telemetry are turned off. What their models do was
// written by hand, the fewest calls that do the task with the tools which the agent offers: as a
// real model would, it looks at the file before and after it changes it. So the calls
// say what the way of working costs, not how well a model works in it. Tokens are
// bodies of questions in characters, by four.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	rounds := flag.Int("rounds", 5, "take the median of `N` runs")
	peers := flag.String("peers", filepath.Join(os.TempDir(), "pai-peers"), "install agents into `DIR`")
	log := flag.String("log", "", "write all questions to `FILE`")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: bench-peers [-rounds N] [-peers DIR] [-log FILE] BINDIR")
		os.Exit(2)
	}
	if err := bench(flag.Arg(0), *peers, *log, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench-peers:", err)
		os.Exit(1)
	}
}

func bench(bin, dir, logPath string, rounds int) error {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return err
	}
	var log io.Writer
	if logPath != "" {
		f, err := os.Create(logPath)
		if err != nil {
			return err
		}
		defer f.Close()
		log = f
	}
	s, err := newServer(answers, log)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := install(dir); err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "pai-peers-home-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	var rows []row
	for _, p := range agents(bin, dir, s.URL) {
		r, err := p.measure(s, filepath.Join(home, p.name), rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		rows = append(rows, r)
	}
	return print(os.Stdout, rows)
}
