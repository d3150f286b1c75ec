package workspace

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"paicode/pkg/history"
	"paicode/pkg/turn"
)

// historyDir is Pai's own directory, with the root locked for this process.
type historyDir struct {
	root *Root
	list int // the directory of the transactions
	lock *os.File
}

const (
	lockFile = "lock"
	lockPoll = 20 * time.Millisecond
)

// openHistory opens, and makes if need be, the directory of the transactions,
// and takes the root's lock, for which it waits so long.
func (r *Root) openHistory(wait time.Duration) (*historyDir, error) {
	dir, err := history.Open(r.fd)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", history.Dir, err)
	}
	defer unix.Close(dir)
	if err := unix.Mkdirat(dir, transactionsDir, 0o700); err != nil && !errors.Is(err, unix.EEXIST) {
		return nil, fmt.Errorf("%s: %w", history.Dir, err)
	}
	lock, err := takeLock(dir, wait)
	if err != nil {
		return nil, err
	}
	list, err := r.open(path.Join(history.Dir, transactionsDir), unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		lock.Close()
		return nil, explain(path.Join(history.Dir, transactionsDir), err)
	}
	return &historyDir{r, list, lock}, nil
}

// close gives the lock back.
func (h *historyDir) close() {
	unix.Close(h.list)
	h.lock.Close()
}

// takeLock locks a file of the history's directory and writes into it who
// holds it.
func takeLock(dir int, wait time.Duration) (*os.File, error) {
	fd, err := unix.Openat(dir, lockFile, unix.O_RDWR|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, explain(path.Join(history.Dir, lockFile), err)
	}
	f := os.NewFile(uintptr(fd), lockFile)
	for deadline := time.Now().Add(wait); ; time.Sleep(lockPoll) {
		err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			break
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			f.Close()
			return nil, explain(path.Join(history.Dir, lockFile), err)
		}
		if time.Now().After(deadline) {
			holder := make([]byte, 100)
			n, _ := f.ReadAt(holder, 0)
			f.Close()
			return nil, turn.Errorf(turn.CodeInternal, "the root is locked by %s", strings.TrimSpace(turn.Printable(string(holder[:n])))).
				WithHint("--lock-timeout waits longer")
		}
	}
	holder := fmt.Sprintf("pai-exec, process %d, since %s\n", os.Getpid(), time.Now().UTC().Format(time.RFC3339))
	if err := errors.Join(f.Truncate(0), second(f.WriteAt([]byte(holder), 0))); err != nil {
		f.Close()
		return nil, explain(path.Join(history.Dir, lockFile), err)
	}
	return f, nil
}

func second(_ int, err error) error { return err }

// transactions opens the directory of the transactions as it is; -1 if there
// is none that can be used.
func (r *Root) transactions() int {
	list, err := r.open(path.Join(history.Dir, transactionsDir), unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return -1
	}
	return list
}

// Recover takes back what a killed pai-exec left half done. It returns what a
// person should know of it. Where there is something to take back and that
// fails, so does Recover: nobody must see half a change.
func (r *Root) Recover(wait time.Duration) (notices []string, err error) {
	list := r.transactions()
	if list < 0 {
		return nil, nil
	}
	defer unix.Close(list)
	all, err := names(list)
	if err != nil {
		return nil, explain(history.Dir, err)
	}
	begun := false
	for _, name := range all {
		if !strings.HasSuffix(name, pending) {
			continue
		}
		t, foreign, err := r.openTransaction(list, name)
		if err != nil {
			return nil, explain(history.Dir, err)
		}
		if foreign && t != nil && exists(t.fd, journalFile) {
			notices = append(notices, fmt.Sprintf("ignored the transaction %s: it was not begun here", turn.Quote(name)))
		}
		begun = begun || !foreign
		if t != nil {
			t.close()
		}
	}
	if !begun {
		return notices, nil
	}
	more, err := r.recoverAll(wait)
	return append(notices, more...), err
}

