package disk

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/guard"
)

// makeParents makes the directories above a path that are missing.
func (r *Root) MakeParents(p string) error {
	parts := guard.Components(p)
	for i := 1; i < len(parts); i++ {
		dir, name, err := r.Parent(strings.Join(parts[:i], "/"))
		if err != nil {
			return err
		}
		err = unix.Mkdirat(dir, name, 0o777)
		unix.Close(dir)
		if err != nil && !errors.Is(err, unix.EEXIST) {
			return err
		}
	}
	return nil
}

// writable tells whether names can be changed in a path's directory.
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
