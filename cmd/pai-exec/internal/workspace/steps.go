package workspace

import (
	"errors"
	"fmt"
	"strings"

	"paicode/cmd/pai-exec/internal/change"
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

// CheckStep judges a step by its words: whether its action exists and has
// what it needs, and whether its paths may be meant at all. Errors are of
// CodeUsage and CodeDenied.
func CheckStep(s turn.Step, rules *Rules) error {
	if s.Action == turn.ActionFinish {
		return nil
	}
	folder := false
	switch s.Action {
	case turn.ActionTree, turn.ActionList, turn.ActionMkdir, turn.ActionRemove, turn.ActionMove:
		folder = true
	case turn.ActionRead, turn.ActionWrite, turn.ActionModify, turn.ActionTouch:
	default:
		return turn.Errorf(turn.CodeUsage, "unknown action %s", turn.Quote(s.Action)).
			WithHint("%s", strings.Join(turn.Actions(), ", "))
	}
	switch {
	case s.Target == "":
		return turn.Errorf(turn.CodeDenied, "access denied: %s has no target", s.Action).WithHint("give a path beneath the project root")
	case s.Action == turn.ActionMove && s.Destination == "":
		return turn.Errorf(turn.CodeDenied, "access denied: MV of %s has no destination", turn.Quote(s.Target)).
			WithHint("destination is what it shall be called")
	}
	listing := s.Action == turn.ActionTree || s.Action == turn.ActionList
	if err := checkPath(s.Target, listing, folder, rules); err != nil {
		return err
	}
	switch {
	case s.Action == turn.ActionMove:
		return checkPath(s.Destination, false, folder, rules)
	case s.Destination != "":
		return turn.Errorf(turn.CodeUsage, "%s takes no destination", s.Action)
	case s.Action == turn.ActionModify && s.Content != nil && s.Edits != nil:
		return turn.Errorf(turn.CodeUsage, "MODIFY of %s has both content and edits", turn.Quote(s.Target))
	case s.Edits != nil && s.Action != turn.ActionModify:
		return turn.Errorf(turn.CodeUsage, "%s takes no edits", s.Action)
	}
	return nil
}

// checkPath judges a path by its words and by the rules.
func checkPath(path string, root, dir bool, rules *Rules) error {
	if err := CheckPath(path, root, dir); err != nil {
		return err
	}
	return rules.check(path, dir)
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
	return turn.Errorf(turn.CodeRejected, "%s is not there", turn.Quote(path))
}

// find resolves a path to a file, through links.
func (t *Tree) find(path string) (*node, error) {
	n, err := t.walk(path, true)
	switch {
	case err != nil:
		return nil, err
	case n.kind == absent:
		return nil, missing(path)
	case n.kind != file:
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
	if n.kind != absent {
		return Result{}, turn.Errorf(turn.CodeRejected, "%s is already there", turn.Quote(s.Target)).
			WithHint("MODIFY changes a file that is there")
	}
	if s.Content == nil && !preview {
		return Result{}, turn.Errorf(turn.CodeRejected, "%s has no content", turn.Quote(s.Target))
	}
	perm := uint32(0o666)
	if s.Executable {
		perm = 0o777
	}
	var data []byte
	if s.Content != nil {
		data = []byte(*s.Content)
	}
	if !change.IsText(data) {
		return Result{}, notText(s.Target)
	}
	return Result{}, t.create(n, data, perm&^t.umask, s.Content == nil)
}

// create makes a new file with all the directories above it.
func (t *Tree) create(n *node, data []byte, perm uint32, pending bool) error {
	if err := t.mayChange(n); err != nil {
		return err
	}
	if err := t.makeDirs(n.parent); err != nil {
		return err
	}
	n.stat, n.onDisk = stat{kind: file, perm: perm, size: int64(len(data)), nlink: 1}, false
	n.data, n.loaded, n.pending = data, true, pending
	t.touch(n)
	t.ops = append(t.ops, op{Kind: opPut, Path: n.path(), data: data, perm: perm})
	t.written[n.path()] = len(t.ops) - 1
	return nil
}

// mayChange keeps steps from the rules that judge them.
func (t *Tree) mayChange(n *node) error {
	if fold(n.name) == ".paiignore" {
		return denied(n.path(), "is denied: only a person changes the guard's own rules")
	}
	return nil
}

func (t *Tree) makeDirs(n *node) error {
	if n.kind != absent {
		return nil
	}
	if err := t.mayChange(n); err != nil {
		return err
	}
	if err := t.makeDirs(n.parent); err != nil {
		return err
	}
	const setgid = 0o2000 // inherited by directories
	n.stat, n.onDisk = stat{kind: dir, perm: 0o777&^t.umask | n.parent.perm&setgid}, false
	t.touch(n)
	t.ops = append(t.ops, op{Kind: opMkdir, Path: n.path()})
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
	return Result{Matched: matched}, nil
}

// replace gives a file new content. If nothing moved since it was written
// last, that change takes the new content.
func (t *Tree) replace(n *node, data []byte) {
	p := n.path()
	if i, ok := t.written[p]; ok {
		t.ops[i].data = data
	} else {
		t.ops = append(t.ops, op{Kind: opReplace, Path: p, Old: n.ino, Was: hash(n.data), data: data, perm: n.perm, size: n.size, source: n.disk()})
		t.written[p] = len(t.ops) - 1
	}
	n.data, n.size, n.ino = data, int64(len(data)), 0
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
	case n.kind == dir:
		return Result{Unchanged: true}, nil
	case n.kind != absent:
		return Result{}, turn.Errorf(turn.CodeRejected, "%s is there and no directory", turn.Quote(s.Target))
	}
	return Result{}, t.makeDirs(n)
}

func (t *Tree) touchFile(s turn.Step) (Result, error) {
	n, err := t.walk(s.Target, true)
	if err != nil {
		return Result{}, err
	}
	if n.kind != absent {
		return Result{Unchanged: true}, nil
	}
	return Result{}, t.create(n, nil, 0o666&^t.umask, false)
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
