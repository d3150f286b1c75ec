package overlay

import (
	"errors"
	"fmt"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/pkg/turn"
)

// Result is what one step did to the tree.
type Result struct {
	Unchanged bool
	Matched   string // how the edits were found
	Output    string // what READ, TREE and LIST_PATH report
	Message   string
	Removes   bool // it takes something away: a person must agree
}

// Do does a step on the tree. With preview, a WRITE or MODIFY whose content
// isn't known yet is done as far as its path goes. Errors are of CodeDenied,
// CodeRejected, CodeStale and CodeInternal.
func (t *Tree) Do(index int, s turn.Step, preview bool) (Result, error) {
	t.step = index
	switch s.Action {
	case turn.ActionRead:
		return t.read(s)
	case turn.ActionWrite:
		return t.write(s, preview)
	case turn.ActionModify:
		return t.modify(s, preview)
	case turn.ActionTree:
		return t.report(s, t.draw)
	case turn.ActionList:
		return t.report(s, t.listing)
	case turn.ActionMkdir:
		return t.mkdir(s)
	case turn.ActionTouch:
		return t.touchFile(s)
	case turn.ActionRemove:
		return t.remove(s)
	case turn.ActionMove:
		return t.move(s)
	}
	return Result{}, nil
}

func missing(path string) error {
	return turn.Errorf(turn.CodeRejected, "%s does not exist", turn.Quote(path))
}

// find resolves a path to a file, through links.
func (t *Tree) find(path string) (*node, error) {
	n, err := t.walk(path, true)
	switch {
	case err != nil:
		return nil, err
	case n.Kind == disk.Absent:
		return nil, missing(path)
	case n.Kind != disk.Regular:
		return nil, turn.Errorf(turn.CodeRejected, "%s is a directory", turn.Quote(path))
	}
	return n, nil
}

func (t *Tree) read(s turn.Step) (Result, error) {
	n, err := t.find(s.Target)
	if err != nil || n.pending {
		return Result{}, err
	}
	data, err := t.content(n, s.Target)
	if err != nil {
		return Result{}, err
	}
	if !change.IsText(data) {
		return Result{Message: fmt.Sprintf("not text, %d bytes", len(data))}, nil
	}
	return Result{Output: string(data)}, nil
}

func (t *Tree) write(s turn.Step, preview bool) (Result, error) {
	n, err := t.walk(s.Target, false)
	if err != nil {
		return Result{}, err
	}
	if n.Kind != disk.Absent {
		return Result{}, turn.Errorf(turn.CodeRejected, "%s exists already", turn.Quote(s.Target)).
			WithHint("MODIFY changes a file that is there")
	}
	if s.Content == nil && !preview {
		return Result{}, turn.Errorf(turn.CodeRejected, "%s has no content", turn.Quote(s.Target))
	}
	perm := n.newMode(t.umask)
	if s.Executable {
		perm |= 0o111 &^ t.umask
	}
	var data []byte
	if s.Content != nil {
		data = []byte(*s.Content)
	}
	if !change.IsText(data) {
		return Result{}, notText(s.Target)
	}
	return Result{}, t.create(n, data, perm, s.Content == nil)
}

// newMode is that of a file made at a path: the one of a file that a step removed there, or
// else what the umask leaves.
func (n *node) newMode(umask uint32) uint32 {
	if n.mode != 0 {
		return n.mode
	}
	return 0o666 &^ umask
}

// create makes a new file with all the directories above it.
func (t *Tree) create(n *node, data []byte, perm uint32, pending bool) error {
	if err := t.mayChange(n); err != nil {
		return err
	}
	if err := t.makeDirs(n.parent); err != nil {
		return err
	}
	n.Info, n.onDisk = disk.Info{Kind: disk.Regular, Perm: perm, Size: int64(len(data)), Nlink: 1}, false
	n.data, n.loaded, n.pending = data, true, pending
	t.touch(n)
	t.ops = append(t.ops, disk.Op{Kind: disk.OpPut, Path: n.path(), Data: data, Perm: perm})
	t.written[n.path()] = len(t.ops) - 1
	return nil
}

// mayChange keeps steps from the rules that judge them.
func (t *Tree) mayChange(n *node) error {
	if guard.Fold(n.name) == ".paiignore" {
		return guard.Denied(n.path(), "is denied: only a person changes the guard's own rules")
	}
	return nil
}

