package guard

import (
	"strings"

	"paicode/pkg/turn"
)

// CheckStep judges a step by its words: whether its action exists and has
// what it needs, and whether its paths may be meant at all. Errors are of
// CodeUsage and CodeDenied.
func CheckStep(s turn.Step, rules *Rules) error {
	if s.Action == turn.ActionFinish {
		return nil
	}
	folder := false
	switch s.Action {
	case turn.ActionTree, turn.ActionList, turn.ActionMkdir, turn.ActionRemove, turn.ActionMove:
		folder = true
	case turn.ActionRead, turn.ActionWrite, turn.ActionModify, turn.ActionTouch:
	default:
		return turn.Errorf(turn.CodeUsage, "unknown action %s", turn.Quote(s.Action)).
			WithHint("%s", strings.Join(turn.Actions(), ", "))
	}
	switch {
	case s.Target == "":
		return turn.Errorf(turn.CodeDenied, "access denied: %s has no target", s.Action).
			WithHint("use a path inside the project root")
	case s.Action == turn.ActionMove && s.Destination == "":
		return turn.Errorf(turn.CodeDenied, "access denied: MV of %s has no destination", turn.Quote(s.Target)).
			WithHint("destination is the new name of the path")
	}
	listing := s.Action == turn.ActionTree || s.Action == turn.ActionList
	if err := Check(s.Target, listing, folder, rules); err != nil {
		return err
	}
	switch {
	case s.Action == turn.ActionMove:
		return Check(s.Destination, false, folder, rules)
	case s.Destination != "":
		return turn.Errorf(turn.CodeUsage, "%s takes no destination", s.Action)
	case s.Action == turn.ActionModify && s.Content != nil && s.Edits != nil:
		return turn.Errorf(turn.CodeUsage, "MODIFY of %s has both content and edits", turn.Quote(s.Target))
	case s.Edits != nil && s.Action != turn.ActionModify:
		return turn.Errorf(turn.CodeUsage, "%s takes no edits", s.Action)
	}
	return nil
}

// Check judges a path by its words and by the rules.
func Check(path string, root, dir bool, rules *Rules) error {
	if err := CheckPath(path, root, dir); err != nil {
		return err
	}
	return rules.Check(path, dir)
}
