package journal

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/pkg/turn"
)

// Redo makes the changes once more that were undone last. It is refused as a StaleError where a
// path has changed since. A kill on the way leaves, after the next start, the tree before.
func (j *Journal) Redo(ctx context.Context, wait time.Duration) (d Transaction, err error) {
	nothing := turn.Errorf(turn.CodeUsage, "there is nothing to redo")
	list, err := j.transactions()
	if err != nil {
		return d, err
	}
	if list < 0 {
		return d, nothing
	}
	unix.Close(list)
	h, err := j.hold(ctx, wait)
	if err != nil {
		return d, unchangedBy(err)
	}
	defer h.close()
	last, err := lastUndone(h.list)
	if err != nil {
		return d, err
	}
	for t, err := range h.each(h.list, newestFirst, inFull,
		func(name string) bool { return last > 0 && undoneAs(name) == last }) {
		if err != nil {
			return d, err
		}
		if t.is == foreign || t.is == damaged {
			return d, turn.Errorf(turn.CodeInternal, "the transaction %s can't be redone: %s; nothing was changed", t.id(),
				errDamaged)
		}
		d = t.describe()
		d.State = "applied"
		return d, j.redo(ctx, t.transaction)
	}
	return d, nothing
}

// redo makes the changes of a transaction that was undone.
func (j *Journal) redo(ctx context.Context, t *transaction) error {
	if err := t.permitted(); err != nil {
		return err
	}
	if err := t.redoable(); err != nil {
		return err
	}
	defer j.whole()()
	if err := t.setState(reversing+pending, true); err != nil {
		return unchangedBy(err)
	}
	err := t.noteProgress(0, false)
	if err == nil {
		err = t.makeAll(ctx)
	}
	if err == nil {
		err = unix.Syncfs(t.fd)
	}
	if err == nil {
		err = t.setState("", true)
	}
	if err == nil {
		return nil
	}
	if _, back := t.retreat(context.Background(), true, false, false); back != nil {
		return turn.Errorf(turn.CodeInternal, "the transaction %s can't be redone as a whole: %s", t.id(), errors.Join(err, back)).
			WithHint("the next pai-exec continues with it")
	}
	return errors.Join(unchangedBy(err), t.setUndone())
}

// redoable finds out whether the changes can be made once more, before anything is changed.
func (t *transaction) redoable() error {
	err := t.readProgress()
	for i, o := range t.Ops {
		if err != nil || o.Kind != disk.OpPut && o.Kind != disk.OpReplace || there(t.fd, displaced(i)) {
			continue // what was there before it was undone comes back
		}
		if _, sum, sumErr := t.fingerprint(t.fd, strconv.Itoa(i)); sumErr != nil || sum != o.Sum {
			err = damage("what it wrote does not exist any more")
		}
	}
	if err != nil {
		return turn.Errorf(turn.CodeInternal, "the transaction %s can't be redone: %s; nothing was changed", t.id(), plain(err))
	}
	changed, err := t.root.Changed(t.Paths)
	if err == nil && len(changed) == 0 {
		changed, err = t.root.Added(t.Paths)
	}
	if err != nil {
		return unchangedBy(err)
	}
	if len(changed) > 0 {
		return &disk.StaleError{Paths: changed}
	}
	return nil
}

// undoneAs is the number of an undone transaction, by its directory's name; 0 for others.
func undoneAs(name string) int {
	_, number, _ := strings.Cut(name, undone)
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// lastUndone is the highest number of an undone transaction, 0 if there is none.
func lastUndone(list int) (last int, err error) {
	all, err := names(list)
	for _, name := range all {
		last = max(last, undoneAs(name))
	}
	return last, err
}

// endUndone forgets what could be redone, since another change was made. What somebody had put in
// the place of a change stays.
func (h *heldJournal) endUndone() {
	for t, err := range h.each(h.list, newestFirst, inFull, func(name string) bool { return undoneAs(name) > 0 }) {
		if err != nil || t.transaction == nil || t.is == foreign {
			continue
		}
		if t.is != damaged {
			t.dropLeft()
		}
		if len(t.aside()) > 0 {
			_ = t.setState(kept, false)
		} else {
			t.remove()
		}
	}
}

// setUndone says that the transaction was undone, as the last of all.
func (t *transaction) setUndone() error {
	last, err := lastUndone(t.list)
	if err != nil {
		return err
	}
	return t.setState(undone+strconv.Itoa(last+1), true)
}