func (t *Tree) makeDirs(n *node) error {
	if n.Kind != disk.Absent {
		return nil
	}
	if err := t.mayChange(n); err != nil {
		return err
	}
	if err := t.makeDirs(n.parent); err != nil {
		return err
	}
	const setgid = 0o2000 // inherited by directories
	perm := 0o777&^t.umask | n.parent.Perm&setgid
	if n.dirMode != 0 {
		perm = n.dirMode
	}
	n.Info, n.onDisk = disk.Info{Kind: disk.Directory, Perm: perm}, false
	t.touch(n)
	t.ops = append(t.ops, disk.Op{Kind: disk.OpMkdir, Path: n.path(), Mode: n.dirMode})
	return nil
}

func (t *Tree) modify(s turn.Step, preview bool) (Result, error) {
	n, err := t.find(s.Target)
	if err == nil {
		err = t.mayChange(n)
	}
	if err != nil {
		return Result{}, err
	}
	unknown := s.Content == nil && s.Edits == nil
	if unknown && !preview {
		return Result{}, turn.Errorf(turn.CodeRejected, "%s has neither content nor edits", turn.Quote(s.Target))
	}
	if n.pending {
		return Result{}, nil
	}
	old, err := t.text(n, s.Target)
	if err != nil || unknown {
		return Result{}, err
	}
	text, matched := "", ""
	if s.Content != nil {
		text = *s.Content
	} else if text, matched, err = change.Apply(old, s.Edits); err != nil {
		return Result{}, editFailure(s.Target, err)
	}
	if !change.IsText([]byte(text)) {
		return Result{}, notText(s.Target)
	}
	t.touch(n)
	if text == old {
		return Result{Unchanged: true, Matched: matched}, nil
	}
	t.replace(n, []byte(text))
	message := ""
	if n.Perm&0o222 == 0 {
		message = "its mode lets nobody write to it"
	}
	return Result{Matched: matched, Message: message}, nil
}

// replace gives a file new content. If nothing moved since it was written
// last, that change takes the new content.
func (t *Tree) replace(n *node, data []byte) {
	p := n.path()
	if i, ok := t.written[p]; ok {
		t.ops[i].Data = data
	} else {
		t.ops = append(t.ops, disk.Op{Kind: disk.OpReplace, Path: p, Old: n.Ino, Was: disk.Hash(n.data), Data: data,
			Perm: n.Perm, Size: n.Size, Source: n.disk()})
		t.written[p] = len(t.ops) - 1
	}
	n.data, n.Size, n.Ino = data, int64(len(data)), 0
}

// notText refuses content that nobody could review.
func notText(path string) error {
	return turn.Errorf(turn.CodeRejected, "the new content of %s is not text: it holds a NUL", turn.Quote(path))
}

func editFailure(path string, err error) error {
	out := turn.Errorf(turn.CodeRejected, "%s: %s", turn.Shown(path), err)
	if e, ok := errors.AsType[*change.EditError](err); ok {
		out.Hint = e.Explain()
	}
	return out
}

func (t *Tree) mkdir(s turn.Step) (Result, error) {
	n, err := t.walk(s.Target, true)
	switch {
	case err != nil:
		return Result{}, err
	case n.Kind == disk.Directory:
		return Result{Unchanged: true}, nil
	case n.Kind != disk.Absent:
		return Result{}, turn.Errorf(turn.CodeRejected, "%s exists and is not a directory", turn.Quote(s.Target))
	}
	return Result{}, t.makeDirs(n)
}

func (t *Tree) touchFile(s turn.Step) (Result, error) {
	n, err := t.walk(s.Target, true)
	if err != nil {
		return Result{}, err
	}
	if n.Kind != disk.Absent {
		return Result{Unchanged: true}, nil
	}
	return Result{}, t.create(n, nil, n.newMode(t.umask), false)
}

// Text returns what is in a text file as the steps so far leave it; ok is
// false where its content isn't known yet.
func (t *Tree) Text(path string) (text string, ok bool, err error) {
	n, err := t.find(path)
	if err != nil || n.pending {
		return "", false, err
	}
	text, err = t.text(n, path)
	return text, err == nil, err
}
