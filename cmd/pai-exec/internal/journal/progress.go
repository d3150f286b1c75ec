package journal

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/pkg/turn"
)

// A transaction's directory holds one empty file whose name says how far its
// changes got: "+3" that three of them are made and the fourth may be, "-3"
// that they are being rolled back, the fourth and later ones are, and the third
// may be. Behind a dot stands a hash of that. Its renames reach the disk in order with the
// changes', so that after a kill no more than one change is in doubt.
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

// note is the name of the file that says it; the version before had no hash.
func (t *transaction) note(p progress) string {
	if t.Version < recordVersion {
		return p.String()
	}
	return p.String() + "." + disk.Hash([]byte(t.Identity + p.String()))[:8]
}

func parseProgress(name string) (p progress, ok bool) {
	name, _, _ = strings.Cut(name, ".")
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
	fd, err := unix.Openat(t.fd, t.note(t.at), unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC,
		0o600)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// noteProgress notes how far the changes got.
func (t *transaction) noteProgress(made int, back bool) error {
	next := progress{made, back}
	if next == t.at {
		return nil
	}
	if err := unix.Renameat2(t.fd, t.note(t.at), t.fd, t.note(next), unix.RENAME_NOREPLACE); err != nil {
		return err
	}
	t.at = next
	return nil
}

// readProgress finds out how far the changes got. It comes under the lock: others would see
// it change.
func (t *transaction) readProgress() error {
	_ = unix.Fchmod(t.fd, 0o700) // a kill during a check leaves it closed
	all, err := names(t.fd)
	if err != nil {
		return err
	}
	found := false
	for _, name := range all {
		if name[0] != '+' && name[0] != '-' {
			continue
		}
		p, ok := parseProgress(name)
		if !ok || found || p.made < 0 || p.made > len(t.Ops) || name != t.note(p) {
			return damage("how far it got can't be read")
		}
		t.at, found = p, true
	}
	if !found {
		return damage("how far it got is missing")
	}
	return nil
}

// makeAll makes the changes from where they got to, and stops at the first
// that fails, or when the context ends.
func (t *transaction) makeAll(ctx context.Context) error {
	for i := t.at.made; i < len(t.Ops); i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.makeOne(i); err != nil {
			return &failedOp{t.Ops[i].Path, err}
		}
		if err := t.noteProgress(i+1, false); err != nil {
			return &failedOp{t.Ops[i].Path, err}
		}
	}
	return nil
}

