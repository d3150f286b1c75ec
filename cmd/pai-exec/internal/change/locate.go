package change

import (
	"math/bits"
	"strings"

	"paicode/pkg/turn"
)

// fewPatterns is up to how many texts are looked for one by one.
const fewPatterns = 8

// locate finds where each edit's search text is in a text: all starts,
// overlapping ones too, up to manyPlaces. Edits of all places, and empty ones,
// are left out.
//
// Many are found in a few passes, after Karp and Rabin ("Efficient randomized
// pattern-matching algorithms", 1987): one for each power of two of length,
// with a rolling hash of as many bytes from the beginning of each.
//
// What is compared counts as work; where that is too much the rest is left out.
func locate(text string, edits []turn.Edit, work *budget) [][]int {
	places := make([][]int, len(edits))
	classes := make(map[int][]int) // edits by the length of their windows
	for i, e := range edits {
		switch {
		case e.All || e.Search == "":
		case len(edits) <= fewPatterns:
			work.spend(passes(text))
			places[i] = starts(text, e.Search)
		default:
			window := 1 << (bits.Len(uint(len(e.Search))) - 1)
			classes[window] = append(classes[window], i)
		}
	}
	for window, members := range classes {
		if len(members) <= fewPatterns {
			for _, i := range members {
				work.spend(passes(text))
				places[i] = starts(text, edits[i].Search)
			}
			continue
		}
		work.spend(toIndex * passes(text))
		roll(text, window, members, edits, places, work)
	}
	return places
}

// starts lists where a text is in another.
func starts(text, search string) []int {
	var out []int
	for at := 0; len(out) < manyPlaces; at++ {
		next := strings.Index(text[at:], search)
		if next < 0 {
			break
		}
		at += next
		out = append(out, at)
	}
	return out
}

// filterBits is the size of the filter that spares most lookups: 8 KiB.
const filterBits = 16

// roll finds the members of one class.
func roll(text string, window int, members []int, edits []turn.Edit, places [][]int, work *budget) {
	if len(text) < window {
		return
	}
	const prime = 0x9E3779B97F4A7C15 // odd, from the golden ratio
	hash := func(s string) (h uint64) {
		for i := range window {
			h = h*prime + uint64(s[i])
		}
		return h
	}
	leading := uint64(1) // the weight of the byte that leaves the window
	for range window - 1 {
		leading *= prime
	}
	var filter [1 << filterBits / 64]uint64
	byHash := make(map[uint64][]int)
	for _, i := range members {
		h := hash(edits[i].Search)
		byHash[h] = append(byHash[h], i)
		filter[h>>(64-filterBits)/64] |= 1 << (h >> (64 - filterBits) % 64)
	}
	h := hash(text)
	for at := 0; ; at++ {
		if filter[h>>(64-filterBits)/64]&(1<<(h>>(64-filterBits)%64)) != 0 {
			if !standAt(text, at, byHash[h], edits, places, work) {
				return
			}
		}
		if at+window >= len(text) {
			return
		}
		h = (h-uint64(text[at])*leading)*prime + uint64(text[at+window])
	}
}

// standAt notes which edits' search texts are at a place; false tells that the work is spent.
func standAt(text string, at int, members []int, edits []turn.Edit, places [][]int, work *budget) bool {
	for _, i := range members {
		if !work.spend(1 + len(edits[i].Search)/comparedAtOnce) {
			return false
		}
		if len(places[i]) < manyPlaces && strings.HasPrefix(text[at:], edits[i].Search) {
			places[i] = append(places[i], at)
		}
	}
	return true
}
