//go:build tasks

package find

import (
	"archive/tar"
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"paicode/pkg/turn"
)

var (
	tasksFile = flag.String("tasks", "", "tasks, a JSON object a line")
	mirror    = flag.String("mirror", "", "directory with OWNER+NAME/repo for each repository")
	every     = flag.Int("every", 1, "take each Nth task")
	raw       = flag.Bool("raw", false, "requests name files")
	alone     = flag.Bool("alone", false, "measure no variants")
)

// task is a change that was made, and what was said of it.
type task struct {
	Repo, Parent, Query string
	Raw                 string     `json:"query_raw"` // with paths and numbers of issues
	Truth               []string   // files that changed, tests aside
	Tests               []string   // tests that changed
	Hunks               [][][2]int // their lines that did, by file
}

// means are shares, summed up.
type means struct {
	n    int
	sums map[string]float64
}

func (m *means) add(name string, share float64) {
	if m.sums == nil {
		m.sums = make(map[string]float64)
	}
	m.sums[name] += share
}

func (m *means) share(name string) float64 { return m.sums[name] / float64(max(1, m.n)) }

// TestTasks prints which share of the files that changed is found by the words of the
// change alone: at 1, 5, 10 and 20, and as a model sees them within 8,000 and 24,000
// tokens. Beside it stand a plain listing, BM25 of the bodies alone, and the ranking
// without each of its weights.
func TestTasks(t *testing.T) {
	f, err := os.Open(*tasksFile)
	if err != nil {
		t.Skip("make bench-context TASKS=tasks.jsonl MIRROR=dir")
	}
	defer f.Close()
	byRepo, all, large := make(map[string]*means), &means{}, &means{}
	var repos []string
	var variants []variant
	if !*alone {
		variants = variantsOf()
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for n := 0; lines.Scan(); n++ {
		var k task
		if err := json.Unmarshal(lines.Bytes(), &k); err != nil {
			t.Fatal(err)
		}
		if n%*every != 0 {
			continue
		}
		files, err := archived(filepath.Join(*mirror, strings.Replace(k.Repo, "/", "+", 1), "repo"), k.Parent)
		if err != nil {
			t.Fatalf("%s: %s", k.Repo, err)
		}
		if *raw {
			k.Query = k.Raw
			nameFiles(k.Query, files)
		}
		if byRepo[k.Repo] == nil {
			byRepo[k.Repo] = &means{}
			repos = append(repos, k.Repo)
		}
		into := []*means{byRepo[k.Repo], all}
		if len(files) >= 500 {
			into = append(into, large)
		}
		for _, m := range into {
			m.n++
		}
		measure(k, files, variants, into)
	}
	columns := []string{"first", "5", "10", "20", "listed", "shown", "hunks", "precise", "tests", "tokens", "named", "outline", "window", "whole", "shown 24k", "hunks 24k"}
	fmt.Printf("%-30s %4s", "share of changed files", "n")
	for _, c := range columns {
		fmt.Printf(" %9s", c)
	}
	row := func(name string, m *means, prefix string) {
		fmt.Printf("\n%-30s %4d", name, m.n)
		for _, c := range columns {
			if _, ok := m.sums[prefix+c]; ok {
				fmt.Printf(" %9.3f", m.share(prefix+c))
			} else {
				fmt.Printf(" %9s", "")
			}
		}
	}
	for _, r := range repos {
		row(r, byRepo[r], "")
	}
	row("500 files and more", large, "")
	row("all", all, "")
	row("a plain listing", all, "listing/")
	for _, v := range variants {
		row(v.name, all, v.name+"/")
	}
	fmt.Println()
}

// variant is another ranking to compare with.
type variant struct {
	name    string
	weights weights
}

func variantsOf() (all []variant) {
	add := func(name string, change func(w *weights)) {
		w := standard()
		change(&w)
		all = append(all, variant{name, w})
	}
	add("BM25 alone", func(w *weights) {
		*w = weights{saturation: w.saturation, length: w.length, kinds: [...]float64{1, 1, 1, 1, 1}, asked: 1}
	})
	add("without kinds", func(w *weights) { w.kinds, w.asked = [...]float64{1, 1, 1, 1, 1}, 1 })
	add("without definition", func(w *weights) { w.definition = 0 })
	add("without path", func(w *weights) { w.path = 0 })
	add("without chunk", func(w *weights) { w.chunk = 0 })
	add("without names", func(w *weights) { w.names = 0 })
	add("without length", func(w *weights) { w.length = 0 })
	return all
}

// measure adds what one task shows.
func measure(k task, files []File, variants []variant, into []*means) {
	add := func(name string, share float64) {
		for _, m := range into {
			m.add(name, share)
		}
	}
	q := NewQuery(k.Query)
	ranked := Rank(q, files, runtime.GOMAXPROCS(0))
	atRanks(k, ranked, "", add)
	seen(k, Pack(q, ranked, PlanTokens), "", add)
	seen(k, Pack(q, ranked, 3*PlanTokens), " 24k", add)
	for _, v := range variants {
		atRanks(k, rank(q, v.weights, files, runtime.GOMAXPROCS(0)), v.name+"/", add)
	}
	listing := slices.Clone(files)
	slices.SortFunc(listing, func(a, b File) int {
		if d := strings.Count(a.Path, "/") - strings.Count(b.Path, "/"); d != 0 {
			return d
		}
		return strings.Compare(a.Path, b.Path)
	})
	listed := 0
	for _, f := range listing[:min(300, len(listing))] {
		if slices.Contains(k.Truth, f.Path) {
			listed++
		}
	}
	add("listing/listed", float64(listed)/float64(len(k.Truth)))
}

// atRanks tells which share is among the first so many; first is whether the first is right.
func atRanks(k task, ranked []Ranked, prefix string, add func(string, float64)) {
	for name, most := range map[string]int{"5": 5, "10": 10, "20": 20} {
		found := 0
		for _, f := range ranked[:min(most, len(ranked))] {
			if slices.Contains(k.Truth, f.Path) {
				found++
			}
		}
		add(prefix+name, float64(found)/float64(len(k.Truth)))
	}
	first := 0.0
	if len(ranked) > 0 && slices.Contains(k.Truth, ranked[0].Path) {
		first = 1
	}
	add(prefix+"first", first)
}

// seen tells how a model sees the files: whole, by a window that holds a change, by an
// outline, or by name.
func seen(k task, w *turn.Workspace, suffix string, add func(string, float64)) {
	var listed, shown, whole, window, outline, named, hunks, held int
	for i, p := range k.Truth {
		inFile, isWhole := 0, false
		for _, h := range k.Hunks[i] {
			hunks++
			for _, e := range w.Excerpts {
				if from, to, _ := Lines(e.Lines); e.Path == p && from <= h[1]+2 && to >= h[0]-2 {
					inFile++
					break
				}
			}
		}
		held += inFile
		excerpt := slices.ContainsFunc(w.Excerpts, func(e turn.Excerpt) bool { isWhole = isWhole || e.Path == p && e.Whole; return e.Path == p })
		outlined := slices.ContainsFunc(w.Outlines, func(o turn.Outline) bool { return o.Path == p })
		name := slices.ContainsFunc(w.Files, func(f turn.File) bool { return f.Path == p })
		switch {
		case isWhole:
			whole++
		case inFile > 0:
			window++
		case excerpt || outlined:
			outline++
		case name:
			named++
		}
		if excerpt || outlined {
			shown++
		}
		if excerpt || outlined || name {
			listed++
		}
	}
	if total, good := bytesShown(k, w); total > 0 {
		add("precise"+suffix, good/total)
	}
	add("tokens"+suffix, float64(size(w))/bytesPerToken)
	add("tests"+suffix, testsSeen(k, w))
	for name, n := range map[string]int{"listed": listed, "shown": shown, "whole": whole, "window": window, "outline": outline, "named": named} {
		add(name+suffix, float64(n)/float64(len(k.Truth)))
	}
	if hunks > 0 {
		add("hunks"+suffix, float64(held)/float64(hunks))
	}
}

// archived are the files of a commit.
func archived(repo, commit string) (files []File, err error) {
	cmd := exec.Command("git", "--git-dir", repo, "archive", commit)
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		return nil, err
	}
	r := tar.NewReader(bytes.NewReader(out))
	for {
		h, err := r.Next()
		if err != nil {
			return files, nil // an object that a mirror lacks ends it
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return files, nil
		}
		text := !bytes.ContainsRune(data, 0)
		files = append(files, File{Path: h.Name, Read: func([]byte) ([]byte, int64, bool) { return data, int64(len(data)), text }})
	}
}

