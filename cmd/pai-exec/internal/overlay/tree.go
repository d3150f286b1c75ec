// Package overlay is the tree in memory: the tree on disk with what the steps so
// far make of it. It resolves every path under the guard, lists and shows what may
// be seen, and leaves a list of operations that lead from the disk to the tree.
// Nothing on disk changes here.
//
// The walk of a path is the one place where the guard is asked about the tree: a path
// is resolved component by component under one open directory, with links followed
// in memory and the file system told to follow none. What a step may see and change is
// decided on the resolved path. Ignore files are read with code of our own, since they
// decide what is sent and what is denied, and no library agrees with git on them; a test
// compares it with git.
package overlay

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/pkg/turn"
)

// maxLinks is how many links one path may lead through.
const maxLinks = 40

// Options are what the person allows.
type Options struct {
	MaxFileBytes   int64    // of a file that is read or changed
	AllowHardLinks bool     // READ and MODIFY files that have other names too
	Send           []string // files whose secrets a model may see
	Rules          guard.Rules
}

// DefaultMaxFileBytes bounds a file that is read or changed.
const DefaultMaxFileBytes = 64 << 20

// LeastHashLimit bounds a file that is removed or moved, where larger ones may not be read
// anyway.
const LeastHashLimit = 1 << 30

// Tree is the tree under the root as the steps leave it, over the tree on
// disk. Nothing on disk changes before Commit. What was once read stays as it
// was read, so that all steps and all prompts see the same.
type Tree struct {
	root    *disk.Root
	options Options
	umask   uint32
	top     *node
	step    int             // the index of the step being done
	touched map[string]int  // every path that a step may have changed, by the index of the last such step
	unseen  map[string]bool // touched paths whose content is shown to nobody
	ops     []disk.Op
	linked  map[string]linked // paths on disk to which names lead that are denied, or a risk
	removed map[int]*node     // what an op takes away, by the op's index
	written map[string]int    // the op that wrote a file last, if nothing moved since
}

// node is one path of the tree. Where it is on disk stays the same when a
// step moves it.
type node struct {
	disk.Info
	name    string
	parent  *node
	onDisk  bool   // it is there before the steps, not made by one
	origin  string // where it is on disk, if a step moved it
	kids    map[string]*node
	listed  bool // kids hold every name that is on disk
	known   bool // stat is complete; else it holds the kind alone
	data    []byte
	loaded  bool // data is the content
	git     *guard.Ignore
	pai     *guard.Ignore
	ruled   bool   // git and pai are read
	pending bool   // the content will be known later
	mode    uint32 // of the file that a step removed here; 0: none
	dirMode uint32 // of the directory
	mount   bool   // it is on another file system, as was seen when it was to be listed
}

// NewTree starts with the tree on disk.
func NewTree(root *disk.Root, o Options) *Tree {
	return &Tree{root: root, options: o, umask: disk.Umask(), touched: make(map[string]int), unseen: make(map[string]bool),
		written: make(map[string]int), removed: make(map[int]*node), linked: make(map[string]linked),
		top: &node{Info: disk.Info{Kind: disk.Directory}, onDisk: true, origin: "."}}
}

// path is where the node is now.
func (n *node) path() string {
	if n.parent == nil {
		return "."
	}
	return strings.Join(n.parts(), "/")
}

func (n *node) parts() []string {
	var parts []string
	for ; n.parent != nil; n = n.parent {
		parts = append(parts, n.name)
	}
	slices.Reverse(parts)
	return parts
}

// disk is where the node lies on disk; empty for what a step made.
func (n *node) disk() string {
	switch {
	case !n.onDisk:
		return ""
	case n.origin != "":
		return n.origin
	case n.parent.parent == nil:
		return n.name
	}
	return n.parent.disk() + "/" + n.name
}

// child returns the node of a name in a directory, absent if nothing is there.
func (t *Tree) child(n *node, name string) (*node, error) {
	if k := n.kids[name]; k != nil {
		return k, nil
	}
	k := &node{name: name, parent: n, known: true}
	if n.onDisk && !n.listed {
		st, err := t.root.Stat(path.Join(n.disk(), name))
		if err != nil {
			return nil, err
		}
		k.Info, k.onDisk = st, st.Kind != disk.Absent
	}
	n.put(k)
	return k, nil
}

// know completes what is known of a node: listing a directory tells no more
// than kinds.
func (t *Tree) know(n *node) error {
	if n.known || !n.onDisk {
		return nil
	}
	st, err := t.root.Stat(n.disk())
	if err == nil && st.Kind != n.Kind {
		err = turn.Errorf(turn.CodeStale, "%s changed while it was being used", turn.Quote(n.path()))
	}
	if err == nil {
		n.Info, n.known = st, true
	}
	return err
}

