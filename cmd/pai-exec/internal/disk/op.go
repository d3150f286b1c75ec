package disk

// opKind is one kind of change that a single system call makes.
type opKind string

// The kinds of changes.
const (
	OpMkdir   opKind = "mkdir"
	OpPut     opKind = "put"     // a new file
	OpReplace opKind = "replace" // a file and the one that stands for it change places
	OpRemove  opKind = "remove"  // into the transaction's directory
	OpRename  opKind = "rename"
)

// Op is one change on disk; the steps leave them in the order in which they
// are made. The transaction's directory holds the new file before an OpPut
// and the old one after an OpReplace or OpRemove, under the op's index.
type Op struct {
	Kind opKind `json:"kind"`
	Path string `json:"path"`
	To   string `json:"to,omitempty"`      // of OpRename
	Ino  uint64 `json:"ino,omitempty"`     // of the new file, or of what OpRename moves
	Sum  string `json:"sum,omitempty"`     // of the new file's content
	Old  uint64 `json:"old_ino,omitempty"` // of the file that OpReplace takes the place of
	Mode uint32 `json:"mode,omitempty"`    // of the directory that OpMkdir makes; 0: what the umask leaves
	Was  string `json:"old_sum,omitempty"` // of its content, or of what OpRemove takes away: see Digest

	Data   []byte `json:"-"` // of the new file
	Perm   uint32 `json:"-"` // of the new file
	Source string `json:"-"` // where on disk the file is that OpReplace takes the place of; empty if a step makes it
	Seen   []Seen `json:"-"` // what OpRemove takes away, or OpRename moves
	Size   int64  `json:"-"` // of what the transaction's directory keeps of the tree before, in bytes
}
