package find

// weights are what the parts of a file's score are worth: how well its words fit the
// request, how well its best chunk does, how well its path does, and what it is for.
type weights struct {
	saturation float64 // k1 of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009)
	length     float64 // b of BM25
	definition float64 // of a word in a definition, in words of the body
	path       float64 // of one in the path, the same
	chunk      float64 // of the best chunk, where the best of all words is 1
	names      float64 // of the path's own words, the same
	named      float64 // of a definition that the request names, the same
	nowhere    float64 // of a word that is in no definition and no path of the best files
	kinds      [Generated + 1]float64
	asked      float64 // of tests and documents, where the request speaks of them
}

// standard are the weights that are used. They were measured before this was written, on
// 608 tasks of 19 public repositories, and are tuned to none: right file first and among
// ten by words alone .25 and .73, with kinds .40 and .82, with chunk and path .46 and .85.
// What leaving each out costs on other tasks is printed by make bench-context.
func standard() weights {
	return weights{
		saturation: 2,
		length:     0.75,
		definition: 4,
		path:       12,
		chunk:      0.5,
		names:      0.3,
		named:      0.3,
		nowhere:    0.5,
		kinds:      [...]float64{Source: 1, Other: 0.6, Test: 0.3, Docs: 0.3, Generated: 0.15},
		asked:      0.8,
	}
}

func (w weights) kind(k Kind, q *Query) float64 {
	if k == Test && q.AskTest || k == Docs && q.AskDocs {
		return w.asked
	}
	return w.kinds[k]
}

// bm25 is the score of one file; length is its share of the average.
func (w weights) bm25(idf []float64, body, defs, path []uint32, length float64) float64 {
	score, norm := 0.0, w.saturation*(1-w.length+w.length*length)
	for t, rare := range idf {
		tf := float64(body[t]) + w.path*float64(path[t])
		if defs != nil {
			tf += w.definition * float64(defs[t])
		}
		score += rare * tf * (w.saturation + 1) / (tf + norm)
	}
	return score
}
