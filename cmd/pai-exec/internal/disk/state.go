package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/guard"
	"paicode/pkg/turn"
)

// State describes what is at a path on disk, the last component itself;
// nil if nothing does. Files are read to their end; one over HashLimit is refused unread,
// by an error of CodeRejected.
func (r *Root) State(p string) (*turn.State, error) {
	st, err := r.Stat(p)
	if e := turn.AsError(err); e != nil && e.Code == turn.CodeStale {
		return nil, nil // a link is above it: nothing is at this path
	}
	switch {
	case err != nil || st.Kind == Absent:
		return nil, err
	case st.Kind == Link:
		return Describe(st, Hash([]byte(st.Target))), nil
	case st.Kind == Directory:
		return Describe(st, ""), nil
	case st.Kind == Special:
		return nil, guard.Denied(p, "is neither a file nor a directory")
	}
	fd, err := r.Open(p, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, Explain(p, err)
	}
	f := File(fd)
	defer f.Close()
	sum := ""
	if st, err = StatFD(fd); err == nil && r.HashLimit > 0 && st.Size > r.HashLimit {
		return nil, tooLarge(p, st.Size, r.HashLimit)
	} else if err == nil {
		sum, err = HashFile(f)
	}
	if err != nil {
		return nil, Explain(p, err)
	}
	return Describe(st, sum), nil
}

// HashFile hashes a file to its end. A small buffer does: most files are.
func HashFile(f io.Reader) (string, error) {
	h := sha256.New()
	var buffer [8 << 10]byte
	_, err := io.CopyBuffer(h, f, buffer[:])
	return hex.EncodeToString(h.Sum(nil)), err
}

// Describe is a file system's word on a path as documents have it; sum is that of
// a file's bytes, or of a link's target.
func Describe(st Info, sum string) *turn.State {
	kinds := map[kind]string{Regular: "file", Directory: "dir", Link: "link"}
	return &turn.State{Type: kinds[st.Kind], Mode: fmt.Sprintf("%04o", st.Perm), SHA256: sum}
}

// Hash is the SHA-256 of bytes, in hex.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Changed names the paths that are not to the bit what their Before says.
func (r *Root) Changed(paths map[string]turn.SealedPath) ([]string, error) {
	return r.changed(paths, Same)
}

// ChangedSince names the paths that are not what their Before in a seal says, which may
// have been made on another machine.
func (r *Root) ChangedSince(paths map[string]turn.SealedPath) ([]string, error) {
	return r.changed(paths, Alike)
}

func (r *Root) changed(paths map[string]turn.SealedPath, same func(a, b *turn.State) bool) ([]string, error) {
	var changed []string
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		now, err := r.State(p)
		special := err != nil && turn.AsError(err).Code == turn.CodeDenied
		if err != nil && !special {
			return nil, err
		}
		if special || !same(now, paths[p].Before) {
			changed = append(changed, p)
		}
	}
	return changed, nil
}

// Same reports whether two states are equal; nil is equal to nil only.
func Same(a, b *turn.State) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// Alike reports whether two states are equal but for what git doesn't keep: of a file's mode
// only the owner's right to execute counts, of a folder's and a link's nothing.
func Alike(a, b *turn.State) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Type == b.Type && a.SHA256 == b.SHA256 && a.Beneath == b.Beneath && Executable(a) == Executable(b)
}

// Executable reports whether it is a file that its owner may execute.
func Executable(s *turn.State) bool {
	mode, err := strconv.ParseUint(s.Mode, 8, 32)
	return err == nil && s.Type == "file" && mode&0o100 != 0
}

// StaleError names paths that are not what they were when the plan was
// resolved.
type StaleError struct{ Paths []string }

func (e *StaleError) Error() string { return "changed: " + strings.Join(e.Paths, ", ") }
