package overlay

import (
	"fmt"
	"strings"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/pkg/turn"
)

// elsewhere is said of what is on another file system: nothing of it is listed, and no
// step may touch it.
const elsewhere = " (on another file system, left out)"

// maxListed is how many lines TREE and LIST_PATH print.
const maxListed = 1000

// report runs a listing of a directory.
func (t *Tree) report(s turn.Step, list func(*node, string) (string, error)) (Result, error) {
	n, err := t.walk(s.Target, true)
	if err != nil {
		return Result{}, err
	}
	if n.Kind == disk.Absent {
		return Result{}, missing(s.Target)
	}
	out, err := list(n, s.Target)
	return Result{Output: out}, err
}

// visible lists what may be seen in a directory: what the guard lets through
// and neither .gitignore nor .paiignore ignores.
func (t *Tree) visible(n *node) ([]*node, error) {
	kids, err := t.list(n)
	if err != nil {
		return nil, err
	}
	git, _, err := t.rules(n)
	if err != nil {
		return nil, err
	}
	var out []*node
	for _, k := range kids {
		if t.allowed(k) && !ignores(git, k) {
			out = append(out, k)
		}
	}
	return out, nil
}

// allowed reports whether the guard lets a node through.
func (t *Tree) allowed(n *node) bool { return t.guard(n, "") == nil }

// draw is TREE.
func (t *Tree) draw(n *node, asked string) (string, error) {
	lines := []string{turn.Shown(asked)}
	more := 0
	err := t.branches(n, "", &lines, &more)
	return ended(lines, more), err
}

func (t *Tree) branches(n *node, indent string, lines *[]string, more *int) error {
	if n.Kind != disk.Directory {
		return nil
	}
	kids, err := t.visible(n)
	if n.mount && n.parent != nil {
		(*lines)[len(*lines)-1] += elsewhere
		return nil
	}
	if n.parent != nil && unlistable(err) {
		(*lines)[len(*lines)-1] += " (can't be read)"
		return nil
	}
	if err != nil {
		return err
	}
	for i, k := range kids {
		branch, next := "├── ", "│   "
		if i == len(kids)-1 {
			branch, next = "└── ", "    "
		}
		if len(*lines) < maxListed {
			*lines = append(*lines, indent+branch+label(k))
		} else {
			*more++
		}
		if err := t.branches(k, indent+next, lines, more); err != nil {
			return err
		}
	}
	return nil
}

// listing is LIST_PATH.
func (t *Tree) listing(n *node, asked string) (string, error) {
	if n.Kind != disk.Directory {
		return turn.Shown(asked) + "\n", nil
	}
	kids, err := t.visible(n)
	if err != nil {
		return "", err
	}
	prefix := ""
	if n.parent != nil {
		prefix = n.path() + "/"
	}
	var lines []string
	for _, k := range kids[:min(len(kids), maxListed)] {
		line := prefix + k.name
		if k.Kind == disk.Directory {
			line += "/"
		}
		line = turn.Shown(line)
		if t.mounted(k) {
			line += elsewhere
		}
		lines = append(lines, line)
	}
	return ended(lines, len(kids)-len(lines)), nil
}

// mounted reports whether a node is the root of another file system, or a file of one.
func (t *Tree) mounted(n *node) bool {
	e := turn.AsError(t.know(n))
	return e != nil && e.Code == turn.CodeDenied
}

func ended(lines []string, more int) string {
	if more > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more", more))
	}
	return strings.Join(append(lines, ""), "\n")
}

func label(n *node) string {
	switch n.Kind {
	case disk.Directory:
		return turn.Shown(n.name) + "/"
	case disk.Link:
		return turn.Shown(n.name) + " -> " + turn.Shown(n.Target)
	default:
		return turn.Shown(n.name)
	}
}
