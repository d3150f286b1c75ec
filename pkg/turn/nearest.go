package turn

import (
	"slices"

	"github.com/xrash/smetrics"
)

// Nearest is the name that a word was likely meant to be: one with a letter too many, too few or
// wrong for four letters of it, or with two letters that changed places. It is empty if there is
// none, if the word is a name itself, and for words so short that any name is near.
func Nearest(word string, names []string) (nearest string) {
	if slices.Contains(names, word) || len(word) > maxNear {
		return ""
	}
	least := maxNear
	for _, name := range names {
		d := smetrics.WagnerFischer(word, name, 1, 1, 1)
		near := len(word) > 3 && d <= max(1, len(name)/4) || len(word) > 2 && swapped([]rune(word), []rune(name))
		if near && d < least {
			nearest, least = name, d
		}
	}
	return nearest
}

// maxNear keeps the comparison of a hostile name with the known ones cheap.
const maxNear = 40

// swapped reports whether two words differ by two letters that changed places.
func swapped(a, b []rune) bool {
	if len(a) != len(b) {
		return false
	}
	var differ []int
	for i := range a {
		if a[i] != b[i] {
			differ = append(differ, i)
		}
	}
	return len(differ) == 2 && a[differ[0]] == b[differ[1]] && a[differ[1]] == b[differ[0]]
}
