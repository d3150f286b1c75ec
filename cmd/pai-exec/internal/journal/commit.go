package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/pkg/turn"
)

// syncFilesUpTo is with how many changes new files are synced one by one; the
// files of more are quicker synced with all that the file system holds.
const syncFilesUpTo = 16

// Commit makes changes on disk, all or nothing: everything new is
// written and synced beside the tree first, with a journal of what is to be
// done; then it is put in place, by one system call a change. If one fails,
// those before it are rolled back; after a kill the next start does that. The
// paths are compared with the disk once more, under the lock. Commit returns
// the transaction's name, empty if there was nothing to change. When the context ends, so does
// a commit, with nothing changed.
func (j *Journal) Commit(ctx context.Context, ops []disk.Op, paths map[string]turn.SealedPath, o Options) (id string,
	err error) {
	if len(ops) == 0 {
		return "", nil
	}
	if o.Check != nil {
		if err := j.Keep.fits(ops); err != nil {
			return "", err
		}
	}
	h, err := j.hold(ctx, o.LockWait)
	if err != nil {
		return "", unchangedBy(err)
	}
	defer h.close()
	changed, err := j.root.Changed(paths)
	if err != nil {
		return "", unchangedBy(err)
	}
	if len(changed) == 0 {
		changed, err = j.root.Added(paths)
	}
	if err != nil {
		return "", unchangedBy(err)
	}
	if len(changed) > 0 {
		return "", &disk.StaleError{Paths: changed}
	}
	defer j.whole()()
	c, err := h.begin(ctx, ops, paths, !o.NoSync)
	if err != nil {
		return "", unchangedBy(err)
	}
	defer c.close()
	if err = c.makeAll(ctx); err == nil && c.sync {
		err = c.syncDirs()
	}
	if err != nil {
		return "", c.takeBack(err)
	}
	if o.Check != nil {
		if err := c.check(o, j.Keep); err != nil {
			return "", err
		}
	}
	if err := c.setState("", c.sync); err != nil {
		return "", c.takeBack(err)
	}
	h.endUndone()
	h.prune(c.name, o.KeepFor, o.KeepBytes)
	return c.id(), nil
}

// Options are how a commit is made, and how much of earlier ones is
// kept to be undone.
type Options struct {
	LockWait  time.Duration // for another pai-exec on the same root to end
	NoSync    bool          // trust the kernel to stay up; a kill is safe all the same
	KeepFor   time.Duration // older transactions are forgotten; the last one never
	KeepBytes int64         // so are the oldest ones, from where all take more
	// Check is called with all changes in place, before they count as made;
	// its error rolls them back. Nil: nothing is called.
	Check func() error
	// MayWrite is called when a check passed and wrote over files of the commit, with their paths.
	// It reports whether that stays. Nil: it doesn't.
	MayWrite func(changed []string) bool
	// Found is called after Check with what it did to the paths of the commit.
	Found func(Found)
}

// unchangedBy says of a failure that nothing was changed yet.
func unchangedBy(err error) error {
	if _, ok := errors.AsType[*turn.Error](err); ok {
		return err
	}
	return turn.Errorf(turn.CodeInternal, "%s; nothing was changed", plain(err))
}

// plain is an error of the system in words.
func plain(err error) string {
	switch {
	case errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT):
		return "no space left on the device"
	case errors.Is(err, unix.EROFS):
		return "the file system is read-only"
	case errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS):
		return "the file system can't rename without replacing, or exchange two files, which a safe change needs"
	}
	if e, ok := errors.AsType[*os.PathError](err); ok {
		err = e.Err
	}
	return err.Error()
}

// commit is a transaction being made.
type commit struct {
	*transaction
	sync bool
}

// begin writes everything new into a directory of the transaction's own, and
// the journal. After a failure nothing is left of it.
func (h *heldJournal) begin(ctx context.Context, ops []disk.Op, paths map[string]turn.SealedPath, sync bool) (*commit,
	error) {
	r := record{header: header{Made: time.Now().UTC()}, Ops: ops, Paths: paths}
	for _, o := range ops {
		r.Keeps += o.Size
	}
	r.Above = h.root.ModesAbove(ops)
	t, err := h.newTransaction(r)
	if err != nil {
		return nil, err
	}
	c := &commit{t, sync}
	if err = c.stage(ctx); err == nil {
		err = c.setState(pending, sync)
	}
	if err != nil {
		c.remove()
		c.close()
		return nil, err
	}
	return c, nil
}

