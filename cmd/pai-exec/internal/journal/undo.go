package journal

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/pkg/turn"
)

// Undo puts the tree before a transaction back; an empty id is the last one.
// It is refused as a StaleError where a path has changed since, unless force
// is set: then what is there now is kept in the transaction's directory. A
// sum that is not empty is that of the Reversal which a person saw: if it would be another
// one, that is an error of CodeStale. A kill on the way leaves, after the next start, the tree before.
func (j *Journal) Undo(ctx context.Context, id string, force bool, sum string, wait time.Duration) (d Transaction,
	err error) {
	err = j.undoable(ctx, id, wait, func(t *transaction) error {
		d = t.describe()
		if err := t.ready(force); err != nil {
			return err
		}
		if err := t.seen(sum, force); err != nil {
			return err
		}
		defer j.whole()()
		state := reversing + pending
		if force {
			state = reversing + forcing + pending
		}
		if err := t.setState(state, true); err != nil {
			if strings.HasSuffix(t.name, state) { // only the sync of the name failed
				err = errors.Join(err, t.setState("", false))
			}
			return unchangedBy(err)
		}
		if err := t.takeBackAll(ctx, force); err != nil {
			return err
		}
		return t.same(d.ID)
	})
	return d, err
}

// undoable calls f with a transaction that can be undone, under the lock; an empty id is the
// last one.
func (j *Journal) undoable(ctx context.Context, id string, wait time.Duration, f func(t *transaction) error) error {
	list, err := j.transactions()
	if err != nil {
		return err
	}
	if list < 0 {
		return nothingToUndo(id)
	}
	unix.Close(list)
	h, err := j.hold(ctx, wait)
	if err != nil {
		return unchangedBy(err)
	}
	defer h.close()
	t, err := h.find(id)
	if err != nil {
		return err
	}
	defer t.close()
	return f(t)
}

// seen makes sure that what is rolled back is what a person saw; an empty sum is of nothing.
func (t *transaction) seen(sum string, force bool) error {
	if sum == "" {
		return nil
	}
	paths, err := t.reversed(force)
	if err != nil {
		return err
	}
	if is, err := t.sum(paths); err != nil || is != sum {
		return turn.Errorf(turn.CodeStale, "stale: undoing %s would not do what was shown", t.id()).
			WithHint("--undo --dry-run shows what it would do")
	}
	return nil
}

// takeBackAll takes all changes back, or none of them.
func (t *transaction) takeBackAll(ctx context.Context, force bool) error {
	left, err := t.retreat(ctx, false, force, false)
	if err == nil && len(left) == 0 {
		return t.retired(false)
	}
	made, again := t.at.made, error(nil)
	if err != nil {
		made, again = t.wholly()
	}
	if again == nil {
		again = t.noteProgress(made, false)
	}
	if again == nil {
		again = t.makeAll(context.Background())
	}
	if again == nil {
		again = t.setState("", true)
	}
	switch {
	case again != nil:
		return turn.Errorf(turn.CodeInternal, "the transaction %s can't be rolled back as a whole: %s", t.id(),
			errors.Join(err, again)).
			WithHint("the next pai-exec continues with it")
	case err != nil:
		return unchangedBy(err)
	case force:
		return turn.Errorf(turn.CodeStale,
			"%s can't be put back: what was there was moved or removed since; nothing was changed", turn.Quote(left[0]))
	}
	return &disk.StaleError{Paths: left}
}

// same makes sure that what was in the tree before is there again; by
// force something else may: what somebody changed in a directory that moved.
func (t *transaction) same(id string) error {
	before := make(map[string]turn.SealedPath)
	for p, s := range t.Paths {
		if s.Before != nil {
			before[p] = s
		}
	}
	changed, err := t.root.Changed(before)
	if err == nil && len(changed) > 0 {
		err = turn.Errorf(turn.CodeStale,
			"the transaction %s was taken back, but %s holds what it held after it: it changed since", id,
			turn.Quote(changed[0]))
	}
	return err
}

