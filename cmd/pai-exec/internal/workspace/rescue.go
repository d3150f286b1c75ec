package workspace

import (
	"errors"

	"golang.org/x/sys/unix"

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

func (c *commit) rescueOne(o op) error {
	dir, name, err := c.root.parent(o.Path)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	switch o.Kind {
	case opMkdir:
		return unix.Unlinkat(dir, name, unix.AT_REMOVEDIR)
	case opPut, opReplace:
		_, sum, err := c.fingerprint(dir, name)
		if err != nil || sum != o.Sum {
			return errors.Join(err, errChanged)
		}
		if o.Kind == opPut {
			return unix.Unlinkat(dir, name, 0)
		}
		return c.rewrite(dir, name, o)
	case opRename:
		to, toName, err := c.root.parent(o.To)
		if err != nil {
			return err
		}
		defer unix.Close(to)
		return unix.Renameat2(to, toName, dir, name, unix.RENAME_NOREPLACE)
	}
	return unix.ENOENT
}

// rewrite puts what a file held before in its place.
func (c *commit) rewrite(dir int, name string, o op) error {
	was, ok := c.root.seen[o.source]
	if !ok || was.sum != o.Was {
		return unix.ENOENT
	}
	fd, err := unix.Openat(dir, rescueName, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	f := rawFile(fd)
	_, err = f.Write(was.data)
	err = errors.Join(err, c.root.copyAttributes(o.Path, fd), unix.Fchmod(fd, o.perm), unix.Fsync(fd), f.Close())
	if err == nil {
		err = unix.Renameat(dir, rescueName, dir, name)
	}
	if err != nil {
		unix.Unlinkat(dir, rescueName, 0)
	}
	return err
}

// robbed is the error of a check that removed the transaction's directory.
func (c *commit) robbed() error {
	e := turn.Errorf(turn.CodeCheckFailed, "the check removed %s, without which nothing could be undone; nothing was changed", c.path())
	if lost := c.rescue(); len(lost) > 0 {
		e = turn.Errorf(turn.CodeCheckFailed, "the check removed %s, and %s can't be put back without it", c.path(), turn.Quote(lost[0]))
	}
	return e.WithHint("have it leave .pai_history alone: git clean -e .pai_history")
}
