package journal

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
)

// rollBack takes a transaction's changes back and removes the transaction. A
// path that somebody changed since is left as it is and named, unless force is
// set: then what is there goes into the transaction's directory, which stays.
func (t *transaction) rollBack(force, killed bool) (left []string, err error) {
	if left, err = t.retreat(context.Background(), true, force, killed); err != nil {
		return left, err
	}
	return left, t.retired(len(left) > 0)
}

// retired puts a transaction away that was rolled back; it stays if it holds
// something, or if a person took it back.
func (t *transaction) retired(holds bool) error {
	if err := unix.Syncfs(t.fd); err != nil {
		return err
	}
	if strings.Contains(t.name, reversing) && !holds {
		return t.setUndone()
	}
	t.dropLeft()
	if holds || t.keeps() {
		return t.setState(kept, true)
	}
	t.remove()
	return nil
}

// undo takes one change back that was made. free is false if somebody changed
// the path since.
func (t *transaction) undo(i int, force bool) (free bool, err error) {
	o, staged := t.Ops[i], strconv.Itoa(i)
	dir, name, err := t.root.Parent(o.Path)
	if err != nil && unlessAbsent(err) == nil {
		back, staged := t.putsBack(staged, o)
		if !force || !back || staged != nil || !errors.Is(err, unix.ENOENT) {
			return !back, staged
		}
		if err = t.root.MakeParents(o.Path, t.modeBefore); err == nil {
			dir, name, err = t.root.Parent(o.Path)
		}
	}
	if err != nil {
		return false, err
	}
	defer unix.Close(dir)
	u := undoing{t, i, o, staged, dir, name, force}
	switch o.Kind {
	case disk.OpMkdir:
		return u.mkdir()
	case disk.OpPut:
		return u.put()
	case disk.OpReplace:
		return u.replace()
	case disk.OpRemove:
		return u.remove()
	}
	return u.rename()
}

// putsBack reports whether taking a change back puts something where the tree
// has no directory any more.
func (t *transaction) putsBack(staged string, o disk.Op) (bool, error) {
	switch o.Kind {
	case disk.OpReplace, disk.OpRemove:
		return exists(t.fd, staged)
	case disk.OpRename:
		return true, nil
	}
	return false, nil
}

// modeBefore is the mode of a directory before the transaction, as far as that is known.
func (t *transaction) modeBefore(p string) (mode uint32, known bool) {
	mode, known = t.Above[p]
	return mode, known
}

// undoing is the rolling back of one change, in the open directory of its path.
type undoing struct {
	*transaction
	i      int
	o      disk.Op
	staged string
	dir    int
	name   string
	force  bool
}

// clear makes room at the path: what is there goes into the transaction's
// directory, if that is forced.
func (u undoing) clear() (free bool, err error) {
	stands, err := exists(u.dir, u.name)
	if err != nil || !stands || !u.force {
		return !stands && err == nil, err
	}
	return true, unix.Renameat2(u.dir, u.name, u.fd, displaced(u.i), unix.RENAME_NOREPLACE)
}

// fill makes room at the path and puts there what is under a name in an open
// directory.
func (u undoing) fill(from int, name string) (free bool, err error) {
	if free, err = u.clear(); !free || err != nil {
		return free, err
	}
	err = unix.Renameat2(from, name, u.dir, u.name, unix.RENAME_NOREPLACE)
	if err != nil && there(u.fd, displaced(u.i)) {
		err = errors.Join(err, unix.Renameat2(u.fd, displaced(u.i), u.dir, u.name, unix.RENAME_NOREPLACE))
	}
	return true, err
}

func (u undoing) mkdir() (free bool, err error) {
	err = unix.Unlinkat(u.dir, u.name, unix.AT_REMOVEDIR)
	switch {
	case err == nil || errors.Is(err, unix.ENOENT):
		return true, nil
	case errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.ENOTDIR):
		u.force = u.force || u.left(u.dir, u.name, u.o.Path)
		return u.clear()
	}
	return false, err
}

func (u undoing) put() (free bool, err error) {
	ours, err := u.holdsOurs()
	if errors.Is(err, unix.ENOENT) {
		return true, nil
	}
	if err != nil || !ours {
		return u.unless(err)
	}
	if err := unix.Renameat2(u.dir, u.name, u.fd, u.staged, unix.RENAME_NOREPLACE); err != nil {
		return false, err
	}
	if ours, err = u.stagedOurs(); err != nil || ours {
		return ours, err
	}
	if err := unix.Renameat2(u.fd, u.staged, u.dir, u.name, unix.RENAME_NOREPLACE); err != nil {
		return false, err
	}
	return u.clear()
}

func (u undoing) replace() (free bool, err error) {
	ours, err := u.holdsOurs()
	if err == nil && ours {
		if err := unix.Renameat2(u.fd, u.staged, u.dir, u.name, unix.RENAME_EXCHANGE); err != nil {
			return false, err
		}
		if ours, err = u.stagedOurs(); err != nil || ours {
			return ours, err
		}
		err = unix.Renameat2(u.fd, u.staged, u.dir, u.name, unix.RENAME_EXCHANGE)
	}
	if errors.Is(err, unix.ENOENT) && !u.force {
		return false, nil
	}
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return false, err
	}
	return u.fill(u.fd, u.staged)
}

func (u undoing) remove() (free bool, err error) {
	return u.fill(u.fd, u.staged)
}

func (u undoing) rename() (free bool, err error) {
	to, toName, err := u.root.Parent(u.o.To)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer unix.Close(to)
	if ino, ok, err := inode(to, toName); err != nil || !ok || !u.force && u.o.Ino != 0 && ino != u.o.Ino {
		return false, err
	}
	return u.fill(to, toName)
}

// unless ends with an error, or makes room.
func (u undoing) unless(err error) (bool, error) {
	if err != nil {
		return false, err
	}
	return u.clear()
}

// holdsOurs reports whether the path holds what the change wrote.
func (u undoing) holdsOurs() (bool, error) {
	_, sum, err := u.fingerprint(u.dir, u.name)
	return err == nil && sum == u.o.Sum, err
}

// stagedOurs tells the same of what was taken from the path.
func (u undoing) stagedOurs() (bool, error) {
	_, sum, err := u.fingerprint(u.fd, u.staged)
	return err == nil && sum == u.o.Sum, err
}

// makeOne makes a change, also one that was rolled back, or half of it: what somebody had put
// in its place comes back with it.
func (t *transaction) makeOne(i int) error {
	o, staged := t.Ops[i], strconv.Itoa(i)
	theirs, err := exists(t.fd, displaced(i))
	if err != nil {
		return err
	}
	if !theirs {
		ready, err := exists(t.fd, staged)
		if err != nil || o.Kind == disk.OpPut && !ready {
			return err // somebody had removed it
		}
		return t.putInPlace(i)
	}
	dir, name, err := t.root.Parent(o.Path)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	stands, err := exists(dir, name)
	if err == nil && stands { // what was there before is put back already
		switch o.Kind {
		case disk.OpReplace:
			err = unix.Renameat2(dir, name, t.fd, staged, unix.RENAME_NOREPLACE)
		case disk.OpRemove, disk.OpRename:
			err = t.putInPlace(i)
		}
	}
	if err != nil {
		return err
	}
	return unix.Renameat2(t.fd, displaced(i), dir, name, unix.RENAME_NOREPLACE)
}
