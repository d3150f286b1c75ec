package journal

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/pkg/turn"
)

// mostKept is how much of what is removed a Keep takes, in bytes.
const mostKept = 256 << 20

// keptFor is how long one is left that a killed pai-exec had: it may hold the only copy.
const keptFor = 30 * 24 * time.Hour

// Keep is a copy, outside the root, of what a commit removes, for as long as checks run, which
// may do anything to the root: a tar archive, whose names begin with the number of the change. It
// is empty where nobody needs it.
type Keep struct {
	f    *os.File
	path string
}

// OpenKeep makes an empty one in the state directory, before the process is locked in, and
// removes those that nobody needs any more.
func OpenKeep() (*Keep, error) {
	dir, err := StateDir()
	if err != nil {
		return nil, err
	}
	old, err := filepath.Glob(filepath.Join(dir, "removed-*.tar"))
	if err != nil {
		return nil, err
	}
	for _, name := range old {
		removeUnused(name)
	}
	f, err := os.CreateTemp(dir, "removed-*.tar")
	if err != nil {
		return nil, err
	}
	k := &Keep{f, f.Name()}
	return k, unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}

// removeUnused removes a keep whose process has ended, if it is empty or old.
func removeUnused(name string) {
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	st, err := f.Stat()
	if err == nil && (st.Size() == 0 || time.Since(st.ModTime()) > keptFor) && unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
		_ = os.Remove(name)
	}
}

// Close closes it; nil is none. The file goes later, with OpenKeep: nothing can be removed
// outside the root now.
func (k *Keep) Close() {
	if k != nil {
		_ = k.f.Close()
	}
}

// fits reports why what changes remove can't be kept.
func (k *Keep) fits(ops []disk.Op) error {
	var size int64
	first := ""
	for _, o := range ops {
		if o.Kind == disk.OpRemove {
			size += o.Size
			if first == "" {
				first = o.Path
			}
		}
	}
	switch {
	case first == "":
		return nil
	case k == nil:
		return turn.Errorf(turn.CodeRejected, "%s can't be removed while checks run: there is no state directory in which a copy could be kept from them", turn.Quote(first)).
			WithHint("XDG_STATE_HOME or HOME says where it may be")
	case size > mostKept:
		return turn.Errorf(turn.CodeRejected, "%s can't be removed while checks run: it and what else is removed have %d MB, over the %d MB of which a copy is kept from what they do", turn.Quote(first), size>>20, mostKept>>20).
			WithHint("remove it in a plan of its own, without --check")
	}
	return nil
}

// save copies what changes took into the transaction's directory, and as far as there is room
// what they moved.
func (k *Keep) save(t *transaction) error {
	if k == nil {
		return nil
	}
	w := tar.NewWriter(k.f)
	room := int64(mostKept)
	for i, o := range t.Ops {
		if o.Kind == disk.OpRemove {
			room -= o.Size
			if err := saveAll(w, t.fd, strconv.Itoa(i), i); err != nil {
				return &failedOp{o.Path, err}
			}
		}
	}
	for i, o := range t.Ops {
		if o.Kind != disk.OpRename {
			continue
		}
		for _, s := range o.Seen {
			room -= s.Size
		}
		if room < 0 {
			break
		}
		if err := saveMoved(w, t, i); err != nil {
			return &failedOp{o.To, err}
		}
	}
	return w.Close()
}

// saveMoved copies what a change moved, if it is still where that moved it.
func saveMoved(w *tar.Writer, t *transaction, i int) error {
	dir, name, err := t.root.Parent(t.Ops[i].To)
	if err != nil {
		return unlessAbsent(err)
	}
	defer unix.Close(dir)
	ino, stands, err := inode(dir, name)
	if err != nil || !stands || ino != t.Ops[i].Ino {
		return err
	}
	return saveAll(w, dir, name, i)
}

// saveAll copies what stands at a name in an open directory, under the number of a change.
func saveAll(w *tar.Writer, dir int, name string, i int) error {
	return disk.Visit(dir, name, "", func(at int, name, rel string, st disk.Info) error {
		return saveOne(w, at, name, path.Join(strconv.Itoa(i), rel), st)
	})
}

