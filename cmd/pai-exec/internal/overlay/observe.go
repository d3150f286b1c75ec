package overlay

import (
	"bytes"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/find"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/pkg/lazyregexp"
	"paicode/pkg/turn"
)

// maxWords is how many words of a request are looked up as names.
const maxWords = 2000

// maxReadBytes is how much of a file is read to rank it.
const maxReadBytes = 2 << 20

// Observe chooses what a model should see for a request, within so many tokens, and
// tells which names in the request are ignored or denied.
func (t *Tree) Observe(request string, tokens int) (*turn.Workspace, error) {
	named := wordsOf(request)
	all, mounts, err := t.files()
	if err != nil {
		return nil, err
	}
	q := find.NewQuery(request)
	ranked := find.Rank(q, t.readable(all, named), runtime.GOMAXPROCS(0))
	instructions := t.instructions(all, ranked)
	for _, e := range instructions {
		tokens -= len(e.Text) * 2 / 7
	}
	w := find.Pack(q, ranked, max(tokens, LeastTokens))
	w.Instructions = instructions
	for _, m := range mounts[:min(len(mounts), mostMounts)] {
		w.Mounts = append(w.Mounts, m.path())
	}
	w.Files = slices.DeleteFunc(w.Files, func(f turn.File) bool {
		if f.Lines != nil {
			return false
		}
		n, err := t.walk(f.Path, false)
		away := err != nil || t.mounted(n)
		if away && len(w.Mounts) < mostMounts {
			w.Mounts = append(w.Mounts, f.Path)
		}
		return away
	})
	t.lookUp(named, w)
	t.Withhold(nil).workspace(w)
	return w, nil
}

// mostMounts is how much of other file systems is named.
const mostMounts = 20

// LeastTokens is the least that an observation may show of files.
const LeastTokens = 500

// maxInstructions is how much of what a project asks is shown, in bytes.
const maxInstructions = 8 << 10

// bestFiles are so many of the best files, by which the nearest instructions are found.
const bestFiles = 3

// instructions are what the project asks of who works on it: AGENTS.md, or else what other
// tools read, of the folders of the best files and those above them, the nearest first.
func (t *Tree) instructions(all []*node, ranked []find.Ranked) (out []turn.Excerpt) {
	byDir := make(map[string]*node)
	for _, name := range []string{"GEMINI.md", "CLAUDE.md", "AGENTS.md"} { // the last one counts
		for _, n := range all {
			if n.name == name {
				byDir[path.Dir(n.path())] = n
			}
		}
	}
	room := maxInstructions
	for _, dir := range dirsAbove(ranked[:min(bestFiles, len(ranked))]) {
		n := byDir[dir]
		if n == nil || room <= 0 {
			continue
		}
		data, _, ok := t.peek(n.disk(), nil)
		text := string(data)
		if !ok || strings.TrimSpace(text) == "" {
			continue
		}
		if len(text) > room {
			text = strings.ToValidUTF8(text[:room], "")
		}
		room -= len(text)
		out = append(out, turn.Excerpt{Path: n.path(),
			Lines: fmt.Sprintf("1-%d", strings.Count(strings.TrimSuffix(text, "\n"), "\n")+1), Text: text})
	}
	return out
}

