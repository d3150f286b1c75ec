package journal

import (
	"errors"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/pkg/history"
	"paicode/pkg/turn"
)

// rescueName is where a file is written before it takes its place again.
const rescueName = ".pai-rescue"

// rescue takes the changes back without the transaction's directory, which a
// check removed, from what is held in memory. It returns what is lost: what was
// removed, and files that nobody read.
func (c *commit) rescue() (lost []string) {
	for i := len(c.Ops) - 1; i >= 0; i-- {
		o := c.Ops[i]
		if err := c.rescueOne(o); err != nil {
			lost = append(lost, o.Path)
		}
	}
	return lost
}

func (c *commit) rescueOne(o disk.Op) error {
	dir, name, err := c.root.Parent(o.Path)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	switch o.Kind {
	case disk.OpMkdir:
		return unix.Unlinkat(dir, name, unix.AT_REMOVEDIR)
	case disk.OpPut, disk.OpReplace:
		_, sum, err := c.fingerprint(dir, name)
		if err != nil || sum != o.Sum {
			return errors.Join(err, errChanged)
		}
		if o.Kind == disk.OpPut {
			return unix.Unlinkat(dir, name, 0)
		}
		return c.rewrite(dir, name, o)
	case disk.OpRename:
		to, toName, err := c.root.Parent(o.To)
		if err != nil {
			return err
		}
		defer unix.Close(to)
		return unix.Renameat2(to, toName, dir, name, unix.RENAME_NOREPLACE)
	}
	return unix.ENOENT
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
	err = errors.Join(err, c.root.CopyAttributes(o.Path, fd), unix.Fchmod(fd, o.Perm), unix.Fsync(fd), f.Close())
	if err == nil {
		err = unix.Renameat(dir, rescueName, dir, name)
	}
	if err != nil {
		_ = unix.Unlinkat(dir, rescueName, 0)
	}
	return err
}

// robbed is the error of a check that removed the transaction's directory.
func (c *commit) journalRemoved() error {
	e := turn.Errorf(turn.CodeCheckFailed, "the check removed %s, without which nothing could be undone; nothing was changed", c.path())
	if lost := c.rescue(); len(lost) > 0 {
		e = turn.Errorf(turn.CodeCheckFailed, "the check removed %s, and %s can't be put back without it", c.path(), turn.Quote(lost[0]))
	}
	return e.WithHint("have it leave %s alone: git clean -e %[1]s", history.Dir)
}
