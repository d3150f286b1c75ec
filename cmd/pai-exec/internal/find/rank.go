package find

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"sync"
)

// File is a file that may be shown.
type File struct {
	Path string
	// Named says that the request names it; such files come before all others.
	Named bool
	// Matter are lines that the request names, counted from one.
	Matter []int
	// Read returns the text, at least its beginning where the file is very long, and
	// the file's size in bytes; ok is false for what is no text or may not be read. The
	// text may be put into the buffer, which is nil or free to be used.
	Read func(buffer []byte) (text []byte, size int64, ok bool)
}

// Ranked is a file with what ranking found in it.
type Ranked struct {
	File
	Kind  Kind
	Size  int64
	Lines int  // 0 for what is no text
	Text  bool // it was read as text
	Score float64
	text  string
	defs  []Definition
	parts []chunk
	spans []chunk
}

// reread is how many of the best files are read once more for their definitions and
// chunks.
const reread = 300

// Rank orders files by a request, the best first, in so many goroutines. Files that
// share no word with it follow, in the order of their paths.
func Rank(q *Query, files []File, workers int) []Ranked {
	return rank(q, standard(), files, workers)
}

func rank(q *Query, w weights, files []File, workers int) []Ranked {
	ranked, bodies := countAll(q, files, workers)
	paths := make([][]uint32, len(files))
	for i, f := range files {
		paths[i] = make([]uint32, len(q.terms))
		count(q, f.Path, paths[i])
	}
	idf := rarity(q, ranked, bodies, paths)
	average := 1.0
	for _, f := range ranked {
		average += float64(f.Size) / float64(len(ranked))
	}
	for i := range ranked {
		ranked[i].Score = w.kind(ranked[i].Kind, q) * w.bm25(idf, bodies[i], nil, paths[i], float64(ranked[i].Size)/average)
	}
	order := make([]int, len(ranked))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return compare(ranked[a], ranked[b]) })
	best := order[:min(reread, len(order))]
	refine(q, w, ranked, best, idf, bodies, paths, average, workers)
	out := make([]Ranked, len(order))
	for i, at := range order {
		out[i] = ranked[at]
	}
	slices.SortStableFunc(out[:len(best)], compare)
	return out
}

func compare(a, b Ranked) int {
	switch {
	case a.Named != b.Named:
		if a.Named {
			return -1
		}
		return 1
	case a.Score > b.Score:
		return -1
	case a.Score < b.Score:
		return 1
	}
	return strings.Compare(a.Path, b.Path)
}

// countAll reads every file once and counts the query's words in it.
func countAll(q *Query, files []File, workers int) ([]Ranked, [][]uint32) {
	ranked, bodies := make([]Ranked, len(files)), make([][]uint32, len(files))
	buffers := make([][]byte, max(1, workers))
	parallel(len(files), workers, func(worker, i int) {
		f := &ranked[i]
		f.File, f.Kind = files[i], KindOf(files[i].Path)
		bodies[i] = make([]uint32, len(q.terms))
		text, size, ok := files[i].Read(buffers[worker])
		if cap(text) > cap(buffers[worker]) {
			buffers[worker] = text
		}
		if f.Size, f.Text = size, ok; !ok {
			return
		}
		f.Lines = bytes.Count(text, []byte{'\n'})
		if !bytes.HasSuffix(text, []byte{'\n'}) && len(text) > 0 {
			f.Lines++
		}
		count(q, text, bodies[i])
	})
	return ranked, bodies
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// parallel calls f for 0 to n-1, and says which worker does, from 0. What is found must
// not hang on the order.
func parallel(n, workers int, f func(worker, i int)) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	next := 0
	for worker := range max(1, min(workers, n)) {
		wg.Go(func() {
			const batch = 16
			for {
				mu.Lock()
				from := next
				next += batch
				mu.Unlock()
				if from >= n {
					return
				}
				for i := from; i < min(n, from+batch); i++ {
					f(worker, i)
				}
			}
		})
	}
	wg.Wait()
}

// rarity is the inverse document frequency of each term.
func rarity(q *Query, ranked []Ranked, bodies, paths [][]uint32) []float64 {
	idf := make([]float64, len(q.terms))
	for t := range idf {
		holds := 0
		for i := range ranked {
			if bodies[i][t]+paths[i][t] > 0 {
				holds++
			}
		}
		n := float64(len(ranked))
		if holds < len(ranked) || holds == 1 { // what all files share tells none from another
			idf[t] = q.weights[t] * math.Log(1+(n-float64(holds)+0.5)/(float64(holds)+0.5))
		}
	}
	return idf
}

