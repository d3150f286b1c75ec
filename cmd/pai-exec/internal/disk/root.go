package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/guard"
	"paicode/pkg/turn"
)

// Root is the directory under which everything happens, held open.
type Root struct {
	fd   int
	dev  uint64
	name string
	real string // its absolute path; empty where that isn't known
	// walk is set where the kernel has no openat2.
	walk bool
	// HashLimit is how many bytes a file may have for State to read it; 0: any.
	HashLimit int64
	// seen are the files that were read, by their paths: what is read twice
	// must be the same.
	seen map[string]seenFile
}

// seenFile is a file as it was first read.
type seenFile struct {
	Info
	data []byte
	sum  string
}

// OpenRoot opens a directory; empty is the current one. Errors are of CodeUsage, and
// CodeDenied of what is git's own data.
func OpenRoot(dir string) (*Root, error) {
	if dir == "" {
		dir = "."
	}
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, turn.Errorf(turn.CodeUsage, "the root %s can't be opened: %s", turn.Quote(dir), err)
	}
	r := &Root{fd: fd, seen: make(map[string]seenFile)}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, turn.Errorf(turn.CodeInternal, "the root %s can't be examined: %s", turn.Quote(dir), err)
	}
	r.dev, r.name = st.Dev, fmt.Sprintf("%d:%d", st.Dev, st.Ino)
	if r.real, err = os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err != nil {
		r.real = ""
	}
	if err := r.inGit(); err != nil {
		return nil, err
	}
	probe, err := r.Open(".", unix.O_PATH, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		r.walk = true
	} else if err == nil {
		unix.Close(probe)
	}
	return r, nil
}

// Name tells one root from another as long as both are there.
func (r *Root) Name() string { return r.name }

// Real is the root's absolute path without links; empty where the system doesn't tell.
func (r *Root) Real() string { return r.real }

// Within is what an absolute path is under the root, by the root's own name; ok is false of
// one that isn't.
func (r *Root) Within(p string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path.Clean(p), r.real+"/")
	return rest, ok && r.real != ""
}

// inGit refuses a root that is git's own data: under a folder of that name, or in a
// repository without a work tree.
func (r *Root) inGit() error {
	has := func(dir string) func(name string) bool {
		return func(name string) bool {
			var st unix.Stat_t
			return unix.Lstat(path.Join(dir, name), &st) == nil
		}
	}
	inside := []string{"hooks", "info", "logs", "objects", "refs", "worktrees", "modules"}
	if r.real != "" && (slices.Contains(strings.Split(r.real, "/"), ".git") || guard.Repository(has(r.real)) ||
		slices.Contains(inside, path.Base(r.real)) && guard.Repository(has(path.Dir(r.real)))) {
		return guard.Denied(r.real, "can't be the root: it is git's own data")
	}
	return nil
}

// FD is the open directory.
func (r *Root) FD() int { return r.fd }

// Close lets the directory go.
func (r *Root) Close() { unix.Close(r.fd) }

// Open opens what is at a path on disk, following no link and crossing no
// mount on the way. With O_NOFOLLOW|O_PATH a link at the end opens as itself.
func (r *Root) Open(p string, flags int, mode uint32) (int, error) {
	flags |= unix.O_CLOEXEC | unix.O_NOFOLLOW
	if r.walk {
		return r.openByWalk(p, flags, mode)
	}
	how := unix.OpenHow{Flags: uint64(flags), Mode: uint64(mode),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV}
	for {
		fd, err := unix.Openat2(r.fd, p, &how)
		if err != unix.EINTR && err != unix.EAGAIN {
			return fd, err
		}
	}
}

