package overlay

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/pkg/turn"
)

// Limits of what an observation holds: what a plan needs, not a copy of the
// project.
const (
	maxFiles        = 300       // listed, those that the request names first
	maxCountBytes   = 256 << 10 // of a file whose lines are counted
	maxExcerptBytes = 16 << 10  // of a file whose text is included
	maxExcerpts     = 48 << 10  // bytes of all texts together
	maxWords        = 2000      // of the request that are looked up
)

// Observe lists the files beneath the root, the shallow ones first, with the
// text of small ones that the request names, and tells which names in the
// request are ignored or denied.
func (t *Tree) Observe(request string) (*turn.Workspace, error) {
	named := wordsOf(request)
	all, err := t.files()
	if err != nil {
		return nil, err
	}
	w := &turn.Workspace{Files: []turn.File{}}
	if len(all) > maxFiles {
		w.LeftOut = &turn.LeftOut{Files: len(all) - maxFiles, Reason: "too many to list"}
		all = named.first(all, maxFiles)
	}
	slices.SortFunc(all, func(a, b *node) int { return strings.Compare(a.path(), b.path()) })
	room := maxExcerpts
	for _, n := range all {
		f, text := t.describe(n)
		w.Files = append(w.Files, f)
		if size := len(text); named.rank(n) == 0 && f.Lines != nil && size <= min(maxExcerptBytes, room) {
			room -= size
			w.Excerpts = append(w.Excerpts, turn.Excerpt{Path: f.Path, Lines: lineSpan(*f.Lines), Text: text, SHA256: disk.Hash([]byte(text))})
		}
	}
	t.lookUp(named, w)
	return w, nil
}

// files collects all files that may be seen, breadth first.
func (t *Tree) files() ([]*node, error) {
	var out []*node
	for level := []*node{t.top}; len(level) > 0; {
		var next []*node
		for _, d := range level {
			kids, err := t.visible(d)
			if e := turn.AsError(err); e != nil && d != t.top && e.Code == turn.CodeInternal {
				continue // a directory that may not be read is left out
			}
			if err != nil {
				return nil, err
			}
			for _, k := range kids {
				switch k.Kind {
				case disk.Regular:
					out = append(out, k)
				case disk.Directory:
					next = append(next, k)
				}
			}
		}
		level = next
	}
	return out, nil
}

// describe tells a file's size and, where it is small and text, its lines.
func (t *Tree) describe(n *node) (f turn.File, text string) {
	f = turn.File{Path: n.path()}
	if t.know(n) != nil {
		return f, ""
	}
	f.Size = n.Size
	if n.Size > maxCountBytes {
		return f, ""
	}
	data, err := t.content(n, f.Path)
	if err != nil || !change.IsText(data) {
		return f, ""
	}
	lines := strings.Count(string(data), "\n")
	if len(data) > 0 && data[len(data)-1] != '\n' {
		lines++
	}
	f.Lines = &lines
	return f, string(data)
}

func lineSpan(lines int) string {
	if lines == 0 {
		return "0-0"
	}
	return "1-" + strconv.Itoa(lines)
}

// words are the words of a request, as they might name files.
type words struct {
	ordered []string
	set     map[string]bool
	paths   bool // one of them has a slash
}

func wordsOf(request string) words {
	w := words{set: make(map[string]bool)}
	for i, word := range strings.Fields(request) {
		if i == maxWords {
			break
		}
		word = strings.Trim(word, "\"'`“”‘’«»()[]{}<>,;:!?*")
		word = strings.TrimRight(word, ".")
		if word != "" && !w.set[word] {
			w.set[word] = true
			w.paths = w.paths || strings.Contains(word, "/")
			w.ordered = append(w.ordered, word)
		}
	}
	return w
}

// rank orders files by how the request speaks of them: 0 if it names the
// path or the file, 1 if it uses the name without its ending, 2 if not at
// all.
func (w words) rank(n *node) int {
	if w.set[n.name] {
		return 0
	}
	if w.paths {
		if p := n.path(); w.set[p] || w.set["./"+p] {
			return 0
		}
	}
	if stem := strings.TrimSuffix(n.name, path.Ext(n.name)); len(stem) > 2 && w.set[stem] {
		return 1
	}
	return 2
}

// first keeps so many files: those that the request names before the others.
func (w words) first(all []*node, most int) []*node {
	var ranked [3][]*node
	for _, n := range all {
		r := w.rank(n)
		ranked[r] = append(ranked[r], n)
	}
	return slices.Concat(ranked[0], ranked[1], ranked[2])[:most]
}

// lookUp finds the words of the request that name what is ignored or denied.
func (t *Tree) lookUp(named words, w *turn.Workspace) {
	for _, word := range named.ordered {
		if rule := t.denies(word); rule != "" {
			w.Denied = append(w.Denied, turn.Denial{Name: word, Rule: rule})
			continue
		}
		if guard.Check(word, false, true, &t.options.Rules) != nil {
			continue
		}
		n, err := t.walk(word, true)
		if err != nil || n.Kind == disk.Absent {
			continue
		}
		if ignored, err := t.ignored(n); err == nil && ignored {
			w.Ignored = append(w.Ignored, word)
		}
	}
}

// denies tells by which rule the guard refuses a word, if it names a path.
// An absolute path counts if its first directory exists: "/etc/passwd" names
// a file, the route "/api/users" most likely none.
func (t *Tree) denies(word string) string {
	if strings.HasPrefix(word, "/") && !absoluteExists(word) {
		return ""
	}
	pathLike := strings.Contains(word, "/") && !strings.Contains(word, "://")
	err := guard.Check(word, true, true, &t.options.Rules)
	if err == nil && len(guard.Components(word)) > 0 {
		var n *node
		if n, err = t.walk(word, true); err == nil && n.Kind == disk.Absent {
			return ""
		}
	} else if !pathLike && err != nil && guard.DenyRule(word) == "" && word != ".." {
		return ""
	}
	if e := turn.AsError(err); e != nil && e.Code == turn.CodeDenied {
		return strings.TrimPrefix(e.Message, "access denied: "+turn.Quote(word)+" ")
	}
	return ""
}

func absoluteExists(word string) bool {
	parts := guard.Components(word)
	return len(parts) > 0 && disk.AtTop(parts[0])
}
