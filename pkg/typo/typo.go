// Package typo finds out what a mistyped word was meant to be.
package typo

import "slices"

// shortest is the length from which on any typo counts; shorter words are too like each other,
// and there only letters that changed places do.
const shortest = 4

// Of returns the name that a word is one typo from: a letter too many, too few, a wrong one, or
// two that changed places (the distance of Damerau and Levenshtein). It is empty if there is none,
// or the word is a name itself.
func Of(word string, names []string) string {
	if slices.Contains(names, word) {
		return ""
	}
	for _, name := range names {
		if a, b := []rune(word), []rune(name); swapped(a, b) && len(a) > 2 || len(a) >= shortest && one(a, b) {
			return name
		}
	}
	return ""
}

// one reports whether two words differ by one letter, or by two that changed places.
func one(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := alike(a, b)
	if len(a) < len(b) {
		return slices.Equal(a[i:], b[i+1:])
	}
	return i < len(a) && slices.Equal(a[i+1:], b[i+1:]) || swapped(a, b)
}

// swapped reports whether two words differ by two neighbours that changed places.
func swapped(a, b []rune) bool {
	i := alike(a, b)
	return len(a) == len(b) && i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && slices.Equal(a[i+2:], b[i+2:])
}

// alike is how many letters two words begin with in common.
func alike(a, b []rune) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
