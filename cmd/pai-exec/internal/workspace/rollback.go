package workspace

import (
	"errors"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// rollBack takes a transaction's changes back, the last one first, and
// removes the transaction. It finds out by itself how far the transaction
// got, so it also ends a roll-back that was cut short. A path that somebody
// changed since is left as it is and named, unless force is set: then what is
// there goes into the transaction's directory, which stays.
func (t *transaction) rollBack(force bool) (left []string, err error) {
	holds := false
	for i := len(t.Ops) - 1; i >= 0; i-- {
		done, err := t.undo(i, force)
		if err != nil {
			return left, &failedOp{t.Ops[i].Path, err}
		}
		switch done {
		case undoBlocked:
			left = append(left, t.Ops[i].Path)
		case undoForced:
			holds = true
		}
	}
	if err := unix.Syncfs(t.fd); err != nil {
		return left, err
	}
	if holds || len(left) > 0 {
		return left, t.become(kept, true)
	}
	t.remove()
	return nil, nil
}

// undone is how the undoing of one change went.
type undone int

const (
	undoDone    undone = iota // taken back, or it was never made
	undoBlocked               // somebody changed the path since
	undoForced                // taken back over somebody's change, which is kept
)

// undo takes one change back, if it was made.
func (t *transaction) undo(i int, force bool) (undone, error) {
	o, staged := t.Ops[i], strconv.Itoa(i)
	dir, name, err := t.root.parent(o.Path)
	if errors.Is(err, unix.ENOENT) && force && t.holdsOld(staged, o) {
		if err = t.root.makeParents(o.Path); err == nil {
			dir, name, err = t.root.parent(o.Path)
		}
	}
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return t.undoWithoutParent(o, staged)
	}
	if err != nil {
		return undoBlocked, err
	}
	defer unix.Close(dir)
	switch o.Kind {
	case opMkdir:
		err := unix.Unlinkat(dir, name, unix.AT_REMOVEDIR)
		if errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.ENOTDIR) {
			return undoBlocked, nil
		}
		return ignoreMissing(err)
	case opPut:
		return t.undoPut(dir, name, staged, o, force)
	case opReplace:
		return t.undoReplace(dir, name, staged, o, force)
	case opRemove:
		return t.undoRemove(dir, name, staged, force)
	case opRename:
		return t.undoRename(dir, name, staged, o, force)
	}
	return undoBlocked, nil
}

func ignoreMissing(err error) (undone, error) {
	if errors.Is(err, unix.ENOENT) {
		err = nil
	}
	return undoDone, err
}

// undoWithoutParent is for a change whose directory is not there: it was
// never made, or somebody took the directory away.
func (t *transaction) undoWithoutParent(o op, staged string) (undone, error) {
	if (o.Kind == opRemove || o.Kind == opReplace) && t.holdsOld(staged, o) {
		return undoBlocked, nil
	}
	return undoDone, nil
}

// holdsOld tells whether the transaction's directory holds what stood in the
// tree before a change.
func (t *transaction) holdsOld(staged string, o op) bool {
	var st unix.Stat_t
	if unix.Fstatat(t.fd, staged, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return false
	}
	return o.Kind == opRemove || st.Ino != o.Ino
}

// exists tells whether a name stands in an open directory.
func exists(dir int, name string) bool {
	var st unix.Stat_t
	return unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil
}

func (t *transaction) undoPut(dir int, name, staged string, o op, force bool) (undone, error) {
	if exists(t.fd, staged) || !exists(dir, name) {
		return undoDone, nil
	}
	_, sum, err := t.fingerprint(dir, name)
	if err != nil {
		return undoBlocked, err
	}
	ours := sum == o.Sum
	if !ours && !force {
		return undoBlocked, nil
	}
	if err := unix.Renameat2(dir, name, t.fd, staged, unix.RENAME_NOREPLACE); err != nil {
		return undoBlocked, err
	}
	return forcedUnless(ours), nil
}

func (t *transaction) undoReplace(dir int, name, staged string, o op, force bool) (undone, error) {
	if !t.holdsOld(staged, o) {
		return undoDone, nil
	}
	_, sum, err := t.fingerprint(dir, name)
	missing := errors.Is(err, unix.ENOENT)
	if err != nil && !missing {
		return undoBlocked, err
	}
	ours := err == nil && sum == o.Sum
	switch {
	case !ours && !force:
		return undoBlocked, nil
	case missing:
		return undoForced, unix.Renameat2(t.fd, staged, dir, name, unix.RENAME_NOREPLACE)
	}
	return forcedUnless(ours), unix.Renameat2(t.fd, staged, dir, name, unix.RENAME_EXCHANGE)
}

func (t *transaction) undoRemove(dir int, name, staged string, force bool) (undone, error) {
	switch {
	case !exists(t.fd, staged):
		return undoDone, nil
	case !exists(dir, name):
		return undoDone, unix.Renameat2(t.fd, staged, dir, name, unix.RENAME_NOREPLACE)
	case force:
		return undoForced, unix.Renameat2(t.fd, staged, dir, name, unix.RENAME_EXCHANGE)
	}
	return undoBlocked, nil
}

func (t *transaction) undoRename(dir int, name, staged string, o op, force bool) (undone, error) {
	to, toName, err := t.root.parent(o.To)
	if err != nil {
		return ignoreMissing(err)
	}
	defer unix.Close(to)
	result := undoDone
	switch {
	case !exists(to, toName):
		return undoDone, nil
	case exists(dir, name) && !force:
		return undoBlocked, nil
	case exists(dir, name):
		result = undoForced
		if err := unix.Renameat2(dir, name, t.fd, staged+"-theirs", unix.RENAME_NOREPLACE); err != nil {
			return undoBlocked, err
		}
	}
	return result, unix.Renameat2(to, toName, dir, name, unix.RENAME_NOREPLACE)
}

// makeParents makes the directories above a path that are missing.
func (r *Root) makeParents(p string) error {
	parts := components(p)
	for i := 1; i < len(parts); i++ {
		dir, name, err := r.parent(strings.Join(parts[:i], "/"))
		if err != nil {
			return err
		}
		err = unix.Mkdirat(dir, name, 0o777)
		unix.Close(dir)
		if err != nil && !errors.Is(err, unix.EEXIST) {
			return err
		}
	}
	return nil
}

func forcedUnless(ours bool) undone {
	if ours {
		return undoDone
	}
	return undoForced
}
