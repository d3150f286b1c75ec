// Package disk is the only code of Pai that calls the file system for a project:
// one open root, under which paths are opened without following a link or
// crossing a mount. It decides nothing: whether a path may be touched is the
// guard's to say.
package disk

import (
	"errors"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// InheritGroup gives a new file the group of the directory that it comes to
// are in, where the directory's mode asks for that.
func (r *Root) InheritGroup(p string, to int) error {
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		fd, err := r.Open(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
		if err != nil && dir != "." {
			continue // an earlier step makes it
		}
		if err != nil {
			return err
		}
		var st unix.Stat_t
		err = unix.Fstat(fd, &st)
		unix.Close(fd)
		if err == nil && st.Mode&unix.S_ISGID != 0 {
			err = unix.Fchown(to, -1, int(st.Gid))
		}
		if errors.Is(err, unix.EPERM) {
			err = nil
		}
		return err
	}
}

// CopyAttributes gives a new file the owner and the extended attributes of
// the one at a path, as far as the file system and our rights allow; an empty
// path is a file that an earlier step makes.
func (r *Root) CopyAttributes(p string, to int) error {
	if p == "" {
		return nil
	}
	from, err := r.Open(p, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer unix.Close(from)
	var st unix.Stat_t
	if err := unix.Fstat(from, &st); err != nil {
		return err
	}
	if int(st.Uid) != os.Geteuid() || int(st.Gid) != os.Getegid() {
		if err := unix.Fchown(to, int(st.Uid), int(st.Gid)); err != nil && !errors.Is(err, unix.EPERM) {
			return err
		}
	}
	size, err := unix.Flistxattr(from, nil)
	if err != nil || size == 0 {
		return nil // none, or none that could be listed
	}
	names := make([]byte, size)
	n, err := unix.Flistxattr(from, names)
	if err != nil {
		return nil
	}
	for name := range strings.SplitSeq(string(names[:n]), "\x00") {
		value := make([]byte, 64<<10)
		if name == "" {
			continue
		}
		if n, err := unix.Fgetxattr(from, name, value); err == nil {
			_ = unix.Fsetxattr(to, name, value[:n], 0) // what we may not set, we can't keep
		}
	}
	return nil
}