// openByWalk does the same a component at a time. A mount on the way is found
// by its device, so one of the same device (a bind mount) is not.
func (r *Root) openByWalk(p string, flags int, mode uint32) (int, error) {
	parts := guard.Components(p)
	if len(parts) == 0 {
		parts = []string{"."}
	}
	fd := r.fd
	for i, part := range parts {
		f, m := unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, uint32(0)
		if i == len(parts)-1 {
			f, m = flags, mode
		}
		next, err := unix.Openat(fd, part, f, m)
		if fd != r.fd {
			unix.Close(fd)
		}
		if err != nil {
			return -1, err
		}
		var st unix.Stat_t
		if err := unix.Fstat(next, &st); err != nil || st.Dev != r.dev {
			unix.Close(next)
			return -1, unix.EXDEV
		}
		fd = next
	}
	return fd, nil
}

// Parent opens the directory in which a path's last component stands.
func (r *Root) Parent(p string) (fd int, name string, err error) {
	dir, name := path.Split(p)
	if dir == "" {
		dir = "."
	}
	fd, err = r.Open(strings.TrimSuffix(dir, "/"), unix.O_PATH|unix.O_DIRECTORY, 0)
	return fd, name, err
}

// kind is what is at a path.
type kind int

// The kinds of what is at a path.
const (
	Absent kind = iota
	Regular
	Directory
	Link
	Special // FIFO, socket, device
)

// Info is what the file system says of a path, the last component itself.
type Info struct {
	Kind   kind
	Perm   uint32
	Size   int64
	Nlink  uint64
	Dev    uint64
	Ino    uint64
	UID    uint32
	GID    uint32
	Mtime  int64  // of the content's last change, in nanoseconds since 1970
	Ctime  int64  // of the inode's
	Target string // of a link
}

// Stat looks at a path on disk. A missing path is no error but absent.
func (r *Root) Stat(p string) (Info, error) {
	fd, err := r.Open(p, unix.O_PATH, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return Info{}, nil
	}
	if err != nil {
		return Info{}, Explain(p, err)
	}
	defer unix.Close(fd)
	s, err := StatFD(fd)
	if err != nil {
		return Info{}, Explain(p, err)
	}
	if s.Kind == Link {
		buf := make([]byte, unix.PathMax)
		n, err := unix.Readlinkat(fd, "", buf)
		if err != nil {
			return Info{}, Explain(p, err)
		}
		s.Target = string(buf[:n])
	}
	return s, nil
}

// StatFD is what the file system says of an open file.
func StatFD(fd int) (Info, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return Info{}, err
	}
	return infoOf(&st), nil
}

func infoOf(st *unix.Stat_t) Info {
	s := Info{Perm: st.Mode & 0o7777, Size: st.Size, Nlink: uint64(st.Nlink), Dev: st.Dev, Ino: st.Ino, UID: st.Uid,
		GID: st.Gid, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano()}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		s.Kind = Regular
	case unix.S_IFDIR:
		s.Kind = Directory
	case unix.S_IFLNK:
		s.Kind = Link
	default:
		s.Kind = Special
	}
	return s
}

// openRegular opens a regular file to read it.
func (r *Root) openRegular(p string) (File, Info, error) {
	fd, err := r.Open(p, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return -1, Info{}, Explain(p, err)
	}
	f := File(fd)
	s, err := StatFD(fd)
	switch {
	case err != nil:
		err = Explain(p, err)
	case s.Kind != Regular:
		err = guard.Denied(p, "is not a regular file")
	}
	if err != nil {
		f.Close()
		return -1, s, err
	}
	return f, s, nil
}

// Read reads a regular file on disk; one of more than limit bytes is an error.
func (r *Root) Read(p string, limit int64) ([]byte, Info, error) {
	f, s, err := r.openRegular(p)
	if err != nil {
		return nil, s, err
	}
	defer f.Close()
	if s.Size > limit {
		return nil, s, tooLarge(p, s.Size, limit)
	}
	data := make([]byte, 0, s.Size+1)
	data, err = readUpTo(f, data, limit+1)
	if err != nil {
		return nil, s, Explain(p, err)
	}
	if int64(len(data)) > limit {
		return nil, s, tooLarge(p, int64(len(data)), limit)
	}
	return data, s, nil
}

