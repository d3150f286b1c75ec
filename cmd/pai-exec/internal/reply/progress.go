package reply

import "strings"

// Progress tells which steps a reply has written while it comes. It only counts headings:
// what they are worth is seen when the reply is whole.
type Progress struct {
	q    Question
	rest string
	now  *Wanted
	done map[int]bool
}

// Progress begins with an empty reply.
func (q Question) Progress() *Progress {
	return &Progress{q: q, done: make(map[int]bool)}
}

// maxHeadingBytes is about how much of a line is looked at: a longer one is no heading.
const maxHeadingBytes = 64 << 10

// Write takes the next part of the reply and returns the steps behind which another one
// begins.
func (p *Progress) Write(text string) (done []Wanted) {
	for {
		line, rest, ok := strings.Cut(text, "\n")
		if !ok {
			if len(p.rest) < maxHeadingBytes {
				p.rest += text
			}
			return done
		}
		line, p.rest, text = p.rest+line, "", rest
		h, ok := p.q.headingOf(line)
		if !ok || !h.strong || h.step == p.now {
			continue
		}
		if p.now != nil && !p.done[p.now.Number] {
			p.done[p.now.Number] = true
			done = append(done, *p.now)
		}
		p.now = h.step
	}
}
