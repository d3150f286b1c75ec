package journal

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
)

// A transaction's directory holds one empty file whose name says how far its
// changes got: "+3" that three of them are made and the fourth may be, "-3"
// that they are being taken back, the fourth and later ones are, and the third
// may be. Its renames reach the disk in order with the changes', so that after
// a kill no more than one change is in doubt.
type progress struct {
	made int
	back bool
}

func (p progress) String() string {
	if p.back {
		return "-" + strconv.Itoa(p.made)
	}
	return "+" + strconv.Itoa(p.made)
}

func parseProgress(name string) (p progress, ok bool) {
	rest, back := strings.CutPrefix(name, "-")
	if !back {
		if rest, ok = strings.CutPrefix(name, "+"); !ok {
			return p, false
		}
	}
	n, err := strconv.Atoi(rest)
	p = progress{n, back}
	return p, err == nil && p.String() == name
}

// start makes the file that says how far the changes got.
func (t *transaction) start() error {
	fd, err := unix.Openat(t.fd, t.at.String(), unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// reach notes how far the changes got.
func (t *transaction) noteProgress(made int, back bool) error {
	next := progress{made, back}
	if next == t.at {
		return nil
	}
	if err := unix.Renameat2(t.fd, t.at.String(), t.fd, next.String(), unix.RENAME_NOREPLACE); err != nil {
		return err
	}
	t.at = next
	return nil
}

// readProgress finds out how far the changes got.
func (t *transaction) readProgress() error {
	all, err := names(t.fd)
	if err != nil {
		return err
	}
	found := false
	for _, name := range all {
		p, ok := parseProgress(name)
		if ok && (found || p.made > len(t.Ops)) {
			return errors.New("its progress can't be read")
		}
		if ok {
			t.at, found = p, true
		}
	}
	if !found {
		return errors.New("its progress is missing")
	}
	return nil
}

// advance makes the changes from where they got to, and stops at the first
// that fails.
func (t *transaction) advance() error {
	for i := t.at.made; i < len(t.Ops); i++ {
		if err := t.redo(i); err != nil {
			return &failedOp{t.Ops[i].Path, err}
		}
		if err := t.noteProgress(i+1, false); err != nil {
			return &failedOp{t.Ops[i].Path, err}
		}
	}
	return nil
}

// retreat takes the changes back from where they got to, the last one first,
// and finds out by itself whether the one in doubt was made. A path that
// somebody changed since is left as it is and named, if tolerant is set, else
// the retreat ends there; with force what is there goes into the transaction's
// directory.
func (t *transaction) retreat(tolerant, force bool) (left []string, err error) {
	n := t.at.made
	switch {
	case t.at.back && n > 0 && !t.isMade(n-1):
		n--
	case !t.at.back && n < len(t.Ops) && t.isMade(n):
		n++
	}
	if err := t.noteProgress(n, true); err != nil {
		return nil, err
	}
	for ; n > 0; n-- {
		free, err := t.undo(n-1, force)
		if err != nil {
			return left, &failedOp{t.Ops[n-1].Path, err}
		}
		if !free {
			if left = append(left, t.Ops[n-1].Path); !tolerant {
				return left, nil
			}
		}
		if err := t.noteProgress(n-1, true); err != nil {
			return left, err
		}
	}
	return left, nil
}

// wholly is how many changes are made as a whole after a retreat in which something failed:
// the last isn't where it is taken back, or half of it is, and only the note of that is
// missing.
func (t *transaction) wholly() int {
	n := t.at.made
	if t.at.back && n > 0 && (!t.isMade(n-1) || exists(t.fd, displaced(n-1))) {
		return n - 1
	}
	return n
}

// isMade reports whether a change is made, which the one before or after it
// leaves in doubt.
func (t *transaction) isMade(i int) bool {
	o, staged := t.Ops[i], strconv.Itoa(i)
	switch o.Kind {
	case disk.OpPut:
		return !exists(t.fd, staged)
	case disk.OpReplace:
		ino, ok := inode(t.fd, staged)
		return ok && ino != o.Ino
	case disk.OpRemove:
		return exists(t.fd, staged)
	case disk.OpMkdir:
		dir, name, err := t.root.Parent(o.Path)
		if err != nil {
			return false
		}
		defer unix.Close(dir)
		return exists(dir, name)
	}
	to, name, err := t.root.Parent(o.To)
	if err != nil {
		return false
	}
	defer unix.Close(to)
	ino, ok := inode(to, name)
	if o.Ino != 0 || !ok {
		return ok && ino == o.Ino
	}
	from, name, err := t.root.Parent(o.Path)
	if err != nil {
		return true
	}
	defer unix.Close(from)
	return !exists(from, name)
}

// inode is that of a name in an open directory; ok is false if there is none.
func inode(dir int, name string) (ino uint64, ok bool) {
	var st unix.Stat_t
	err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	return st.Ino, err == nil
}

// exists reports whether a name stands in an open directory.
func exists(dir int, name string) bool {
	_, ok := inode(dir, name)
	return ok
}

// theirs is where a change's path goes that somebody changed since.
func displaced(i int) string { return fmt.Sprintf("%d%s", i, displacedSuffix) }

const displacedSuffix = "-theirs"

// keeps reports whether the transaction's directory holds what somebody may
// want.
func (t *transaction) keeps() bool {
	all, err := names(t.fd)
	for _, name := range all {
		if strings.HasSuffix(name, displacedSuffix) {
			return true
		}
	}
	return err != nil
}