// stage writes the new files and the journal, and syncs them.
func (c *commit) stage(ctx context.Context) error {
	inos := make(map[string]uint64)
	for i := range c.Ops {
		o := &c.Ops[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		switch o.Kind {
		case disk.OpPut, disk.OpReplace:
			if o.Old == 0 {
				o.Old = inos[o.Path]
			}
			if err := c.stageFile(i, o); err != nil {
				return fmt.Errorf("%s: %s", turn.Shown(o.Path), plain(err))
			}
			inos[o.Path] = o.Ino
		case disk.OpRename:
			if ino := inos[o.Path]; ino != 0 {
				o.Ino = ino
			}
			inos[o.To] = inos[o.Path]
		}
	}
	if c.sync && c.many() {
		if err := unix.Syncfs(c.fd); err != nil {
			return err
		}
	}
	if err := c.start(); err != nil {
		return err
	}
	return c.write(c.sync)
}

// many tells which way the new files are synced.
func (c *commit) many() bool { return len(c.Ops) > syncFilesUpTo }

// stageFile writes one new file: complete, with the mode, and with the owner
// and the attributes of the one whose place it takes.
func (c *commit) stageFile(i int, o *disk.Op) error {
	fd, err := unix.Openat(c.fd, strconv.Itoa(i), unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC,
		0o600)
	if err != nil {
		return err
	}
	f := disk.File(fd)
	_, err = f.Write(o.Data)
	if err == nil && o.Kind == disk.OpReplace {
		err = c.root.CopyAttributes(o.Source, fd)
	} else if err == nil {
		err = c.root.InheritGroup(o.Path, fd)
	}
	if err == nil {
		err = unix.Fchmod(fd, o.Perm)
	}
	if err == nil {
		var st disk.Info
		st, err = disk.StatFD(fd)
		o.Ino, o.Sum = st.Ino, disk.Hash(o.Data)
	}
	if err == nil && c.sync && !c.many() {
		err = unix.Fsync(fd)
	}
	return errors.Join(err, f.Close())
}

// failedOp is the failure of one change.
type failedOp struct {
	path string
	err  error
}

func (e *failedOp) Error() string { return turn.Shown(e.path) + ": " + plain(e.err) }

// takeBack rolls the changes back that were made before one failed, and says
// what the tree is like now.
func (c *commit) takeBack(cause error) error {
	failed, ok := errors.AsType[*failedOp](cause)
	if !strings.HasSuffix(c.name, pending) {
		// Only the sync of its last name failed: a kill from here on must find
		// it pending.
		if err := c.setState(pending, false); err != nil {
			return unchangedBy(err)
		}
	}
	left, err := c.rollBack(false, false)
	if err != nil || len(left) > 0 {
		return turn.Errorf(turn.CodeInternal, "%s, and not all changes could be rolled back", cause).
			WithHint("its previous state is in %s", c.path())
	}
	switch {
	case ok && (errors.Is(failed.err, errChanged) || errors.Is(failed.err, unix.EEXIST) ||
		errors.Is(failed.err, unix.ENOENT)):
		return &disk.StaleError{Paths: []string{failed.path}}
	case ok && errors.Is(failed.err, unix.EXDEV):
		return turn.Errorf(turn.CodeRejected,
			"%s lies in a lower layer of an overlay file system, as in a container, from which no directory can be renamed; nothing was changed", turn.Quote(failed.path)).
			WithHint("plan to remove or move the files in it one by one")
	case ok:
		if e, isOurs := errors.AsType[*turn.Error](failed.err); isOurs {
			return e
		}
	}
	return unchangedBy(cause)
}

// check has the changes checked. While that goes on others than root can't
// remove what the transaction keeps, and a copy of what was removed is elsewhere; and after a
// kill the changes are rolled back by force, since a check may have written over them.
func (c *commit) check(o Options, copies *Keep) error {
	err := copies.save(c.transaction)
	if err == nil {
		err = c.setState(forcing+pending, c.sync)
	}
	if err != nil {
		copies.empty()
		return c.takeBack(err)
	}
	_ = unix.Fchmod(c.fd, 0o500)
	err = o.Check()
	_ = unix.Fchmod(c.fd, 0o700)
	switch recordLost := c.recordLost(); {
	case recordLost || err != nil && copies.missesMoved(c.transaction):
		if lost := c.rescue(copies); recordLost || len(lost) > 0 {
			err = c.journalRemoved(lost, copies)
		}
		return err
	case err != nil:
		return c.takeBackFailing(err, o, copies)
	}
	if err := c.judgeMoved(); err != nil {
		return c.takeBackFailing(err, o, copies)
	}
	if err := c.settleWritten(o, copies); err != nil {
		return err
	}
	if err := c.noteLeft(); err != nil {
		return c.takeBackFailing(unchangedBy(err), o, copies)
	}
	copies.empty()
	return nil
}

// takeBackFailing rolls the changes back on which a check failed, and returns
// its error. What was written over them meanwhile, by the check or by a person, is kept aside.
func (c *commit) takeBackFailing(cause error, o Options, copies *Keep) error {
	left, err := c.retreat(context.Background(), true, true, false)
	if err == nil {
		c.restoreModes()
		err = c.restoreMoved(copies)
		left = slices.DeleteFunc(left, c.asBefore)
	}
	if err == nil {
		err = c.retired(len(left) > 0)
	}
	if err != nil {
		return turn.Errorf(turn.CodeInternal, "%s, and not all changes could be rolled back: %s", cause, plain(err)).
			WithHint("its previous state is in %s%s", c.path(), copies.named())
	}
	o.found(Found{Aside: c.aside()})
	if len(left) > 0 {
		return turn.Errorf(turn.CodeCheckFailed, "%s; %s changed meanwhile and was left as it is", cause,
			turn.Quote(left[0])).
			WithHint("its previous state is in %s%s", c.path(), copies.named())
	}
	copies.empty()
	return cause
}

// syncDirs puts the names on the disk, each directory once, or all of them
// with the file system if they are many.
func (c *commit) syncDirs() error {
	dirs := make(map[string]bool)
	for _, o := range c.Ops {
		dirs[path.Dir(o.Path)] = true
		if o.Kind == disk.OpRename {
			dirs[path.Dir(o.To)] = true
		}
	}
	if len(dirs) > syncFilesUpTo {
		return unix.Syncfs(c.fd)
	}
	for dir := range dirs {
		fd, err := c.root.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
			continue // a later step took it away
		}
		if err == nil {
			err = errors.Join(unix.Fsync(fd), unix.Close(fd))
		}
		if err != nil {
			return &failedOp{dir, err}
		}
	}
	return nil
}
