package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/pkg/history"
	"paicode/pkg/turn"
)

// The states of a transaction are in its directory's name, so that one rename
// changes them: pending while it is being made or taken back, nothing once it
// is made, kept once it is taken back where it still holds something of a
// person's, and gone while it is being removed. One that is taken back by force
// says so while it is pending.
const (
	transactionsDir = "transactions"
	pending         = ".pending"
	forcing         = ".forcing" // before pending
	kept            = ".kept"
	gone            = ".gone"
	recordFile      = "journal.json"
	recordVersion   = 2
	maxRecordBytes  = 1 << 30
)

// record says what a transaction does. It is on the disk before the first
// change, and is believed only in the very directory that it was written for:
// a copy that came with a clone is another directory.
type record struct {
	Version  int                        `json:"version"`
	Identity string                     `json:"identity"` // of the transaction's directory
	Ops      []disk.Op                  `json:"ops"`
	Paths    map[string]turn.SealedPath `json:"paths"`
}

// transaction is a transaction's directory, held open.
type transaction struct {
	root  *disk.Root
	rules *guard.Rules
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

// identity tells one directory from every other that there is or was: a clone
// can bring a name, but not an inode and a time of birth. The device is no part
// of it: it may have another number at the next mount.
func identity(fd int) (string, error) {
	var st unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_INO|unix.STATX_BTIME, &st); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d:%d.%09d", st.Ino, st.Btime.Sec, st.Btime.Nsec), nil
}

// openTransaction opens a transaction by its directory's name and reads its
// journal. foreign tells that it can't be believed, or that there is none
// yet: what is there was never begun here.
func (j *Journal) open(list int, name string) (t *transaction, foreign bool, err error) {
	fd, err := unix.Openat(list, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, true, nil
	}
	t = &transaction{root: j.root, rules: &j.rules, list: list, fd: fd, name: name}
	jfd, err := unix.Openat(fd, recordFile, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ELOOP) {
		return t, true, nil
	}
	if err != nil {
		t.close()
		return nil, false, err
	}
	f := os.NewFile(uintptr(jfd), recordFile)
	defer f.Close()
	if st, err := disk.StatFD(jfd); err != nil || st.Kind != disk.Regular {
		return t, true, nil
	}
	data, err := io.ReadAll(io.LimitReader(f, maxRecordBytes))
	if err != nil {
		t.close()
		return nil, false, err
	}
	id, err := identity(fd)
	if err != nil || json.Unmarshal(data, &t.record) != nil || t.Version != recordVersion || t.Identity != id {
		return t, true, nil
	}
	if strings.HasSuffix(name, gone) {
		return t, false, nil
	}
	_ = unix.Fchmod(fd, 0o700) // a kill during a check leaves it closed
	if err := t.readProgress(); err != nil {
		t.close()
		return nil, false, fmt.Errorf("%s: %w", name, err)
	}
	return t, false, nil
}

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
				return turn.AsError(err).WithHint("the transaction %s changed it, by other rules: with the same --allow and --deny it can be taken back", t.id())
			}
		}
	}
	return nil
}

// write writes the journal, with sync onto the disk.
func (t *transaction) write(sync bool) error {
	var err error
	if t.Identity, err = identity(t.fd); err != nil {
		return err
	}
	t.Version = recordVersion
	data, err := json.Marshal(t.record)
	if err != nil {
		return err
	}
	fd, err := unix.Openat(t.fd, recordFile, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), recordFile)
	_, err = f.Write(data)
	if err == nil && sync {
		err = errors.Join(f.Sync(), unix.Fsync(t.fd), unix.Fsync(t.list))
	}
	return errors.Join(err, f.Close())
}

// become gives the transaction another state.
func (t *transaction) setState(state string, sync bool) error {
	name := t.id() + state
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
func (t *transaction) id() string {
	name, _, _ := strings.Cut(t.name, ".")
	return name
}

// remove takes the transaction's directory away. What can't be removed stays:
// it is ours, and nobody's loss. While its files go it is no transaction any
// more, so that a kill on the way can't make half of one.
func (t *transaction) remove() {
	if !strings.HasSuffix(t.name, gone) && t.setState(gone, false) != nil {
		return
	}
	emptyDir(t.fd)
	_ = unix.Unlinkat(t.list, t.name, unix.AT_REMOVEDIR)
}

// names lists the transactions' directories, the oldest first.
func names(list int) ([]string, error) {
	dup, err := unix.Openat(list, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
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
		if unix.Unlinkat(fd, name, 0) == nil {
			continue
		}
		sub, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if errors.Is(err, unix.EACCES) && unix.Fchmodat(fd, name, 0o700, unix.AT_SYMLINK_NOFOLLOW) == nil {
			sub, err = unix.Openat(fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		}
		if err != nil {
			continue
		}
		_ = unix.Fchmod(sub, 0o700)
		emptyDir(sub)
		unix.Close(sub)
		_ = unix.Unlinkat(fd, name, unix.AT_REMOVEDIR)
	}
}
