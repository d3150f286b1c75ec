package find

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"sort"
	"strings"

	"paicode/pkg/turn"
)

// PlanTokens is what a plan's question may show of files by default.
const PlanTokens = 8_000

// bytesPerToken is how many bytes of the document count as a token.
const bytesPerToken = 3.5

// How a budget is shared out, in hundredths: what a plan needs, and what a
// generation does, where more is shown of fewer files.
type shares struct{ names, outlines, excerpts int }

func sharesOf(tokens int) shares {
	if tokens > 12_000 {
		return shares{4, 13, 83}
	}
	return shares{8, 13, 72}
}

const (
	frameBytes    = 300 // of the members' names and of what is left out
	wholeTokens   = 800 // a file up to this is shown whole
	outlineTokens = 4   // of a file's outline: a definition
	closerTokens  = 10  // of those of the best ten
	bestTokens    = 150 // of that of the best
	mostNamed     = 10  // files that a request names, for the others to have half of the room
	mostNames     = 40  // files that are only named
	namedTests    = 8   // of them, tests
	bestSources   = 5   // whose tests come first among those
	mostHits      = 20
	namedWorth    = 10   // of a file that the request names; the best of others is about 1
	leastWorth    = 0.06 // under which nothing is shown, though there be room
)

// Pack fills a workspace with what is worth most, best first, within so many tokens. A project that
// fits into half of them is shown whole. Where the request names the files that it means, the others
// have what is left of half the room.
func Pack(q *Query, ranked []Ranked, tokens int) *turn.Workspace {
	p := packer{q: q, w: &turn.Workspace{Files: []turn.File{}}, shown: make(map[string]bool)}
	s := sharesOf(tokens)
	room := func(share int) int { return int(float64(tokens) * bytesPerToken * float64(share) / 100) }
	p.hits(ranked, room(s.names))
	best := ranked[:min(len(ranked), reread)]
	named := len(ranked)
	if i := slices.IndexFunc(ranked, func(f Ranked) bool { return !f.Named }); i >= 0 {
		named = i
	}
	if named == 0 && fits(ranked, room(100)/2) {
		p.all(ranked)
		return p.w
	}
	if named > 0 && named <= mostNamed {
		p.excerpts(ranked[:named], room(s.excerpts))
		s = shares{s.names, s.outlines / 2, s.excerpts / 2}
	}
	p.excerpts(best, room(s.excerpts)-p.excerptBytes())
	p.outlines(best, room(s.outlines))
	p.names(ranked, room(100)-size(p.w)-frameBytes)
	p.excerpts(best, room(100)-size(p.w)-frameBytes/3) // what the others left
	p.w.Outlines = slices.DeleteFunc(p.w.Outlines, func(o turn.Outline) bool { return p.whole(o.Path) })
	return p.w
}

// fits reports whether all of a project takes no more than some bytes, generated files aside.
func fits(ranked []Ranked, room int) bool {
	if len(ranked) > reread {
		return false
	}
	for _, f := range ranked {
		if f.Text && f.Kind != Generated && path.Base(f.Path)[0] != '.' {
			room -= size(f.whole())
		}
	}
	return room >= 0
}

// all shows every file, but for generated ones.
func (p *packer) all(ranked []Ranked) {
	for i, f := range ranked {
		if f.Text && f.Kind != Generated && path.Base(f.Path)[0] != '.' {
			p.w.Excerpts = append(p.w.Excerpts, ranked[i].whole())
			p.shown[f.Path] = true
		}
	}
	p.names(ranked, math.MaxInt)
}

// whole is an excerpt of all of a file.
func (f *Ranked) whole() turn.Excerpt {
	return turn.Excerpt{Path: f.Path, Lines: Range{min(1, f.Lines), f.Lines}.String(), Text: f.text, Whole: true}
}

// excerptBytes is how much the excerpts take so far.
func (p *packer) excerptBytes() (n int) {
	for _, e := range p.w.Excerpts {
		n += size(e)
	}
	return n
}

type packer struct {
	q        *Query
	w        *turn.Workspace
	shown    map[string]bool // paths of which something is shown
	taken    []candidate     // what excerpts show
	hitBytes int
}

