package author

import (
	"path"
	"slices"
	"strings"

	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/cmd/pai-exec/internal/reply"
	"paicode/pkg/prompt"
	"paicode/pkg/turn"
)

// withContext adds what the planner saw of other files, in so many bytes: what
// it rested on, the one who writes must see too. It is read again, and what is no longer
// there is left out.
func (a *Author) withContext(tree *overlay.Tree, files []prompt.File, words string, room int) []prompt.File {
	w := a.doc.Workspace()
	if w == nil {
		return files
	}
	have := make(map[string]bool)
	for _, f := range files {
		have[f.Path] = true
	}
	var looked, seen []turn.Excerpt
	for _, l := range w.Looks {
		looked = append(looked, l.Excerpts...)
	}
	for _, e := range w.Excerpts {
		if w.LeftOut == nil || related(e, words) {
			seen = append(seen, e)
		}
	}
	// What was asked for may take all of the room; what was only shown takes a quarter.
	quarter := reply.ContextBytes / 4
	for i, e := range slices.Concat(looked, seen) {
		text, whole, ok := a.reread(tree, e)
		asked := i < len(looked)
		if !ok || have[e.Path] || len(text) > room || !asked && len(text) > quarter {
			continue
		}
		room -= len(text)
		if !asked {
			quarter -= len(text)
		}
		f := prompt.File{Path: e.Path, Text: text, Lines: e.Lines}
		if whole {
			f.Lines = ""
		}
		files = append(files, f)
	}
	return files
}

// related reports whether an excerpt of a large project has to do with what is written:
// one of the two names the other.
func related(e turn.Excerpt, words string) bool {
	stem := strings.TrimSuffix(path.Base(e.Path), path.Ext(e.Path))
	return len(stem) > 2 && strings.Contains(words, stem)
}

// reread reads an excerpt's lines from the tree, with secrets withheld.
func (a *Author) reread(tree *overlay.Tree, e turn.Excerpt) (text string, whole, ok bool) {
	all, ok := tree.Glance(e.Path)
	r, ranged := rangeOf(e.Lines)
	switch {
	case !ok:
		return "", false, false
	case e.Whole || !ranged:
		return a.hide.Lines(e.Path, all, all, 1), true, true
	}
	return a.hide.Lines(e.Path, all, r.Cut(all), r.From), false, true
}
