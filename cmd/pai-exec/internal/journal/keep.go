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
	"paicode/pkg/history"
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
	f     *os.File
	path  string
	moved []int // the changes that moved something which is there still
}

// OpenKeep makes an empty one for a root in the state directory, before the process is locked
// in, and removes old ones of any root.
func OpenKeep(root *disk.Root) (*Keep, error) {
	dir, err := history.State()
	if err != nil {
		return nil, err
	}
	old, err := filepath.Glob(filepath.Join(dir, "removed-*.tar"))
	if err != nil {
		return nil, err
	}
	for _, name := range old {
		if st, err := os.Stat(name); err == nil && time.Since(st.ModTime()) > keptFor && abandoned(name) {
			_ = os.Remove(name)
		}
	}
	f, err := os.CreateTemp(dir, keepName(root, "*"))
	if err != nil {
		return nil, err
	}
	k := &Keep{f: f, path: f.Name()}
	return k, unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}

func keepName(root *disk.Root, rest string) string {
	return "removed-" + disk.Hash([]byte(root.Name()))[:8] + "-" + rest + ".tar"
}

// abandoned reports whether the process has ended that had a keep.
func abandoned(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// Leftovers are the keeps of a root that a killed pai-exec left.
func Leftovers(root *disk.Root) (out []string) {
	dir, err := history.StatePath()
	if err != nil {
		return nil
	}
	all, _ := filepath.Glob(filepath.Join(dir, keepName(root, "*"))) // the pattern is a good one
	for _, name := range all {
		if abandoned(name) {
			out = append(out, name)
		}
	}
	return out
}

// RemovableIn is the directory in which keeps are to be removed; empty if there are none.
func RemovableIn(leftovers []string, out Outside) string {
	switch {
	case out.Keep != nil:
		return filepath.Dir(out.Keep.path)
	case len(leftovers) > 0:
		return filepath.Dir(leftovers[0])
	}
	return ""
}

// Forget removes keeps that nobody needs, or else says where they lie.
func Forget(names []string, needed bool) (notices []string) {
	for _, name := range names {
		st, err := os.Stat(name)
		switch {
		case err != nil:
		case needed && st.Size() > 0:
			notices = append(notices, "a copy of what a change took away, which was not all put back, lies in "+turn.Shown(name)+
				"; it is named until it is removed")
		default:
			_ = os.Remove(name)
		}
	}
	return notices
}

// Close removes it, unless it holds the only copy of something; nil is none.
func (k *Keep) Close() {
	if k == nil {
		return
	}
	if st, err := k.f.Stat(); err == nil && st.Size() == 0 {
		_ = os.Remove(k.path)
	}
	_ = k.f.Close()
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
		return turn.Errorf(turn.CodeRejected,
			"%s can't be removed while checks run: there is no state directory in which a copy could be kept from them",
			turn.Quote(first)).
			WithHint("XDG_STATE_HOME or HOME says where it may be")
	case size > mostKept:
		return turn.Errorf(turn.CodeRejected,
			"%s can't be removed while checks run: it and what else is removed have %d MB, over the %d MB of which a copy is kept from what they do", turn.Quote(first), size>>20, mostKept>>20).
			WithHint("delete it in a separate plan, without --check")
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
	k.moved = nil
	for i, o := range t.Ops {
		if o.Kind == disk.OpRemove {
			room -= o.Size
			if err := saveAll(w, t.fd, strconv.Itoa(i), t.Ops, i); err != nil {
				return &failedOp{o.Path, err}
			}
		}
	}
	for i, o := range t.Ops {
		var err error
		switch {
		case o.Kind == disk.OpReplace && o.Size <= room:
			room -= o.Size
			err = saveAll(w, t.fd, strconv.Itoa(i), t.Ops, i)
		case o.Kind == disk.OpRename && sizeOf(o.Seen) <= room:
			room -= sizeOf(o.Seen)
			err = k.saveMoved(w, t, i)
		}
		if err != nil {
			return &failedOp{o.Path, err}
		}
	}
	return w.Close()
}

func sizeOf(seen []disk.Seen) (total int64) {
	for _, s := range seen {
		total += s.Size
	}
	return total
}

// saveMoved copies what a change moved, if it is still where that moved it.
func (k *Keep) saveMoved(w *tar.Writer, t *transaction, i int) error {
	dir, name, stands, err := t.movedTo(i)
	if err != nil || !stands {
		return err
	}
	defer unix.Close(dir)
	k.moved = append(k.moved, i)
	return saveAll(w, dir, name, t.Ops, i)
}

// movedTo opens the directory in which stands what a change moved, if it does.
func (t *transaction) movedTo(i int) (dir int, name string, stands bool, err error) {
	dir, name, err = t.root.Parent(t.Ops[i].To)
	if err != nil {
		return -1, "", false, unlessAbsent(err)
	}
	ino, stands, err := inode(dir, name)
	if stands = stands && ino == t.Ops[i].Ino; !stands || err != nil {
		unix.Close(dir)
	}
	return dir, name, stands, err
}

// missesMoved reports whether nothing stands any more where a change moved something.
func (k *Keep) missesMoved(t *transaction) bool {
	if k == nil {
		return false
	}
	for _, i := range k.moved {
		if stands, err := t.stands(t.Ops[i].To); err != nil || !stands {
			return true
		}
	}
	return false
}

// named says where the copies lie, behind where else something lies.
func (k *Keep) named() string {
	if k == nil {
		return ""
	}
	return ", and a copy in " + turn.Shown(k.path)
}

// saveAll copies what is at a name in an open directory, under the number of a change and
// the path that it had.
func saveAll(w *tar.Writer, dir int, name string, ops []disk.Op, i int) error {
	return disk.Visit(dir, name, "", func(at int, name, rel string, st disk.Info) error {
		return saveOne(w, at, name, path.Join(strconv.Itoa(i), ops[i].Path, rel), st)
	})
}

// saveOne copies one file, directory or link.
func saveOne(w *tar.Writer, dir int, name, as string, st disk.Info) error {
	h := &tar.Header{Name: as, Mode: int64(st.Perm), ModTime: time.Unix(0, st.Mtime), Uid: int(st.UID), Gid: int(st.GID),
		Format: tar.FormatPAX}
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

// restore puts what a change took from a path back, at a name in an open directory: all of it,
// or nothing.
func (k *Keep) restore(i int, from string, dir int, name string) (err error) {
	if k == nil {
		return unix.ENOENT
	}
	if _, err := k.f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	found := false
	defer func() {
		if err != nil && found {
			removeAll(dir, name)
		}
	}()
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
		rel, ours := strings.CutPrefix(path.Clean(h.Name), path.Join(strconv.Itoa(i), from))
		if !ours {
			continue
		}
		p := path.Join(name, rel)
		err = restoreOne(r, h, dir, p)
		found = found || !errors.Is(err, unix.EEXIST)
		if err != nil {
			return err
		}
		if h.Typeflag == tar.TypeDir {
			dirs = append(dirs, func() error { return restoreAttributes(h, dir, p) })
		} else if err := restoreAttributes(h, dir, p); err != nil {
			return err
		}
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

// restoreOne makes one file, directory or link again.
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

// restoreAttributes gives what was made again its owner, mode and time.
func restoreAttributes(h *tar.Header, dir int, p string) error {
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
	how := unix.OpenHow{Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
		Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC}
	return unix.Openat2(dir, p, &how)
}

// empty forgets what is kept.
func (k *Keep) empty() {
	if k != nil {
		_ = k.f.Truncate(0)
		_, _ = k.f.Seek(0, io.SeekStart)
	}
}
