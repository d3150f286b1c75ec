package workspace

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
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
			if t != nil {
				t.close()
			}
			continue
		}
		if err := t.permitted(); err != nil {
			t.close()
			return notices, err
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
		if strings.HasSuffix(name, pending) || strings.HasSuffix(name, gone) {
			continue
		}
		t, foreign, err := r.openTransaction(list, name)
		if err != nil {
			return nil, explain(history.Dir, err)
		}
		if !foreign {
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
