package workspace

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"paicode/pkg/history"
	"paicode/pkg/turn"
)

// opKind is one kind of change that a single rename or mkdir makes.
type opKind int

const (
	opMkdir  opKind = iota
	opPut           // a file, new or in place of one
	opRemove        // into the staging directory
	opRename
)

// op is one change on disk; the steps leave them in the order in which they
// are made.
type op struct {
	kind    opKind
	path    string
	to      string // of opRename
	data    []byte // of opPut
	perm    uint32 // of opPut
	replace bool   // opPut in place of a file: the two change places
}

// commit makes the changes; each is undone by a rename back.
type commit struct {
	root *Root
	fd   int    // the staging directory
	name string // its path
	done []int  // indexes of the ops that are made
	ops  []op
	keep bool // the staging directory holds what could not be put back
}

// Commit makes the steps' changes on disk, all or nothing: everything new is
// written and synced beside the tree first, then put in place by renames; if
// one fails, those before it are taken back. It returns the transaction's
// name, empty if there was nothing to change.
func (t *Tree) Commit() (string, error) {
	if len(t.ops) == 0 {
		return "", nil
	}
	c := &commit{root: t.root, ops: t.ops}
	id, err := c.stage()
	if err == nil {
		err = c.make()
	}
	if c.fd > 0 {
		c.clear()
	}
	return id, err
}

// stage opens the staging directory and writes everything new into it.
func (c *commit) stage() (id string, err error) {
	if err := c.openStaging(&id); err != nil {
		return "", notWritten(c.name, err)
	}
	for i, o := range c.ops {
		if o.kind == opPut {
			if err := c.write(strconv.Itoa(i), o); err != nil {
				return "", notWritten(o.path, err)
			}
		}
	}
	return id, nil
}

func notWritten(p string, err error) *turn.Error {
	e := explain(p, err)
	if e.Code == turn.CodeInternal {
		e.Message += "; nothing was changed"
	}
	return e
}

func (c *commit) openStaging(id *string) error {
	dir, err := history.Open(c.root.fd)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	var random [3]byte
	rand.Read(random[:])
	*id = fmt.Sprintf("%s-%x", time.Now().UTC().Format("20060102T150405"), random)
	c.name = path.Join(history.Dir, *id)
	if err := unix.Mkdirat(dir, *id, 0o700); err != nil {
		return err
	}
	c.fd, err = unix.Openat(dir, *id, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	return err
}

// write makes one staged file: complete, with its mode, and on the disk.
func (c *commit) write(name string, o op) error {
	fd, err := unix.Openat(c.fd, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), o.path)
	_, err = f.Write(o.data)
	if err == nil {
		err = unix.Fchmod(fd, o.perm)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// make makes the changes in order, or takes back those that it made.
func (c *commit) make() error {
	at, err := c.makeAll()
	if err == nil {
		return nil
	}
	e := notWritten(at, err)
	if back := c.takeBack(); back != nil {
		c.keep = true
		return turn.Errorf(turn.CodeInternal, "%s: %s, and taking the changes back failed: %s", turn.Quote(at), err, back).
			WithHint("what was there before lies in %s", c.name)
	}
	return e
}

// makeAll makes the changes and tells where it failed.
func (c *commit) makeAll() (at string, err error) {
	for i, o := range c.ops {
		if err := c.do(i, false); err != nil {
			return o.path, err
		}
		c.done = append(c.done, i)
	}
	return c.syncDirs()
}

func (c *commit) takeBack() error {
	for len(c.done) > 0 {
		last := len(c.done) - 1
		if err := c.do(c.done[last], true); err != nil {
			return explain(c.ops[c.done[last]].path, err)
		}
		c.done = c.done[:last]
	}
	return nil
}

// do makes one change, or takes it back.
func (c *commit) do(i int, back bool) error {
	o := c.ops[i]
	dir, name, err := c.root.parent(o.path)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	staged := strconv.Itoa(i)
	switch {
	case o.kind == opMkdir && back:
		return unix.Unlinkat(dir, name, unix.AT_REMOVEDIR)
	case o.kind == opMkdir:
		return unix.Mkdirat(dir, name, 0o777)
	case o.kind == opPut && o.replace:
		return unix.Renameat2(c.fd, staged, dir, name, unix.RENAME_EXCHANGE)
	case o.kind == opPut && !back, o.kind == opRemove && back:
		return unix.Renameat2(c.fd, staged, dir, name, unix.RENAME_NOREPLACE)
	case o.kind == opPut, o.kind == opRemove:
		return unix.Renameat2(dir, name, c.fd, staged, unix.RENAME_NOREPLACE)
	}
	to, toName, err := c.root.parent(o.to)
	if err != nil {
		return err
	}
	defer unix.Close(to)
	if back {
		return unix.Renameat2(to, toName, dir, name, unix.RENAME_NOREPLACE)
	}
	return unix.Renameat2(dir, name, to, toName, unix.RENAME_NOREPLACE)
}

// syncDirs puts the names on the disk, each directory once.
func (c *commit) syncDirs() (at string, err error) {
	synced := make(map[string]bool)
	for _, o := range c.ops {
		for _, p := range []string{o.path, o.to} {
			dir := path.Dir(p)
			if p == "" || synced[dir] {
				continue
			}
			synced[dir] = true
			fd, err := c.root.open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
			if errors.Is(err, unix.ENOENT) {
				continue // a later step took it away
			}
			if err == nil {
				err = errors.Join(unix.Fsync(fd), unix.Close(fd))
			}
			if err != nil {
				return dir, err
			}
		}
	}
	return "", nil
}

// clear takes the staging directory away, unless what it holds is still
// needed to bring the tree before back.
func (c *commit) clear() {
	defer unix.Close(c.fd)
	if c.keep {
		return
	}
	emptyDir(c.fd)
	if dir, name, err := c.root.parent(c.name); err == nil {
		unix.Unlinkat(dir, name, unix.AT_REMOVEDIR)
		unix.Close(dir)
	}
}

// emptyDir removes everything in an open directory, following nothing. What
// can't be removed stays: it is ours, and nobody's loss.
func emptyDir(fd int) {
	dup, err := unix.Dup(fd)
	if err != nil {
		return
	}
	f := os.NewFile(uintptr(dup), "staging")
	defer f.Close()
	f.Seek(0, io.SeekStart)
	names, _ := f.Readdirnames(-1)
	for _, name := range names {
		if unix.Unlinkat(fd, name, 0) == nil {
			continue
		}
		sub, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		unix.Fchmod(sub, 0o700)
		emptyDir(sub)
		unix.Close(sub)
		unix.Unlinkat(fd, name, unix.AT_REMOVEDIR)
	}
}
