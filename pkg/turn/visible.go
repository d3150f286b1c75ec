package turn

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable makes text from outside safe for a terminal: line ends and tabs stay, and every
// other character that steers the terminal, reorders what is read, or can't be seen is
// written as an escape. Joiners and variation selectors stay where a script or an emoji
// needs them.
func Printable(text string) string { return visible(text, false) }

// OneLine is Printable for text that is meant to be one line: line ends and tabs are
// written as escapes, too.
func OneLine(text string) string { return visible(text, true) }

func visible(text string, oneLine bool) string {
	var b strings.Builder
	before := rune(0)
	for i, r := range text {
		size := utf8.RuneLen(r)
		invalid := r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD")
		if invalid {
			r, size = rune(text[i]), 1
		}
		after, _ := utf8.DecodeRuneInString(text[i+size:])
		switch {
		case invalid:
			writeEscape(&b, r)
		case r == '\n' || r == '\t' || strings.HasPrefix(text[i:], "\r\n"):
			if oneLine {
				b.WriteString(map[rune]string{'\n': `\n`, '\t': `\t`, '\r': `\r`}[r])
			} else {
				b.WriteRune(r)
			}
		case hidden(r) && !joins(before, r, after):
			writeEscape(&b, r)
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// writeEscape writes a character as Go does in a quoted string.
func writeEscape(b *strings.Builder, r rune) {
	switch {
	case r <= 0xff:
		fmt.Fprintf(b, `\x%02x`, r)
	case r <= 0xffff:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// steers tells of a character that acts on a terminal or on the order of
// reading: the controls, the bidirectional ones, and Unicode's ends of lines.
func steers(r rune) bool {
	if r >= ' ' && r < 0x7f {
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// hidden tells of a character that steers, or that nobody sees: formats, fillers, variation
// selectors, tags, and the blank of Braille.
func hidden(r rune) bool {
	switch {
	case r < 0x7f:
		return r < ' '
	case steers(r), r == '\u2800':
		return true
	case unicode.Is(unicode.Cf, r):
		return !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	}
	return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r)
}

// The characters that are hidden and yet make others look as they should.
const (
	nonJoiner      = '\u200c'
	joiner         = '\u200d'
	asText         = '\ufe0e'
	asEmoji        = '\ufe0f'
	firstIdeograph = '\U000e0100' // and to lastIdeograph: variants of an ideograph
	lastIdeograph  = '\U000e01ef'
)

// joins reports whether a hidden character is where it is needed: a joiner within a
// word of a script that has them, or between two emoji; a variation selector behind what it
// varies.
func joins(before, r, after rune) bool {
	switch {
	case r == joiner && emoji(before) && emoji(after):
		return true
	case r == joiner || r == nonJoiner:
		return joinable(before) && joinable(after)
	case r == asText || r == asEmoji:
		return emoji(before) && before != asText && before != asEmoji || after == '\u20e3' &&
			strings.ContainsRune("0123456789#*", before)
	case r >= firstIdeograph && r <= lastIdeograph:
		return unicode.Is(unicode.Han, before)
	}
	return unicode.Is(unicode.Variation_Selector, r) && unicode.Is(unicode.Mongolian, before) && unicode.IsLetter(before)
}

// emoji tells of a symbol, or of what may follow one in a sequence of emoji.
func emoji(r rune) bool {
	return r > 0x7f && r != utf8.RuneError &&
		(unicode.In(r, unicode.So, unicode.Sm, unicode.Sk) || r == asEmoji || strings.ContainsRune("‼⁉〰〽", r))
}

// joinable tells of a letter, or a mark on one, of a script that joins its letters or makes
// conjuncts of them.
func joinable(r rune) bool {
	return unicode.In(r, unicode.Letter, unicode.Mark) &&
		unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Devanagari, unicode.Bengali,
			unicode.Gurmukhi, unicode.Gujarati,
			unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer,
			unicode.Myanmar, unicode.Tibetan, unicode.Inherited)
}
