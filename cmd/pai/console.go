package main

import (
	"bufio"
	"context"
	"fmt"
	"os"

	"paicode/pkg/terminal"
)

// console is the terminal on which a person is asked.
type console struct {
	f     *os.File
	lines chan string // closed at the end of input; nil before the first question
}

// openConsole opens the terminal; nil where nobody can be asked.
func openConsole() *console {
	f := terminal.Open()
	if f == nil {
		return nil
	}
	return &console{f: f}
}

// ask prints a question and waits for a line; ok is false at the end of input
// and when the context ends.
func (c *console) ask(ctx context.Context, question string) (line string, ok bool) {
	if c.lines == nil {
		c.lines = make(chan string)
		go c.read()
	}
	fmt.Fprint(c.f, question)
	select {
	case line, ok = <-c.lines:
		return line, ok
	case <-ctx.Done():
		fmt.Fprintln(c.f)
		return "", false
	}
}

func (c *console) read() {
	defer close(c.lines)
	for scanner := bufio.NewScanner(c.f); scanner.Scan(); {
		c.lines <- scanner.Text()
	}
}
