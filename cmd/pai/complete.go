package main

import (
	"cmp"
	"context"
	"path"
	"strings"

	"paicode/pkg/sibling"
	"paicode/pkg/turn"
)

// complete returns what may be in the place of the word before the cursor: a command of the
// session, or a path behind an @.
func (p *session) complete(ctx context.Context, before string) (word string, candidates []string) {
	word = before[strings.LastIndexAny(before, " \t\n")+1:]
	switch {
	case strings.HasPrefix(before, "/") && word == before:
		for _, c := range p.commands() {
			if strings.HasPrefix("/"+c.name, word) {
				candidates = append(candidates, "/"+c.name)
			}
		}
	case strings.HasPrefix(word, "@"):
		candidates = p.paths(ctx, word[1:])
	}
	return word, candidates
}

// paths are those that begin so, each behind an @, as pai-exec lists them: what the guard
// denies and what git ignores is not among them.
func (p *session) paths(ctx context.Context, begin string) (out []string) {
	dir, _ := path.Split(begin)
	doc := turn.Empty()
	doc.SetPlan(&turn.Plan{ExecutionPlan: &turn.ExecutionPlan{Steps: []turn.Step{{Number: 1, Action: turn.ActionList,
		Target: cmp.Or(path.Clean(dir), ".")}}}})
	listed, err := sibling.Runner{}.Run(ctx, doc, "pai-exec", p.project.Args("--dry-run", "--ask=never")...)
	if err != nil || listed.Exec() == nil || len(listed.Exec().Steps) == 0 {
		return nil
	}
	for name := range strings.Lines(listed.Exec().Steps[0].Output) {
		name = strings.TrimSuffix(name, "\n")
		if strings.HasPrefix(name, begin) && !strings.ContainsAny(name, " \"") {
			out = append(out, "@"+name)
		}
	}
	return out
}
