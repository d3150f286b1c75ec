package workspace

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"paicode/pkg/history"
	"paicode/pkg/turn"
)

// Undo puts the tree before a transaction back; an empty id is the last one.
// It is refused as a StaleError where a path has changed since, unless force
// is set: then what is there now is kept in the transaction's directory. A
// kill on the way leaves, after the next start, the tree before.
func (r *Root) Undo(id string, force bool, wait time.Duration) (Transaction, error) {
	h, err := r.openHistory(wait)
	if err != nil {
		return Transaction{}, unchangedBy(err)
	}
	defer h.close()
	t, err := h.find(id)
	if err != nil {
		return Transaction{}, err
	}
	defer t.close()
	d := t.describe()
	if err := t.ready(force); err != nil {
		return d, err
	}
	state := pending
	if force {
		state = forcing + pending
	}
	if err := t.become(state, true); err != nil {
		return d, unchangedBy(err)
	}
	left, err := t.rollBack(force)
	if err != nil {
		return d, turn.Errorf(turn.CodeInternal, "the transaction %s can't be taken back as a whole: %s", d.ID, err).
			WithHint("the next pai-exec goes on with it")
	}
	if len(left) > 0 {
		return d, turn.Errorf(turn.CodeStale, "%s changed meanwhile and was left", turn.Quote(left[0])).
			WithHint("what was there before lies in %s", t.path())
	}
	return d, nil
}

// ready finds out whether a transaction can be taken back as a whole, before
// anything is changed: what stood there before is at hand, the directories
// can be written, and without force nobody changed a path since.
func (t *transaction) ready(force bool) error {
	for i, o := range t.Ops {
		if err := t.atHand(strconv.Itoa(i), o); err != nil {
			return unchangedBy(err)
		}
		if err := t.root.writable(o.Path); err != nil && !force {
			return unchangedBy(&failedOp{o.Path, err})
		}
	}
	if force {
		return nil
	}
	changed, err := t.root.differs(t.Paths)
	if err != nil {
		return unchangedBy(err)
	}
	if len(changed) > 0 {
		return &StaleError{changed}
	}
	return nil
}

// atHand makes sure that the transaction's directory still holds what stood
// in the tree before a change.
func (t *transaction) atHand(staged string, o op) error {
	if o.Kind != opReplace && o.Kind != opRemove {
		return nil
	}
	sum := ""
	if !exists(t.fd, staged) {
		return turn.Errorf(turn.CodeInternal, "the transaction %s can't be undone: what was at %s before is gone", t.id(), turn.Quote(o.Path))
	}
	if o.Was != "" {
		_, sum, _ = t.fingerprint(t.fd, staged)
	}
	if sum != o.Was {
		return turn.Errorf(turn.CodeInternal, "the transaction %s can't be undone: what was at %s before was tampered with", t.id(), turn.Quote(o.Path))
	}
	return nil
}

// writable tells whether names can be changed in a path's directory.
func (r *Root) writable(p string) error {
	dir, _, err := r.parent(p)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return nil // it is judged with the paths
	}
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	return unix.Faccessat(dir, ".", unix.W_OK|unix.X_OK, unix.AT_EACCESS)
}

// differs names the paths that are not what a transaction made of them, and
// what somebody put into the directories that it made.
func (r *Root) differs(paths map[string]turn.SealedPath) ([]string, error) {
	after := make(map[string]turn.SealedPath, len(paths))
	var added []string
	for p, s := range paths {
		after[p] = turn.SealedPath{Before: s.After}
		if s.Before != nil || s.After == nil || s.After.Type != "dir" {
			continue
		}
		inside, _, err := r.list(p)
		if err != nil {
			continue // it is not there: changed tells
		}
		for _, name := range inside {
			if _, ours := paths[p+"/"+name]; !ours {
				added = append(added, p+"/"+name)
			}
		}
	}
	changed, err := r.changed(after)
	return append(changed, added...), err
}

// find opens a transaction that can be undone.
func (h *historyDir) find(id string) (*transaction, error) {
	all, err := names(h.list)
	if err != nil {
		return nil, explain(history.Dir, err)
	}
	slices.Reverse(all)
	for _, name := range all {
		if strings.Contains(name, ".") || id != "" && name != id {
			continue
		}
		t, foreign, err := h.root.openTransaction(h.list, name)
		switch {
		case err != nil:
			return nil, explain(history.Dir, err)
		case !foreign:
			return t, nil
		case t != nil:
			t.close()
		}
	}
	if id == "" {
		return nil, turn.Errorf(turn.CodeUsage, "there is nothing to undo")
	}
	return nil, turn.Errorf(turn.CodeUsage, "there is no transaction %s to undo", turn.Quote(id)).WithHint("pai-exec --log lists them")
}
