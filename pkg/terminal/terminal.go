// Package terminal opens the terminal on which a person can be asked.
package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// Open opens the terminal that the process belongs to. It returns nil where
// there is none, and in the background: asking there would stop the job.
func Open() *os.File {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		f.Close()
		return nil
	}
	return f
}
