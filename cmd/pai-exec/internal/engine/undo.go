package engine

import (
	"context"
	"errors"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/journal"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/pkg/turn"
)

// Log lists the transactions that can be undone, the newest first.
func Log(o Options, progress Progress) ([]journal.Transaction, error) {
	in, err := o.enter(progress, journal.Outside{})
	if err != nil {
		return nil, err
	}
	defer in.close()
	return in.journal.Log()
}

// Undo puts the tree before a transaction back; an empty id is the last one.
// With force, later changes give way and are kept beside the journal.
func Undo(ctx context.Context, o Options, id string, force bool, progress Progress) (journal.Transaction, error) {
	in, err := o.enter(progress, journal.Outside{})
	if err != nil {
		return journal.Transaction{}, err
	}
	defer in.close()
	undone, err := in.journal.Undo(ctx, id, force, o.Journal.LockWait)
	if stale, ok := errors.AsType[*disk.StaleError](err); ok {
		return undone, turn.Errorf(turn.CodeStale, "stale: %s changed since the transaction", turn.QuoteFew(stale.Paths)).
			WithHint("--force puts the tree before back, and keeps what is there now in %s", turn.HistoryDir)
	}
	return undone, err
}

// Explain says whether the guard lets a path through; the error says why not,
// by which rule, and where that stands.
func Explain(o Options, path string, progress Progress) error {
	in, err := o.enter(progress, journal.Outside{})
	if err != nil {
		return err
	}
	defer in.close()
	return overlay.NewTree(in.root, o.Overlay).Explain(path)
}
