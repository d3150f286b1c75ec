package disk

import (
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Stamps looks at everything under the root but for what skip says of directories, by paths from
// the root. What vanishes meanwhile, or can't be read, is left out.
func (r *Root) Stamps(skip func(p string) bool) map[string]Info {
	all := make(map[string]Info)
	stamps(r.FD(), ".", "", skip, all)
	return all
}

func stamps(dir int, name, at string, skip func(p string) bool, all map[string]Info) {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	d := os.NewFile(uintptr(fd), name)
	defer d.Close()
	names, _ := d.Readdirnames(-1) // those before an error are there
	for _, kid := range names {
		p := at + kid
		st, err := statAt(fd, kid)
		if err != nil || st.Kind == Directory && skip(p) {
			continue
		}
		all[p] = st
		if st.Kind == Directory {
			stamps(fd, kid, p+"/", skip, all)
		}
	}
}

// SameStamp reports whether nobody wrote to what two looks saw; of directories only whether both are.
func SameStamp(a, b Info) bool {
	if a.Kind == Directory || a.Kind != b.Kind {
		return a.Kind == b.Kind
	}
	return a.Ino == b.Ino && a.Size == b.Size && a.Mtime == b.Mtime && a.Perm == b.Perm
}

// IsCache tells by its name what test runners, type checkers and package managers make for
// themselves beside sources.
func IsCache(name string) bool {
	return slices.Contains([]string{"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis",
		"node_modules", ".venv", ".tox", ".nox", ".gradle", ".eslintcache"}, name) || strings.HasSuffix(name, ".pyc")
}
