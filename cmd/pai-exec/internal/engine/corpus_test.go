package engine

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// The corpus are replies by kind, one archive a kind. They were written from a description of
// the kinds alone, by somebody who hadn't seen the reader; none was recorded from a model. What is
// left of some 1,700 catches each of the reader's mutants that all of them caught, and was made
// shorter as long as it does. Of each it says what is needed: "bytes", the tree that follows;
// "refused", the tree as it was; "either", one of both. A tree that follows is given by whole
// files, by "same: PATH", or by diffs: "@@ N" is followed by what goes from line N on, and by what
// comes there.

// corpusCase is one reply of the corpus.
type corpusCase struct {
	replyCase
	class, name, want string
	same              []string // paths that stay
}

func readCorpus(t testing.TB) (out []corpusCase) {
	t.Helper()
	files, err := filepath.Glob("testdata/corpus/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus (%v)", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		class := strings.TrimSuffix(filepath.Base(file), ".txtar")
		cases := make(map[string]*txtar.Archive)
		var names []string
		for _, f := range archive.Files {
			name, rest, _ := strings.Cut(f.Name, "/")
			if cases[name] == nil {
				cases[name], names = &txtar.Archive{}, append(names, name)
			}
			if rest == "about" {
				cases[name].Comment = f.Data
				continue
			}
			cases[name].Files = append(cases[name].Files, txtar.File{Name: rest, Data: f.Data})
		}
		for _, name := range names {
			c := corpusCase{class: class, name: name}
			archive, diffs := c.about(cases[name])
			request := c.request
			c.replyCase = replyOf(t, class+"/"+name, archive)
			c.request = request
			for _, path := range c.same {
				c.after[path] = c.before[path]
			}
			for path, diff := range diffs {
				c.after[path] = applied(t, c.before[path], diff)
			}
			out = append(out, c)
		}
	}
	return out
}

// about takes what only the corpus has out of an archive.
func (c *corpusCase) about(archive *txtar.Archive) (rest *txtar.Archive, diffs map[string]string) {
	var lines strings.Builder
	for line := range strings.Lines(string(archive.Comment)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch name {
		case "want":
			c.want = value
		case "request":
			c.request = value // of the reply
		case "same":
			c.same = append(c.same, value)
		default:
			lines.WriteString(line)
		}
	}
	rest, diffs = &txtar.Archive{Comment: []byte(lines.String())}, make(map[string]string)
	for _, f := range archive.Files {
		if path, is := strings.CutPrefix(f.Name, "diff/"); is {
			diffs[path] = string(f.Data)
			continue
		}
		rest.Files = append(rest.Files, f)
	}
	return rest, diffs
}

// applied is a text with the changes of a diff.
func applied(t testing.TB, text, diff string) string {
	t.Helper()
	var out strings.Builder
	lines, at := strings.SplitAfter(text, "\n"), 0
	for line := range strings.Lines(diff) {
		n := 0
		switch _, err := fmt.Sscanf(line, "@@ %d", &n); {
		case err == nil:
			for ; at < n-1; at++ {
				out.WriteString(lines[at])
			}
		case line[0] == '+':
			out.WriteString(line[1:])
		case lines[at] != line[1:]:
			t.Fatalf("line %d is %q, not %q", at+1, lines[at], line[1:])
		default:
			at++
		}
	}
	return out.String() + strings.Join(lines[at:], "")
}

// judge runs a case: wrong says what came that nobody meant, strict that a clear reply was
// refused.
func (c corpusCase) judge(t *testing.T) (wrong, strict string) {
	dir, doc, err := c.run(t)
	tree := readTree(t, dir)
	switch {
	case err != nil && !maps.Equal(tree, c.before):
		return fmt.Sprintf("refused (%v), and the tree changed", err), ""
	case err != nil && c.want == "bytes":
		return "", err.Error()
	case err != nil:
		return "", ""
	case c.want == "refused" && !maps.Equal(tree, c.before):
		return "it was not refused" + differences(tree, c.before), ""
	case c.want != "refused" && !maps.Equal(tree, c.after):
		return "other bytes" + differences(tree, c.after), ""
	case doc == nil:
		return "no document", ""
	}
	return "", ""
}

func differences(have, want map[string]string) string {
	var b strings.Builder
	for _, p := range slices.Sorted(maps.Keys(have)) {
		if have[p] != want[p] {
			fmt.Fprintf(&b, "\n%s holds\n%s\nwant\n%s", p, have[p], want[p])
		}
	}
	for p := range want {
		if _, ok := have[p]; !ok {
			fmt.Fprintf(&b, "\n%s is missing", p)
		}
	}
	return b.String()
}

func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".pai_history":
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		rel, _ := filepath.Rel(dir, p)
		data, err := os.ReadFile(p)
		out[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCorpus(t *testing.T) {
	for _, c := range readCorpus(t) {
		t.Run(c.class+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			wrong, strict := c.judge(t)
			if wrong != "" {
				t.Error(wrong)
			}
			if strict != "" {
				t.Errorf("it is clear, and refused: %s", strict)
			}
		})
	}
}