// nameFiles marks the files that a request names, by their path or the last part of it.
func nameFiles(request string, files []File) {
	words := make(map[string]bool)
	for _, word := range strings.Fields(request) {
		words[strings.TrimRight(strings.Trim(word, "\"'`()[]{}<>,;:!?*"), ".")] = true
	}
	for i, f := range files {
		name := path.Base(f.Path)
		files[i].Named = words[f.Path] || strings.Contains(name, ".") && words[name]
	}
}

// bytesShown is how many bytes excerpts and outlines have, and how many of them are of files that
// changed.
func bytesShown(k task, w *turn.Workspace) (total, good float64) {
	count := func(p string, n int) {
		total += float64(n)
		if slices.Contains(k.Truth, p) || slices.Contains(k.Tests, p) {
			good += float64(n)
		}
	}
	for _, e := range w.Excerpts {
		count(e.Path, size(e))
	}
	for _, o := range w.Outlines {
		count(o.Path, size(o))
	}
	return total, good
}

// testsSeen is the share of the tests that changed that are shown or listed; 1 where none did.
func testsSeen(k task, w *turn.Workspace) float64 {
	if len(k.Tests) == 0 {
		return 1
	}
	seen := 0
	for _, p := range k.Tests {
		if slices.ContainsFunc(w.Excerpts, func(e turn.Excerpt) bool { return e.Path == p }) ||
			slices.ContainsFunc(w.Outlines, func(o turn.Outline) bool { return o.Path == p }) ||
			slices.ContainsFunc(w.Files, func(f turn.File) bool { return f.Path == p }) {
			seen++
		}
	}
	return float64(seen) / float64(len(k.Tests))
}
