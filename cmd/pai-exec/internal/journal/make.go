package journal

import (
	"errors"
	"strconv"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
)

// putInPlace makes one change that was never made.
func (t *transaction) putInPlace(i int) error {
	o := t.Ops[i]
	dir, name, err := t.root.Parent(o.Path)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	staged := strconv.Itoa(i)
	switch o.Kind {
	case disk.OpMkdir:
		err := unix.Mkdirat(dir, name, 0o777)
		if err == nil && o.Mode != 0 {
			err = unix.Fchmodat(dir, name, o.Mode, 0)
		}
		return err
	case disk.OpPut:
		return unix.Renameat2(t.fd, staged, dir, name, unix.RENAME_NOREPLACE)
	case disk.OpReplace:
		if err := unix.Renameat2(t.fd, staged, dir, name, unix.RENAME_EXCHANGE); err != nil {
			return err
		}
		return t.checkReplaced(staged, o)
	case disk.OpRemove:
		if err := unix.Renameat2(dir, name, t.fd, staged, unix.RENAME_NOREPLACE); err != nil {
			return err
		}
		return t.checkTaken(t.fd, staged, o)
	}
	to, toName, err := t.root.Parent(o.To)
	if err != nil {
		return err
	}
	defer unix.Close(to)
	if err := unix.Renameat2(dir, name, to, toName, unix.RENAME_NOREPLACE); err != nil {
		return err
	}
	err = t.checkTaken(to, toName, o)
	if err != nil { // it goes back at once: by its inode nobody would know it for what was moved
		err = errors.Join(err, unix.Renameat2(to, toName, dir, name, unix.RENAME_NOREPLACE))
	}
	return err
}

// checkTaken makes sure that what was taken away, or moved, is what the plan was resolved
// with, and nothing that came after it.
func (t *transaction) checkTaken(dir int, name string, o disk.Op) error {
	same, err := disk.Unchanged(dir, name, o.Seen)
	if err == nil && same && o.Kind == disk.OpRemove && len(o.Seen) == 1 && o.Seen[0].Kind == disk.Regular &&
		o.Size <= hashedUpTo {
		var sum string
		sum, err = disk.Digest(dir, name)
		same = sum == o.Was
	}
	if err == nil && !same {
		err = errChanged
	}
	return err
}

// errChanged tells of a file that somebody changed in the last moment.
var errChanged = errors.New("it changed meanwhile")

// checkReplaced makes sure that the file which was taken away is the one that
// the change was made from.
func (t *transaction) checkReplaced(staged string, o disk.Op) error {
	ino, sum, err := t.fingerprint(t.fd, staged)
	if err == nil && (o.Old != 0 && ino != o.Old || sum != o.Was) {
		err = errChanged
	}
	return err
}

// fingerprint tells a file in an open directory by its inode and its content.
// What is no file, or can't be read, has no sum.
func (t *transaction) fingerprint(dir int, name string) (ino uint64, sum string, err error) {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENXIO) || errors.Is(err, unix.EACCES) {
		return 0, "", nil
	}
	if err != nil {
		return 0, "", err
	}
	f := disk.File(fd)
	defer f.Close()
	st, err := disk.StatFD(fd)
	if err != nil || st.Kind != disk.Regular {
		return st.Ino, "", err
	}
	sum, err = disk.HashFile(f)
	return st.Ino, sum, err
}

// hashedUpTo is how large a file that is removed may be to be read once more, in bytes.
const hashedUpTo = 64 << 20
