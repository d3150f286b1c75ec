package change

// maxEdits is how many added and removed lines the exact comparison looks
// for. Its time grows with the square of them.
const maxEdits = 2500

// maxEffort bounds what all attempts together may cost, in diagonals
// followed: a file made to be hard must not hold anybody up.
const maxEffort = 30_000_000

// myers finds the least spans between old lines a to b and new lines c to d,
// by the divide and conquer of Eugene W. Myers, "An O(ND) Difference Algorithm
// and Its Variations" (1986), section 4b. It gives up, and finds none, if more
// than maxEdits lines are added and removed.
func (p *comparer) myers(a, b, c, d int) bool {
	a, b, c, d = p.trim(a, b, c, d)
	if a == b || c == d {
		p.add(span{a, b, c, d})
		return true
	}
	x, y, ok := p.middle(a, b, c, d)
	return ok && p.myers(a, x, c, y) && p.myers(x, b, y, d)
}

// trim takes equal lines from both ends.
func (p *comparer) trim(a, b, c, d int) (int, int, int, int) {
	for a < b && c < d && p.oldIDs[a] == p.newIDs[c] {
		a, c = a+1, c+1
	}
	for a < b && c < d && p.oldIDs[b-1] == p.newIDs[d-1] {
		b, d = b-1, d-1
	}
	return a, b, c, d
}

func (p *comparer) add(s span) {
	if s.oldStart < s.oldEnd || s.newStart < s.newEnd {
		p.spans = append(p.spans, s)
	}
}

// furthest holds how far each diagonal was followed, from one end.
type furthest []int

func (f furthest) at(k int) *int { return &f[k+len(f)/2] }

// step takes one more edit onto diagonal k and returns where that leads.
func (f furthest) step(k, edits int) (x, y int) {
	if k == -edits || k != edits && *f.at(k - 1) < *f.at(k + 1) {
		x = *f.at(k + 1)
	} else {
		x = *f.at(k - 1) + 1
	}
	return x, x - k
}

// middle finds a point on a shortest path, where the searches from both ends
// meet. Both ranges hold lines, and their first and last ones differ.
//
//nolint:gocognit,gocyclo // as the paper has it: two searches that meet
func (p *comparer) middle(a, b, c, d int) (x, y int, ok bool) {
	n, m := b-a, d-c
	delta := n - m
	if p.effort > maxEffort {
		return 0, 0, false
	}
	most := min((n+m+1)/2, (maxEdits+1)/2)
	forward, backward := make(furthest, 2*most+3), make(furthest, 2*most+3)
	old, new := p.oldIDs[a:b], p.newIDs[c:d]
	for edits := 0; edits <= most; edits++ {
		p.effort += edits
		for k := -edits; k <= edits; k += 2 {
			x, y := forward.step(k, edits)
			for x < n && y < m && y >= 0 && old[x] == new[y] {
				x, y = x+1, y+1
			}
			*forward.at(k) = x
			if back := delta - k; delta%2 != 0 && x <= n && y <= m && -edits < back && back < edits &&
				x+*backward.at(back) >= n {
				return a + x, c + y, true
			}
		}
		for k := -edits; k <= edits; k += 2 {
			x, y := backward.step(k, edits)
			for x < n && y < m && y >= 0 && old[n-1-x] == new[m-1-y] {
				x, y = x+1, y+1
			}
			*backward.at(k) = x
			if ahead := delta - k; delta%2 == 0 && x <= n && y <= m && -edits <= ahead && ahead <= edits &&
				x+*forward.at(ahead) >= n {
				return b - x, d - y, true
			}
		}
	}
	return 0, 0, false
}