// ready finds out whether a transaction can be rolled back as a whole, before
// anything is changed: what was there before is at hand, the directories
// can be written, and without force nobody changed a path since.
func (t *transaction) ready(force bool) error {
	if err := t.intact(false); err != nil {
		return t.cantBeUndone(err)
	}
	for _, o := range t.Ops {
		if err := t.root.Writable(o.Path); err != nil {
			return unchangedBy(&failedOp{o.Path, err})
		}
	}
	if force {
		return nil
	}
	changed, err := t.differs()
	if err != nil {
		return unchangedBy(err)
	}
	if len(changed) > 0 {
		return &disk.StaleError{Paths: changed}
	}
	return nil
}

// cantBeUndone is the error of a transaction whose directory doesn't hold what it must.
func (t *transaction) cantBeUndone(err error) error {
	return turn.Errorf(turn.CodeInternal, "the transaction %s can't be undone: %s; nothing was changed", t.id(),
		plain(err)).
		WithHint("its content is in %s", t.path())
}

// differs names the paths that are not what the transaction made of them, and
// what somebody put into the directories that it made or moved.
func (t *transaction) differs() ([]string, error) {
	after := make(map[string]turn.SealedPath, len(t.Paths))
	var added []string
	made, moved := make(map[string]bool), make(map[string]bool)
	for _, o := range t.Ops {
		switch o.Kind {
		case disk.OpMkdir:
			made[o.Path] = true
		case disk.OpRename:
			moved[o.To] = true
		}
	}
	for p, s := range t.Paths {
		isDir := s.After != nil && s.After.Type == "dir"
		if !isDir || !made[p] { // the mode of a new one depends on the ACL above it
			after[p] = turn.SealedPath{Before: s.After}
		}
		if !isDir {
			continue
		}
		inside, _, err := t.root.List(p)
		if err != nil {
			added = append(added, p) // it is no directory any more
			continue
		}
		if s.Before != nil && s.Before.Type == "dir" && !made[p] && !moved[p] {
			continue
		}
		added = append(added, slices.DeleteFunc(t.foreignIn(p, inside), t.leftAt)...)
	}
	changed, err := t.root.Changed(after)
	return append(changed, added...), err
}

// foreignIn lists those of the names in a directory that the transaction didn't
// put there.
func (t *transaction) foreignIn(dir string, names []string) (foreign []string) {
	for _, name := range names {
		if inner, ours := t.Paths[dir+"/"+name]; !ours || inner.After == nil {
			foreign = append(foreign, dir+"/"+name)
		}
	}
	return foreign
}

// leftAt reports whether what has a path is what checks left.
func (t *transaction) leftAt(p string) bool {
	dir, name, err := t.root.Parent(p)
	if err != nil {
		return false
	}
	defer unix.Close(dir)
	return t.left(dir, name, p)
}

// find opens a transaction that can be undone.
func (h *heldJournal) find(id string) (*transaction, error) {
	undoable := func(name string) bool { return !strings.Contains(name, ".") && (id == "" || name == id) }
	for t, err := range h.each(h.list, newestFirst, inFull, undoable) {
		if err != nil {
			return nil, err
		}
		if t.is == foreign {
			continue
		}
		if t.is == damaged {
			return nil, t.cantBeUndone(errDamaged)
		}
		if err := t.permitted(); err != nil {
			return nil, err
		}
		if err := t.readProgress(); err != nil {
			return nil, t.cantBeUndone(err)
		}
		t.stays = true
		return t.transaction, nil
	}
	return nil, nothingToUndo(id)
}

func nothingToUndo(id string) error {
	if id == "" {
		return turn.Errorf(turn.CodeUsage, "there is nothing to undo")
	}
	return turn.Errorf(turn.CodeUsage, "there is no transaction %s to undo", turn.Quote(id)).
		WithHint("pai-exec --log lists them")
}
