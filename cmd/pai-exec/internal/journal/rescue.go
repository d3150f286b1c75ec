package journal

import (
	"errors"
	"strconv"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/pkg/history"
	"paicode/pkg/turn"
)

// rescueName is where a file is written before it takes its place again.
const rescueName = ".pai-rescue"

// recordLost reports whether a check took something from the transaction's directory, or the
// directory from its place, without which the changes can't be rolled back.
func (c *commit) recordLost() bool {
	at, err := c.root.Stat(c.path())
	own, ownErr := disk.StatFD(c.fd)
	if err != nil || ownErr != nil || at.Ino != own.Ino || c.intact(false) != nil {
		return true
	}
	return !there(c.fd, recordName(c.fd)) || !there(c.fd, c.note(c.at))
}

// rescue rolls the changes back without the transaction's directory, which a
// check removed, from what is held in memory and from the copies of what was removed. It
// returns what is lost: then all that is left of it stays.
func (c *commit) rescue(copies *Keep) (lost []string) {
	for i := len(c.Ops) - 1; i >= 0; i-- {
		if err := c.rescueOne(i, copies); err != nil {
			lost = append(lost, c.Ops[i].Path)
		}
	}
	if len(lost) > 0 {
		_ = c.setState(kept, false) // where it is still there
		return lost
	}
	c.restoreModes()
	copies.empty()
	c.remove()
	return nil
}

func (c *commit) rescueOne(i int, copies *Keep) error {
	o := c.Ops[i]
	if err := c.root.MakeParents(o.Path, c.modeBefore); err != nil {
		return err
	}
	dir, name, err := c.root.Parent(o.Path)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	switch o.Kind {
	case disk.OpMkdir:
		err := unix.Unlinkat(dir, name, unix.AT_REMOVEDIR)
		if there(dir, name) && err != nil {
			return errors.Join(err, errChanged) // also what is no directory any more
		}
		return unlessAbsent(err)
	case disk.OpPut, disk.OpReplace:
		_, sum, err := c.fingerprint(dir, name)
		absent := errors.Is(err, unix.ENOENT)
		switch {
		case absent && o.Kind == disk.OpPut:
			return nil
		case !absent && (err != nil || sum != o.Sum):
			return errors.Join(err, errChanged)
		case o.Kind == disk.OpPut:
			return unix.Unlinkat(dir, name, 0)
		}
		return c.rewrite(dir, name, o)
	case disk.OpRemove:
		if c.atHand(strconv.Itoa(i), o) == nil {
			if err := unix.Renameat2(c.fd, strconv.Itoa(i), dir, name, unix.RENAME_NOREPLACE); err == nil {
				return nil
			}
		}
		return copies.restore(i, o.Path, dir, name)
	}
	to, toName, err := c.root.Parent(o.To)
	if err == nil {
		defer unix.Close(to)
		err = unix.Renameat2(to, toName, dir, name, unix.RENAME_NOREPLACE)
	}
	if err != nil && unlessAbsent(err) == nil {
		return copies.restore(i, o.Path, dir, name)
	}
	return err
}

// rewrite puts what a file held before in its place.
func (c *commit) rewrite(dir int, name string, o disk.Op) error {
	_, data, sum, ok := c.root.Remembered(o.Source)
	if !ok || sum != o.Was {
		return unix.ENOENT
	}
	fd, err := unix.Openat(dir, rescueName, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	f := disk.File(fd)
	_, err = f.Write(data)
	err = errors.Join(err, unlessAbsent(c.root.CopyAttributes(o.Path, fd)), unix.Fchmod(fd, o.Perm), unix.Fsync(fd),
		f.Close())
	if err == nil {
		err = unix.Renameat(dir, rescueName, dir, name)
	}
	if err != nil {
		_ = unix.Unlinkat(dir, rescueName, 0)
	}
	return err
}

// journalRemoved is the error of a check that removed the transaction's directory, or a part of it.
func (c *commit) journalRemoved(lost []string, copies *Keep) error {
	hint := "have it leave " + history.Dir + " alone: git clean -e " + history.Dir
	if len(lost) > 0 {
		return turn.Errorf(turn.CodeCheckFailed, "the check deleted what would restore these: %s", turn.QuoteFew(lost)).
			WithHint("%s", hint+copies.named())
	}
	return turn.Errorf(turn.CodeCheckFailed,
		"the check removed %s, without which nothing could be undone; nothing was changed", c.path()).
		WithHint("%s", hint)
}

// restoreModes gives what was in the tree before the modes that it had, which a check may have
// changed while the transaction's directory held it.
func (t *transaction) restoreModes() {
	for p, s := range t.Paths {
		if s.Before == nil || s.Before.Type == "link" {
			continue
		}
		mode, err := strconv.ParseUint(s.Before.Mode, 8, 32)
		if st, statErr := t.root.Stat(p); err != nil || statErr != nil || st.Kind == disk.Absent || st.Perm == uint32(mode) {
			continue
		}
		t.setMode(p, s.Before)
	}
}

// setMode gives a path the mode of a state, if a file or directory of that type is there: a check may
// have put a link in its place, or given the file another name.
func (t *transaction) setMode(p string, state *turn.State) {
	mode, err := strconv.ParseUint(state.Mode, 8, 32)
	if err != nil || state.Type == "link" {
		return
	}
	dir, name, err := t.root.Parent(p)
	if err != nil {
		return
	}
	defer unix.Close(dir)
	var st unix.Stat_t
	err = unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	isDir, alone := st.Mode&unix.S_IFMT == unix.S_IFDIR, st.Mode&unix.S_IFMT == unix.S_IFREG && st.Nlink == 1
	if err != nil || state.Type == "dir" && !isDir || state.Type != "dir" && !alone {
		return
	}
	err = unix.Fchmodat(dir, name, uint32(mode), unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, unix.EOPNOTSUPP) { // before Linux 6.6
		_ = unix.Fchmodat(dir, name, uint32(mode), 0) // what we may not change, nobody changed
	}
}
