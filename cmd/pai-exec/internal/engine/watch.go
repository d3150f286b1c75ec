package engine

import (
	"path"
	"slices"
	"strings"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/pkg/turn"
)

// watch remembers the tree before the first check runs.
func (r *run) watch() {
	if r.stamps == nil {
		r.stamps = r.root.Stamps(unwatched)
	}
}

// unwatched are the directories in which checks may write what they want: caches, Pai's own, and
// of git's those of objects and references.
func unwatched(p string) bool {
	name := path.Base(p)
	if inGit(p) {
		return slices.Contains([]string{"objects", "refs", "logs", "lfs", "rr-cache"}, name)
	}
	return disk.IsCache(name) || p == turn.HistoryDir
}

func inGit(p string) bool { return strings.HasPrefix(p, ".git/") }

// runsByItself says why a path runs code by itself, in git's own directory too; empty if it
// doesn't.
func runsByItself(p string) string {
	if !inGit(p) {
		return guard.Risk(guard.Components(p))
	}
	name, dir := path.Base(p), path.Base(path.Dir(p))
	if name == "hooks" || name == "config" || name == "config.worktree" || dir == "hooks" && !strings.HasSuffix(name, ".sample") ||
		dir == "info" && name == "attributes" {
		return "git runs what it says"
	}
	return ""
}

// meanwhile compares the tree with the one before the checks: it names what changed and is neither
// the plan's nor ignored nor git's own, and what was made or changed that runs code by itself.
func (r *run) meanwhile() (changed []string, runs map[string]string) {
	now := r.root.Stamps(unwatched)
	tree := overlay.NewTree(r.root, r.Overlay)
	runs = make(map[string]string)
	differs := func(p string, a, b disk.Info) bool {
		_, planned := r.paths[p]
		return !planned && (!disk.SameStamp(a, b) || a.Ctime != b.Ctime && runsByItself(p) != "")
	}
	for p, st := range now {
		was := r.stamps[p]
		if st.Kind == disk.Directory || !differs(p, was, st) {
			continue
		}
		if why := runsByItself(p); why != "" {
			runs[p] = why
		}
		if !inGit(p) && !r.beneathNew(p) && !tree.Ignored(p) {
			changed = append(changed, p)
		}
	}
	for p, was := range r.stamps {
		gone := now[p].Kind == disk.Absent || now[p].Kind == disk.Directory
		if gone && was.Kind != disk.Directory && differs(p, was, disk.Info{}) && !inGit(p) &&
			!tree.Ignored(p) {
			changed = append(changed, p)
		}
	}
	slices.Sort(changed)
	return changed, runs
}

// beneathNew reports whether a path is in a directory that the plan makes.
func (r *run) beneathNew(p string) bool {
	for p = path.Dir(p); p != "."; p = path.Dir(p) {
		if s, planned := r.paths[p]; planned && s.Before == nil {
			return true
		}
	}
	return false
}
