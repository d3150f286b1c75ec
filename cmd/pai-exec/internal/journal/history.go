package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/pkg/history"
	"paicode/pkg/turn"
)

// Journal is the write-ahead log of a root: the transactions that were made
// there, and the one that may be under way.
type Journal struct {
	root  *disk.Root
	rules guard.Rules // hold for what is rolled back, as for what is done
	Outside
}

// Outside is what a journal needs of what is outside the root, or is shared with other
// processes: open before the process is locked in. Each may be nil.
type Outside struct {
	Key  *Key
	Lock *Lock
	Keep *Keep
	// Whole is called around what must not be left in the middle.
	Whole func() (end func())
}

// whole begins what must not be left in the middle.
func (o Outside) whole() (end func()) {
	if o.Whole == nil {
		return func() {}
	}
	return o.Whole()
}

// Close closes all of it.
func (o Outside) Close() {
	o.Keep.Close()
	if o.Lock != nil {
		_ = o.Lock.Close()
	}
}

// New returns the journal of a root. Nothing is read or made yet.
func New(root *disk.Root, rules guard.Rules, out Outside) *Journal { return &Journal{root, rules, out} }

// heldJournal is the journal's directory, with the root locked for this process.
type heldJournal struct {
	*Journal
	list int // the directory of the transactions
	lock *os.File
}

// hold opens, and makes if need be, the directory of the transactions, and
// takes the root's lock, for which it waits so long.
func (j *Journal) hold(ctx context.Context, wait time.Duration) (*heldJournal, error) {
	dir, err := history.Open(j.root.FD())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", history.Dir, err)
	}
	defer unix.Close(dir)
	if err := unix.Mkdirat(dir, transactionsDir, 0o700); err != nil && !errors.Is(err, unix.EEXIST) {
		return nil, fmt.Errorf("%s: %w", history.Dir, err)
	}
	h, runner := &heldJournal{Journal: j}, 0
	if j.Lock != nil {
		h.lock, runner = j.Lock.File, j.Lock.Runner
	} else if h.lock, err = openLock(dir); err != nil {
		return nil, err
	}
	if err = takeLock(ctx, h.lock, runner, wait); err != nil {
		h.leave()
		return nil, err
	}
	h.list, err = j.root.Open(path.Join(history.Dir, transactionsDir), unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err == nil && !oursAlone(h.list) {
		unix.Close(h.list)
		err = guard.Denied(path.Join(history.Dir, transactionsDir), "belongs to somebody else")
	}
	if err != nil {
		h.leave()
		return nil, disk.Explain(path.Join(history.Dir, transactionsDir), err)
	}
	return h, nil
}

// oursAlone reports whether an open directory is ours, and closes it to others.
func oursAlone(dir int) bool {
	var st unix.Stat_t
	if unix.Fstat(dir, &st) != nil || int(st.Uid) != os.Geteuid() {
		return false
	}
	return st.Mode&0o077 == 0 || unix.Fchmod(dir, 0o700) == nil
}

// close gives the lock back.
func (h *heldJournal) close() {
	unix.Close(h.list)
	h.leave()
}

// leave gives the lock back, which the runner of checks may have open too.
func (h *heldJournal) leave() {
	_ = unix.Flock(int(h.lock.Fd()), unix.LOCK_UN)
	if h.Lock == nil {
		_ = h.lock.Close()
	}
}

// transactions opens the directory of the transactions as it is; -1 if there is none, or
// something else is there.
func (j *Journal) transactions() (int, error) {
	list, err := j.root.Open(path.Join(history.Dir, transactionsDir), unix.O_RDONLY|unix.O_DIRECTORY, 0)
	switch {
	case err == nil:
		return list, nil
	case unlessAbsent(err) == nil || errors.Is(err, unix.EXDEV) || errors.Is(err, unix.EACCES) &&
		!belongsToUs(j.root.FD(), history.Dir):
		return -1, nil
	}
	return -1, turn.Errorf(turn.CodeInternal, "%s can't be read: %s", history.Dir, plain(err)).
		WithHint("it tells whether a change was interrupted; nothing is done before that is known")
}

// listed is a transaction on the list.
type listed struct {
	*transaction        // nil if its directory can't be opened
	name         string // of the directory
	is           standing
	stays        bool // open
}

// The orders in which transactions are listed.
const (
	oldestFirst = false
	newestFirst = true
)

// How much of a journal is read.
const (
	onlyHeaders = false
	inFull      = true
)

// each opens the transactions whose names are needed, one after the other, and
// closes each that isn't kept. Of their journals it reads the headers, or the whole. Its errors are
// a person's to read; a transaction
// that can't be read is one.
func (j *Journal) each(list int, newest, whole bool, want func(name string) bool) iter.Seq2[*listed, error] {
	return func(yield func(*listed, error) bool) {
		all, err := names(list)
		if err != nil {
			yield(nil, disk.Explain(history.Dir, err))
			return
		}
		slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(sequenceOf(a), sequenceOf(b)) })
		if newest {
			slices.Reverse(all)
		}
		for _, name := range all {
			if !want(name) {
				continue
			}
			t, is, err := j.open(list, name, whole)
			if err != nil {
				err = turn.Errorf(turn.CodeInternal, "the transaction %s can't be read: %s", turn.Shown(idOf(name)), plain(err))
			}
			l := &listed{t, name, is, false}
			more := yield(l, err)
			if t != nil && !l.stays {
				t.close()
			}
			if !more {
				return
			}
		}
	}
}

