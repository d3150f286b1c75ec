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
		if err := decodable(k); err != nil {
			return err
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
	return turn.Errorf(turn.CodeRejected, "%s is not a name in UTF-8, and no document could carry it", turn.Quote(n.path()))
}

// leaving checks everything that RM or MV takes along, and notes it. An
// environment goes along with what is in it, since it can be made again.
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
	if n.Kind == disk.Regular {
		gone.mode = n.Perm
	}
	n.parent.put(gone)
	return Result{Removes: true}, nil
}

// takeAway has a path removed, and remembers what it must hold then.
func (t *Tree) takeAway(n *node) {
	o := disk.Op{Kind: disk.OpRemove, Path: n.path(), Size: t.sizeBeneath(n)}
	if n.Kind == disk.Regular && n.loaded {
		o.Was = disk.Hash(n.data)
	}
	t.ops = append(t.ops, o)
	clear(t.written)
}

// sizeBeneath adds up the files that are known beneath a node.
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
			WithHint("name what the moved one shall be called in it")
	case to.beneath(from):
		return Result{}, turn.Errorf(turn.CodeRejected, "%s can't move beneath itself", turn.Quote(s.Target))
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
	t.ops = append(t.ops, disk.Op{Kind: disk.OpRename, Path: from.path(), To: to.path(), Ino: from.Ino})
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
