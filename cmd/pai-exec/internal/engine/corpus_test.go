package engine

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// The corpus are replies by the manner in which they are written, one archive a manner.
// They were written from a description of the manners alone, by somebody who hadn't seen
// the reader; no one was recorded from a model. Of each it says what is wanted: "bytes",
// the tree that follows; "refused", the tree as it was; "either", one of both.

// mayRefuse is how many of the clear replies may be refused: one in twenty.
const mayRefuse = 20

// corpusCase is one reply of the corpus.
type corpusCase struct {
	replyCase
	class, name, want string
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
			archive := c.about(cases[name])
			request := c.request
			c.replyCase = replyOf(t, class+"/"+name, archive)
			c.request = request
			out = append(out, c)
		}
	}
	return out
}

// about takes the lines that only the corpus has out of a comment.
func (c *corpusCase) about(archive *txtar.Archive) *txtar.Archive {
	var rest strings.Builder
	for line := range strings.Lines(string(archive.Comment)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch name {
		case "want":
			c.want = value
		case "request":
			c.request = value // of the reply
		default:
			rest.WriteString(line)
		}
	}
	archive.Comment = []byte(rest.String())
	return archive
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
	var clear, refused atomic.Int32
	t.Cleanup(func() {
		if refused.Load()*mayRefuse > clear.Load() {
			t.Errorf("%d of %d clear replies are refused, at most one in %d may be", refused.Load(), clear.Load(), mayRefuse)
		}
	})
	for _, c := range readCorpus(t) {
		t.Run(c.class+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			wrong, strict := c.judge(t)
			if wrong != "" {
				t.Error(wrong)
			}
			if c.want == "bytes" {
				clear.Add(1)
			}
			if strict != "" {
				refused.Add(1)
				t.Logf("it is clear, and refused: %s", strict)
			}
		})
	}
}