// saveOne copies one file, directory or link.
func saveOne(w *tar.Writer, dir int, name, as string, st disk.Info) error {
	h := &tar.Header{Name: as, Mode: int64(st.Perm), ModTime: time.Unix(0, st.Mtime), Uid: int(st.UID), Gid: int(st.GID), Format: tar.FormatPAX}
	switch st.Kind {
	case disk.Directory:
		h.Typeflag = tar.TypeDir
		return w.WriteHeader(h)
	case disk.Link:
		buf := make([]byte, unix.PathMax)
		n, err := unix.Readlinkat(dir, name, buf)
		if err != nil {
			return err
		}
		h.Typeflag, h.Linkname = tar.TypeSymlink, string(buf[:n])
		return w.WriteHeader(h)
	case disk.Regular:
		fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		f := disk.File(fd)
		defer f.Close()
		h.Typeflag, h.Size = tar.TypeReg, st.Size
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		_, err = io.CopyN(w, f, st.Size)
		return err
	}
	return unix.EINVAL // nothing else is ever removed
}

// restore puts what a change took back at a name in an open directory.
func (k *Keep) restore(i int, dir int, name string) error {
	if k == nil {
		return unix.ENOENT
	}
	if _, err := k.f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	found := false
	var dirs []func() error // what ends them, when all that is in them is there
	for r := tar.NewReader(k.f); ; {
		h, err := r.Next()
		if err == io.EOF && found {
			slices.Reverse(dirs)
			return each(dirs)
		}
		if err != nil {
			return errors.Join(err, unix.ENOENT)
		}
		number, rel, _ := strings.Cut(strings.TrimSuffix(h.Name, "/"), "/")
		if number != strconv.Itoa(i) {
			continue
		}
		p := path.Join(name, rel)
		if err := restoreOne(r, h, dir, p); err != nil {
			return err
		}
		if h.Typeflag == tar.TypeDir {
			dirs = append(dirs, func() error { return dress(h, dir, p) })
		} else if err := dress(h, dir, p); err != nil {
			return err
		}
		found = true
	}
}

func each(all []func() error) error {
	for _, f := range all {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// restoreOne makes one file, directory or link anew.
func restoreOne(r io.Reader, h *tar.Header, dir int, p string) error {
	above, err := openBeneath(dir, path.Dir(p))
	if err != nil {
		return err
	}
	defer unix.Close(above)
	name := path.Base(p)
	switch h.Typeflag {
	case tar.TypeDir:
		return unix.Mkdirat(above, name, 0o700)
	case tar.TypeSymlink:
		return unix.Symlinkat(h.Linkname, above, name)
	}
	fd, err := unix.Openat(above, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	f := disk.File(fd)
	_, err = io.Copy(f, r)
	return errors.Join(err, unix.Fsync(fd), f.Close())
}

// dress gives what was made anew its owner, mode and time.
func dress(h *tar.Header, dir int, p string) error {
	above, err := openBeneath(dir, path.Dir(p))
	if err != nil {
		return err
	}
	defer unix.Close(above)
	name := path.Base(p)
	_ = unix.Fchownat(above, name, h.Uid, h.Gid, unix.AT_SYMLINK_NOFOLLOW) // what we may not give, was ours
	if h.Typeflag != tar.TypeSymlink {
		if err := unix.Fchmodat(above, name, uint32(h.Mode), 0); err != nil {
			return err
		}
	}
	when := unix.NsecToTimespec(h.ModTime.UnixNano())
	return unix.UtimesNanoAt(above, name, []unix.Timespec{when, when}, unix.AT_SYMLINK_NOFOLLOW)
}

func openBeneath(dir int, p string) (int, error) {
	how := unix.OpenHow{Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS, Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC}
	return unix.Openat2(dir, p, &how)
}

// empty forgets what is kept.
func (k *Keep) empty() {
	if k != nil {
		_ = k.f.Truncate(0)
		_, _ = k.f.Seek(0, io.SeekStart)
	}
}