// dirsAbove are the folders of files and those above them, the deepest first and the top
// last.
func dirsAbove(files []find.Ranked) []string {
	dirs := []string{"."}
	for _, f := range files {
		if f.Score == 0 && !f.Named || files[0].Named && !f.Named {
			break
		}
		for dir := path.Dir(f.Path); dir != "." && !slices.Contains(dirs, dir); dir = path.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	slices.SortStableFunc(dirs[1:], func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") })
	return append(dirs[1:], ".")
}

// readable are files as they can be ranked.
func (t *Tree) readable(all []*node, named words) []find.File {
	files := make([]find.File, len(all))
	for i, n := range all {
		p, disk := n.path(), n.disk()
		files[i] = find.File{Path: p, Named: named.names(n.name, p), Matter: named.lines[strings.ToLower(n.name)],
			Read: func(buffer []byte) ([]byte, int64, bool) { return t.peek(disk, buffer) }}
	}
	return files
}

// peek reads the beginning of a file on disk without remembering it: what is shown
// of it is read again before anything rests on it. It may run beside itself.
func (t *Tree) peek(p string, buffer []byte) (text []byte, size int64, ok bool) {
	data, st, err := t.root.Peek(p, maxReadBytes, buffer)
	if err != nil || st.Nlink > 1 && !t.options.AllowHardLinks {
		return nil, st.Size, false
	}
	if len(data) == maxReadBytes {
		data = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	return data, st.Size, change.IsText(data)
}

// Glance is what a text file holds, at least its beginning where it is very long; ok is
// false where there is none that may be seen. Nothing rests on it: Text is what a change
// is made from.
func (t *Tree) Glance(p string) (text string, ok bool) {
	n, err := t.allowedNode(p)
	switch {
	case err != nil || n.Kind != disk.Regular || n.pending:
		return "", false
	case n.loaded:
		return string(n.data), change.IsText(n.data)
	}
	data, _, ok := t.peek(n.disk(), nil)
	return string(data), ok
}

// files collects all files that may be seen, breadth first, and the directories that lie on
// other file systems.
func (t *Tree) files() (out, mounts []*node, err error) {
	for level := []*node{t.top}; len(level) > 0; {
		var next []*node
		for _, d := range level {
			kids, err := t.visible(d)
			switch {
			case d.mount && d != t.top:
				mounts = append(mounts, d)
				continue
			case d != t.top && unlistable(err):
				continue
			case err != nil:
				return nil, nil, err
			}
			for _, k := range kids {
				switch {
				case guard.CheckPath(k.name, false, false) != nil: // no plan could name it
				case k.Kind == disk.Regular:
					out = append(out, k)
				case k.Kind == disk.Directory:
					next = append(next, k)
				}
			}
		}
		level = next
	}
	return out, mounts, nil
}

// unlistable reports whether an error is that of a directory that may not be read, is too
// large or deep, or vanished meanwhile: listings go on without it.
func unlistable(err error) bool {
	e := turn.AsError(err)
	return e != nil && (e.Code == turn.CodeInternal || e.Code == turn.CodeRejected || e.Code == turn.CodeStale)
}

// words are the words of a request, as they might name files.
type words struct {
	ordered []string
	set     map[string]bool
	folded  map[string]bool  // in small letters
	lines   map[string][]int // that the request names, by the name of the file in small letters
	paths   bool             // one of them has a slash
}

func wordsOf(request string) words {
	w := words{set: make(map[string]bool), folded: make(map[string]bool), lines: linesNamed(request)}
	for i, word := range strings.Fields(request) {
		if i == maxWords {
			break
		}
		word = strings.Trim(word, "\"'`“”‘’«»()[]{}<>,;:!?*")
		word = strings.TrimPrefix(strings.TrimRight(word, "."), "@")
		if name, line, ok := strings.Cut(word, ":"); ok && strings.Trim(line, "0123456789:-") == "" {
			word = name // a frame of a trace
		}
		if name, line, ok := strings.Cut(word, "#L"); ok && strings.Trim(line, "0123456789-L") == "" {
			word = name
		}
		if word != "" && !w.set[word] {
			w.set[word] = true
			w.folded[strings.ToLower(word)] = true
			w.paths = w.paths || strings.Contains(word, "/")
			w.ordered = append(w.ordered, word)
		}
	}
	return w
}

var linesNamedForm = lazyregexp.New(`([^\s/\\"'()]+\.\w+)(?::|#L|", line )([0-9]{1,7})`)

// linesNamed finds the lines of files that a request names: "a.py:12", "a.py#L12",
// and a frame of a Python trace.
func linesNamed(request string) map[string][]int {
	const most = 50
	lines := make(map[string][]int)
	for _, m := range linesNamedForm().
		FindAllStringSubmatch(request, most) {
		n, _ := strconv.Atoi(m[2])
		name := strings.ToLower(strings.TrimPrefix(m[1], "@"))
		lines[name] = append(lines[name], n)
	}
	return lines
}

// names reports whether the request names a file: by its path, or by its name
// without regard to case.
func (w words) names(name, p string) bool {
	return w.set[name] || w.paths && (w.set[p] || w.set["./"+p]) || strings.Contains(name, ".") &&
		w.folded[strings.ToLower(name)]
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
	} else if !pathLike && err != nil && guard.DenyRule("", word) == "" && word != ".." {
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
