package reply

import (
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"paicode/pkg/lazyregexp"
	"paicode/pkg/turn"
)

// foreignFile is what a reply in another tool's format says of one file.
type foreignFile struct {
	path    string // empty where the format names none
	content *string
	edits   []turn.Edit
	problem Problem
	line    int // of the text, where the problem shows, counted from zero
}

// fail notes the first problem; empty is none.
func (f *foreignFile) fail(problem Problem) {
	if f.problem == "" {
		f.problem = problem
	}
}

// seen notes how far it is read.
func (f *foreignFile) seen(line int) {
	if f.problem == "" {
		f.line = line
	}
}

func (f foreignFile) answer(start int) Answer {
	if f.problem != "" {
		return Answer{Problem: f.problem, Line: start + f.line}
	}
	return Answer{Content: f.content, Edits: f.edits}
}

// The formats of other tools in which a reply may be framed as a whole.
const (
	framePatch   = "apply_patch" // *** Begin Patch
	frameDiff    = "diff"        // a unified diff
	framePlus    = "plus"        // + before all lines
	frameTags    = "tags"        // <file path="…">
	frameStrings = "strings"     // <old_str>, <new_str>
	frameJSON    = "JSON"        // {"path": …, "content": …}
	frameHeredoc = "heredoc"     // cat > f << 'EOF'
)

// frameOf is the format that frames a text as a whole; empty if none does.
func (q Question) frameOf(text string) string {
	text = strings.TrimSpace(text)
	first, _, _ := strings.Cut(text, "\n")
	first = strings.TrimSpace(first)
	if first == "" || strings.IndexByte("*d-@I<{[$ct", first[0]) < 0 {
		return ""
	}
	for _, frame := range []string{framePatch, frameDiff, frameTags, frameStrings, frameJSON, frameHeredoc} {
		if patterns().frames[frame].MatchString(first) {
			return frame
		}
	}
	return ""
}

// framed is a part that another tool's format frames: the only fence, several that are
// diffs, or what stands outside of all behind a few words.
func (s *section) framed() (p part, frame string) {
	var all []part
	for _, p := range s.parts {
		if p.fence && strings.TrimSpace(p.text()) != "" {
			all = append(all, p)
		}
	}
	if p, frame := s.framedText(); frame == frameTags || frame == frameStrings || frame == frameHeredoc ||
		frame == framePatch {
		return p, frame
	}
	switch isDiff := func(p part) bool { return isDiffInfo(p.info) || s.q.frameOf(p.text()) == frameDiff }; {
	case len(all) == 0:
		return s.framedText()
	case !slices.ContainsFunc(all, func(p part) bool { return !isDiff(p) }):
		if p = s.q.joinDiffs(all); s.q.frameOf(p.text()) == framePatch {
			return p, framePatch
		}
		return p, frameDiff
	case len(all) == 1:
		return all[0], s.q.frameOf(all[0].text())
	}
	return p, ""
}

// joinDiffs makes one diff of several.
func (q Question) joinDiffs(all []part) part {
	p := all[0]
	p.lines = slices.Clone(p.lines)
	for _, more := range all[1:] {
		if len(p.lines) > 0 && q.frameOf(more.text()) == "" {
			p.lines = append(p.lines, "@@\n")
		}
		p.lines = append(p.lines, more.lines...)
	}
	return p
}

// framedText is what a format frames outside of fences, behind a few words.
func (s *section) framedText() (p part, frame string) {
	const fewWords = 4
	for i := range min(len(s.raw), fewWords) {
		if run, _ := fenceRun(s.raw[i]); run != "" {
			break
		}
		if frame := s.q.frameOf(strings.Join(s.raw[i:], "")); frame != "" && strings.TrimSpace(s.raw[i]) != "" {
			return part{start: s.start + i + 1, lines: s.raw[i:]}, frame
		}
	}
	return p, ""
}

func isDiffInfo(info string) bool {
	return slices.Contains([]string{"diff", "patch", "udiff"}, strings.ToLower(info))
}

