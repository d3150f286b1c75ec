package overlay

import (
	"cmp"
	"maps"
	"slices"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/pkg/turn"
)

// Net is what all steps together change.
type Net struct {
	Paths map[string]turn.SealedPath
	Files []change.File // in the order of the steps that change them last, then by path
	Steps []int         // the index of that step, for each of Files
	Ops   []disk.Op     // that lead from the tree on disk to this one

	Led func(path string) string // why a change of a path is a risk, by what leads there
	// the directories that become repositories of git's, by the index of a step that has a part in it
	Repositories map[int]string
}

// Net compares the tree with the disk at every path that a step touched.
func (t *Tree) Net() (Net, error) {
	net := Net{Paths: make(map[string]turn.SealedPath), Ops: t.ops, Led: t.riskLed, Repositories: t.repositoriesMade()}
	paths := slices.Sorted(maps.Keys(t.touched))
	for _, p := range paths {
		before, err := t.before(p)
		if err != nil {
			return net, err
		}
		after, err := t.state(t.at(p))
		if err != nil {
			return net, err
		}
		net.Paths[p] = turn.SealedPath{Before: before, After: after}
	}
	for i, n := range t.removed {
		var err error
		if net.Ops[i].Was, err = t.was(n, net.Paths); err != nil {
			return net, err
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int { return t.touched[a] - t.touched[b] })
	return net, t.pair(&net, paths)
}

// before describes what is at a path on disk: a file that was read as it
// was read, for that is what the steps were made from.
func (t *Tree) before(p string) (*turn.State, error) {
	if st, _, sum, ok := t.root.Remembered(p); ok {
		return disk.Describe(st, sum), nil
	}
	return t.root.State(p)
}

// pair finds for every file or link that changes what it was: what was at
// its path, else what moved there from a path that is free now.
func (t *Tree) pair(net *Net, paths []string) error {
	from := make(map[string]string) // where a file moved from
	gone := make(map[string]bool)   // paths whose file moved away
	for _, p := range paths {
		n := t.at(p)
		if n == nil || n.Kind != disk.Regular || !n.onDisk || n.disk() == p || isLeaf(net.Paths[p].Before) ||
			isLeaf(net.Paths[n.disk()].After) {
			continue
		}
		from[p], gone[n.disk()] = n.disk(), true
	}
	for _, p := range paths {
		f, err := t.fileChange(p, from[p], net.Paths[p])
		if err != nil {
			return err
		}
		if f.New == nil && gone[p] {
			continue
		}
		for _, f := range apart(f) {
			net.Files, net.Steps = append(net.Files, f), append(net.Steps, t.touched[p])
		}
	}
	return nil
}

// apart makes two changes of one that turns a file into a link or a link into
// a file, and none of an empty one.
func apart(f change.File) []change.File {
	switch {
	case f.Old == nil && f.New == nil:
		return nil
	case f.Old != nil && f.New != nil && (f.Old.Mode == change.ModeLink) != (f.New.Mode == change.ModeLink):
		return []change.File{{Old: f.Old}, {New: f.New}}
	}
	return []change.File{f}
}

// fileChange is the change of the file or link at a path; neither side is set
// if there is none. from is where the file moved from, if it did.
func (t *Tree) fileChange(p, from string, sealed turn.SealedPath) (f change.File, err error) {
	if disk.Same(sealed.Before, sealed.After) {
		return f, nil
	}
	if isLeaf(sealed.After) {
		f.New = t.side(t.at(p), p)
	}
	if isLeaf(sealed.Before) {
		from = p
	}
	if from != "" {
		f.Old, err = t.diskSide(from)
		n := t.at(p)
		f.Same = n != nil && n.onDisk && n.disk() == from && from != p && !n.loaded
	}
	f.Unseen = t.unseen[p] || t.unseen[from]
	return f, err
}

// isLeaf tells of files and links.
func isLeaf(s *turn.State) bool { return s != nil && s.Type != "dir" }

// at returns the node of a path that was touched, without following links;
// nil or an absent one if nothing is there now.
func (t *Tree) at(p string) *node {
	n := t.top
	for _, part := range guard.Components(p) {
		if n = n.kids[part]; n == nil {
			return nil
		}
	}
	return n
}

// side is a file or link as the steps leave it.
func (t *Tree) side(n *node, p string) *change.Side {
	s := &change.Side{Path: p, Mode: gitMode(n.Info)}
	if n.Kind == disk.Link {
		s.Text = n.Target
		return s
	}
	if !n.loaded {
		disk, err := t.diskSide(n.disk())
		if err != nil {
			s.Binary = true
			return s
		}
		s.Text, s.Binary = disk.Text, disk.Binary
		return s
	}
	if s.Binary = !change.IsText(n.data); !s.Binary {
		s.Text = string(n.data)
	}
	return s
}

// diskSide is a file or link as it is on disk. What has other names may not
// be shown: one of them may be denied.
func (t *Tree) diskSide(p string) (*change.Side, error) {
	if st, data, _, ok := t.root.Remembered(p); ok {
		s := &change.Side{Path: p, Mode: gitMode(st), Binary: !change.IsText(data)}
		if !s.Binary {
			s.Text = string(data)
		}
		return s, nil
	}
	st, err := t.root.Stat(p)
	if err != nil {
		return nil, err
	}
	s := &change.Side{Path: p, Mode: gitMode(st)}
	if st.Kind == disk.Link {
		s.Text = st.Target
		return s, nil
	}
	data, st, err := t.root.Read(p, t.options.MaxFileBytes)
	if e := turn.AsError(err); e != nil && e.Code != turn.CodeRejected {
		return nil, err
	}
	linked := st.Nlink > 1 && !t.options.AllowHardLinks
	if s.Binary = err != nil || linked || !change.IsText(data); !s.Binary {
		s.Text = string(data)
	}
	return s, nil
}

func gitMode(st disk.Info) string {
	switch {
	case st.Kind == disk.Link:
		return change.ModeLink
	case st.Perm&0o111 != 0:
		return change.ModeExecutable
	default:
		return change.ModeFile
	}
}

// state describes a node as the steps leave it.
func (t *Tree) state(n *node) (*turn.State, error) {
	if n == nil || n.Kind == disk.Absent {
		return nil, nil
	}
	if err := t.know(n); err != nil {
		return nil, err
	}
	switch {
	case n.Kind == disk.Regular && n.loaded:
		return disk.Describe(n.Info, disk.Hash(n.data)), nil
	case n.Kind == disk.Regular:
		return t.root.State(n.disk())
	case n.Kind == disk.Link:
		return disk.Describe(n.Info, disk.Hash([]byte(n.Target))), nil
	default:
		return disk.Describe(n.Info, ""), nil
	}
}

// Stale compares the disk with what a seal says was there, and names the
// paths that differ. A seal is no better than the plan that it came with, so
// paths that the guard refuses are not looked at.
func (t *Tree) Stale(paths map[string]turn.SealedPath) ([]string, error) {
	guarded := make(map[string]turn.SealedPath)
	for p := range paths {
		if guard.Check(p, false, false, &t.options.Rules) != nil {
			continue
		}
		n, err := t.walk(p, false)
		if err != nil || n.path() != p {
			continue
		}
		was := paths[p]
		if s := was.Before; s != nil && s.Beneath != "" { // of which the directory itself is compared
			was.Before = &turn.State{Type: s.Type, Mode: s.Mode}
		}
		guarded[p] = was
	}
	return t.root.ChangedSince(guarded)
}

// Risks says for each step, by its index, why what it makes or changes runs
// code by itself, and what only a build or a test runs of it: by the path that it resolves to, and
// by the one that the step names, which may lead there through a link.
func (n Net) Risks(steps []turn.Step) (risks, cautions map[int]string) {
	risks, cautions = make(map[int]string), make(map[int]string)
	for step, dir := range n.Repositories {
		risks[step] = turn.Shown(dir) + ": " + guard.RiskRepository
	}
	add := func(step int, path string) {
		parts := guard.Components(path)
		if risk := cmp.Or(guard.Risk(parts), n.Led(path)); risk != "" && risks[step] == "" {
			risks[step] = turn.Shown(path) + ": " + risk
		}
		if caution := guard.Caution(parts); caution != "" && cautions[step] == "" {
			cautions[step] = turn.Shown(path) + ": " + caution
		}
	}
	for i, f := range n.Files {
		if f.New == nil {
			continue
		}
		add(n.Steps[i], f.New.Path)
	}
	for i, s := range steps {
		switch s.Action {
		case turn.ActionWrite, turn.ActionModify, turn.ActionTouch:
			add(i, s.Target)
		case turn.ActionMove:
			add(i, s.Destination)
		}
	}
	return risks, cautions
}