// Peek reads the beginning of a regular file, at most so many bytes and no more than it
// has when it is opened, into the buffer if that is large enough.
func (r *Root) Peek(p string, most int64, buffer []byte) ([]byte, Info, error) {
	f, s, err := r.openRegular(p)
	if err != nil {
		return nil, s, err
	}
	defer f.Close()
	if most = min(most, s.Size); int64(cap(buffer)) < most {
		buffer = make([]byte, 0, most)
	}
	data, err := readUpTo(io.LimitReader(f, most), buffer[:0], most)
	return data, s, err
}

// Remember notes what a file held when it was first read, and refuses it as
// stale if it holds something else now.
func (r *Root) Remember(p string, st Info, data []byte) error {
	sum := Hash(data)
	if was, ok := r.seen[p]; ok && was.sum != sum {
		return &StaleError{[]string{p}}
	}
	r.seen[p] = seenFile{st, data, sum}
	return nil
}

// Remembered returns what a file was and held when it was first read, with its
// sum; ok is false if it wasn't.
func (r *Root) Remembered(p string) (st Info, data []byte, sum string, ok bool) {
	was, ok := r.seen[p]
	return was.Info, was.data, was.sum, ok
}

func readUpTo(f io.Reader, data []byte, limit int64) ([]byte, error) {
	for int64(len(data)) < limit {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return data, nil
}

func tooLarge(p string, size, limit int64) error {
	return turn.Errorf(turn.CodeRejected, "%s has %d bytes, over the limit of %d", turn.Quote(p), size, limit).
		WithHint("--max-file-bytes sets the limit")
}

// maxEntries is how many entries a directory may have to be listed.
const maxEntries = 1_000_000

// List returns the names in a directory on disk, with what the file system
// says of their kind (absent where it doesn't say). One of more than a million entries is
// an error of CodeRejected.
func (r *Root) List(p string) (names []string, kinds []kind, err error) {
	fd, err := r.Open(p, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, nil, Explain(p, err)
	}
	f := os.NewFile(uintptr(fd), p)
	defer f.Close()
	entries, err := f.ReadDir(maxEntries + 1)
	if err != nil && err != io.EOF {
		return nil, nil, Explain(p, err)
	}
	if len(entries) > maxEntries {
		return nil, nil, turn.Errorf(turn.CodeRejected, "%s has more than %d entries", turn.Quote(p), maxEntries)
	}
	for _, e := range entries {
		names = append(names, e.Name())
		switch t := e.Type(); {
		case t.IsRegular():
			kinds = append(kinds, Regular)
		case t.IsDir():
			kinds = append(kinds, Directory)
		case t&os.ModeSymlink != 0:
			kinds = append(kinds, Link)
		default:
			kinds = append(kinds, Special)
		}
	}
	return names, kinds, nil
}

// Explain gives an error of the file system words and a code.
func Explain(p string, err error) *turn.Error {
	if e, ok := errors.AsType[*turn.Error](err); ok {
		return e
	}
	switch {
	case errors.Is(err, unix.EXDEV):
		return guard.Denied(p, "lies on another file system, or leaves the root")
	case errors.Is(err, unix.ELOOP):
		return turn.Errorf(turn.CodeStale, "%s became a link while it was being used", turn.Quote(p))
	case errors.Is(err, unix.ENOENT):
		return turn.Errorf(turn.CodeStale, "%s vanished while it was being used", turn.Quote(p))
	case errors.Is(err, unix.ENAMETOOLONG):
		return turn.Errorf(turn.CodeRejected, "%s: the name is too long for the file system", turn.Quote(p))
	case errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT):
		return turn.Errorf(turn.CodeInternal, "%s: no space left on the device", turn.Shown(p))
	}
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		err = pe.Err
	}
	return turn.Errorf(turn.CodeInternal, "%s: %s", turn.Shown(p), err)
}
