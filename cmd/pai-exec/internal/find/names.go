package find

import (
	"path"
	"slices"
	"strings"

	"paicode/pkg/turn"
)

// names lists files that are worth a name, and counts the rest by directory.
func (p *packer) names(ranked []Ranked, room int) {
	named := make(map[int]bool)
	for _, i := range worthNaming(ranked) {
		f := &ranked[i]
		entry := turn.File{Path: f.Path, Size: f.Size}
		if f.Text {
			entry.Lines = &f.Lines
		}
		if cost := size(entry); cost <= room {
			p.w.Files = append(p.w.Files, entry)
			named[i] = true
			room -= cost
		}
	}
	rest := 0
	dirs := make(map[string]int)
	for i := range ranked {
		if !named[i] && !p.shown[ranked[i].Path] {
			dirs[path.Dir(ranked[i].Path)]++
			rest++
		}
	}
	if rest == 0 {
		return
	}
	p.w.LeftOut = &turn.LeftOut{Files: rest, Reason: "only their directories are listed"}
	p.directories(dirs, min(room-200, 1500))
}

// worthNaming picks the files to be named: the best, and among them some of the best
// tests, since what changes code changes its test, and tests are worth less than sources
// by themselves.
func worthNaming(ranked []Ranked) (order []int) {
	for i := range ranked[:min(len(ranked), mostNames)] {
		order = append(order, i)
	}
	if len(ranked) <= mostNames {
		return order
	}
	tests, rest := testsOf(ranked, mostNames-namedTests), order[mostNames-namedTests:]
	for _, i := range rest {
		if len(tests) < namedTests && !slices.Contains(tests, i) {
			tests = append(tests, i)
		}
	}
	return slices.Concat(order[:mostNames-namedTests], tests)
}

// testsOf picks tests from some place in the order on: those named after the best
// sources, and then the best.
func testsOf(ranked []Ranked, from int) (tests []int) {
	var stems []string
	for _, f := range ranked[:min(bestSources, len(ranked))] {
		if f.Kind == Source {
			stems = append(stems, stemOf(f.Path))
		}
	}
	for _, after := range []bool{true, false} {
		for i := from; i < len(ranked) && len(tests) < namedTests; i++ {
			f := &ranked[i]
			if f.Kind != Test || slices.Contains(tests, i) {
				continue
			}
			stem := stemOf(f.Path)
			if after && slices.ContainsFunc(stems, func(s string) bool { return len(s) > 3 && strings.Contains(stem, s) }) ||
				!after && f.Score > 0 {
				tests = append(tests, i)
			}
		}
	}
	return tests
}

// stemOf is a file's name without its ending, in small letters.
func stemOf(p string) string {
	name := strings.ToLower(path.Base(p))
	return strings.TrimSuffix(name, path.Ext(name))
}

// directories tells how many files there are by the directories at the depth that the
// room allows.
func (p *packer) directories(dirs map[string]int, room int) {
	for depth := 4; depth > 0; depth-- {
		counts := make(map[string]int)
		for dir, n := range dirs {
			parts := strings.Split(dir, "/")
			counts[strings.Join(parts[:min(depth, len(parts))], "/")] += n
		}
		var all []turn.Directory
		for dir, n := range counts {
			all = append(all, turn.Directory{Path: dir, Files: n})
		}
		slices.SortFunc(all, func(a, b turn.Directory) int { return strings.Compare(a.Path, b.Path) })
		if size(all) <= room {
			p.w.Directories = all
			return
		}
	}
}
