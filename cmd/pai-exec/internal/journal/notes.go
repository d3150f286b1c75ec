package journal

import (
	"bytes"
	"crypto/rand"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/pkg/history"
)

// Notes are the names of transactions that were begun in trees whose file system keeps no time
// of birth: a file of the person's own, outside of every tree.
type Notes struct{ f *os.File }

// OpenNotes opens the notes if a root needs them, and makes them if need be; nil are none. It
// comes before the process is locked in.
func OpenNotes(root *disk.Root) *Notes {
	if _, born, err := place(root.FD()); err != nil || born {
		return nil
	}
	state, err := history.State()
	if err != nil {
		return nil
	}
	dir, err := unix.Open(state, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(dir)
	f, err := history.OpenFile(dir, "transactions", unix.O_APPEND)
	if err != nil {
		return nil
	}
	return &Notes{f}
}

// Close closes them; nil are none.
func (n *Notes) Close() {
	if n != nil {
		_ = n.f.Close()
	}
}

// Add notes a new name.
func (n *Notes) Add() (string, error) {
	name := rand.Text()
	_, err := n.f.WriteString(name + "\n")
	return name, err
}

// Has reports whether a name is noted.
func (n *Notes) Has(name string) bool {
	all, err := io.ReadAll(io.NewSectionReader(n.f, 0, maxRecordBytes))
	return err == nil && name != "" && bytes.Contains(append([]byte("\n"), all...), []byte("\n"+name+"\n"))
}
