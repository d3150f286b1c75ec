package secret

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"paicode/pkg/lazyregexp"
	"paicode/pkg/turn"
)

// Vault knows the secrets that a conversation withholds, and their numbers. One secret
// has one number wherever it stands.
type Vault struct {
	secrets map[int]string
	numbers map[string]int
	next    int
	finder  *finder
	whole   string // the file that spans are of
	spans   []span
	found   []turn.Withheld
	sent    map[string]bool // secrets that the person lets through
	said    map[int]bool    // those that the person wrote or piped in themselves
}

// recurs reports whether a secret is known again wherever it stands. A password that may
// be a word, such as "password", is none outside of the place that tells it.
func recurs(hidden string) bool {
	return !Marked(hidden) && (len(hidden) >= 16 || len(hidden) >= 8 && strings.ContainsAny(hidden, "0123456789"))
}

// NewVault begins after the numbers that a workspace has given out; it may be nil.
func NewVault(w *turn.Workspace) *Vault {
	v := &Vault{secrets: make(map[int]string), numbers: make(map[string]int), next: 1, sent: make(map[string]bool),
		said: make(map[int]bool), finder: newFinder()}
	if w != nil {
		for _, f := range w.Withheld {
			if n, ok := number(f.Placeholder); ok {
				v.next = max(v.next, n+1)
			}
		}
	}
	return v
}

// mark is a placeholder.
func mark(n int) string { return fmt.Sprintf("[WITHHELD-%d]", n) }

var marksForm = lazyregexp.New(`\[WITHHELD-([0-9]{1,9})\]`)

func marks() *regexp.Regexp { return marksForm() }

func number(placeholder string) (int, bool) {
	m := marks().FindStringSubmatch(placeholder)
	if m == nil || m[0] != placeholder {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return n, err == nil && n > 0
}

// Marked reports whether a text holds a placeholder.
func Marked(text string) bool {
	return strings.Contains(text, "[WITHHELD-") && marks().MatchString(text)
}

// Number gives a secret of a file the number that an earlier command gave it: that of the
// placeholder in the workspace which names the file, the line and the kind.
func (v *Vault) Number(whole string, all []turn.Withheld) {
	byLine := make(map[int][]span)
	spans := v.inFile(whole)
	n, at := 1, 0
	for _, s := range spans {
		n += strings.Count(whole[at:s.start], "\n")
		at = s.start
		byLine[n] = append(byLine[n], s)
	}
	for _, f := range all {
		placed, ok := number(f.Placeholder)
		for _, s := range byLine[f.Line] {
			text := whole[s.start:s.end]
			if _, known := v.numbers[text]; ok && !known && s.kind == f.Kind {
				v.secrets[placed], v.numbers[text] = text, placed
				v.next = max(v.next, placed+1)
				break
			}
		}
	}
}

// inFile lists what is to be withheld of a file.
func (v *Vault) inFile(whole string) []span {
	if v.whole != whole {
		v.whole, v.spans = whole, v.search(whole)
	}
	return v.spans
}

func (v *Vault) search(whole string) []span {
	spans := append(v.finder.find(whole), keyLines(whole)...)
	if strings.Contains(whole, "[WITHHELD-") {
		for _, m := range marks().FindAllStringIndex(whole, -1) {
			spans = append(spans, span{m[0], m[1], lookAlike})
		}
	}
	return apart(spans)
}

// Send lets the secrets of a file through, here and wherever else they stand.
func (v *Vault) Send(whole string) {
	for _, s := range v.inFile(whole) {
		v.sent[whole[s.start:s.end]] = true
	}
}

// Lines withholds what a run of a file's lines holds: text is what is in whole from
// line from, counted from one. The text keeps its lines.
func (v *Vault) Lines(path, whole, text string, from int) string {
	spans := v.finder.find(text)
	if strings.Contains(text, "[WITHHELD-") || len(keyBlocks(whole)) > 0 {
		if start := lineStart(whole, from); start >= 0 && strings.HasPrefix(whole[start:], text) {
			spans = nil
			for _, s := range v.inFile(whole) {
				if s.start >= start && s.end <= start+len(text) {
					spans = append(spans, span{s.start - start, s.end - start, s.kind})
				}
			}
		}
	}
	return v.replace(text, spans, func(n, line int, kind string) {
		placeholder := mark(n)
		if !slices.ContainsFunc(v.found, func(f turn.Withheld) bool { return f.Placeholder == placeholder }) {
			v.found = append(v.found, turn.Withheld{Placeholder: placeholder, Kind: kind, Path: path, Line: from + line})
		}
	})
}

// lineStart is where a line of a text begins, counted from one; -1 beyond its end.
func lineStart(text string, line int) int {
	at := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
	}
	return at
}

