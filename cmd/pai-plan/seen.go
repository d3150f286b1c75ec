package main

import (
	"fmt"
	"strings"

	"paicode/pkg/prompt"
	"paicode/pkg/turn"
)

// What a question shows of the workspace, made from the document alone: what a
// person cut from it is not shown.

// outlines are definitions, under the name of their file.
func outlines(w turn.Workspace) string {
	var b strings.Builder
	for _, o := range w.Outlines {
		fmt.Fprintf(&b, "%s\n", turn.InFull(o.Path))
		for _, symbol := range o.Symbols {
			fmt.Fprintf(&b, "  %s\n", turn.Printable(symbol))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// hits are lines, each behind its place.
func hits(w turn.Workspace) string {
	var b strings.Builder
	for _, h := range w.Hits {
		fmt.Fprintf(&b, "%s:%d: %s\n", turn.InFull(h.Path), h.Line, turn.Printable(h.Text))
	}
	return strings.TrimRight(b.String(), "\n")
}

// listing names the files of which nothing else is shown, a path and its number of
// lines each, and the directories of the rest.
func listing(w turn.Workspace) string {
	shown := make(map[string]bool)
	for _, e := range w.Excerpts {
		shown[e.Path] = true
	}
	for _, o := range w.Outlines {
		shown[o.Path] = true
	}
	var b strings.Builder
	for _, f := range w.Files {
		if shown[f.Path] {
			continue
		}
		fmt.Fprint(&b, turn.InFull(f.Path))
		if f.Lines != nil {
			fmt.Fprintf(&b, " (%d)", *f.Lines)
		}
		b.WriteByte('\n')
	}
	for _, d := range w.Directories {
		fmt.Fprintf(&b, "%s/: %d more\n", turn.InFull(d.Path), d.Files)
	}
	for _, p := range w.Mounts {
		fmt.Fprintf(&b, "%s: on another file system, off limits\n", turn.InFull(p))
	}
	return strings.TrimRight(b.String(), "\n")
}

// looked shows what the model asked to see, and what became of it.
func looked(w turn.Workspace) string {
	var b strings.Builder
	for _, l := range w.Looks {
		if l.Message != "" {
			fmt.Fprintf(&b, "%s: %s\n", turn.Quote(l.Asked), turn.Printable(l.Message))
			continue
		}
		b.WriteString(prompt.Files(prompt.Excerpts(l.Excerpts)))
	}
	return b.String()
}
