package journal

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/pkg/history"
	"paicode/pkg/turn"
)

// The states of a transaction are in its directory's name, so that one rename
// changes them: unready while its journal is being written, pending while it is being made or
// rolled back, nothing once it is made, kept once it is rolled back where it still holds something
// of a person's, and gone while it is being removed. One that is rolled back by force
// says so while it is pending. One that a person took back is undone, with a number by which the
// last of them is known, until another change is made: it can be made once more. While it goes
// from the one to the other it is reversing and pending.
const (
	transactionsDir = "transactions"
	unready         = ".new"
	pending         = ".pending"
	forcing         = ".forcing" // before pending
	kept            = ".kept"
	gone            = ".gone"
	reversing       = ".reversing" // before forcing and pending
	undone          = ".undone-"   // and a number
)

// transaction is a transaction's directory, held open.
type transaction struct {
	root  *disk.Root
	rules *guard.Rules
	key   *Key
	list  int    // the directory of all transactions
	fd    int    // its own
	name  string // with its state
	at    progress
	record
}

// path is where the transaction lies, for people.
func (t *transaction) path() string {
	return history.Dir + "/" + transactionsDir + "/" + t.name
}

func (t *transaction) close() { unix.Close(t.fd) }

// permitted passes every path that a journal changes through the guard's words
// and rules, which may not be those that it was begun with.
func (t *transaction) permitted() error {
	for _, o := range t.Ops {
		paths := []string{o.Path}
		if o.Kind == disk.OpRename {
			paths = append(paths, o.To)
		}
		for _, p := range paths {
			if err := guard.Check(p, false, false, t.rules); err != nil {
				return turn.AsError(err).WithHint("the transaction %s changed it, by other rules: with the same --allow and --deny it can be rolled back", t.id())
			}
		}
	}
	return nil
}

// setState gives the transaction another state.
func (t *transaction) setState(state string, sync bool) error {
	return t.rename(t.id()+state, sync)
}

func (t *transaction) rename(name string, sync bool) error {
	if err := unix.Renameat2(t.list, t.name, t.list, name, unix.RENAME_NOREPLACE); err != nil {
		return err
	}
	t.name = name
	if !sync {
		return nil
	}
	return unix.Fsync(t.list)
}

// id is the transaction's name for people.
func (t *transaction) id() string { return idOf(t.name) }

func idOf(name string) string {
	id, _, _ := strings.Cut(name, ".")
	return id
}

// remove takes the transaction's directory away. What can't be removed stays:
// it is ours, and nobody's loss. While its files go it is no transaction any
// more, so that a kill on the way can't make half of one.
func (t *transaction) remove() {
	if !strings.HasSuffix(t.name, gone) {
		if err := t.setState(gone, false); err != nil && !errors.Is(err, unix.ENOENT) {
			return
		}
	}
	emptyDir(t.fd)
	_ = unix.Unlinkat(t.list, t.name, unix.AT_REMOVEDIR)
}

// newTransaction makes the directory of a new transaction, the sequence after all of ours.
func (h *heldJournal) newTransaction(r record) (*transaction, error) {
	sequence, err := h.last()
	if err != nil {
		return nil, err
	}
	r.Version, r.Sequence = recordVersion, sequence+1
	name := fmt.Sprintf("%d-%s", r.Sequence, r.Made.Format("20060102T150405"))
	if err := unix.Mkdirat(h.list, name+unready, 0o700); err != nil && !errors.Is(err, unix.EEXIST) {
		return nil, err
	}
	fd, err := unix.Openat(h.list, name+unready, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	t := &transaction{root: h.root, rules: &h.rules, key: h.Key, list: h.list, fd: fd, name: name + unready, record: r}
	err = h.identify(&t.record, fd)
	if err == nil {
		err = t.rename(name+"-"+tag(t.Identity)+unready, false)
	}
	if err != nil {
		_ = unix.Unlinkat(h.list, name+unready, unix.AT_REMOVEDIR)
		t.close()
		return nil, err
	}
	return t, nil
}

// last is the sequence of the newest transaction that is ours; 0 if there is none.
func (h *heldJournal) last() (int64, error) {
	for t, err := range h.each(h.list, newestFirst, onlyHeaders, func(string) bool { return true }) {
		if err != nil {
			return 0, err
		}
		switch t.is {
		case ours:
			return t.Sequence, nil
		case damaged:
			return sequenceOf(t.name), nil
		}
	}
	return 0, nil
}

// sequenceOf is what a directory's name begins with; 0 for those of the version before, and
// for what is no such name.
func sequenceOf(name string) int64 {
	digits, _, _ := strings.Cut(name, "-")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// names lists what is in an open directory, sorted.
func names(dir int) ([]string, error) {
	dup, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(dup), transactionsDir)
	defer f.Close()
	all, err := f.Readdirnames(-1)
	slices.Sort(all)
	return all, err
}

// emptyDir removes everything in an open directory, following nothing.
func emptyDir(fd int) {
	all, err := names(fd)
	if err != nil {
		return
	}
	for _, name := range all {
		removeAll(fd, name)
	}
}

// removeAll removes what is at a name in an open directory, and everything under it.
func removeAll(dir int, name string) {
	if unix.Unlinkat(dir, name, 0) == nil {
		return
	}
	sub, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.EACCES) && unix.Fchmodat(dir, name, 0o700, unix.AT_SYMLINK_NOFOLLOW) == nil {
		sub, err = unix.Openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return
	}
	_ = unix.Fchmod(sub, 0o700)
	emptyDir(sub)
	unix.Close(sub)
	_ = unix.Unlinkat(dir, name, unix.AT_REMOVEDIR)
}
