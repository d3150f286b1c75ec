package engine

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"paicode/pkg/turn"
)

// terminal is where a person can be asked; nil where there is none, or where
// asking would stop a background job.
type terminal struct{ f *os.File }

func openTerminal() *terminal {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		f.Close()
		return nil
	}
	return &terminal{f}
}

func (t *terminal) close() {
	if t != nil {
		t.f.Close()
	}
}

// agrees shows the steps that take something away and asks for a yes. Without
// a terminal the answer is no.
func (t *terminal) agrees(steps []turn.Step, numbers []int) bool {
	if t == nil {
		return false
	}
	for _, s := range steps {
		if slices.Contains(numbers, s.Number) {
			fmt.Fprintf(t.f, "%3d  %s %s %s\n", s.Number, s.Action, turn.Shown(s.Target), destination(s))
		}
	}
	fmt.Fprint(t.f, "Apply? [y]es [n]o: ")
	line, _ := bufio.NewReader(t.f).ReadString('\n')
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y")
}

func destination(s turn.Step) string {
	if s.Destination == "" {
		return ""
	}
	return "→ " + turn.Shown(s.Destination)
}
