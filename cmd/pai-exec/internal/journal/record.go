package journal

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/pkg/history"
	"paicode/pkg/turn"
)

const (
	recordFile     = "journal" // a name that formatters of whole trees, as prettier is, leave alone
	oldRecordFile  = "journal.json"
	recordVersion  = 3
	maxRecordBytes = 1 << 30
)

// header is the first line of a journal: which transaction it is. It is believed in the very
// directory that it was written for, and elsewhere only if the person's key authenticates it: a
// file system may number its directories again, and a tree may be copied, but what came with a clone
// is somebody else's.
type header struct {
	Version  int       `json:"version"`
	Identity string    `json:"identity"` // of the transaction's directory
	Root     string    `json:"root"`     // where it lay
	Sequence int64     `json:"sequence"` // one more than that of the one before
	Made     time.Time `json:"made"`     // by the clock of the machine, which nothing rests on but how long it is kept
	Keeps    int64     `json:"keeps"`    // of the tree before, in bytes
}

// record says what a transaction does. It is on the disk before the first change. Its file has
// three lines, the header, the rest, and what the person's key makes of both if there is one, each a
// JSON value, a tab and the hex SHA-256 of that value: identity and key find forgers, the hash finds
// rot.
type record struct {
	header `json:"-"`
	Ops    []disk.Op                  `json:"ops"`
	Paths  map[string]turn.SealedPath `json:"paths"`
	Above  map[string]uint32          `json:"above,omitempty"` // the modes of the directories above the ops' paths
	Left   map[string]string          `json:"left,omitempty"`  // the sums of files that checks left in directories of Ops

	signature string // of signs, by some person's key; empty: there is none
	signs     []byte // the lines of the whole journal, as they were read
}

// damage is the error of a transaction of our own that is not what was written, in words.
type damage string

func (d damage) Error() string { return string(d) }

const errDamaged damage = "its journal is damaged"

func isDamage(err error) bool {
	_, is := errors.AsType[damage](err)
	return is
}

// oldBegins is how a journal of the version before begins.
var oldBegins = []byte(`{"version":2,`)

func (r *record) encode(key *Key) ([]byte, error) {
	var out bytes.Buffer
	add := func(part any) error {
		data, err := json.Marshal(part)
		fmt.Fprintf(&out, "%s\t%s\n", data, disk.Hash(data))
		return err
	}
	err := errors.Join(add(r.header), add(r))
	if key != nil {
		err = errors.Join(err, add(key.sum(out.Bytes())))
	}
	return out.Bytes(), err
}

// decode reads a journal, or its header if it isn't whole; of the version before too, which had
// neither header nor hash.
func (r *record) decode(data []byte, whole bool) error {
	if bytes.HasPrefix(data, oldBegins) {
		var old struct {
			header
			record
		}
		if json.Unmarshal(data, &old) != nil || old.Version != 2 {
			return errDamaged
		}
		*r = old.record
		r.header = old.header
		return nil
	}
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	if !whole && unsealed(first, &r.header) && r.Version == recordVersion {
		return nil
	}
	second, rest, ok := bytes.Cut(rest, []byte("\n"))
	if !ok || !unsealed(first, &r.header) || r.Version != recordVersion || !unsealed(second, r) {
		return errDamaged
	}
	if third, ok := bytes.CutSuffix(rest, []byte("\n")); len(rest) > 0 && (!ok || !unsealed(third, &r.signature)) {
		return errDamaged
	}
	r.signs = data[:len(first)+len(second)+2]
	return nil
}

// unsealed reads a line of a journal, if it is what was written.
func unsealed(line []byte, into any) bool {
	at := bytes.LastIndexByte(line, '\t')
	return at >= 0 && disk.Hash(line[:at]) == string(line[at+1:]) && json.Unmarshal(line[:at], into) == nil
}

// place tells one directory from every other that there is or was: a clone can bring a name,
// but not an inode and a time of birth. The device is no part of it: it may have another
// number at the next mount. born is false where the file system keeps no time of birth.
func place(fd int) (id string, born bool, err error) {
	var st unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_INO|unix.STATX_BTIME, &st); err != nil {
		return "", false, err
	}
	return fmt.Sprintf("%d:%d.%09d", st.Ino, st.Btime.Sec, st.Btime.Nsec), st.Mask&unix.STATX_BTIME != 0, nil
}

// tag is what a directory's name holds of its place, so that it is known for ours even where
// its journal can't be read.
func tag(place string) string {
	sum := sha256.Sum256([]byte(place))
	return hex.EncodeToString(sum[:4])
}

