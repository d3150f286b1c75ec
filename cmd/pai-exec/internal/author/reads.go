package author

import (
	"slices"
	"strings"

	"paicode/cmd/pai-exec/internal/find"
	"paicode/cmd/pai-exec/internal/guard"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/cmd/pai-exec/internal/reply"
	"paicode/pkg/turn"
)

// read is what the generator asked to see.
type read struct {
	path, part string // the part is "3-9", a definition's name, or empty for all
}

// lines are those of a text that it means; none if it means all, or what isn't there.
func (r read) lines(text string) []find.Range {
	if r.part == "" {
		return nil
	}
	if lines, ok := rangeOf(r.part); ok {
		return []find.Range{lines}
	}
	if body, ok := find.Body(r.path, text, r.part); ok {
		return []find.Range{body}
	}
	return nil
}

// splitRead takes apart what a reply asks for: a path, "a.py:3-9", or "a.py:name" where
// no path has such a name.
func splitRead(entry string, there func(p string) bool) read {
	if name, from, to := find.SplitRange(entry); from > 0 {
		return read{name, find.Range{From: from, To: to}.String()}
	}
	if i := strings.LastIndexByte(entry, ':'); i > 0 && !there(entry) && there(entry[:i]) {
		return read{entry[:i], strings.TrimSpace(entry[i+1:])}
	}
	return read{entry, ""}
}

// showReads shows the files that the generator asked to see, and returns their paths.
// What it may not see it is told.
func (a *Author) showReads(tree *overlay.Tree, show func(p, text, do string), in *reply.Input) (paths []string) {
	done := make(map[string]bool)
	for _, r := range a.reads {
		if done[r.path] {
			continue
		}
		done[r.path] = true
		s := turn.Step{Action: turn.ActionRead, Target: r.path}
		err := guard.CheckStep(s, &a.o.Overlay.Rules)
		var result overlay.Result
		if err == nil {
			result, err = tree.Do(0, s, true)
		}
		switch {
		case err != nil:
			in.Outputs = append(in.Outputs,
				reply.Output{Title: turn.InFull(r.path) + " can't be read", Text: turn.AsError(err).Message})
		case result.Message != "":
			in.Outputs = append(in.Outputs, reply.Output{Title: turn.InFull(r.path), Text: result.Message})
		default:
			show(r.path, result.Output, "")
			paths = append(paths, r.path)
		}
	}
	return paths
}

// noteReads notes what the generator asks to see: a range without a path is of the file
// named before it.
func (a *Author) noteReads(problems []Problem) {
	tree, last := a.tree(), ""
	there := func(p string) bool { _, ok := tree.Glance(p); return ok }
	for _, p := range problems {
		for _, entry := range p.reads {
			if _, ok := rangeOf(entry); ok && last != "" {
				entry = last + ":" + entry
			}
			r := splitRead(entry, there)
			if last = r.path; !slices.Contains(a.reads, r) {
				a.reads = append(a.reads, r)
			}
		}
	}
}

// offer lets the generator change files that it asked to read.
func (a *Author) offer(paths []string, in *reply.Input) {
	for _, name := range paths {
		if slices.ContainsFunc(a.steps, func(s turn.Step) bool {
			return s.Target == name && s.Action != turn.ActionRead || s.Destination == name
		}) {
			continue
		}
		i := slices.Index(a.added, name)
		if i < 0 {
			i = len(a.added)
			a.added = append(a.added, name)
		}
		in.Wanted = append(in.Wanted,
			reply.Wanted{Number: a.addedNumber(i), Action: turn.ActionModify, Path: name, Do: "only if it must change too"})
	}
}

// linesRead are the lines of a text that the generator asked to see.
func (a *Author) linesRead(p, text string) (lines []int) {
	for _, r := range a.reads {
		if r.path != p {
			continue
		}
		for _, part := range r.lines(text) {
			for n := part.From; n <= min(part.To, strings.Count(text, "\n")+1); n++ {
				lines = append(lines, n)
			}
		}
	}
	return lines
}