// retreat rolls the changes back from where they got to, the last one first,
// and finds out by itself whether the one in doubt was made. A path that
// somebody changed since is left as it is and named, if tolerant is set, else
// the retreat ends there; with force what is there goes into the transaction's
// directory. It ends when the context does. Nothing is changed where the directory doesn't
// hold what it must.
func (t *transaction) retreat(ctx context.Context, tolerant, force, killed bool) (left []string, err error) {
	n, err := t.reached()
	if err == nil {
		err = t.intact(killed)
	}
	if err == nil {
		err = t.noteProgress(n, true)
	}
	if err != nil {
		return nil, err
	}
	for ; n > 0; n-- {
		if err := ctx.Err(); err != nil {
			return left, err
		}
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

// reached is how many changes are made, with the one in doubt if it is.
func (t *transaction) reached() (int, error) {
	n := t.at.made
	switch {
	case t.at.back && n > 0:
		made, err := t.isMade(n - 1)
		if err == nil && !made {
			n--
		}
		return n, err
	case !t.at.back && n < len(t.Ops):
		made, err := t.isMade(n)
		if err == nil && made {
			n++
		}
		return n, err
	}
	return n, nil
}

// wholly is how many changes are made as a whole after a retreat in which something failed:
// the last isn't where it is rolled back, or half of it is, and only the note of that is
// missing.
func (t *transaction) wholly() (int, error) {
	n := t.at.made
	if !t.at.back || n == 0 {
		return n, nil
	}
	made, err := t.isMade(n - 1)
	if err != nil {
		return n, err
	}
	half, err := exists(t.fd, displaced(n-1))
	if half || !made {
		n--
	}
	return n, err
}

// intact makes sure that the transaction's directory holds what the changes put there, to the
// bit, and that none is made beyond those that are noted. Of the one in doubt that is asked
// only after a kill: where this very process made it, somebody may have changed what it took.
func (t *transaction) intact(killed bool) error {
	doubt := t.at.made
	if t.at.back {
		doubt--
	}
	for i, o := range t.Ops {
		var err error
		switch {
		case i < doubt:
			err = t.atHand(strconv.Itoa(i), o)
		case i == doubt && killed:
			err = t.accountedFor(i)
		case i > doubt && !t.at.back && (o.Kind == disk.OpPut || o.Kind == disk.OpReplace || o.Kind == disk.OpRemove):
			var is bool
			if is, err = t.isMade(i); is {
				err = damage("more is done than it notes")
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// accountedFor makes sure of the change in doubt that what was in the tree before it is either
// at hand or there still.
func (t *transaction) accountedFor(i int) error {
	o, staged := t.Ops[i], strconv.Itoa(i)
	if o.Kind != disk.OpReplace && o.Kind != disk.OpRemove {
		return nil
	}
	made, err := t.isMade(i)
	if err != nil {
		return err
	}
	if made {
		return t.atHand(staged, o)
	}
	stands, err := t.stands(o.Path)
	if err != nil {
		return err
	}
	if ready, err := exists(t.fd, staged); err != nil || stands && (ready || o.Kind == disk.OpRemove) {
		return err
	}
	if half, err := exists(t.fd, displaced(i)); err != nil || half {
		return err
	}
	return damage(fmt.Sprintf("what was at %s before is gone", turn.Quote(o.Path)))
}

// atHand makes sure that the transaction's directory still holds what stood
// in the tree before a change that is made.
func (t *transaction) atHand(staged string, o disk.Op) error {
	if o.Kind != disk.OpReplace && o.Kind != disk.OpRemove {
		return nil
	}
	there, err := exists(t.fd, staged)
	if err != nil {
		return err
	}
	if !there {
		return damage(fmt.Sprintf("what was at %s before is gone", turn.Quote(o.Path)))
	}
	if o.Was == "" {
		return nil
	}
	sum, err := disk.Digest(t.fd, staged)
	if err == nil && sum != o.Was {
		err = damage(fmt.Sprintf("what was at %s before was tampered with", turn.Quote(o.Path)))
	}
	return err
}

// isMade reports whether a change is made, which the one before or after it
// leaves in doubt.
func (t *transaction) isMade(i int) (bool, error) {
	o, staged := t.Ops[i], strconv.Itoa(i)
	switch o.Kind {
	case disk.OpPut:
		there, err := exists(t.fd, staged)
		return !there, err
	case disk.OpReplace:
		ino, ok, err := inode(t.fd, staged)
		return ok && ino != o.Ino, err
	case disk.OpRemove:
		return exists(t.fd, staged)
	case disk.OpMkdir:
		return t.stands(o.Path)
	}
	to, name, err := t.root.Parent(o.To)
	if err != nil {
		return false, unlessAbsent(err)
	}
	defer unix.Close(to)
	ino, ok, err := inode(to, name)
	if o.Ino != 0 || !ok || err != nil {
		return ok && ino == o.Ino, err
	}
	there, err := t.stands(o.Path)
	return !there, err
}

// stands reports whether something is at a path.
func (t *transaction) stands(p string) (bool, error) {
	dir, name, err := t.root.Parent(p)
	if err != nil {
		return false, unlessAbsent(err)
	}
	defer unix.Close(dir)
	return exists(dir, name)
}

// unlessAbsent is the error but that of a path that isn't there.
func unlessAbsent(err error) error {
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return nil
	}
	return err
}

// inode is that of a name in an open directory; ok is false if there is none.
func inode(dir int, name string) (ino uint64, ok bool, err error) {
	var st unix.Stat_t
	err = unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	return st.Ino, err == nil, unlessAbsent(err)
}

// exists reports whether a name is in an open directory.
func exists(dir int, name string) (bool, error) {
	_, ok, err := inode(dir, name)
	return ok, err
}

// there reports the same where nothing rests on it.
func there(dir int, name string) bool {
	ok, err := exists(dir, name)
	return ok && err == nil
}

// displaced is where a change's path goes that somebody changed since.
func displaced(i int) string { return fmt.Sprintf("%d%s", i, displacedSuffix) }

const displacedSuffix = "-theirs"

// keeps reports whether the transaction's directory holds what somebody may
// want: more than its own papers and the new files that are in no tree any more.
func (t *transaction) keeps() bool {
	all, err := names(t.fd)
	if err != nil {
		return true
	}
	for _, name := range all {
		i, err := strconv.Atoi(name)
		ours := err == nil && i >= 0 && i < len(t.Ops) && (t.Ops[i].Kind == disk.OpPut || t.Ops[i].Kind == disk.OpReplace)
		if !ours && name != recordName(t.fd) && name != t.note(t.at) {
			return true
		}
	}
	return false
}
