package find

import (
	"bytes"
	"fmt"
	"path"
	"strconv"
	"strings"

	"paicode/pkg/lazyregexp"
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

var splitRangeForm = lazyregexp.New(`^(.+):([0-9]{1,7})(?:-([0-9]{1,7}))?$`)

// SplitRange takes the lines from what asks for a part of a file: "a.py:3-9" or
// "a.py:3"; 0 and 0 are all of it.
func SplitRange(entry string) (name string, from, to int) {
	m := splitRangeForm().FindStringSubmatch(entry)
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
	lines := countLines(text)
	if from > 0 {
		r := Range{min(from, lines), min(max(to, from), lines, from+lookLines-1)}
		return []turn.Excerpt{{Path: name, Lines: r.String(), Text: r.Cut(text)}}
	}
	if lines <= lookLines {
		return []turn.Excerpt{{Path: name, Lines: Range{min(1, lines), lines}.String(), Whole: true, Text: text}}
	}
	return Windows(q, name, text, nil, nil, lookLines/2)
}

// Named looks for a definition of a name, or else for lines that hold a text; in what
// people read or programs write only where nothing else has it.
func Named(entry string, files []File) (found []turn.Excerpt) {
	name := unqualified(entry)
	var lines, others []turn.Excerpt
	var buffer []byte
	for _, f := range files {
		data, _, ok := f.Read(buffer)
		if cap(data) > cap(buffer) {
			buffer = data
		}
		if !ok || !bytes.Contains(data, []byte(name)) && !bytes.Contains(data, []byte(entry)) {
			continue
		}
		text := string(data)
		defs := Definitions(f.Path, text)
		for i, d := range defs {
			if d.Name == name && len(found) < lookPlaces {
				r := bodyOf(text, defs, i, bodyLines)
				found = append(found, turn.Excerpt{Path: f.Path, Lines: r.String(), Text: r.Cut(text)})
			}
		}
		if kind := KindOf(f.Path); kind == Docs || kind == Generated {
			others = append(others, around(f.Path, text, entry, lookPlaces-len(others))...)
		} else {
			lines = append(lines, around(f.Path, text, entry, lookPlaces-len(lines))...)
		}
	}
	switch {
	case len(found) > 0:
		return found
	case len(lines) > 0:
		return lines
	}
	return others
}

// unqualified is the last part of a name: "f" of "a.b::f()".
func unqualified(name string) string {
	for _, separator := range []string{".", "::", "#", "->"} {
		if i := strings.LastIndex(name, separator); i >= 0 {
			name = name[i+len(separator):]
		}
	}
	return strings.TrimSuffix(strings.TrimSpace(name), "()")
}

// around shows the lines that hold a text, at most so many places, with those around
// them; each line once.
func around(name, text, wanted string, most int) []turn.Excerpt {
	if !strings.Contains(text, wanted) {
		return nil
	}
	set := newLineSet(text)
	n := 0
	for line := range strings.Lines(text) {
		if n++; most > 0 && strings.Contains(line, wanted) {
			most--
			set.add(Range{n - aroundLines, n + aroundLines}, len(set.has))
		}
	}
	return set.excerpts(name, text)
}

// Nearest says which paths come nearest to a name that nothing has.
func Nearest(entry string, files []File) string {
	plain := func(p string) string {
		return strings.NewReplacer("_", "", "-", "", ".", "").
			Replace(strings.ToLower(strings.TrimSuffix(path.Base(p), path.Ext(p))))
	}
	want := plain(entry)
	var near []string
	for _, f := range files {
		stem := plain(f.Path)
		if len(near) < lookPlaces && len(want) > 2 &&
			(strings.Contains(stem, want) || len(stem) > 2 && strings.Contains(want, stem)) {
			near = append(near, turn.InFull(f.Path))
		}
	}
	if near == nil {
		return "nothing has this path, name or text"
	}
	return fmt.Sprintf("nothing has this path, name or text; near: %s", strings.Join(near, ", "))
}
