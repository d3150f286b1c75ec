package engine

import (
	"bytes"
	"context"
	"slices"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/cmd/pai-exec/internal/journal"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/pkg/turn"
)

// checkFirst runs the checks on the untouched tree: what they print tells the generator more than
// words. What they write to the plan's paths is taken away again, also in a dry run.
func (r *run) checkFirst(ctx context.Context) error {
	if r.runner == nil || r.NoCheckFirst || len(r.author.Wanted()) == 0 || r.author.Failed() {
		return nil
	}
	r.watch()
	root, err := disk.OpenRoot(r.Root) // what is read through r.root must not change any more
	if err != nil {
		return err
	}
	defer root.Close()
	before := r.targets(root)
	c, err := r.runner.All(ctx, r.Checks, r.CheckTimeout, r.checking)
	r.author.Before(c)
	if restoreErr := r.restore(root, before); err == nil {
		err = restoreErr
	}
	return err
}

// target is what was at a path that the plan names: a text file, or nothing.
type target struct {
	path string
	text []byte
	is   bool
}

// targets are the plan's paths that restore can put back: text files, and what does not exist.
func (r *run) targets(root *disk.Root) (out []target) {
	for _, s := range r.steps {
		for _, p := range []string{s.Target, s.Destination} {
			if p == "" || guard.Check(p, true, true, &r.Overlay.Rules) != nil ||
				slices.ContainsFunc(out, func(t target) bool { return t.path == p }) {
				continue
			}
			if t, ok := r.target(root, p); ok {
				out = append(out, t)
			}
		}
	}
	return out
}

func (r *run) target(root *disk.Root, p string) (t target, ok bool) {
	st, err := root.Stat(p)
	switch {
	case err != nil || st.Kind != disk.Regular && st.Kind != disk.Absent:
		return t, false
	case st.Kind == disk.Absent:
		return target{path: p}, true
	}
	text, _, err := root.Read(p, r.Overlay.MaxFileBytes)
	return target{p, text, true}, err == nil && change.IsText(text)
}

// restore puts back what the checks wrote over before the change, as a change that can be undone:
// a person may have written it meanwhile.
func (r *run) restore(root *disk.Root, before []target) error {
	tree := overlay.NewTree(root, r.Overlay)
	var changed []string
	for _, was := range before {
		now, ok := r.target(root, was.path)
		if !ok || now.is == was.is && bytes.Equal(now.text, was.text) {
			continue
		}
		text := string(was.text)
		s := turn.Step{Action: turn.ActionModify, Target: was.path, Content: &text}
		switch {
		case !was.is:
			s = turn.Step{Action: turn.ActionRemove, Target: was.path}
		case !now.is:
			s.Action = turn.ActionWrite
		}
		if _, err := tree.Do(len(changed), s, false); err != nil {
			return err
		}
		changed = append(changed, was.path)
	}
	if len(changed) == 0 {
		return nil
	}
	net, err := tree.Net()
	if err != nil {
		return err
	}
	id, err := journal.New(root, r.Overlay.Rules, r.outside).Commit(context.Background(), net.Ops, net.Paths, r.Journal)
	if err != nil {
		return err
	}
	for _, p := range changed {
		if r.stamps[p], err = root.Stat(p); err != nil {
			return err
		}
	}
	r.progress.Note("the check changed " + turn.QuoteFew(changed) + " before the change was made: it was restored; pai-exec --undo -- " +
		id + " brings back what the check wrote")
	return nil
}
