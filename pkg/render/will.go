package render

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"paicode/pkg/turn"
)

// Will says in a few lines what will happen when a sealed document is applied: the files
// with their lines and modes, what is removed or moved and what is included, what runs code by
// itself, and the checks. Empty if nothing changes.
func (s Style) Will(doc *turn.Document, checks []string) string {
	p, exec, seal := doc.Plan(), doc.Exec(), doc.Seal()
	if p == nil || p.ExecutionPlan == nil || exec == nil || seal == nil {
		return ""
	}
	var b strings.Builder
	for i, step := range p.ExecutionPlan.Steps {
		if i < len(exec.Steps) {
			b.WriteString(s.will(step, exec.Steps[i], seal.Paths))
		}
	}
	for _, check := range checks {
		b.WriteString(s.row("  then run ", s.field(check)+"; if it fails, the change is rolled back"))
	}
	if b.Len() == 0 {
		return ""
	}
	return s.bold("This will:") + "\n" + b.String()
}

// will says what one step will do; empty if it changes nothing.
func (s Style) will(step turn.Step, result turn.StepResult, paths map[string]turn.SealedPath) string {
	verbs := map[string]string{turn.ActionWrite: "write", turn.ActionModify: "change", turn.ActionTouch: "create",
		turn.ActionMkdir:  "make the folder",
		turn.ActionRemove: "remove", turn.ActionMove: "move"}
	verb, changes := verbs[step.Action]
	if !changes || result.Status == turn.StatusUnchanged {
		return ""
	}
	line := name(step.Target)
	if step.Destination != "" {
		line += " to " + name(step.Destination)
	}
	if result.Added+result.Removed > 0 {
		line += fmt.Sprintf("  +%d −%d", result.Added, result.Removed)
	}
	line += effects(step, paths)
	if result.Message != "" {
		line += " (" + s.field(result.Message) + ")"
	}
	if step.Risk != "" {
		line += "  risk: " + s.field(step.Risk)
	}
	if step.Caution != "" {
		line += "  caution: " + s.field(step.Caution)
	}
	return s.row("  "+verb+" ", line)
}

// effects are what lines don't tell of a step: what the seal says of its paths.
func effects(step turn.Step, paths map[string]turn.SealedPath) (text string) {
	target := path.Clean(step.Target)
	p, onto := paths[target], paths[path.Clean(step.Destination)]
	if step.Action == turn.ActionMove && onto.Before != nil {
		text = ", replacing what is there" + modes(step, onto)
	}
	switch before, after := p.Before, p.After; {
	case before != nil && before.Type == "dir" && after == nil && before.Paths > 0:
		return text + fmt.Sprintf(", a folder, with %d paths in it", before.Paths)
	case before != nil && before.Type == "dir" && after == nil:
		return text + beneath(target, paths)
	case after == nil:
		return text
	case after.SHA256 == turn.EmptySHA256 && (before == nil || before.SHA256 != after.SHA256):
		text += ", empty"
	}
	return text + modes(step, p)
}

// modes says that a step changes a path's mode, or makes a file that can be executed.
func modes(step turn.Step, p turn.SealedPath) string {
	switch before, after := p.Before, p.After; {
	case step.Action == turn.ActionRemove || after == nil:
		return ""
	case before != nil && before.Type == after.Type && before.Mode != after.Mode:
		return ", mode " + before.Mode + " to " + after.Mode
	case before == nil && step.Executable:
		return ", executable"
	}
	return ""
}

// name shows a path in full: bare where nothing in it could be taken for Pai's own words.
func name(path string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-+@~", r)
	}
	if path != "" && !strings.ContainsFunc(path, func(r rune) bool { return !plain(r) }) {
		return turn.InFull(path)
	}
	return turn.QuoteInFull(path)
}

// beneath names what is included with a directory.
func beneath(dir string, paths map[string]turn.SealedPath) string {
	const most = 10
	var names []string
	count := 0
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		rest, ok := strings.CutPrefix(p, dir+"/")
		if !ok || paths[p].Before == nil {
			continue
		}
		if count++; count <= most {
			names = append(names, name(rest))
		}
	}
	if count == 0 {
		return ", an empty folder"
	}
	text := fmt.Sprintf(", a folder, with %d %s in it: %s", count, Plural(count, "path"), strings.Join(names, ", "))
	if count > most {
		text += fmt.Sprintf(" and %d more", count-most)
	}
	return text
}
