package engine

import (
	"errors"

	"paicode/cmd/pai-exec/internal/workspace"
	"paicode/pkg/filter"
	"paicode/pkg/turn"
)

// Log lists the transactions that can be undone, the newest first.
func Log(o Options, progress *filter.Progress) ([]workspace.Transaction, error) {
	disk, _, err := o.enter(progress)
	if err != nil {
		return nil, err
	}
	defer disk.Close()
	return disk.Log()
}

// Undo puts the tree before a transaction back; an empty id is the last one.
// With force, later changes give way and are kept beside the journal.
func Undo(o Options, id string, force bool, progress *filter.Progress) (workspace.Transaction, error) {
	disk, _, err := o.enter(progress)
	if err != nil {
		return workspace.Transaction{}, err
	}
	defer disk.Close()
	undone, err := disk.Undo(id, force, o.Commit.LockWait)
	if stale, ok := errors.AsType[*workspace.StaleError](err); ok {
		return undone, turn.Errorf(turn.CodeStale, "stale: %s changed since the transaction", listed(stale.Paths)).
			WithHint("--force puts the tree before back, and keeps what is there now in .pai_history")
	}
	return undone, err
}

// Explain says whether the guard lets a path through; the error says why not,
// by which rule, and where that stands.
func Explain(o Options, path string, progress *filter.Progress) error {
	disk, _, err := o.enter(progress)
	if err != nil {
		return err
	}
	defer disk.Close()
	return workspace.NewTree(disk, o.Workspace).Explain(path)
}
