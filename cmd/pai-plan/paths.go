package main

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"paicode/pkg/turn"
)

// saysNothing tells of words that models write where there is nothing to say.
func saysNothing(text string) bool {
	switch strings.ToLower(strings.Trim(text, " .-–—_*`\"'")) {
	case "", "none", "null", "nil", "n/a", "na", "no", "nothing", "no question", "no questions", "not applicable",
		"tidak ada", "ninguna", "ninguno", "keine", "aucune", "aucun", "нет", "无", "なし", "没有":
		return true
	}
	return false
}

// targets reads "targets", or "target" where the model fell into the form of
// the document.
func targets(step gjson.Result) (out []string) {
	list := step.Get("targets")
	for _, name := range []string{"target", "path", "file"} {
		if !list.Exists() {
			list = step.Get(name)
		}
	}
	for _, t := range list.Array() {
		if t.Type == gjson.Null {
			continue
		}
		out = append(out, written(t.String())...)
	}
	return out
}

// destination reads where MV goes.
func destination(step gjson.Result) string {
	if d := step.Get("destination"); d.Type != gjson.Null {
		if all := written(d.String()); len(all) > 0 {
			return all[0]
		}
	}
	return ""
}

// written are the paths in a text that is to hold one, whatever is there: without
// quotes, backticks and blanks around them, and those of a list in JSON.
func written(text string) (out []string) {
	text = strings.TrimSpace(text)
	var list []string
	if strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &list) == nil {
		for _, entry := range list {
			out = append(out, written(entry)...)
		}
		return out
	}
	for _, mark := range []string{"`", `"`, "'"} {
		if len(text) > 2 && strings.HasPrefix(text, mark) && strings.HasSuffix(text, mark) && strings.Count(text, mark) == 2 {
			text = strings.TrimSpace(text[1 : len(text)-1])
		}
	}
	switch text {
	case "", "null", "None", "N/A", "-":
		return nil
	}
	if p := clean(text); p != "" {
		return []string{p}
	}
	return nil
}

// clean takes "./" from the front of a path and leaves everything else to the
// guard.
func clean(p string) string {
	for strings.HasPrefix(p, "./") {
		p = p[2:]
	}
	return p
}

// readings are the paths that a text may mean which is none itself: several with commas
// between them, or one with a remark behind it. None if it can only be one.
func readings(text string) (out []string) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if i := strings.LastIndex(part, " ("); i > 0 && strings.HasSuffix(part, ")") {
			part = strings.TrimSpace(part[:i])
		}
		out = append(out, written(part)...)
	}
	if len(out) == 1 && out[0] == text {
		return nil
	}
	return out
}

// understand replaces targets where nothing stands by what they may mean: paths at all of
// which something stands, or for new files such as end like files.
func (p *planner) understand(ctx context.Context, a answer, kinds map[string]string) (map[string]string, error) {
	var ask []string
	for _, t := range a.paths() {
		if kinds[t] == turn.TargetNone || kinds[t] == turn.TargetDenied {
			ask = append(ask, readings(t)...)
		}
	}
	if len(ask) == 0 {
		return kinds, nil
	}
	more, err := p.look.Stands(ctx, ask)
	if err != nil {
		return kinds, err
	}
	for p, kind := range more {
		kinds[p] = kind
	}
	for i := range a.steps {
		g := &a.steps[i]
		fits := func(p string) bool {
			there := kinds[p] == turn.TargetFile || kinds[p] == turn.TargetDir
			return there || (g.action == turn.ActionWrite || g.action == turn.ActionTouch) && kinds[p] == turn.TargetNone &&
				path.Ext(p) != "" && !strings.Contains(p, " ")
		}
		var out []string
		for _, t := range g.targets {
			meant := readings(t)
			if kinds[t] == turn.TargetFile || kinds[t] == turn.TargetDir || len(meant) == 0 ||
				slices.ContainsFunc(meant, func(p string) bool { return !fits(p) }) {
				meant = []string{t}
			}
			out = append(out, meant...)
		}
		g.targets = out
	}
	return kinds, nil
}