// recoverAll takes back every pending transaction, under the lock: one that
// another process is still making is not pending any more by then.
func (r *Root) recoverAll(wait time.Duration) (notices []string, err error) {
	h, err := r.openHistory(wait)
	if err != nil {
		return nil, err
	}
	defer h.close()
	all, err := names(h.list)
	if err != nil {
		return nil, explain(history.Dir, err)
	}
	slices.Reverse(all)
	for _, name := range all {
		if !strings.HasSuffix(name, pending) {
			continue
		}
		t, foreign, err := r.openTransaction(h.list, name)
		if err != nil {
			return notices, explain(history.Dir, err)
		}
		if foreign {
			continue
		}
		left, err := t.rollBack(strings.Contains(name, forcing))
		t.close()
		if err != nil {
			return notices, turn.Errorf(turn.CodeInternal, "the transaction %s, which was cut short, can't be taken back: %s", t.id(), err)
		}
		notices = append(notices, fmt.Sprintf("took back the transaction %s, which was cut short", t.id()))
		for _, p := range left {
			notices = append(notices, fmt.Sprintf("left %s as it is: it changed meanwhile; what was there before lies in %s", turn.Quote(p), t.path()))
		}
	}
	return notices, nil
}

// Transaction is one that can be undone.
type Transaction struct {
	ID    string
	Time  time.Time
	Paths []string // sorted
	State string   // "applied", or that it is taken back and holds what a person may want
}

// Log lists the transactions, the newest first.
func (r *Root) Log() ([]Transaction, error) {
	list := r.transactions()
	if list < 0 {
		return nil, nil
	}
	defer unix.Close(list)
	all, err := names(list)
	if err != nil {
		return nil, explain(history.Dir, err)
	}
	slices.Reverse(all)
	var out []Transaction
	for _, name := range all {
		t, foreign, err := r.openTransaction(list, name)
		if err != nil {
			return nil, explain(history.Dir, err)
		}
		if !foreign && !strings.HasSuffix(name, pending) {
			out = append(out, t.describe())
		}
		if t != nil {
			t.close()
		}
	}
	return out, nil
}

func (t *transaction) describe() Transaction {
	d := Transaction{ID: t.id(), Time: timeOf(t.name), State: "applied"}
	if strings.HasSuffix(t.name, kept) {
		d.State = "taken back, holds what was kept"
	}
	for p := range t.Paths {
		d.Paths = append(d.Paths, p)
	}
	slices.Sort(d.Paths)
	return d
}

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

// prune forgets transactions that are too old or take too much, but never
// the newest, and what was left of ones that never began.
func (h *historyDir) prune(newest string, age time.Duration, limit int64) {
	all, err := names(h.list)
	if err != nil {
		return
	}
	slices.Reverse(all)
	var total int64
	for _, name := range all {
		total += sizeOf(name)
		unbegun := strings.HasSuffix(name, pending)
		if name == newest || !unbegun && total <= limit && time.Since(timeOf(name)) <= age {
			continue
		}
		t, foreign, err := h.root.openTransaction(h.list, name)
		if err != nil || t == nil {
			continue
		}
		if !foreign && !unbegun || foreign && unbegun && !exists(t.fd, journalFile) {
			t.remove()
		}
		t.close()
	}
}

// newID names a transaction by its time, chance, and how much of the tree
// before it keeps, in KiB, so that pruning needs no more than names.
func newID(bytes int64) string {
	var random [2]byte
	rand.Read(random[:])
	now := time.Now().UTC().Format("20060102T150405.000000")
	return fmt.Sprintf("%s-%x-%dk", strings.Replace(now, ".", "-", 1), random, bytes>>10+4) // the journal takes some too
}

// sizeOf and timeOf read a transaction's name; 0 where it is no such name.
func sizeOf(name string) int64 {
	name, _, _ = strings.Cut(name, ".")
	kib, err := strconv.ParseInt(strings.TrimSuffix(name[strings.LastIndex(name, "-")+1:], "k"), 10, 64)
	if err != nil || kib < 0 {
		return 0
	}
	return kib << 10
}

func timeOf(name string) time.Time {
	const form = "20060102T150405"
	when, err := time.Parse(form, name[:min(len(name), len(form))])
	if err != nil {
		return time.Time{}
	}
	return when
}