// identify gives a new transaction the identity of its directory.
func (j *Journal) identify(r *record, fd int) error {
	id, born, err := place(fd)
	if err == nil && !born && j.Key == nil {
		err = turn.Errorf(turn.CodeInternal,
			"the file system keeps no time of birth, and there is no state directory with a key to sign the transaction").
			WithHint("XDG_STATE_HOME or HOME says where it may be")
	}
	r.Identity, r.Root = id, j.root.Real()
	return err
}

// standing is what a transaction's directory is to us.
type standing int

const (
	foreign standing = iota // never begun here, or there is no journal
	damaged                 // ours by its name, but the journal isn't what was written
	copied                  // ours, but of a tree that lay elsewhere
	ours
)

// open opens a transaction by its directory's name and reads its journal; a nil transaction is
// foreign. Errors are the system's.
func (j *Journal) open(list int, name string, whole bool) (t *transaction, is standing, err error) {
	fd, err := unix.Openat(list, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) ||
		errors.Is(err, unix.EACCES) && !belongsToUs(list, name) {
		return nil, foreign, nil
	}
	if err != nil {
		return nil, foreign, err
	}
	t = &transaction{root: j.root, rules: &j.rules, key: j.Key, list: list, fd: fd, name: name}
	if is, err = t.read(j, whole); err != nil {
		t.close()
		return nil, foreign, err
	}
	return t, is, nil
}

// read reads the journal, or its header.
func (t *transaction) read(j *Journal, whole bool) (standing, error) {
	at, born, err := place(t.fd)
	if err != nil || !belongsToUs(t.list, t.name) {
		return foreign, err
	}
	err = t.load(whole)
	here := err == nil && born && t.Identity == at
	if err == nil && !here && !whole {
		err = t.load(true) // the signature is at the end
	}
	named := strings.HasSuffix(t.id(), "-"+tag(cmp.Or(t.Identity, at)))
	switch {
	case err != nil && !isDamage(err):
		return foreign, err
	case err != nil && strings.HasSuffix(t.id(), "-"+tag(at)):
		return damaged, nil
	case err != nil || !here && !j.Key.signed(t.signs, t.signature):
		return foreign, nil
	case t.Version == recordVersion && (!named || sequenceOf(t.name) != t.Sequence):
		return damaged, nil // its name is another's
	case !here && t.Root != t.root.Real():
		return copied, nil
	}
	return ours, nil
}

func (t *transaction) load(whole bool) error {
	data, err := readOwn(t.fd, recordName(t.fd), whole)
	if err == nil {
		err = t.decode(data, whole)
	}
	return err
}

// belongsToUs reports whether what is at a name in an open directory is ours.
func belongsToUs(dir int, name string) bool {
	var st unix.Stat_t
	return unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && int(st.Uid) == os.Geteuid()
}

// readOwn reads a file of Pai's own, or the beginning of it, which has the first line of a
// journal; errDamaged is the error of one that isn't ours, or isn't there.
func readOwn(dir int, name string, whole bool) ([]byte, error) {
	f, err := history.ReadFile(dir, name)
	switch e, ok := errors.AsType[*turn.Error](err); {
	case ok && e.Code == turn.CodeDenied, errors.Is(err, unix.ENOENT):
		return nil, errDamaged
	case err != nil:
		return nil, err
	}
	defer f.Close()
	begin := make([]byte, 1<<10)
	n, err := io.ReadFull(f, begin)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return begin[:n], nil
	}
	if err != nil || !whole && !bytes.HasPrefix(begin, oldBegins) {
		return begin[:n], err
	}
	rest, err := io.ReadAll(io.LimitReader(f, maxRecordBytes))
	return append(begin[:n], rest...), err
}

// recordName is the name that the journal has in the directory of a transaction, or is to have.
func recordName(fd int) string {
	if there(fd, oldRecordFile) {
		return oldRecordFile
	}
	return recordFile
}

// write writes the journal, with sync onto the disk. One that is there is replaced at once.
func (t *transaction) write(sync bool) error {
	data, err := t.encode(t.key)
	if err != nil {
		return err
	}
	final := recordName(t.fd)
	name := final
	if there(t.fd, final) {
		name += newSuffix
	}
	fd, err := unix.Openat(t.fd, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), name)
	_, err = f.Write(data)
	if err == nil && sync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil && name != final {
		err = unix.Renameat(t.fd, name, t.fd, final)
	}
	if err == nil && sync {
		err = unix.Fsync(t.fd)
	}
	return err
}

const newSuffix = ".new"