// Found are the secrets that Lines withheld, each where it was seen first.
func (v *Vault) Found() []turn.Withheld { return v.found }

// Said withholds secrets from what a person wrote or piped in. Only they may be in a
// file afterwards that didn't hold them before.
func (v *Vault) Said(text string) string {
	spans := slices.Concat(v.finder.find(text), keyLines(text), fragments(text))
	return v.replace(text, apart(spans), func(n, _ int, _ string) { v.said[n] = true })
}

// Text withholds secrets from any other text: those with a form of their own, and those
// that are known from elsewhere.
func (v *Vault) Text(text string) string {
	spans := slices.Concat(v.finder.find(text), keyLines(text), fragments(text))
	for known := range v.numbers {
		if !recurs(known) {
			continue
		}
		for at := 0; ; {
			i := strings.Index(text[at:], known)
			if i < 0 {
				break
			}
			spans = append(spans, span{at + i, at + i + len(known), ""})
			at += i + len(known)
		}
	}
	spans = slices.DeleteFunc(spans, func(s span) bool { return Marked(text[s.start:s.end]) }) // it is withheld already
	return v.replace(text, apart(spans), func(int, int, string) {})
}

// replace puts placeholders into a text and tells of each: its number, how many lines
// are before it, and its kind.
func (v *Vault) replace(text string, spans []span, tell func(number, line int, kind string)) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, s := range spans {
		hidden := text[s.start:s.end]
		if v.sent[hidden] {
			continue
		}
		n := v.numbers[hidden]
		if n == 0 {
			n = v.next
			v.next++
			v.secrets[n], v.numbers[hidden] = hidden, n
		}
		tell(n, strings.Count(text[:s.start], "\n"), s.kind)
		b.WriteString(text[at:s.start])
		b.WriteString(mark(n))
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// Restore puts secrets in the places of their placeholders. A number that was never given
// out is an error of turn.CodeModel.
func (v *Vault) Restore(text string) (string, error) {
	if !Marked(text) {
		return text, nil
	}
	var invented string
	out := marks().ReplaceAllStringFunc(text, func(placeholder string) string {
		n, _ := number(placeholder)
		hidden, ok := v.secrets[n]
		if !ok {
			invented = placeholder
		}
		return hidden
	})
	if invented != "" {
		return "", turn.Errorf(turn.CodeModel, "%s is not the placeholder of a secret", invented)
	}
	return out, nil
}

// Balance counts placeholders: how many more of each an answer holds than what it takes
// the place of. Without a difference it is empty.
type Balance map[int]int

// Add counts the placeholders of a text, times a factor.
func (b Balance) Add(text string, factor int) {
	if !Marked(text) {
		return
	}
	for _, m := range marks().FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		if b[n] += factor; b[n] == 0 {
			delete(b, n)
		}
	}
}

// Problem says which secret a change would lose or double; empty if none. What the person
// said may be added.
func (v *Vault) Problem(b Balance) string {
	for _, n := range slices.Sorted(maps.Keys(b)) {
		switch {
		case b[n] < 0:
			return fmt.Sprintf("%s, which stands for a secret, is lost", mark(n))
		case b[n] > 0 && !v.said[n]:
			return fmt.Sprintf("%s, which stands for a secret, comes more often than before", mark(n))
		}
	}
	return ""
}

var brokenForm = lazyregexp.New(`(?i)\[withheld\b[^\]\n]{0,12}\]?`)

// Broken says what a change from one text of a file to another would do to its secrets,
// though none is lost: take a private key apart, move a secret to where it would not be
// known as one, or write what only looks like a placeholder. Empty if nothing of it.
func (v *Vault) Broken(old, changed string) string {
	for _, b := range keyBlocks(old) {
		if block := old[b.start:b.end]; len(b.lines) > 0 && !v.sent[old[b.lines[0].start:b.lines[0].end]] &&
			!strings.Contains(changed, block) {
			return "a private key would be taken apart"
		}
	}
	still := make(map[string]bool)
	for _, s := range v.search(changed) {
		still[changed[s.start:s.end]] = true
	}
	for _, s := range v.search(old) {
		if hidden := old[s.start:s.end]; !still[hidden] && !v.sent[hidden] {
			return fmt.Sprintf("%s would stand where nobody knows it for a secret", mark(v.numbers[hidden]))
		}
	}
	for _, m := range brokenForm().FindAllString(changed, -1) {
		if !strings.Contains(old, m) {
			return fmt.Sprintf("%s is not the placeholder of a secret", m)
		}
	}
	return ""
}