func (n *node) put(k *node) {
	if n.kids == nil {
		n.kids = make(map[string]*node)
	}
	k.parent = n
	n.kids[k.name] = k
}

// list returns what is in a directory, sorted by name.
func (t *Tree) list(n *node) ([]*node, error) {
	if len(n.parts()) > guard.MaxLevels {
		return nil, turn.Errorf(turn.CodeRejected, "%s has more than %d levels", turn.Quote(n.path()), guard.MaxLevels)
	}
	if n.onDisk && !n.listed {
		if err := t.readDir(n); err != nil {
			return nil, err
		}
	}
	out := make([]*node, 0, len(n.kids))
	for _, k := range n.kids {
		if k.Kind != disk.Absent {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b *node) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// readDir adds what is in a directory on disk, but for what steps put there.
func (t *Tree) readDir(n *node) error {
	names, kinds, err := t.root.List(n.disk())
	if err != nil {
		n.mount = turn.AsError(err).Code == turn.CodeDenied // by nothing else
		return err
	}
	if n.kids == nil {
		n.kids = make(map[string]*node, len(names))
	}
	for i, name := range names {
		if n.kids[name] != nil {
			continue
		}
		k := &node{name: name, Info: disk.Info{Kind: kinds[i]}, onDisk: true}
		n.put(k)
		if k.Kind != disk.Link {
			continue
		}
		err := t.know(k)
		if e := turn.AsError(err); e != nil && e.Code == turn.CodeStale {
			delete(n.kids, name) // it vanished meanwhile
		} else if err != nil {
			return err
		}
	}
	n.listed = true
	return nil
}

// walk resolves a path that CheckPath let through, component by component,
// each of them under the guard. Links are followed as long as they stay
// inside; one at the end only if follow is set. What does not exist comes back
// as an absent node.
//
//nolint:gocognit // the guard in one piece: no step of a path may be missed
func (t *Tree) walk(p string, follow bool) (*node, error) {
	n, rest, links := t.top, guard.Components(p), 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		if name == ".." { // only links bring it here
			if n.parent == nil {
				return nil, guard.Denied(p, "leads outside the project root")
			}
			n = n.parent
			continue
		}
		k, err := t.child(n, name)
		if err != nil {
			return nil, err
		}
		if err := t.guard(k, p); err != nil {
			return nil, err
		}
		if err := t.know(k); err != nil {
			return nil, err
		}
		if k.Kind == disk.Link && (follow || len(rest) > 0) {
			if links++; links > maxLinks {
				return nil, guard.Denied(p, "leads through too many links")
			}
			if strings.HasPrefix(k.Target, "/") {
				return nil, guard.Denied(p, "leads through a link to an absolute path")
			}
			rest = append(guard.Components(k.Target), rest...)
			continue
		}
		if len(rest) > 0 && k.Kind != disk.Directory && k.Kind != disk.Absent {
			return nil, turn.Errorf(turn.CodeRejected, "%s: %s is not a directory", turn.Quote(p), turn.Quote(k.path()))
		}
		n = k
	}
	return n, nil
}

// guard checks one resolved component: by its name, by the rules of
// .paiignore, and by what it is. asked is the path that led here.
func (t *Tree) guard(n *node, asked string) error {
	_, pai, err := t.rules(n.parent)
	if err != nil {
		return err
	}
	rule := t.denyRule(n, pai)
	if rule == "" && len(t.linked) > 0 {
		rule = t.linked[cmp.Or(n.disk(), n.path())].denied
	}
	if rule == "" && t.repository(n) {
		rule = "denied: " + turn.Quote(n.path()) + " is a repository of git"
	}
	if rule == "" && n.Kind != disk.Special {
		return nil
	}
	leads := ""
	if p := n.path(); p != asked && !strings.HasPrefix(asked, p+"/") {
		leads = "leads to " + turn.Quote(p) + ", "
	}
	if leads == "" {
		leads = "is "
	}
	if rule != "" {
		return guard.Denied(asked, leads+rule)
	}
	return guard.Denied(asked, "is neither a file nor a directory")
}

// denyRule says by which rule a node is denied; empty if it isn't.
func (t *Tree) denyRule(n *node, pai *guard.Ignore) string {
	if pai == nil && len(t.options.Rules.Deny) == 0 && guard.DenyRule(n.parent.name, n.name) == "" {
		return ""
	}
	parts := n.parts()
	if rule := t.options.Rules.Why(parts, n.Kind == disk.Directory); rule != "" {
		return rule
	}
	if pai != nil {
		if where := pai.Rule(parts, n.Kind == disk.Directory); where != "" {
			return "denied by " + where
		}
	}
	return ""
}

// rules returns what .gitignore and .paiignore say in a directory. They are
// read from disk, so that no step changes the rules it is judged by.
func (t *Tree) rules(n *node) (git, pai *guard.Ignore, err error) {
	if n.ruled {
		return n.git, n.pai, nil
	}
	if n.parent != nil {
		if git, pai, err = t.rules(n.parent); err != nil {
			return nil, nil, err
		}
	}
	depth := len(n.parts())
	if git, err = t.readRules(git, n, ".gitignore", depth); err == nil {
		pai, err = t.readRules(pai, n, ".paiignore", depth)
	}
	if err != nil {
		return nil, nil, err
	}
	n.git, n.pai, n.ruled = git, pai, true
	t.leads(n)
	return git, pai, nil
}

// readRules adds the patterns of one file. One that is there and can't be
// read is an error: rules that are not known can't be kept.
func (t *Tree) readRules(parent *guard.Ignore, n *node, name string, depth int) (*guard.Ignore, error) {
	if !n.onDisk || n.listed && n.kids[name] == nil {
		return parent, nil
	}
	p := path.Join(n.disk(), name)
	st, err := t.root.Stat(p)
	if err == nil && st.Kind != disk.Regular && st.Kind != disk.Absent && name == ".paiignore" {
		err = guard.Denied(p, "is not a regular file, and rules that can't be read can't be kept")
	}
	if err != nil || st.Kind != disk.Regular {
		return parent, err
	}
	data, _, err := t.root.Read(p, t.options.MaxFileBytes)
	if err != nil {
		return nil, err
	}
	rules := parent.With(p, depth, string(data))
	if rules.Count() > guard.MaxPatterns {
		return nil, turn.Errorf(turn.CodeRejected, "%s: %d patterns hold here, over the limit of %d", turn.Quote(p),
			rules.Count(), guard.MaxPatterns)
	}
	return rules, nil
}

// ignored reports whether git would ignore a node, by its own rules or because
// a directory above it is ignored.
func (t *Tree) ignored(n *node) (bool, error) {
	for ; n.parent != nil; n = n.parent {
		git, _, err := t.rules(n.parent)
		if err != nil || ignores(git, n) {
			return err == nil, err
		}
	}
	return false, nil
}

// content returns what is in a file. asked names it in errors.
func (t *Tree) content(n *node, asked string) ([]byte, error) {
	if n.loaded {
		return n.data, nil
	}
	if err := t.know(n); err != nil {
		return nil, err
	}
	if n.Nlink > 1 && !t.options.AllowHardLinks {
		return nil, guard.Denied(asked, "has other names (hard links), which may lie outside").
			WithHint("--allow-hard-links allows it")
	}
	data, st, err := t.root.Read(n.disk(), t.options.MaxFileBytes)
	if err != nil {
		return nil, err
	}
	if st.Dev != n.Dev || st.Ino != n.Ino {
		return nil, turn.Errorf(turn.CodeStale, "%s changed while it was being read", turn.Quote(asked))
	}
	if err := t.root.Remember(n.disk(), st, data); err != nil {
		return nil, err
	}
	n.Info, n.data, n.loaded = st, data, true
	return data, nil
}

// text returns what is in a text file.
func (t *Tree) text(n *node, asked string) (string, error) {
	data, err := t.content(n, asked)
	if err != nil {
		return "", err
	}
	if !change.IsText(data) {
		return "", turn.Errorf(turn.CodeRejected, "%s is not UTF-8 text", turn.Quote(asked)).
			WithHint("Pai changes only what it can give back byte for byte")
	}
	return string(data), nil
}

// touch notes that the current step may change a path.
func (t *Tree) touch(n *node) { t.touched[n.path()] = t.step }

// Ignored reports whether git ignores a path, or a directory that it is in.
func (t *Tree) Ignored(p string) bool {
	n, err := t.walk(p, false)
	for ; err == nil && n != nil && n.parent != nil; n = n.parent {
		git, _, err := t.rules(n.parent)
		if err == nil && ignores(git, n) {
			return true
		}
	}
	return false
}

// ignores reports whether the rules ignore a node's path.
func ignores(rules *guard.Ignore, n *node) bool {
	return rules != nil && rules.Ignored(n.parts(), n.Kind == disk.Directory)
}
