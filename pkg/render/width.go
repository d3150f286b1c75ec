package render

import (
	"unicode"

	"github.com/rivo/uniseg"
	"golang.org/x/text/width"
)

// cluster is what a reader takes for one character.
type cluster struct {
	text  string
	width int // in columns
}

func clusters(text string) (out []cluster) {
	for state := -1; text != ""; {
		var c cluster
		c.text, text, _, state = uniseg.FirstGraphemeClusterInString(text, state)
		c.width = columns(c.text)
		out = append(out, c)
	}
	return out
}

// columns is how many columns a text takes on a terminal, at most: terminals disagree, on
// sequences of emoji above all, and a row that is too wide ends in the first column of the
// next.
func columns(text string) (n int) {
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	switch wide := width.LookupRune(r).Kind(); {
	case r < 0x7f:
		return 1
	case wide == width.EastAsianWide, wide == width.EastAsianFullwidth:
		return 2
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) && r != '\ufe0f':
		return 0
	case between(r, 0x1100, 0x11ff), between(r, 0xd7b0, 0xd7ff), // parts of Korean syllables
		// symbols that are emoji to some; not lines and blocks
		between(r, 0x2190, 0x2bff) && unicode.In(r, unicode.So, unicode.Sm) && !between(r, 0x2500, 0x25a0),
		between(r, 0x3000, 0x33ff), between(r, 0x4dc0, 0x4dff), between(r, 0x1d300, 0x1d37f), between(r, 0x1f000, 0x1faff):
		return 2
	}
	return 1 // also of a selector that makes an emoji wide, and of marks with a place of their own
}

func between(r, first, last rune) bool { return r >= first && r <= last }
