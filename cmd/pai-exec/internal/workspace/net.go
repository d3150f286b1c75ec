package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/pkg/turn"
)

// Net is what all steps together change.
type Net struct {
	Paths map[string]turn.SealedPath
	Files []change.File // in the order of the steps that change them last, then by path
	Steps []int         // the index of that step, for each of Files
}

// Net compares the tree with the disk at every path that a step touched.
func (t *Tree) Net() (Net, error) {
	net := Net{Paths: make(map[string]turn.SealedPath)}
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
	slices.SortStableFunc(paths, func(a, b string) int { return t.touched[a] - t.touched[b] })
	return net, t.pair(&net, paths)
}

// before describes what stands at a path on disk: a file that was read as it
// was read, for that is what the steps were made from.
func (t *Tree) before(p string) (*turn.State, error) {
	if was, ok := t.root.seen[p]; ok {
		return describe(was.stat, was.sum), nil
	}
	return t.root.State(p)
}

// pair finds for every file or link that changes what it was: what stood at
// its path, else what moved there from a path that is free now.
func (t *Tree) pair(net *Net, paths []string) error {
	from := make(map[string]string) // where a file moved from
	gone := make(map[string]bool)   // paths whose file moved away
	for _, p := range paths {
		n := t.at(p)
		if n == nil || n.kind != file || !n.onDisk || n.disk() == p || isLeaf(net.Paths[p].Before) || isLeaf(net.Paths[n.disk()].After) {
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
	if Same(sealed.Before, sealed.After) {
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

// Same tells whether two states are equal; nil is equal to nil only.
func Same(a, b *turn.State) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// at returns the node of a path that was touched, without following links;
// nil or an absent one if nothing is there now.
func (t *Tree) at(p string) *node {
	n := t.top
	for _, part := range components(p) {
		if n = n.kids[part]; n == nil {
			return nil
		}
	}
	return n
}

// side is a file or link as the steps leave it.
func (t *Tree) side(n *node, p string) *change.Side {
	s := &change.Side{Path: p, Mode: gitMode(n.stat)}
	if n.kind == link {
		s.Text = n.target
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
	if was, ok := t.root.seen[p]; ok {
		s := &change.Side{Path: p, Mode: gitMode(was.stat), Binary: !change.IsText(was.data)}
		if !s.Binary {
			s.Text = string(was.data)
		}
		return s, nil
	}
	st, err := t.root.stat(p)
	if err != nil {
		return nil, err
	}
	s := &change.Side{Path: p, Mode: gitMode(st)}
	if st.kind == link {
		s.Text = st.target
		return s, nil
	}
	data, st, err := t.root.read(p, t.options.MaxFileBytes)
	if e := turn.AsError(err); e != nil && e.Code != turn.CodeRejected {
		return nil, err
	}
	linked := st.nlink > 1 && !t.options.AllowHardLinks
	if s.Binary = err != nil || linked || !change.IsText(data); !s.Binary {
		s.Text = string(data)
	}
	return s, nil
}

func gitMode(st stat) string {
	switch {
	case st.kind == link:
		return change.ModeLink
	case st.perm&0o111 != 0:
		return change.ModeExecutable
	default:
		return change.ModeFile
	}
}

// state describes a node as the steps leave it.
func (t *Tree) state(n *node) (*turn.State, error) {
	if n == nil || n.kind == absent {
		return nil, nil
	}
	if err := t.know(n); err != nil {
		return nil, err
	}
	switch {
	case n.kind == file && n.loaded:
		return describe(n.stat, hash(n.data)), nil
	case n.kind == file:
		return t.root.State(n.disk())
	case n.kind == link:
		return describe(n.stat, hash([]byte(n.target))), nil
	default:
		return describe(n.stat, ""), nil
	}
}

// State describes what stands at a path on disk, the last component itself;
// nil if nothing does. Files are read to their end, whatever their size.
func (r *Root) State(p string) (*turn.State, error) {
	st, err := r.stat(p)
	if e := turn.AsError(err); e != nil && e.Code == turn.CodeStale {
		return nil, nil // a link stands above it: nothing is at this path
	}
	switch {
	case err != nil || st.kind == absent:
		return nil, err
	case st.kind == link:
		return describe(st, hash([]byte(st.target))), nil
	case st.kind == dir:
		return describe(st, ""), nil
	case st.kind == special:
		return nil, denied(p, "is neither a file nor a directory")
	}
	fd, err := r.open(p, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, explain(p, err)
	}
	f := rawFile(fd)
	defer f.Close()
	sum := ""
	if st, err = statFD(fd); err == nil {
		sum, err = hashFile(f)
	}
	if err != nil {
		return nil, explain(p, err)
	}
	return describe(st, sum), nil
}

// hashFile hashes a file to its end. A small buffer does: most files are.
func hashFile(f io.Reader) (string, error) {
	h := sha256.New()
	var buffer [8 << 10]byte
	_, err := io.CopyBuffer(h, f, buffer[:])
	return hex.EncodeToString(h.Sum(nil)), err
}

func describe(st stat, sum string) *turn.State {
	kinds := map[kind]string{file: "file", dir: "dir", link: "link"}
	return &turn.State{Type: kinds[st.kind], Mode: fmt.Sprintf("%04o", st.perm), SHA256: sum}
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Stale compares the disk with what a seal says stood there, and names the
// paths that differ. A seal is no better than the plan that it came with, so
// paths that the guard refuses are not looked at.
func (t *Tree) Stale(paths map[string]turn.SealedPath) ([]string, error) {
	guarded := make(map[string]turn.SealedPath)
	for p := range paths {
		if checkPath(p, false, false, &t.options.Rules) != nil {
			continue
		}
		n, err := t.walk(p, false)
		if err != nil || n.path() != p {
			continue
		}
		guarded[p] = paths[p]
	}
	return t.Changed(guarded)
}

// Changed names the paths that no longer are what they were when the tree was
// resolved.
func (t *Tree) Changed(paths map[string]turn.SealedPath) ([]string, error) {
	return t.root.changed(paths)
}

// changed names the paths that are not what their Before says.
func (r *Root) changed(paths map[string]turn.SealedPath) ([]string, error) {
	var changed []string
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		now, err := r.State(p)
		special := err != nil && turn.AsError(err).Code == turn.CodeDenied
		if err != nil && !special {
			return nil, err
		}
		if special || !Same(now, paths[p].Before) {
			changed = append(changed, p)
		}
	}
	return changed, nil
}