// refine scores the best files again, with their definitions and chunks.
func refine(q *Query, w weights, ranked []Ranked, best []int, idf []float64, bodies, paths [][]uint32, average float64,
	workers int) {
	type parts struct{ words, chunk, path, named float64 }
	found, defined := make([]parts, len(best)), make([][]uint32, len(best))
	parallel(len(best), workers, func(_, k int) {
		f := &ranked[best[k]]
		if text, _, ok := f.Read(nil); ok {
			f.text = string(text)
			f.defs = Definitions(f.Path, f.text)
		}
		defined[k] = make([]uint32, len(q.terms))
		for _, d := range f.defs {
			count(q, d.Name, defined[k])
			if q.names(d.Name) {
				found[k].named = 1
			}
		}
	})
	idf = slices.Clone(idf)
	for t := range idf {
		if !slices.ContainsFunc(best, func(i int) bool { return paths[i][t] > 0 }) &&
			!slices.ContainsFunc(defined, func(d []uint32) bool { return d[t] > 0 }) {
			idf[t] *= w.nowhere
		}
	}
	parallel(len(best), workers, func(_, k int) {
		i := best[k]
		f := &ranked[i]
		f.parts = chunks(q, idf, f.text, f.defs)
		f.spans = spans(q, idf, f.text, f.defs)
		found[k].words = w.bm25(idf, bodies[i], defined[k], paths[i], float64(f.Size)/average)
		for _, c := range f.parts {
			found[k].chunk = max(found[k].chunk, c.score)
		}
		for t, n := range paths[i] {
			if n > 0 {
				found[k].path += idf[t]
			}
		}
	})
	var most parts
	for _, p := range found {
		most = parts{words: max(most.words, p.words), chunk: max(most.chunk, p.chunk), path: max(most.path, p.path)}
	}
	for k, p := range found {
		f := &ranked[best[k]]
		f.Score = w.kind(f.Kind, q) * (ratio(p.words, most.words) + w.chunk*ratio(p.chunk, most.chunk) +
			w.names*ratio(p.path, most.path) + w.named*p.named)
	}
}

// chunkLines is how long a chunk is; it ends earlier at a definition.
const chunkLines = 20

// chunk is a run of lines.
type chunk struct {
	from, to   int // lines, counted from one, both in it
	start, end int // the same in bytes
	score      float64
}

// chunks takes a text apart and scores each part by the words in it: those that
// differ count more than those that repeat.
func chunks(q *Query, idf []float64, text string, defs []Definition) (all []chunk) {
	begins := make(map[int]bool, len(defs))
	for _, d := range defs {
		begins[d.Line] = true
	}
	var ends []int
	from, n := 1, 0
	for range strings.Lines(text) {
		if length := n - from + 1; length >= chunkLines || length >= chunkLines/2 && begins[n+1] {
			ends = append(ends, n)
			from = n + 1
		}
		n++
	}
	return scored(q, idf, text, append(ends, n))
}

// spans takes a text apart where its definitions begin and end, and scores each part as chunks does:
// definitions of up to spanLines, and windows of windowLines of the rest.
func spans(q *Query, idf []float64, text string, defs []Definition) []chunk {
	var ends []int
	total, at := countLines(text), 0 // at is where the last part ended
	cut := func(to int) {            // ends parts up to a line, none longer than windowLines
		for to > at {
			at = min(to, at+windowLines)
			ends = append(ends, at)
		}
	}
	for i := range defs {
		body := bodyOf(text, defs, i, total)
		if body.From <= at || body.To-body.From >= spanLines {
			if body.From > at {
				cut(body.From - 1)
			}
			continue
		}
		cut(body.From - 1)
		at = body.To
		ends = append(ends, at)
	}
	cut(total)
	return scored(q, idf, text, ends)
}

const (
	spanLines   = 80 // up to which a definition is shown whole
	windowLines = 13 // of what is in none; measured
)

// scored are the parts of a text that end with some lines, in order.
func scored(q *Query, idf []float64, text string, ends []int) (all []chunk) {
	counts := make([]uint32, len(q.terms))
	from, n, start, at := 1, 0, 0, 0
	for line := range strings.Lines(text) {
		n++
		at += len(line)
		if len(all) == len(ends) || n != ends[len(all)] {
			continue
		}
		clear(counts)
		count(q, text[start:at], counts)
		c := chunk{from: from, to: n, start: start, end: at}
		for t, k := range counts {
			if k > 0 {
				c.score += idf[t] * (1 + math.Log(float64(k))/2)
			}
		}
		all = append(all, c)
		from, start = n+1, at
	}
	return all
}
