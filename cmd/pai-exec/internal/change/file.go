package change

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Side is a file before or after a plan.
type Side struct {
	Path   string
	Text   string // of a link, its target
	Mode   string // as git writes it
	Binary bool   // not UTF-8, or not to be read: no diff is shown
}

// The modes that git knows.
const (
	ModeFile       = "100644"
	ModeExecutable = "100755"
	ModeLink       = "120000"
)

// File is the change of one file over a whole plan. Old is nil for a file
// that is made, New for one that is removed; the paths differ where it moves.
type File struct {
	Old, New *Side
	Same     bool // both hold the same bytes: it only moves
	Unseen   bool // the content is shown to nobody
}

// MaxDiffBytes is the size from which the diff of one file, or of one step, is left out.
const MaxDiffBytes = 1 << 20

// IsText reports whether bytes are what Pai treats as text: valid UTF-8 without
// NUL.
func IsText(data []byte) bool {
	return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0
}

// Path is where the file is in the end, or was.
func (f File) Path() string {
	if f.New != nil {
		return f.New.Path
	}
	return f.Old.Path
}

// Diff compares both sides; a missing one and one that isn't text count as
// empty.
func (f File) Diff() Diff {
	if f.Unseen {
		return Diff{}
	}
	return Compare(f.Old.text(), f.New.text())
}

func (s *Side) text() string {
	if s == nil || s.Binary {
		return ""
	}
	return s.Text
}

// NeedsGit reports whether plain --- and +++ headers can't say the change: a
// rename, a mode, a link, an empty file that comes or goes, or what isn't text.
func (f File) NeedsGit() bool {
	switch {
	case f.Unseen:
		return false
	case f.binary():
		return true
	case f.Old == nil:
		return f.New.Mode != ModeFile || f.New.Text == ""
	case f.New == nil:
		return f.Old.Mode != ModeFile || f.Old.Text == ""
	}
	return f.Old.Path != f.New.Path || f.Old.Mode != f.New.Mode
}

// binary reports whether the change can't be shown: one of its sides isn't text.
func (f File) binary() bool {
	return !f.Same && (f.Old != nil && f.Old.Binary || f.New != nil && f.New.Binary)
}

// Unified writes the change as a unified diff that git apply and patch -p1
// take. With git it has git's own headers, which all files of a patch need if
// one does. Where there is no diff, note says why, and the patch does it in words
// that git apply refuses, lest half a patch be applied.
func (f File) Unified(d Diff, git bool) (patch, note string) {
	if f.Unseen {
		return "", ""
	}
	var b strings.Builder
	if git {
		f.extended(&b)
	}
	if f.binary() {
		fmt.Fprintf(&b, "Binary files %s and %s differ\n", label("a/", f.Old), label("b/", f.New))
		return b.String(), "not text: no diff"
	}
	size := d.ChangedBytes()
	if len(d.spans) > 0 && size <= MaxDiffBytes {
		text, err := d.unified(label("a/", f.Old), label("b/", f.New))
		if err != nil {
			return "", "the diff can't be shown: " + err.Error()
		}
		b.WriteString(text)
	}
	if size = max(size, b.Len()); size > MaxDiffBytes {
		return f.LeftOut(size)
	}
	return b.String(), ""
}

// LeftOut stands for a diff that is too large, as Unified's patch and note.
func (f File) LeftOut(size int) (patch, note string) {
	var b strings.Builder
	f.extended(&b)
	note = fmt.Sprintf("the diff of %d bytes is left out", size)
	fmt.Fprintf(&b, "Files %s and %s differ: %s\n", label("a/", f.Old), label("b/", f.New), note)
	return b.String(), note
}

// extended writes git's headers.
func (f File) extended(b *strings.Builder) {
	old, new := f.Old, f.New
	if old == nil {
		old = new
	} else if new == nil {
		new = old
	}
	fmt.Fprintf(b, "diff --git %s %s\n", quotePath("a/"+old.Path), quotePath("b/"+new.Path))
	switch {
	case f.Old == nil:
		fmt.Fprintf(b, "new file mode %s\n", new.Mode)
		emptyIndex(b, new, "0000000..e69de29")
	case f.New == nil:
		fmt.Fprintf(b, "deleted file mode %s\n", old.Mode)
		emptyIndex(b, old, "e69de29..0000000")
	case old.Mode != new.Mode:
		fmt.Fprintf(b, "old mode %s\nnew mode %s\n", old.Mode, new.Mode)
	}
	if f.Same {
		b.WriteString("similarity index 100%\n")
	}
	if old.Path != new.Path {
		fmt.Fprintf(b, "rename from %s\nrename to %s\n", quotePath(old.Path), quotePath(new.Path))
	}
}

// emptyIndex names the object of an empty file: without it patch takes a
// header that no hunk follows for garbage.
func emptyIndex(b *strings.Builder, s *Side, index string) {
	if s.Text == "" && !s.Binary {
		fmt.Fprintf(b, "index %s\n", index)
	}
}

// label is a path in a --- or +++ line. A tab after a name with a blank tells
// patch where the name ends.
func label(prefix string, s *Side) string {
	if s == nil {
		return "/dev/null"
	}
	name := quotePath(prefix + s.Path)
	if name[0] != '"' && strings.Contains(name, " ") {
		return name + "\t"
	}
	return name
}

// quotePath quotes a path as git does if it holds a quote, a backslash or a
// control character, in C's way with octal escapes.
func quotePath(path string) string {
	if !strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f || r == '"' || r == '\\' }) {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
