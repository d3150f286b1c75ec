package guard

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"paicode/pkg/turn"
)

// maxComponent is how long a component of a path may be, in bytes: Linux's
// NAME_MAX.
const maxComponent = 255

// MaxLevels is how many components a path may have.
const MaxLevels = 256

// Denied makes the error of a refusal: what, why, and what helps.
func Denied(path, why string) *turn.Error {
	return turn.Errorf(turn.CodeDenied, "access denied: %s %s", turn.Quote(path), why)
}

// CheckPath refuses a path by its words alone, without a look at the tree or
// at the rules. Nothing in it is decoded, expanded or trimmed. root reports whether "." may
// stand for the root, dir whether a slash may end the path.
func CheckPath(path string, root, dir bool) error {
	const relative = "use a path inside the project root, such as \"src/main.py\""
	switch {
	case path == "":
		return turn.Errorf(turn.CodeDenied, "access denied: the path is empty").WithHint(relative)
	case path[0] == '/':
		return Denied(path, "is outside the project root: it is absolute").WithHint(relative)
	case !utf8.ValidString(path) || strings.ContainsRune(path, utf8.RuneError):
		return Denied(path, "is not a name in UTF-8")
	case strings.Contains(path, `\`):
		return Denied(path, "holds a backslash").WithHint("components are separated by /")
	case strings.ContainsFunc(path, deceives):
		return Denied(path, "holds a control or bidirectional character")
	}
	parts := Components(path)
	for _, part := range strings.Split(strings.TrimSuffix(path, "/"), "/") {
		switch {
		case part == "..":
			return Denied(path, "is outside the project root: it goes up with ..").WithHint(relative)
		case part == "":
			return Denied(path, "has an empty component").WithHint(relative)
		case len(part) > maxComponent:
			return Denied(path, "has a component of more than 255 bytes")
		case strings.TrimFunc(part, func(r rune) bool { return unicode.IsSpace(r) || ignorable(r) }) == "":
			return Denied(path, "has a component of blanks only")
		}
	}
	switch {
	case len(parts) > MaxLevels:
		return Denied(path, "has more than 256 levels")
	case len(parts) == 0 && !root:
		return Denied(path, "is the project root itself")
	case strings.HasSuffix(path, "/") && !dir:
		return Denied(path, "ends with a slash, but a file is meant").WithHint("leave the slash out")
	}
	return nil
}

// Components splits a path that was checked; "." vanishes.
func Components(path string) []string {
	var parts []string
	for part := range strings.SplitSeq(path, "/") {
		if part != "" && part != "." {
			parts = append(parts, part)
		}
	}
	return parts
}

// deceives tells of characters that act on a terminal or on the order of
// reading.
func deceives(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// DenyRule says why a name is denied wherever it is in a path, in a folder of some name;
// empty if it isn't.
func DenyRule(folder, name string) string {
	if folder != "" {
		folder = Fold(folder)
	}
	return deniedIndex().why(folder, strings.TrimRight(Fold(name), "~")) // ~: an editor's copy
}

// GoesAlong tells of denied names that may lie under a directory that RM or
// MV takes: what can be made again.
func GoesAlong(name string) bool { return DenyRule("", name) == ruleEnv }

// StaysBehind tells of names that may not even are included inside an
// environment. Certificates may: packages bring them.
func StaysBehind(name string) bool {
	rule := DenyRule("", name)
	keyStore := slices.Contains(strings.Fields(keyStores), "*"+path.Ext(Fold(name)))
	return rule == ruleGit || rule == ruleVCS || rule == ruleSecret && !keyStore
}

// Fold maps names to one that some file system, or some eye, takes for the
// same: composed, without ignorable characters, in one case, without a colon
// and what follows it (an NTFS stream), and without dots and blanks at the
// end.
func Fold(name string) string {
	if simple(name) {
		return strings.ToLower(name)
	}
	name = norm.NFKC.String(name)
	name = strings.Map(func(r rune) rune {
		if ignorable(r) {
			return -1
		}
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return unicode.ToLower(least)
	}, name)
	name, _, _ = strings.Cut(norm.NFKC.String(name), ":")
	return strings.TrimRight(name, ". ")
}

// simple tells of names that folding can only turn to lower case.
func simple(name string) bool {
	for i := range len(name) {
		if c := name[i]; c < ' ' || c >= utf8.RuneSelf || c == ':' {
			return false
		}
	}
	return name == "" || name[len(name)-1] != '.' && name[len(name)-1] != ' '
}

// ignorable tells of characters that leave no trace on the screen and that
// HFS+ leaves out of comparisons.
func ignorable(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
		unicode.Is(unicode.Variation_Selector, r)
}