// foreign reads a section that another tool's format frames, and if the file isn't of that
// format itself; ok is false if no format frames it. Diffs are read, all else is a problem:
// the generator is told how to answer.
func (q Question) foreign(s *section) (a Answer, ok bool) {
	p, frame := s.framed()
	switch {
	case frame == "":
		return plus(s)
	case frame != framePatch && frame != frameDiff:
		if native(s.step.Path, frame, p) && !speaksOfItself(s.step.Path, p) {
			return a, false
		}
		return Answer{Line: p.start,
			Problem: Problem("it is framed as " + frame + ", and not as the question asks for")}, true
	case p.breaksOff():
		return Answer{Problem: Problem("its " + frame + " doesn't end"), Line: p.start}, true
	}
	files := readFrame(frame, p.lines)
	stranger := func(f foreignFile) bool { return q.byPath(f.path) != s.step }
	switch own := len(files) > 0 && !slices.ContainsFunc(files, stranger); {
	case !own && native(s.step.Path, frame, p):
		return a, false
	case len(files) == 0:
		return Answer{Problem: Problem("it is framed as " + frame + ", which can't be read"), Line: p.start}, true
	}
	for _, f := range files {
		switch {
		case f.problem != "":
			return f.answer(p.start), true
		case f.path != files[0].path:
			return Answer{Problem: Problem("its " + frame + " is of several files"), Line: p.start}, true
		case f.path != "" && stranger(f):
			return Answer{Problem: Problem("its " + frame + " is of " + turn.Quote(f.path)), Line: p.start}, true
		}
	}
	return joinFiles(files, p.start, s.step.Action), true
}

// speaksOfItself reports whether one of the first lines names the file, as the head of a frame
// does.
func speaksOfItself(file string, p part) bool {
	const head = 3
	return strings.Contains(strings.Join(p.lines[:min(head, len(p.lines))], ""), file)
}

// breaksOff reports whether a diff ends in the middle of a line, or of its fence.
func (p part) breaksOff() bool {
	if p.open || len(p.lines) == 0 {
		return p.open
	}
	last := p.lines[len(p.lines)-1]
	return !p.fence && !strings.HasSuffix(last, "\n") && !strings.HasPrefix(last, "*** End Patch")
}

// joinFiles is one answer of what a format says of one file, in several places maybe.
func joinFiles(files []foreignFile, start int, action string) (a Answer) {
	for i, f := range files {
		switch {
		case i == 0:
			a = f.answer(start)
		case a.Edits != nil && f.edits != nil:
			a.Edits = append(a.Edits, f.edits...)
		default:
			return Answer{Problem: "the reply answers it twice", Line: start}
		}
	}
	if action == turn.ActionWrite && a.Edits != nil {
		return Answer{Problem: "it changes a file where a whole one is wanted", Line: start}
	}
	return a
}

var nativeForm = lazyregexp.New(`(?i)^\s*<(antArtifact|boltAction|canvas|write_file|write_to_file|create_file|file_contents?|updated_file)\b`)

// native reports whether a file may well begin as a frame does, by its name.
func native(file, frame string, p part) bool {
	ext := strings.ToLower(path.Ext(file))
	in := func(all ...string) bool { return slices.Contains(all, ext) }
	switch {
	case in(".md", ".markdown", ".rst", ".txt", ".adoc", ".mdx"):
		return !isDiffInfo(p.info)
	case frame == frameDiff || frame == framePatch:
		yaml := in(".yml", ".yaml") && !isDiffInfo(p.info) && strings.HasPrefix(p.lines[0], "--- ") &&
			!strings.HasPrefix(strings.Join(p.lines[1:], ""), "+++ ")
		return in(".patch", ".diff", ".rej") || yaml
	case frame == frameTags && nativeForm().MatchString(p.text()):
		return false // nobody's own tags
	case frame == frameTags || frame == frameStrings:
		return in(".xml", ".html", ".htm", ".svg", ".vue", ".svelte", ".xhtml", ".xsl", ".plist")
	case frame == frameJSON:
		return in(".json", ".json5", ".jsonc", ".jsonl", ".webmanifest", ".map", ".ipynb", ".yml", ".yaml") ||
			!gjson.Valid(strings.TrimSpace(p.text())) && !strings.HasPrefix(strings.TrimSpace(p.text()), "<")
	case frame == frameHeredoc:
		return in(".sh", ".bash", ".zsh", ".ksh", ".bats", "")
	}
	return false
}

// readFrame reads the files of a diff.
func readFrame(frame string, lines []string) []foreignFile {
	if frame == framePatch {
		return readPatch(lines)
	}
	return readDiff(lines)
}

// plus refuses a fence in which + is before all lines: nobody can tell whether they are a file,
// or where they belong.
func plus(s *section) (a Answer, ok bool) {
	var p part
	for _, each := range s.parts {
		if each.fence && p.fence {
			return a, false
		} else if each.fence {
			p = each
		}
	}
	filled, plus, other := 0, 0, 0
	for _, line := range p.lines {
		switch {
		case strings.TrimSpace(line) == "":
			continue
		case line[0] == '+':
			plus++
		case line[0] != ' ' && line[0] != '-':
			other++
		}
		filled++
	}
	ext := strings.ToLower(path.Ext(s.step.Path))
	if plus == 0 || other > 0 || filled < 2 ||
		slices.Contains([]string{".md", ".txt", ".diff", ".patch", ".rst", ".adoc", ".csv"}, ext) {
		return a, false
	}
	return Answer{Problem: "+ stands before lines of it", Line: p.start}, true
}
