package change

import (
	"fmt"
	"strings"
)

// Near is the place in a text that comes nearest to lines which stand nowhere
// in it.
type Near struct {
	Line int    // counted from one; 0: nothing comes near
	End  int    // the last line of it
	Diff string // from what was searched (-) to what is there (+), a few lines
}

const (
	nearLines      = 12  // of the difference that are shown
	nearLineLength = 160 // bytes of one line that are shown
	nearPlaces     = 500 // of one line that are looked at
)

// nearest finds the run of lines that has the most lines of a search text in
// their places, or else the line that is most like its longest.
func (x *lineIndex) nearest(search string) Near {
	wanted := splitLines(search)
	votes := make(map[int]int)
	best, most := -1, 0
	for i, line := range wanted {
		c := core(line)
		at := x.byCore[c]
		if c == "" || len(at) > nearPlaces {
			continue
		}
		x.work.spend(len(at))
		for _, n := range at {
			first := max(0, int(n)-i)
			if votes[first]++; votes[first] > most || votes[first] == most && first < best {
				best, most = first, votes[first]
			}
		}
	}
	if best < 0 {
		best = x.similar(wanted)
	}
	if best < 0 {
		return Near{}
	}
	end := min(len(x.lines), best+len(wanted))
	return Near{Line: best + 1, End: end, Diff: nearDiff(wanted, x.lines[best:end])}
}

// similar finds the line that begins and ends most like the longest one, and
// returns where the whole would begin then; -1 if there is none.
func (x *lineIndex) similar(wanted []string) int {
	longest := 0
	for i := range wanted {
		if len(core(wanted[i])) > len(core(wanted[longest])) {
			longest = i
		}
	}
	if len(wanted) == 0 {
		return -1
	}
	want := core(wanted[longest])
	best, most := -1, len(want)/2
	x.work.spend(len(x.lines))
	for i, line := range x.lines {
		have := core(line)
		common := commonPrefix(have, want)
		common += commonSuffix(have[common:], want[common:])
		if common > most {
			best, most = i, common
		}
	}
	if best < 0 {
		return -1
	}
	return max(0, best-longest)
}

// stride is how many bytes are compared at a time.
const stride = 512

func commonPrefix(a, b string) int {
	n, most := 0, min(len(a), len(b))
	for n+stride <= most && a[n:n+stride] == b[n:n+stride] {
		n += stride
	}
	for n < most && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b string) int {
	n, most := 0, min(len(a), len(b))
	for n+stride <= most && a[len(a)-n-stride:len(a)-n] == b[len(b)-n-stride:len(b)-n] {
		n += stride
	}
	for n < most && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// nearDiff shows where the searched lines and those of the text differ.
func nearDiff(wanted, have []string) string {
	d := Compare(bodies(wanted), bodies(have))
	var b strings.Builder
	left := nearLines
	show := func(sign byte, lines []string) {
		for _, line := range lines {
			if left--; left < 0 {
				return
			}
			line = body(line)
			if len(line) > nearLineLength {
				line = strings.ToValidUTF8(line[:nearLineLength], "") + "…"
			}
			fmt.Fprintf(&b, "%c%s\n", sign, line)
		}
	}
	for _, s := range d.spans {
		show('-', d.old[s.oldStart:s.oldEnd])
		show('+', d.new[s.newStart:s.newEnd])
	}
	return b.String()
}
