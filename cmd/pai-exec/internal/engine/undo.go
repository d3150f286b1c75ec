package engine

import (
	"context"
	"errors"
	"slices"

	"paicode/cmd/pai-exec/internal/change"
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
// With force, later changes give way and are kept beside the journal. A sum that isn't empty is
// that of the seal of Reverse: if it would be another one, that is an error of CodeStale.
func Undo(ctx context.Context, o Options, id string, force bool, sum string, progress Progress) (journal.Transaction,
	error) {
	in, err := o.enter(progress, journal.Outside{})
	if err != nil {
		return journal.Transaction{}, err
	}
	defer in.close()
	undone, err := in.journal.Undo(ctx, id, force, sum, o.Journal.LockWait)
	return undone, changedSince(err)
}

// Redo makes once more the change that was undone last.
func Redo(ctx context.Context, o Options, progress Progress) (journal.Transaction, error) {
	in, err := o.enter(progress, journal.Outside{})
	if err != nil {
		return journal.Transaction{}, err
	}
	defer in.close()
	redone, err := in.journal.Redo(ctx, o.Journal.LockWait)
	if stale, ok := errors.AsType[*disk.StaleError](err); ok {
		err = turn.Errorf(turn.CodeStale, "stale: %s changed since that was undone", turn.QuoteFew(stale.Paths))
	}
	return redone, err
}

// changedSince words the error of paths that changed since a transaction.
func changedSince(err error) error {
	if stale, ok := errors.AsType[*disk.StaleError](err); ok {
		return turn.Errorf(turn.CodeStale, "stale: %s changed since the transaction", turn.QuoteFew(stale.Paths)).
			WithHint("undo --force puts the tree before back, and keeps what is there now in %s", turn.HistoryDir)
	}
	return err
}

// Reverse is a document that says what Undo would do, in its exec and its seal: it holds no plan,
// so that no pai-exec can take it for one.
func Reverse(ctx context.Context, o Options, id string, force bool, progress Progress) (*turn.Document, error) {
	in, err := o.enter(progress, journal.Outside{})
	if err != nil {
		return nil, err
	}
	defer in.close()
	r, err := in.journal.Preview(ctx, id, force, change.MaxDiffBytes, o.Journal.LockWait)
	if err != nil {
		return nil, changedSince(err)
	}
	doc := turn.New("undo " + r.ID)
	exec := &turn.Exec{DryRun: true, Landlock: in.landlock, Transaction: r.ID, Steps: []turn.StepResult{}}
	git := slices.ContainsFunc(r.Steps, func(b journal.Back) bool {
		f := sides(b, r.Paths)
		return (f.Old != nil || f.New != nil) && f.NeedsGit()
	})
	for i, b := range r.Steps {
		exec.Steps = append(exec.Steps, backStep(i+1, b, sides(b, r.Paths), git))
	}
	exec.Summary = turn.Summary{OK: len(exec.Steps), Total: len(exec.Steps), SuccessRate: 1}
	doc.SetSeal(&turn.Seal{Steps: r.Sum, Paths: r.Paths})
	doc.SetExec(exec)
	return doc, nil
}

// backStep is what rolling back one change does, as a step that was resolved.
func backStep(number int, b journal.Back, f change.File, git bool) turn.StepResult {
	s := turn.StepResult{Number: number, Status: turn.StatusOK}
	switch b.Kind {
	case disk.OpMkdir:
		s.Message = turn.Shown(b.Path) + ": the folder goes away"
	case disk.OpPut:
		s.Message = turn.Shown(b.Path) + " goes away"
	case disk.OpReplace:
		s.Message = turn.Shown(b.Path) + " becomes what it was"
	case disk.OpRemove:
		s.Message = turn.Shown(b.Path) + " comes back"
		if b.Removed {
			s.Message = turn.Shown(b.Path) + ": the folder comes back, with what is in it"
		}
	case disk.OpRename:
		s.Message = turn.Shown(b.To) + " moves back to " + turn.Shown(b.Path)
	}
	if f.Old == nil && f.New == nil {
		return s
	}
	d := f.Diff()
	s.Added, s.Removed = d.Added(), d.Removed()
	var note string
	s.Diff, note = f.Unified(d, git)
	addNote(&s, note)
	return s
}

// sides are what a file is now, and what it will be; neither for what is shown in words alone.
func sides(b journal.Back, paths map[string]turn.SealedPath) (f change.File) {
	side := func(data *[]byte, state *turn.State) *change.Side {
		if data == nil || state == nil {
			return nil
		}
		s := &change.Side{Path: b.Path, Text: string(*data), Mode: change.ModeFile, Binary: !change.IsText(*data)}
		if disk.Executable(state) {
			s.Mode = change.ModeExecutable
		}
		return s
	}
	f.Old, f.New = side(b.Now, paths[b.Path].Before), side(b.Then, paths[b.Path].After)
	return f
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