func isPending(name string) bool { return strings.HasSuffix(name, pending) }

// isRemains tells of what never began, or is being removed.
func isRemains(name string) bool {
	return strings.HasSuffix(name, gone) || strings.HasSuffix(name, unready)
}

// Recover rolls back what a killed pai-exec left half done, and reports whether there was
// something. It returns what a person should know of it. Where there is something to roll back and that
// fails, so does Recover: nobody must see half a change.
func (j *Journal) Recover(wait time.Duration) (notices []string, mended bool, err error) {
	list, err := j.transactions()
	if list < 0 {
		return nil, false, err
	}
	defer unix.Close(list)
	begun := ""
	for t, err := range j.each(list, oldestFirst, onlyHeaders, isPending) {
		if err != nil {
			return nil, false, err
		}
		if t.is == foreign && t.transaction != nil && there(t.fd, recordName(t.fd)) {
			notices = append(notices, fmt.Sprintf("ignored the transaction %s: it was not begun here", turn.Quote(t.name)))
		}
		if t.is == copied {
			return nil, false, turn.Errorf(turn.CodeInternal, "the transaction %s was interrupted where %s lay, of which this is a copy",
				t.id(), turn.Quote(t.Root)).
				WithHint("the tree may be half changed; run pai-exec there to roll it back, or copy the tree again after that")
		}
		if t.is != foreign {
			begun = t.id()
		}
	}
	if begun == "" {
		return notices, false, nil
	}
	more, err := j.recoverAll(begun, wait)
	return append(notices, more...), err == nil, err
}

// recoverAll rolls back every pending transaction, under the lock: one that
// another process is still making is not pending any more by then.
// Of one of them the id is given, for errors.
func (j *Journal) recoverAll(id string, wait time.Duration) (notices []string, err error) {
	h, err := j.hold(context.Background(), wait)
	if err != nil {
		return nil, unrecovered(id, err)
	}
	defer h.close()
	for t, err := range h.each(h.list, newestFirst, inFull, isPending) {
		if err != nil {
			return notices, err
		}
		if t.is == foreign {
			continue
		}
		left, err := t.recover()
		if err != nil {
			return notices, err
		}
		notices = append(notices, fmt.Sprintf("took back the transaction %s, which was interrupted", t.id()))
		for _, place := range t.aside() {
			notices = append(notices, "what stood there meanwhile lies in "+turn.Shown(place))
		}
		for _, p := range left {
			notices = append(notices, fmt.Sprintf("left %s as it is: it changed meanwhile; its previous state is in %s",
				turn.Quote(p), t.path()))
		}
	}
	return notices, nil
}

// recover rolls back one that was interrupted. A call that fails by chance is tried once more:
// what is half rolled back goes on where it is.
func (l *listed) recover() (left []string, err error) {
	if err := l.permitted(); err != nil {
		return nil, err
	}
	if l.is == damaged {
		err = errDamaged
	} else if err = l.readProgress(); err == nil {
		if left, err = l.rollBack(strings.Contains(l.name, forcing), true); err != nil && !isDamage(err) {
			left, err = l.rollBack(strings.Contains(l.name, forcing), true)
		}
	}
	if err == nil {
		return left, nil
	}
	return nil, unrecovered(l.id(), err).
		WithHint("the tree may be half changed; its previous state is in %s; move that away to let pai-exec continue", l.path())
}

// unrecovered is the error of a transaction that was interrupted, and stays so.
func unrecovered(id string, err error) *turn.Error {
	code, hint := turn.CodeInternal, "the tree may be between until then"
	if e, ok := errors.AsType[*turn.Error](err); ok {
		code, hint = e.Code, strings.Trim(e.Hint+"; "+hint, "; ")
	}
	return turn.Errorf(code, "the transaction %s, which was interrupted, can't be rolled back: %s", id, plain(err)).
		WithHint("%s", hint)
}

// Transaction is one that can be undone.
type Transaction struct {
	ID    string
	Time  time.Time
	Paths []string // sorted
	State string   // "applied", or that it is taken back and holds what a person may want
}

// Log lists the transactions, the newest first.
func (j *Journal) Log() ([]Transaction, error) {
	list, err := j.transactions()
	if list < 0 {
		return nil, err
	}
	defer unix.Close(list)
	var out []Transaction
	for t, err := range j.each(list, newestFirst, inFull,
		func(name string) bool { return !isPending(name) && !isRemains(name) }) {
		if err != nil {
			return nil, err
		}
		if t.is != foreign {
			out = append(out, t.describe())
		}
	}
	return out, nil
}

func (l *listed) describe() Transaction {
	d := l.transaction.describe()
	if l.is == damaged {
		d.State = "damaged"
	}
	return d
}

func (t *transaction) describe() Transaction {
	d := Transaction{ID: t.id(), Time: t.made(), State: "applied"}
	switch {
	case strings.HasSuffix(t.name, kept):
		d.State = "taken back, holds what was kept"
	case undoneAs(t.name) > 0:
		d.State = "undone"
	}
	for p := range t.Paths {
		d.Paths = append(d.Paths, p)
	}
	slices.Sort(d.Paths)
	return d
}
