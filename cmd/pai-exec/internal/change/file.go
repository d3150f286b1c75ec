package change

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Side is a file before or after a plan.
type Side struct {
	Path       string
	Text       string
	Executable bool
	Binary     bool // not UTF-8: no diff is shown
}

// File is the change of one file over a whole plan. Old is nil for a file
// that is made, New for one that is removed; the paths differ where it moves.
type File struct {
	Old, New *Side
	Same     bool // both hold the same bytes: it only moves
}

// MaxDiffBytes is the size from which a diff is left out.
const MaxDiffBytes = 1 << 20

// IsText tells whether bytes are what Pai treats as text: valid UTF-8 without
// NUL.
func IsText(data []byte) bool {
	return utf8.Valid(data) && !strings.Contains(string(data), "\x00")
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
func (f File) Diff() Diff { return Compare(f.Old.text(), f.New.text()) }

func (s *Side) text() string {
	if s == nil || s.Binary {
		return ""
	}
	return s.Text
}

// Unified writes the change as a unified diff that git apply and patch -p1
// take: plain headers, and git's extended ones only where a rename, a mode or
// an empty file needs them. note says why there is no diff.
func (f File) Unified(d Diff) (patch, note string) {
	if !f.Same && (f.Old != nil && f.Old.Binary || f.New != nil && f.New.Binary) {
		return "", "not text: no diff"
	}
	var b strings.Builder
	f.extended(&b)
	if len(d.spans) > 0 {
		fmt.Fprintf(&b, "--- %s\n+++ %s\n", label("a/", f.Old), label("b/", f.New))
		d.hunks(&b)
	}
	if b.Len() > MaxDiffBytes {
		return "", fmt.Sprintf("the diff of %d bytes is left out", b.Len())
	}
	return b.String(), ""
}

// extended writes git's headers where plain ones can't say it.
func (f File) extended(b *strings.Builder) {
	switch {
	case f.Old == nil && (f.New.Executable || f.New.Text == ""):
		fmt.Fprintf(b, "diff --git %s %s\nnew file mode %s\n", quotePath("a/"+f.New.Path), quotePath("b/"+f.New.Path), f.New.mode())
		f.emptyIndex(b, f.New.Text, "0000000..e69de29")
	case f.New == nil && (f.Old.Executable || f.Old.Text == ""):
		fmt.Fprintf(b, "diff --git %s %s\ndeleted file mode %s\n", quotePath("a/"+f.Old.Path), quotePath("b/"+f.Old.Path), f.Old.mode())
		f.emptyIndex(b, f.Old.Text, "e69de29..0000000")
	case f.Old != nil && f.New != nil && f.Old.Path != f.New.Path:
		fmt.Fprintf(b, "diff --git %s %s\n%srename from %s\nrename to %s\n", quotePath("a/"+f.Old.Path), quotePath("b/"+f.New.Path), f.similarity(),
			quotePath(f.Old.Path), quotePath(f.New.Path))
	}
}

// emptyIndex names the object of an empty file: without it patch takes a
// header that no hunk follows for garbage.
func (f File) emptyIndex(b *strings.Builder, text, index string) {
	if text == "" {
		fmt.Fprintf(b, "index %s\n", index)
	}
}

func (f File) similarity() string {
	if f.Same {
		return "similarity index 100%\n"
	}
	return ""
}

func (s *Side) mode() string {
	if s.Executable {
		return "100755"
	}
	return "100644"
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
