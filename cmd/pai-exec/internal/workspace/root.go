package workspace

import (
	"errors"
	"io"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"paicode/pkg/turn"
)

// Root is the directory beneath which everything happens, held open.
type Root struct {
	fd  int
	dev uint64
	// walk is set where the kernel has no openat2.
	walk bool
	// seen are the files that were read, by their paths: what is read twice
	// must be the same.
	seen map[string]seenFile
	// rules judge the paths of journals.
	rules Rules
}

// seenFile is a file as it was first read.
type seenFile struct {
	stat
	data []byte
	sum  string
}

// OpenRoot opens a directory; empty is the current one. The person's rules
// hold for what is taken back, as for what is done. Errors are of CodeUsage.
func OpenRoot(dir string, rules Rules) (*Root, error) {
	if dir == "" {
		dir = "."
	}
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, turn.Errorf(turn.CodeUsage, "the root %s can't be opened: %s", turn.Quote(dir), err)
	}
	r := &Root{fd: fd, seen: make(map[string]seenFile), rules: rules}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, turn.Errorf(turn.CodeInternal, "the root %s can't be examined: %s", turn.Quote(dir), err)
	}
	r.dev = st.Dev
	probe, err := r.open(".", unix.O_PATH, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		r.walk = true
	} else if err == nil {
		unix.Close(probe)
	}
	return r, nil
}

// Close lets the directory go.
func (r *Root) Close() { unix.Close(r.fd) }

// open opens what lies at a path on disk, following no link and crossing no
// mount on the way. With O_NOFOLLOW|O_PATH a link at the end opens as itself.
func (r *Root) open(p string, flags int, mode uint32) (int, error) {
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
	parts := components(p)
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

// parent opens the directory in which a path's last component stands.
func (r *Root) parent(p string) (fd int, name string, err error) {
	dir, name := path.Split(p)
	if dir == "" {
		dir = "."
	}
	fd, err = r.open(strings.TrimSuffix(dir, "/"), unix.O_PATH|unix.O_DIRECTORY, 0)
	return fd, name, err
}

// kind is what stands at a path.
type kind int

const (
	absent kind = iota
	file
	dir
	link
	special // FIFO, socket, device
)

// stat is what the file system says of a path, the last component itself.
type stat struct {
	kind   kind
	perm   uint32
	size   int64
	nlink  uint64
	dev    uint64
	ino    uint64
	target string // of a link
}

// stat looks at a path on disk. A missing path is no error but absent.
func (r *Root) stat(p string) (stat, error) {
	fd, err := r.open(p, unix.O_PATH, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return stat{}, nil
	}
	if err != nil {
		return stat{}, explain(p, err)
	}
	defer unix.Close(fd)
	s, err := statFD(fd)
	if err != nil {
		return stat{}, explain(p, err)
	}
	if s.kind == link {
		buf := make([]byte, unix.PathMax)
		n, err := unix.Readlinkat(fd, "", buf)
		if err != nil {
			return stat{}, explain(p, err)
		}
		s.target = string(buf[:n])
	}
	return s, nil
}

func statFD(fd int) (stat, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return stat{}, err
	}
	s := stat{perm: st.Mode & 0o7777, size: st.Size, nlink: uint64(st.Nlink), dev: st.Dev, ino: st.Ino}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		s.kind = file
	case unix.S_IFDIR:
		s.kind = dir
	case unix.S_IFLNK:
		s.kind = link
	default:
		s.kind = special
	}
	return s, nil
}

// read reads a regular file on disk, at most limit bytes of it.
func (r *Root) read(p string, limit int64) ([]byte, stat, error) {
	fd, err := r.open(p, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, stat{}, explain(p, err)
	}
	f := rawFile(fd)
	defer f.Close()
	s, err := statFD(fd)
	switch {
	case err != nil:
		return nil, s, explain(p, err)
	case s.kind != file:
		return nil, s, denied(p, "is not a regular file")
	case s.size > limit:
		return nil, s, tooLarge(p, s.size, limit)
	}
	data := make([]byte, 0, s.size+1)
	data, err = readUpTo(f, data, limit+1)
	if err != nil {
		return nil, s, explain(p, err)
	}
	if int64(len(data)) > limit {
		return nil, s, tooLarge(p, int64(len(data)), limit)
	}
	return data, s, nil
}

// remember notes what a file held when it was first read, and refuses it as
// stale if it holds something else now.
func (r *Root) remember(p string, st stat, data []byte) error {
	sum := hash(data)
	if was, ok := r.seen[p]; ok && was.sum != sum {
		return &StaleError{[]string{p}}
	}
	r.seen[p] = seenFile{st, data, sum}
	return nil
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

// list returns the names in a directory on disk, with what the file system
// says of their kind (absent where it doesn't say).
func (r *Root) list(p string) (names []string, kinds []kind, err error) {
	fd, err := r.open(p, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, nil, explain(p, err)
	}
	f := os.NewFile(uintptr(fd), p)
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, nil, explain(p, err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
		switch t := e.Type(); {
		case t.IsRegular():
			kinds = append(kinds, file)
		case t.IsDir():
			kinds = append(kinds, dir)
		case t&os.ModeSymlink != 0:
			kinds = append(kinds, link)
		default:
			kinds = append(kinds, special)
		}
	}
	return names, kinds, nil
}

// explain gives an error of the file system words and a code.
func explain(p string, err error) *turn.Error {
	if e, ok := errors.AsType[*turn.Error](err); ok {
		return e
	}
	switch {
	case errors.Is(err, unix.EXDEV):
		return denied(p, "lies on another file system, or leaves the root")
	case errors.Is(err, unix.ELOOP):
		return turn.Errorf(turn.CodeStale, "%s became a link while it was being used", turn.Quote(p))
	case errors.Is(err, unix.ENOENT):
		return turn.Errorf(turn.CodeStale, "%s vanished while it was being used", turn.Quote(p))
	case errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT):
		return turn.Errorf(turn.CodeInternal, "%s: no space left on the device", turn.Shown(p))
	}
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		err = pe.Err
	}
	return turn.Errorf(turn.CodeInternal, "%s: %s", turn.Shown(p), err)
}
