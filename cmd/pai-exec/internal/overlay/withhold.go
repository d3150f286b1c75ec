package overlay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"paicode/cmd/pai-exec/internal/find"
	"paicode/pkg/secret"
	"paicode/pkg/turn"
)

// Withholding puts placeholders in the places of secrets in what is shown of the tree's
// files. The guard holds for what it reads.
type Withholding struct {
	*secret.Vault
	texts map[string]string
	tree  *Tree
}

// Withhold begins with the numbers that a workspace gave to secrets; it may be nil. What
// is in the files that the person sends is let through.
func (t *Tree) Withhold(w *turn.Workspace) *Withholding {
	h := &Withholding{secret.NewVault(w), make(map[string]string), t}
	for _, p := range t.options.Send {
		h.Send(h.text(p))
	}
	if w == nil {
		return h
	}
	byPath := make(map[string][]turn.Withheld)
	var order []string
	for _, f := range w.Withheld {
		if byPath[f.Path] == nil {
			order = append(order, f.Path)
		}
		byPath[f.Path] = append(byPath[f.Path], f)
	}
	for _, p := range order {
		h.Number(h.text(p), byPath[p])
	}
	return h
}

// text is what a file on disk holds; empty if it may not be seen.
func (h *Withholding) text(p string) string {
	if text, ok := h.texts[p]; ok {
		return text
	}
	text, _ := h.tree.Glance(p)
	h.texts[p] = text
	return text
}

// excerpt withholds what an excerpt of a file on disk holds.
func (h *Withholding) excerpt(e *turn.Excerpt) {
	from, _, _ := find.Lines(e.Lines)
	e.Text = h.Lines(e.Path, h.text(e.Path), e.Text, max(1, from))
}

// line withholds what a line of a file on disk holds, as it is shown: what is left of it
// where nothing is withheld.
func (h *Withholding) line(p string, number int, shown string) string {
	const most = 120 // bytes
	whole := h.text(p)
	line := lineOf(whole, number)
	hidden := h.Lines(p, whole, line, number)
	if hidden == line {
		return shown
	}
	if hidden = strings.TrimSpace(hidden); len(hidden) > most {
		hidden = strings.ToValidUTF8(hidden[:most], "") + "…"
	}
	return hidden
}

// lineOf is a line of a text, counted from one; empty beyond its end.
func lineOf(text string, number int) string {
	for line := range strings.Lines(text) {
		if number--; number == 0 {
			return line
		}
	}
	return ""
}

// workspace withholds what an observation shows.
func (h *Withholding) workspace(w *turn.Workspace) {
	h.names(w)
	for i := range w.Instructions {
		h.excerpt(&w.Instructions[i])
	}
	for i := range w.Excerpts {
		h.excerpt(&w.Excerpts[i])
	}
	for i, hit := range w.Hits {
		w.Hits[i].Text = h.line(hit.Path, hit.Line, hit.Text)
	}
	for _, o := range w.Outlines {
		for i, symbol := range o.Symbols {
			number, text, _ := strings.Cut(symbol, " ")
			if n, err := strconv.Atoi(number); err == nil {
				o.Symbols[i] = fmt.Sprintf("%s %s", number, h.line(o.Path, n, text))
			}
		}
	}
	h.name(w)
}

// names leaves out files whose names hold secrets, and withholds those that the request
// names and that may not be seen.
func (h *Withholding) names(w *turn.Workspace) {
	holds := func(p string) bool { return h.Text(p) != p }
	w.Files = slices.DeleteFunc(w.Files, func(f turn.File) bool { return holds(f.Path) })
	w.Excerpts = slices.DeleteFunc(w.Excerpts, func(e turn.Excerpt) bool { return holds(e.Path) })
	w.Outlines = slices.DeleteFunc(w.Outlines, func(o turn.Outline) bool { return holds(o.Path) })
	w.Hits = slices.DeleteFunc(w.Hits, func(f turn.Hit) bool { return holds(f.Path) })
	w.Directories = slices.DeleteFunc(w.Directories, func(d turn.Directory) bool { return holds(d.Path) })
	for i := range w.Denied {
		w.Denied[i].Name = h.Text(w.Denied[i].Name)
	}
	for i := range w.Ignored {
		w.Ignored[i] = h.Text(w.Ignored[i])
	}
}

// name adds to the workspace what was withheld and isn't named there.
func (h *Withholding) name(w *turn.Workspace) {
	for _, f := range h.Found() {
		if !slices.ContainsFunc(w.Withheld, func(o turn.Withheld) bool { return o.Placeholder == f.Placeholder }) {
			w.Withheld = append(w.Withheld, f)
		}
	}
}
