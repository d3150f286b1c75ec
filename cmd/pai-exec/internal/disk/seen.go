package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"paicode/pkg/turn"
)

// Seen is what was at a path when a plan was resolved: one of a file or directory that a
// change takes away, and of all that is under it.
type Seen struct {
	Rel string // under the one that is taken away; empty for itself
	Info
	Sum   string // of a file's content that a step wrote; then there is no inode yet
	Moved bool   // a step moves it, which changes the time of its change
}

// Unchanged reports whether a name in an open directory is what was seen, and everything
// under it: kinds, inodes, sizes and times, and nothing more or less.
func Unchanged(dir int, name string, seen []Seen) (bool, error) {
	if len(seen) == 0 {
		return true, nil
	}
	byRel := make(map[string]Seen, len(seen))
	for _, s := range seen {
		byRel[s.Rel] = s
	}
	left := len(seen)
	err := Visit(dir, name, "", func(at int, name, rel string, st Info) error {
		s, known := byRel[rel]
		if left--; !known || left < 0 || !s.is(st) {
			return errOther
		}
		if s.Ino != 0 || s.Kind != Regular {
			return nil
		}
		sum, err := sumOf(at, name, st)
		if err == nil && sum != s.Sum {
			err = errOther
		}
		return err
	})
	if errors.Is(err, errOther) || errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) ||
		errors.Is(err, unix.ELOOP) {
		return false, nil
	}
	return left == 0, err
}

// errOther ends a visit: what is there isn't what was seen.
var errOther = errors.New("it is another")

// is compares without content.
func (s Seen) is(st Info) bool {
	switch {
	case s.Kind != st.Kind:
		return false
	case s.Ino == 0: // a step made it
		return true
	case s.Ino != st.Ino:
		return false
	case s.Kind == Directory:
		return true // what is in it is looked at by itself
	}
	return s.Size == st.Size && s.Mtime == st.Mtime && (s.Rel == "" || s.Moved || s.Ctime == st.Ctime)
}

// Digest is a hash of what is at a name in an open directory: of a file its content's, of
// a link its target's, of a directory one of the names, kinds and hashes of all under it.
// What is none of these has none.
func Digest(dir int, name string) (string, error) {
	st, err := statAt(dir, name)
	if err != nil || st.Kind != Directory {
		if err == nil {
			return sumOf(dir, name, st)
		}
		return "", err
	}
	var d Under
	err = Visit(dir, name, "", func(at int, name, rel string, st Info) error {
		if rel == "" {
			return nil
		}
		sum, err := sumOf(at, name, st)
		d.Add(rel, st.Kind, sum)
		return err
	})
	return d.Sum(), err
}

// Under makes the digest of a directory from what is under it, in any order.
type Under struct{ lines []string }

// Add adds one path relative to the directory; sum is that of a file's or link's content.
func (d *Under) Add(rel string, k kind, sum string) {
	d.lines = append(d.lines, fmt.Sprintf("%s\x00%d\x00%s\n", rel, k, sum))
}

// Sum is the digest.
func (d *Under) Sum() string {
	slices.Sort(d.lines)
	h := sha256.New()
	for _, line := range d.lines {
		_, _ = io.WriteString(h, line) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}

// sumOf hashes the content of a file, or the target of a link.
func sumOf(dir int, name string, st Info) (string, error) {
	switch st.Kind {
	case Link:
		buf := make([]byte, unix.PathMax)
		n, err := unix.Readlinkat(dir, name, buf)
		if err != nil {
			return "", err
		}
		return Hash(buf[:n]), nil
	case Regular:
		fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if errors.Is(err, unix.EACCES) {
			return "", nil // nobody read it
		}
		if err != nil {
			return "", err
		}
		f := File(fd)
		defer f.Close()
		return HashFile(f)
	}
	return "", nil
}

// Visit calls f for a name in an open directory and everything under it, following nothing,
// until f returns an error.
func Visit(dir int, name, rel string, f func(at int, name, rel string, st Info) error) error {
	st, err := statAt(dir, name)
	if err != nil {
		return err
	}
	if err := f(dir, name, rel, st); err != nil || st.Kind != Directory {
		return err
	}
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	d := os.NewFile(uintptr(fd), name)
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, kid := range names {
		below := kid
		if rel != "" {
			below = rel + "/" + kid
		}
		if err := Visit(fd, kid, below, f); err != nil {
			return err
		}
	}
	return nil
}

// statAt looks at a name in an open directory, following no link.
func statAt(dir int, name string) (Info, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return Info{}, err
	}
	return infoOf(&st), nil
}

// Added names what is in directories that paths say go away, and isn't one of the paths.
func (r *Root) Added(paths map[string]turn.SealedPath) (added []string, err error) {
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		if s := paths[p]; s.Before == nil || s.Before.Type != "dir" || s.After != nil {
			continue
		}
		names, _, err := r.List(p)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if below, known := paths[p+"/"+name]; !known || below.Before == nil {
				added = append(added, p+"/"+name)
			}
		}
	}
	return added, nil
}
