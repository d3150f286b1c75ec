// Package history opens Pai's own directories: the one in a project, where the session's log
// and the transactions lie, which is not trusted, since a clone may have brought it along; and
// the one of the person's own, outside of every project.
package history

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"paicode/pkg/turn"
)

// Dir is the directory's name under the root.
const Dir = turn.HistoryDir

// Open opens the directory under a root that is open as a file descriptor,
// and makes it if need be: a real directory of our own on the root's mount,
// closed to others, its content ignored by git. No link is followed. Errors
// are of CodeDenied where what is there may not be used, else the system's.
func Open(root int) (int, error) {
	if err := unix.Mkdirat(root, Dir, 0o700); err != nil && !errors.Is(err, unix.EEXIST) {
		return -1, err
	}
	fd, err := Find(root)
	if err == nil {
		if err = ignoreAll(fd); err != nil {
			unix.Close(fd)
			return -1, err
		}
	}
	return fd, err
}

// Find opens the directory as Open does, and makes nothing: where it isn't the error is ENOENT.
func Find(root int) (int, error) {
	fd, err := openDir(root)
	if err != nil {
		return -1, err
	}
	var above, st unix.Stat_t
	if err = errors.Join(unix.Fstat(root, &above), unix.Fstat(fd, &st)); err == nil {
		switch {
		case st.Dev != above.Dev:
			err = refused("lies on another file system")
		case int(st.Uid) != os.Geteuid():
			err = refused("belongs to somebody else")
		case st.Mode&0o777 != 0o700:
			err = unix.Fchmod(fd, 0o700)
		}
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

func refused(why string) error {
	return turn.Errorf(turn.CodeDenied, "access denied: %q %s", Dir, why)
}

// openDir follows no link and crosses no mount; where the kernel has no
// openat2, Open's look at the device must do.
func openDir(root int) (int, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	how := unix.OpenHow{Flags: flags, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_XDEV}
	fd, err := unix.Openat2(root, Dir, &how)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		fd, err = unix.Openat(root, Dir, flags, 0)
	}
	switch {
	case errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR):
		return -1, refused("is not a directory")
	case errors.Is(err, unix.EXDEV):
		return -1, refused("lies on another file system")
	}
	return fd, err
}

// ignoreAll has git ignore everything in the directory.
func ignoreAll(dir int) error {
	const all = "*\n"
	f, err := OpenFile(dir, ".gitignore", 0)
	if err != nil {
		return err
	}
	is := make([]byte, len(all)+1)
	if n, _ := f.ReadAt(is, 0); string(is[:n]) != all {
		err = f.Truncate(0)
		if err == nil {
			_, err = f.WriteAt([]byte(all), 0)
		}
	}
	return errors.Join(err, f.Close())
}

// Append opens a file of the directory to write at its end, as OpenFile does.
func Append(dir int, name string) (*os.File, error) {
	return OpenFile(dir, name, unix.O_APPEND)
}

// OpenFile opens a file of the directory to read and write, with the flags of open(2) too,
// and makes it if need be: a regular file of our own, which has no other name. What is there
// and isn't one is refused unread and unwritten, by an error of CodeDenied.
func OpenFile(dir int, name string, flag int) (*os.File, error) {
	fd, err := unix.Openat(dir, name, flag|unix.O_RDWR|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o600)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EISDIR) || errors.Is(err, unix.ENXIO) {
		return nil, notOurs(name)
	}
	if err != nil {
		return nil, err
	}
	return regular(fd, name)
}

// ReadFile opens a file of the directory to read it, under the same conditions. Errors are
// the system's too: of one that isn't there ENOENT.
func ReadFile(dir int, name string) (*os.File, error) {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENXIO) {
		return nil, notOurs(name)
	}
	if err != nil {
		return nil, err
	}
	return regular(fd, name)
}

// regular is an open file, if it is one of our own that has one name.
func regular(fd int, name string) (*os.File, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink != 1 ||
		int(st.Uid) != os.Geteuid() {
		unix.Close(fd)
		return nil, notOurs(name)
	}
	return os.NewFile(uintptr(fd), name), nil
}

func notOurs(name string) error {
	return turn.Errorf(turn.CodeDenied, "access denied: %q is no file of Pai's own", Dir+"/"+name)
}

// State is the directory for what outlasts a run outside of every tree, and is made if
// need be: $XDG_STATE_HOME/pai-code, or ~/.local/state/pai-code. Errors are the system's.
func State() (string, error) {
	dir, err := StatePath()
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o700)
}

// StatePath is where that is, made or not.
func StatePath() (string, error) {
	above := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(above) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		above = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(above, "pai-code"), nil
}

// ReplaceFile writes a file of the person's own as a whole: its directory 0700, the file 0600.
func ReplaceFile(path string, data []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // the link stays
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// ReadLimited reads a regular file of so many bytes at most, and waits for nothing else. Errors
// are the system's, or in words.
func ReadLimited(path string, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &os.PathError{Op: "read", Path: path, Err: errors.New("it is no regular file")}
	case info.Size() > most:
		return nil, &os.PathError{Op: "read", Path: path, Err: errors.New("it is too large")}
	}
	return io.ReadAll(io.LimitReader(f, most))
}
