package overlay

import (
	"slices"
	"strings"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/find"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/pkg/turn"
)

// Targets says what is at each path, under the guard.
func (t *Tree) Targets(paths []string) (out []turn.Target) {
	for _, p := range paths {
		out = append(out, turn.Target{Path: p, Kind: t.targetKind(p)})
	}
	return out
}

func (t *Tree) targetKind(p string) string {
	n, err := t.allowedNode(p)
	switch {
	case err != nil && turn.AsError(err).Code == turn.CodeDenied:
		return turn.TargetDenied
	case err != nil || n.Kind == disk.Absent:
		return turn.TargetNone
	case n.Kind == disk.Directory:
		return turn.TargetDir
	}
	return turn.TargetFile
}

// Explain says whether a path is allowed, by which rule not, and where that
// stands.
func (t *Tree) Explain(path string) error {
	n, err := t.allowedNode(path)
	if err != nil {
		return err
	}
	if n.Kind == disk.Regular {
		_, err = t.content(n, path)
	}
	return err
}

// allowedNode resolves a path by its words and on the tree.
func (t *Tree) allowedNode(p string) (*node, error) {
	if err := guard.Check(p, true, true, &t.options.Rules); err != nil {
		return nil, err
	}
	return t.walk(p, true)
}

// Look adds to what was observed what the entries name: a path with or without a
// range of lines ("a.py:3-9"), else a definition, else a text. What is found nowhere
// is answered with what comes nearest; what the guard refuses is told. With all looks the
// workspace takes no more than so many tokens, if they are not 0.
func (t *Tree) Look(w *turn.Workspace, request string, entries []string, tokens int) error {
	all, _, err := t.files()
	if err != nil {
		return err
	}
	files := t.readable(all, words{})
	q := find.NewQuery(request)
	hide := t.Withhold(w)
	room := find.LookBytes
	for _, l := range w.Looks {
		room -= sizeOf(l)
	}
	if tokens > 0 {
		room = min(room, tokens*7/2-sizeOf(w))
	}
	for _, entry := range entries {
		l := t.lookAt(q, entry, files)
		for i := range l.Excerpts {
			hide.excerpt(&l.Excerpts[i])
		}
		l.Excerpts = slices.DeleteFunc(l.Excerpts, func(e turn.Excerpt) bool { return shownIn(w, e) })
		if len(l.Excerpts) == 0 && l.Message == "" {
			l.Message = "it is shown already"
		}
		for len(l.Excerpts) > 1 && sizeOf(l) > room {
			l.Excerpts = l.Excerpts[:len(l.Excerpts)-1]
		}
		if sizeOf(l) > room {
			l = turn.Look{Asked: entry, Message: "there is no room to show more"}
		}
		room -= sizeOf(l)
		w.Looks = append(w.Looks, l)
	}
	hide.name(w)
	return nil
}

// sizeOf is how much a look, or all of a workspace, takes in the document.
func sizeOf(v any) int { return len(turn.Line(v)) }

// shownIn reports whether all of an excerpt is in the workspace already.
func shownIn(w *turn.Workspace, e turn.Excerpt) bool {
	from, to, ok := find.Lines(e.Lines)
	within := func(o turn.Excerpt) bool {
		first, last, known := find.Lines(o.Lines)
		return e.Path == o.Path && (o.Whole || ok && known && first <= from && to <= last)
	}
	return slices.ContainsFunc(w.Excerpts, within) ||
		slices.ContainsFunc(w.Looks, func(l turn.Look) bool { return slices.ContainsFunc(l.Excerpts, within) })
}

// hidden reports whether git ignores a file.
func (t *Tree) hidden(n *node) bool {
	ignored, err := t.ignored(n)
	return ignored || err != nil
}

// lookAt reads one entry.
func (t *Tree) lookAt(q *find.Query, entry string, files []find.File) turn.Look {
	l := turn.Look{Asked: entry}
	p, from, to := find.SplitRange(entry)
	n, err := t.allowedNode(strings.TrimPrefix(p, "./"))
	switch {
	case err != nil && turn.AsError(err).Code == turn.CodeDenied && !strings.ContainsAny(entry, " ()\"'`"):
		l.Message = turn.AsError(err).Message
		return l
	case err == nil && n.Kind == disk.Directory:
		out, _ := t.listing(n, p) // what can't be read lists nothing
		l.Message = "it holds " + strings.Join(strings.Split(strings.TrimSuffix(out, "\n"), "\n"), ", ")
		return l
	case err == nil && n.Kind == disk.Regular && t.hidden(n):
		l.Message = "git ignores it"
		return l
	case err == nil && n.Kind == disk.Regular:
		data, err := t.content(n, p)
		if err != nil {
			l.Message = turn.AsError(err).Message
		} else if !change.IsText(data) {
			l.Message = "it is not text"
		} else {
			l.Excerpts = find.Text(q, n.path(), string(data), from, to)
		}
		return l
	}
	if l.Excerpts = find.Named(entry, files); len(l.Excerpts) == 0 {
		l.Message = find.Nearest(p, files)
	}
	return l
}