// size is how much something takes in the document.
func size(v any) int { return len(turn.Line(v)) }

// outlines lists the definitions of the best files, those in chunks that fit the
// request first.
func (p *packer) outlines(ranked []Ranked, room int) {
	for i, f := range ranked {
		if !f.Text || f.Score == 0 || p.whole(f.Path) || i >= 3 && p.shown[f.Path] {
			continue
		}
		most := outlineTokens
		switch {
		case i == 0:
			most = bestTokens
		case i < 10:
			most = closerTokens
		}
		o := turn.Outline{Path: f.Path, Symbols: f.symbols(int(float64(most) * bytesPerToken))}
		cost := size(o)
		if cost > room {
			return
		}
		p.w.Outlines = append(p.w.Outlines, o)
		p.shown[f.Path] = true
		room -= cost
	}
}

// whole reports whether all of a file is shown.
func (p *packer) whole(name string) bool {
	return slices.ContainsFunc(p.w.Excerpts, func(e turn.Excerpt) bool {
		return e.Path == name && e.Whole
	})
}

// symbols are the definitions that are worth most, in the order of the file: "12
// func f()". A file without any gives its best line.
func (f *Ranked) symbols(most int) []string {
	worth := func(line int) float64 {
		i := sort.Search(len(f.parts), func(i int) bool { return f.parts[i].to >= line })
		if i == len(f.parts) {
			return 0
		}
		return f.parts[i].score
	}
	defs := slices.Clone(f.defs)
	slices.SortStableFunc(defs, func(a, b Definition) int {
		switch wa, wb := worth(a.Line), worth(b.Line); {
		case wa > wb:
			return -1
		case wa < wb:
			return 1
		}
		return a.Line - b.Line
	})
	var kept []Definition
	for _, d := range defs {
		d.Text = short(d.Text, 80)
		cost := len(d.Text) + 8
		if cost > most {
			break
		}
		most -= cost
		kept = append(kept, d)
	}
	slices.SortFunc(kept, func(a, b Definition) int { return a.Line - b.Line })
	symbols := []string{}
	for _, d := range kept {
		symbols = append(symbols, fmt.Sprintf("%d %s", d.Line, d.Text))
	}
	return symbols
}

func short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// candidate is a piece that may be shown.
type candidate struct {
	file  int // its index
	chunk chunk
	worth float64
}

// excerpts shows the pieces that are worth most for their length: small files
// whole, of others the chunks. What is shown already stays.
func (p *packer) excerpts(ranked []Ranked, room int) {
	for _, c := range candidates(ranked) {
		f := &ranked[c.file]
		if c.worth < leastWorth {
			break
		}
		cost := size(turn.Excerpt{Path: f.Path, Lines: span(c.chunk), Whole: true, Text: f.text[c.chunk.start:c.chunk.end]})
		if cost > room || slices.Contains(p.taken, c) {
			continue
		}
		room -= cost
		p.taken = append(p.taken, c)
		if room < 200 {
			break
		}
	}
	p.show(ranked)
}

// candidates lists the pieces of files, the worthiest first: by the file's score and
// by the piece's own. The exponent and the floor are those measured with the ranking.
func candidates(ranked []Ranked) (all []candidate) {
	const exponent, floor, nearby, test = 3, 0.08, 0.3, 0.1
	most, best := 0.0, 0.0
	for _, f := range ranked {
		best, most = max(best, f.Score), max(most, f.top())
	}
	for i, f := range ranked {
		if !f.Text || len(f.parts) == 0 || f.Score == 0 && !f.Named {
			continue
		}
		weight := math.Pow(ratio(f.Score, best), exponent)
		if k := mirrored(ranked, i); k >= 0 {
			weight = max(weight, test*math.Pow(ratio(ranked[k].Score, best), exponent))
		}
		if f.Named {
			weight = namedWorth // before all that only fits
		}
		if len(f.text) <= int(wholeTokens*bytesPerToken) {
			length := math.Sqrt(chunkLines / float64(max(f.Lines, chunkLines/2))) // what is longer must be worth more
			all = append(all, candidate{i, chunk{from: 1, to: f.Lines, end: len(f.text)},
				weight * length * (floor + ratio(f.top(), most))})
			continue
		}
		for k, c := range f.spans {
			length := math.Sqrt(chunkLines / float64(max(c.to-c.from+1, chunkLines/2)))
			switch score := max(c.score, nearby*f.beside(k)); {
			case c.holds(f.Matter):
				all = append(all, candidate{i, c, weight * namedWorth})
			case score > 0:
				all = append(all, candidate{i, c, weight * length * (floor + ratio(score, most))})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.worth, a.worth) })
	return all
}

