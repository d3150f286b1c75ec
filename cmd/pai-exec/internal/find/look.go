package find

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"paicode/pkg/turn"
)

// What one look shows at most.
const (
	lookLines   = 300 // of a file without a range; of longer ones its best parts
	bodyLines   = 60  // of a definition
	aroundLines = 3   // before and after a text
	lookPlaces  = 5   // of a definition or a text
)

// LookBytes is what all looks for one plan may show, in bytes of the document.
const LookBytes = PlanTokens * 7 / 2

// SplitRange takes the lines from what asks for a part of a file: "a.py:3-9" or
// "a.py:3"; 0 and 0 are all of it.
func SplitRange(entry string) (name string, from, to int) {
	m := regexp.MustCompile(`^(.+):([0-9]{1,7})(?:-([0-9]{1,7}))?$`).FindStringSubmatch(entry)
	if m == nil {
		return entry, 0, 0
	}
	from, _ = strconv.Atoi(m[2])
	if to, _ = strconv.Atoi(m[3]); to == 0 {
		to = from
	}
	return m[1], from, to
}

// Text shows a file that was asked for, from a line to another; 0 and 0 are all of
// it, or of a long file what fits the request.
func Text(q *Query, name, text string, from, to int) []turn.Excerpt {
	f := Ranked{File: File{Path: name}, Lines: countLines(text), text: text}
	if from > 0 {
		c := chunk{from: min(from, f.Lines), to: min(max(to, from), f.Lines, from+lookLines-1)}
		return []turn.Excerpt{{Path: name, Lines: span(c), Text: f.lines(c)}}
	}
	if f.Lines <= lookLines {
		return []turn.Excerpt{{Path: name, Lines: span(chunk{from: min(1, f.Lines), to: f.Lines}), Whole: true, Text: text}}
	}
	return Windows(q, name, text, nil, lookLines/2)
}

// Windows are the parts of a long text that fit a request best, and those around
// lines that matter, so many lines in all; in the order of the text.
func Windows(q *Query, name, text string, matter []int, most int) []turn.Excerpt {
	f := Ranked{File: File{Path: name}, Lines: countLines(text), text: text, defs: Definitions(name, text)}
	flat := make([]float64, len(q.terms))
	for i := range flat {
		flat[i] = 1
	}
	f.parts = chunks(q, flat, text, f.defs)
	order := slices.Clone(f.parts)
	for i := range order {
		if order[i].holds(matter) {
			order[i].score += 100
		}
	}
	slices.SortStableFunc(order, func(a, b chunk) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	var taken []candidate
	left := most
	for _, c := range order {
		if left -= c.to - c.from + 1; left < 0 || c.score == 0 && left < most/2 {
			break // what fits nothing fills at most the first half
		}
		taken = append(taken, candidate{chunk: c})
	}
	p := packer{q: q, w: &turn.Workspace{}, shown: make(map[string]bool)}
	p.show([]Ranked{f}, taken)
	return p.w.Excerpts
}

// Named looks for a definition of a name, or else for lines that hold a text.
func Named(entry string, files []File) (found []turn.Excerpt) {
	name := entry
	for _, separator := range []string{".", "::", "#", "->"} {
		if i := strings.LastIndex(name, separator); i >= 0 {
			name = name[i+len(separator):]
		}
	}
	name = strings.TrimSuffix(strings.TrimSpace(name), "()")
	var lines []turn.Excerpt
	for _, f := range files {
		text, _, ok := f.Read()
		if !ok || !strings.Contains(text, name) && !strings.Contains(text, entry) {
			continue
		}
		r := Ranked{File: f, Lines: countLines(text), text: text}
		defs := Definitions(f.Path, text)
		for i, d := range defs {
			if d.Name != name || len(found) == lookPlaces {
				continue
			}
			c := chunk{from: d.Line, to: min(d.Line+bodyLines-1, r.Lines)}
			if i+1 < len(defs) && defs[i+1].Line-1 > d.Line+2 {
				c.to = min(c.to, defs[i+1].Line-1)
			}
			found = append(found, turn.Excerpt{Path: f.Path, Lines: span(c), Text: r.lines(c)})
		}
		lines = append(lines, r.around(entry, lookPlaces-len(lines))...)
	}
	if len(found) > 0 {
		return found
	}
	return lines
}

// around shows the lines that hold a text, with those around them.
func (f *Ranked) around(text string, most int) (out []turn.Excerpt) {
	n := 0
	for line := range strings.Lines(f.text) {
		n++
		if len(out) < most && strings.Contains(line, text) {
			c := chunk{from: max(1, n-aroundLines), to: min(f.Lines, n+aroundLines)}
			out = append(out, turn.Excerpt{Path: f.Path, Lines: span(c), Text: f.lines(c)})
		}
	}
	return out
}

// Nearest says which paths come nearest to a name that nothing has.
func Nearest(entry string, files []File) string {
	plain := func(p string) string {
		return strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(strings.TrimSuffix(path.Base(p), path.Ext(p))))
	}
	want := plain(entry)
	var near []string
	for _, f := range files {
		stem := plain(f.Path)
		if len(near) < lookPlaces && len(want) > 2 && (strings.Contains(stem, want) || len(stem) > 2 && strings.Contains(want, stem)) {
			near = append(near, turn.Shown(f.Path))
		}
	}
	if near == nil {
		return "nothing has this path, name or text"
	}
	return fmt.Sprintf("nothing has this path, name or text; near: %s", strings.Join(near, ", "))
}

// lines cuts a run of lines out of a file.
func (f *Ranked) lines(c chunk) string {
	n, start, end := 0, len(f.text), len(f.text)
	at := 0
	for line := range strings.Lines(f.text) {
		n++
		if n == c.from {
			start = at
		}
		at += len(line)
		if n == c.to {
			end = at
			break
		}
	}
	if start > end {
		return ""
	}
	return f.text[start:end]
}
