package change

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"paicode/pkg/turn"
)

func TestBudget(t *testing.T) { doubled(t, 1<<11) }

// doubled doubles the size of what is slow to find: the comparisons of what people write grow
// no faster than what comes in, and what goes on growing is refused with their number.
func doubled(t *testing.T, n int) {
	t.Helper()
	lines := func(n int, line func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i) + "\n")
		}
		return b.String()
	}
	same := func(line string) func(int) string { return func(int) string { return line } }
	numbered := func(i int) string { return fmt.Sprintf("line %d", i) }
	many := func(n int, edit func(i int) turn.Edit) []turn.Edit {
		out := make([]turn.Edit, n)
		for i := range out {
			out[i] = edit(i)
		}
		return out
	}
	for name, make := range map[string]func(n int) (string, []turn.Edit){
		"equal lines, indented otherwise at the end": func(n int) (string, []turn.Edit) {
			return lines(n, func(i int) string { return strings.Repeat(" ", 2+i/(n-2)) + "x" }),
				[]turn.Edit{{Search: lines(n/2, same("x")) + "  x\n", Replace: "y\n"}}
		},
		"equal lines": func(n int) (string, []turn.Edit) {
			return lines(n, same("  x")), []turn.Edit{{Search: lines(n/2, same("x")), Replace: lines(n/2, same("y"))}}
		},
		"equal lines between blank ones": func(n int) (string, []turn.Edit) {
			return lines(n, same("x\n")), []turn.Edit{{Search: lines(n/2, same("x")) + "y\n", Replace: "z\n"}, {Search: lines(n/2, same("x")), Replace: "z\n"}}
		},
		"beginnings of equal lines": func(n int) (string, []turn.Edit) {
			return lines(n, same("x();")), []turn.Edit{{Search: lines(n/2, same("x();")) + "x()\n", Replace: "z\n"}}
		},
		"one first window": func(n int) (string, []turn.Edit) {
			return strings.Repeat("a", 16*n), many(n/4, func(i int) turn.Edit {
				return turn.Edit{Search: strings.Repeat("a", 65) + fmt.Sprint("b", i), Replace: "c"}
			})
		},
		"edits that stand nowhere": func(n int) (string, []turn.Edit) {
			return lines(n, numbered), many(n/4, func(i int) turn.Edit { return turn.Edit{Search: fmt.Sprintf("none %d\n", i), Replace: "c\n"} })
		},
		"every place, many times": func(n int) (string, []turn.Edit) {
			return lines(n, numbered), many(n/4, func(i int) turn.Edit { return turn.Edit{Search: "line", Replace: "line", All: true} })
		},
		"backwards": func(n int) (string, []turn.Edit) {
			return lines(n, numbered), many(n, func(i int) turn.Edit {
				return turn.Edit{Search: fmt.Sprintf("line %d\n", n-1-i), Replace: fmt.Sprintf("changed %d\n", i)}
			})
		},
		"forwards": func(n int) (string, []turn.Edit) {
			return lines(n, numbered), many(n, func(i int) turn.Edit {
				return turn.Edit{Search: fmt.Sprintf("line %d\n", i), Replace: fmt.Sprintf("changed %d\n", i)}
			})
		},
		"indented otherwise": func(n int) (string, []turn.Edit) {
			return lines(n, func(i int) string { return "  " + numbered(i) }), many(100, func(i int) turn.Edit {
				return turn.Edit{Search: fmt.Sprintf("    line %d\n", i), Replace: fmt.Sprintf("    changed %d\n", i)}
			})
		},
		"one long line": func(n int) (string, []turn.Edit) {
			return strings.Repeat("ab,", 8*n), many(n/4, func(i int) turn.Edit { return turn.Edit{Search: fmt.Sprintf("b,%d\n", i), Replace: "c\n"} })
		},
	} {
		spent := func(n int) (spent, size int, refused bool) {
			text, edits := make(n)
			m := newMatcher(text, edits)
			size = linesOf(text)
			for i, e := range edits {
				size += linesOf(e.Search) + linesOf(e.Replace)
				if problem := m.apply(i, e); problem != nil && strings.HasSuffix(problem.Why, fmt.Sprintf("takes more than %d comparisons to find", m.work.most)) {
					refused = true
				}
			}
			if m.work.spent > m.work.most+16*size {
				t.Errorf("%s: %d comparisons, and the budget is %d", name, m.work.spent, m.work.most)
			}
			return m.work.spent, size, refused
		}
		before, _, _ := spent(n)
		after, size, refused := spent(2 * n)
		ratio := float64(after) / float64(before)
		t.Logf("%-45s %9d comparisons, %6.1f a line, twice the size %.2f times as many, refused %v", name, after, float64(after)/float64(size), ratio, refused)
		if natural := slices.Contains([]string{"forwards", "indented otherwise", "equal lines", "beginnings of equal lines", "one long line"}, name); natural && (refused || ratio > 2.5) {
			t.Errorf("%s: twice the size takes %.2f times the comparisons, refused %v", name, ratio, refused)
		}
	}
}
