package overlay

import (
	"path"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/guard"
)

// repository reports whether a node is a repository of git's, under whatever name. What can't
// be looked at can't be entered either.
func (t *Tree) repository(n *node) bool {
	kind := func(name string) disk.Info {
		k, err := t.child(n, name)
		if err != nil {
			return disk.Info{}
		}
		return k.Info
	}
	file := func(name string) bool { k := kind(name).Kind; return k == disk.Regular || k == disk.Link }
	dir := func(name string) bool { k := kind(name).Kind; return k == disk.Directory || k == disk.Link }
	return n.Kind == disk.Directory && guard.Repository(file, dir)
}

// repositoriesMade are the directories that steps make repositories of git's, by the steps that
// touched what makes them one.
func (t *Tree) repositoriesMade() map[int]string {
	made := make(map[int]string)
	for p, step := range t.touched {
		if n := t.at(path.Dir(p)); n != nil && n.Kind == disk.Directory && t.repository(n) {
			made[step] = path.Dir(p)
		}
	}
	return made
}