// beside is the better score of the parts before and after one: what is beside a
// good part is likely to matter too.
func (f *Ranked) beside(k int) (score float64) {
	if k > 0 {
		score = f.spans[k-1].score
	}
	if k+1 < len(f.spans) {
		score = max(score, f.spans[k+1].score)
	}
	return score
}

// holds reports whether a chunk holds one of some lines.
func (c chunk) holds(lines []int) bool {
	return slices.ContainsFunc(lines, func(n int) bool { return c.from <= n && n <= c.to })
}

// top is the score of the best part.
func (f *Ranked) top() (best float64) {
	for _, c := range f.parts {
		best = max(best, c.score)
	}
	return best
}

// ratio is a part of a whole; of nothing, none.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// show writes pieces into the workspace, by rank and line, joined where they touch.
func (p *packer) show(ranked []Ranked) {
	taken := slices.Clone(p.taken)
	p.w.Excerpts = nil
	slices.SortFunc(taken, func(a, b candidate) int {
		if a.file != b.file {
			return a.file - b.file
		}
		return a.chunk.from - b.chunk.from
	})
	for i := 0; i < len(taken); {
		c, f := taken[i].chunk, &ranked[taken[i].file]
		for i++; i < len(taken) && &ranked[taken[i].file] == f && taken[i].chunk.from == c.to+1; i++ {
			c.to, c.end = taken[i].chunk.to, taken[i].chunk.end
		}
		p.w.Excerpts = append(p.w.Excerpts,
			turn.Excerpt{Path: f.Path, Lines: span(c), Text: f.text[c.start:c.end], Whole: c.from == 1 && c.to == f.Lines})
		p.shown[f.Path] = true
	}
}

func span(c chunk) string {
	if c.to == 0 {
		return "0-0"
	}
	return fmt.Sprintf("%d-%d", c.from, c.to)
}

// hits are the lines of a file that hold a text.
func (f *Ranked) hits(text string) (found []turn.Hit) {
	if !strings.Contains(f.text, text) {
		return nil
	}
	n := 0
	for line := range strings.Lines(f.text) {
		n++
		if strings.Contains(line, text) {
			found = append(found, turn.Hit{Path: f.Path, Line: n, Text: short(strings.TrimSpace(line), 120)})
		}
	}
	return found
}

// hits lists where the request's quoted texts and rare names stand.
func (p *packer) hits(ranked []Ranked, room int) {
	wanted := slices.Concat(p.q.Quoted, p.q.Names)
	for i, text := range wanted {
		if slices.Contains(wanted[:i], text) {
			continue
		}
		var found []turn.Hit
		for _, f := range ranked[:min(len(ranked), reread)] {
			if f.Kind != Generated && f.Kind != Docs {
				found = append(found, f.hits(text)...)
			}
		}
		if len(found) > mostHits {
			continue // too common to point anywhere
		}
		for _, h := range found {
			cost := size(h)
			if len(p.w.Hits) == mostHits || p.hitBytes+cost > room/2 {
				return
			}
			p.w.Hits = append(p.w.Hits, h)
			p.hitBytes += cost
		}
	}
}

// mirrored is the index of the best source that a test is named after; -1 if there is none.
func mirrored(ranked []Ranked, test int) int {
	if ranked[test].Kind != Test {
		return -1
	}
	name := stemOf(ranked[test].Path)
	for i, f := range ranked[:min(len(ranked), 20)] {
		if s := stemOf(f.Path); f.Kind == Source && len(s) > 2 && mirrors(name, s) {
			return i
		}
	}
	return -1
}

func mirrors(test, source string) bool {
	plain := strings.NewReplacer("test", "", "spec", "", "_", "", "-", "", ".", "")
	return plain.Replace(test) == plain.Replace(source)
}
