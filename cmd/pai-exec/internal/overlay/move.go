package overlay

import (
	"errors"
	"strings"
	"unicode/utf8"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/pkg/turn"
)

// goingAlong checks and notes an environment that RM or MV takes along. Its
// content is shown to nobody.
func (t *Tree) goingAlong(n *node) error {
	return t.sweep(n, func(k *node) error {
		if guard.StaysBehind(k.name) {
			return t.guard(k, k.path())
		}
		if err := errors.Join(decodable(k), t.know(k)); err != nil {
			return turn.AsError(err)
		}
		t.touch(k)
		t.unseen[k.path()] = true
		return nil
	})
}

// decodable refuses a name that no document could carry.
func decodable(n *node) error {
	if utf8.ValidString(n.name) {
		return nil
	}
	return turn.Errorf(turn.CodeRejected, "%s is not a UTF-8 name, which a document can't hold",
		turn.Quote(n.path()))
}

// leaving checks everything that RM or MV takes along, and notes it. An
// environment is included with what is in it, since it can be made again.
func (t *Tree) leaving(n *node) error {
	if err := t.mayChange(n); err != nil {
		return err
	}
	if err := decodable(n); err != nil {
		return err
	}
	if err := t.know(n); err != nil {
		return err
	}
	t.touch(n)
	if n.Kind != disk.Directory {
		return nil
	}
	kids, err := t.list(n)
	if err != nil {
		return err
	}
	for _, k := range kids {
		if guard.GoesAlong(k.name) && k.Kind == disk.Directory {
			err = t.goingAlong(k)
		} else if err = t.guard(k, k.path()); err == nil {
			err = t.leaving(k)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *Tree) remove(s turn.Step) (Result, error) {
	n, err := t.walk(s.Target, false)
	if err != nil {
		return Result{}, err
	}
	if n.Kind == disk.Absent {
		return Result{}, missing(s.Target)
	}
	if err := t.leaving(n); err != nil {
		return Result{}, err
	}
	t.takeAway(n)
	gone := &node{name: n.name}
	switch n.Kind {
	case disk.Regular:
		gone.mode = n.Perm
	case disk.Directory:
		gone.dirMode = n.Perm
	}
	n.parent.put(gone)
	return Result{Removes: true}, nil
}

// takeAway has a path removed, and remembers what it must hold then.
func (t *Tree) takeAway(n *node) {
	t.removed[len(t.ops)] = n
	t.ops = append(t.ops, disk.Op{Kind: disk.OpRemove, Path: n.path(), Size: t.sizeBeneath(n), Seen: seen(n, "", nil)})
	clear(t.written)
}

// seen lists a node and what is under it, as it is known.
func seen(n *node, rel string, out []disk.Seen) []disk.Seen {
	if n.Kind == disk.Absent {
		return out
	}
	s := disk.Seen{Rel: rel, Info: n.Info, Moved: n.origin != ""}
	if n.Ino == 0 && n.Kind == disk.Regular {
		s.Sum = disk.Hash(n.data)
	}
	out = append(out, s)
	for name, k := range n.kids {
		out = seen(k, strings.TrimPrefix(rel+"/"+name, "/"), out)
	}
	return out
}

// was is the digest of what a step took away: the disk's, as it will be in the transaction's
// directory.
func (t *Tree) was(n *node, paths map[string]turn.SealedPath) (string, error) {
	sum := func(n *node) (string, error) {
		if s := paths[n.disk()].Before; n.onDisk && !n.loaded && s != nil {
			return s.SHA256, nil
		}
		s, err := t.state(n)
		if err != nil || s == nil {
			return "", err
		}
		return s.SHA256, nil
	}
	if n.Kind != disk.Directory {
		return sum(n)
	}
	var d disk.Under
	err := beneath(n, "", func(k *node, rel string) error {
		s, err := sum(k)
		d.Add(rel, k.Kind, s)
		return err
	})
	return d.Sum(), err
}

// beneath visits what is known to lie under a node.
func beneath(n *node, rel string, visit func(k *node, rel string) error) error {
	for name, k := range n.kids {
		if k.Kind == disk.Absent {
			continue
		}
		at := strings.TrimPrefix(rel+"/"+name, "/")
		if err := visit(k, at); err != nil {
			return err
		}
		if err := beneath(k, at, visit); err != nil {
			return err
		}
	}
	return nil
}

// sizeBeneath adds up the files that are known under a node.
func (t *Tree) sizeBeneath(n *node) int64 {
	total := n.Size
	for _, k := range n.kids {
		total += t.sizeBeneath(k)
	}
	return total
}

func (t *Tree) move(s turn.Step) (Result, error) {
	from, err := t.walk(s.Target, false)
	if err != nil {
		return Result{}, err
	}
	to, err := t.walk(s.Destination, false)
	if err != nil {
		return Result{}, err
	}
	switch {
	case from.Kind == disk.Absent:
		return Result{}, missing(s.Target)
	case from == to:
		return Result{Unchanged: true}, nil
	case to.Kind == disk.Directory || strings.HasSuffix(s.Destination, "/") && from.Kind != disk.Directory:
		return Result{}, turn.Errorf(turn.CodeRejected, "%s is a directory", turn.Quote(s.Destination)).
			WithHint("add the new name to the directory")
	case to.beneath(from):
		return Result{}, turn.Errorf(turn.CodeRejected, "%s can't be moved into itself", turn.Quote(s.Target))
	}
	if err := errors.Join(t.leaving(from), t.mayChange(to)); err != nil {
		return Result{}, turn.AsError(err)
	}
	onto := to.Kind != disk.Absent
	if onto {
		t.touch(to)
		t.takeAway(to)
	}
	if err := t.makeDirs(to.parent); err != nil {
		return Result{}, err
	}
	t.ops = append(t.ops, disk.Op{Kind: disk.OpRename, Path: from.path(), To: to.path(), Ino: from.Ino,
		Seen: seen(from, "", nil)})
	clear(t.written)
	from.origin = from.disk()
	from.parent.put(&node{name: from.name})
	from.name = to.name
	to.parent.put(from)
	err = t.sweep(from, func(k *node) error {
		k.ruled = false // other directories are above it now
		t.touch(k)
		return nil
	})
	return Result{Removes: onto}, err
}

func (n *node) beneath(above *node) bool {
	for ; n != nil; n = n.parent {
		if n == above {
			return true
		}
	}
	return false
}

// sweep calls visit for a node and everything under it.
func (t *Tree) sweep(n *node, visit func(*node) error) error {
	if err := visit(n); err != nil || n.Kind != disk.Directory {
		return err
	}
	kids, err := t.list(n)
	if err != nil {
		return err
	}
	for _, k := range kids {
		if err := t.sweep(k, visit); err != nil {
			return err
		}
	}
	return nil
}
