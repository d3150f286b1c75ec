package change

import (
	"fmt"
	"strings"

	"paicode/pkg/turn"
)

// How many comparisons the edits of one file may take: so many, and so many more for each of
// its lines and the edits', up to a bound. A comparison is that of one line, or of 64 bytes, some
// 20 ns; what makes an index of a line or hashes every byte counts as several.
const (
	leastComparisons   = 8 << 20
	comparisonsPerLine = 256
	mostComparisons    = 128 << 20
	comparedAtOnce     = 64
	toIndex            = 4 // what a line costs that is indexed, or 64 bytes that are hashed
)

// budget bounds the work of finding edits: what is nested in it can't grow with the square of
// what came in.
type budget struct{ most, spent int }

func newBudget(text string, edits []turn.Edit) *budget {
	lines := linesOf(text)
	for _, e := range edits {
		lines += linesOf(e.Search) + linesOf(e.Replace)
	}
	return &budget{most: min(leastComparisons+comparisonsPerLine*lines, mostComparisons)}
}

// linesOf counts lines, a long one as several.
func linesOf(text string) int { return strings.Count(text, "\n") + passes(text) }

// passes is what a look at all of a text takes.
func passes(text string) int { return (len(text) + comparedAtOnce - 1) / comparedAtOnce }

// spend notes comparisons; false tells that there were too many.
func (b *budget) spend(n int) bool {
	b.spent += n
	return b.spent <= b.most
}

func (b *budget) empty() bool { return b.spent > b.most }

// problem is the error of an edit that took too much.
func (b *budget) problem() *EditError {
	return &EditError{Why: fmt.Sprintf("takes more than %d comparisons to find", b.most),
		Hint: "search for lines that stand in fewer places, or give the whole file"}
}
