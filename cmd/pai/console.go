package main

import (
	"bufio"
	"context"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// console is the terminal on which a person is asked.
type console struct {
	f     *os.File
	lines chan string // closed at the end of input; nil before the first question
}

// openConsole opens the terminal that the process belongs to; nil where there
// is none, or where asking would stop a background job.
func openConsole() *console {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		f.Close()
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
