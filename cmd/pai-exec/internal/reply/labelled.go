package reply

import (
	"strings"

	"paicode/pkg/turn"
)

// labelledEdits reads edits whose halves are in fences of their own, each under a word
// that says which it is; ok is false if not all fences are such pairs.
func (s *section) labelledEdits() (a Answer, ok bool) {
	var halves []part
	label := ""
	for _, p := range s.parts {
		if !p.fence {
			for _, line := range p.lines {
				if line = strings.TrimSpace(line); line != "" {
					label = line
				}
			}
			continue
		}
		wanted := patterns().oldLabel
		if len(halves)%2 == 1 {
			wanted = patterns().newLabel
		}
		if !wanted.MatchString(label) || p.open || p.problem != "" {
			return a, false
		}
		halves, label = append(halves, p), ""
	}
	if len(halves) == 0 || len(halves)%2 == 1 {
		return a, false
	}
	for i := 0; i < len(halves); i += 2 {
		a.Edits = append(a.Edits, turn.Edit{Search: halves[i].text(), Replace: halves[i+1].text()})
	}
	return a, true
}
