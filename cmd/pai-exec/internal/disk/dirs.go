package disk

import (
	"errors"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/guard"
)

// ModesAbove are the modes of the directories above the paths of changes, as far as they are
// there.
func (r *Root) ModesAbove(ops []Op) map[string]uint32 {
	modes := make(map[string]uint32)
	for _, o := range ops {
		for dir := path.Dir(o.Path); dir != "."; dir = path.Dir(dir) {
			if _, known := modes[dir]; known {
				break
			}
			if st, err := r.Stat(dir); err == nil && st.Kind == Directory {
				modes[dir] = st.Perm
			}
		}
	}
	return modes
}

// MakeParents makes the directories above a path that are missing, with the mode that each had
// as far as one is known.
func (r *Root) MakeParents(p string, had func(dir string) (mode uint32, known bool)) error {
	parts := guard.Components(p)
	for i := 1; i < len(parts); i++ {
		dir, name, err := r.Parent(strings.Join(parts[:i], "/"))
		if err != nil {
			return err
		}
		err = unix.Mkdirat(dir, name, 0o777)
		if mode, known := had(strings.Join(parts[:i], "/")); err == nil && known {
			err = unix.Fchmodat(dir, name, mode, 0)
		}
		unix.Close(dir)
		if err != nil && !errors.Is(err, unix.EEXIST) {
			return err
		}
	}
	return nil
}

// Writable reports whether names can be changed in a path's directory.
func (r *Root) Writable(p string) error {
	dir, _, err := r.Parent(p)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return nil // it is judged with the paths
	}
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	return unix.Faccessat(dir, ".", unix.W_OK|unix.X_OK, unix.AT_EACCESS)
}

// Umask is the process's mask of the modes of new files.
func Umask() uint32 {
	mask := unix.Umask(0)
	unix.Umask(mask)
	return uint32(mask)
}

// AtTop reports whether a name is in the root directory of the machine.
func AtTop(name string) bool {
	var st unix.Stat_t
	return unix.Lstat("/"+name, &st) == nil
}
