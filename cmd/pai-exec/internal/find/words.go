package find

import (
	"strings"
	"unicode/utf8"
)

// maxTerms is how many words of a request are counted.
const maxTerms = 128

// What a term is worth beside a word of the request's first line. Measured with the ranking.
const (
	laterWeight = 0.6 // of a word after the first line
	wholeWeight = 1.5 // of an identifier of several words
)

// Query is what a request looks for.
type Query struct {
	terms   []string  // folded and stemmed words, and whole identifiers, in order
	weights []float64 // of the terms
	index   map[string]int
	letters [256]uint32    // afterLetter for letters, else 0
	starts  [1 << 17]uint8 // by starting: the bucket of the terms that begin so
	buckets [][]int        // of indexes into terms; the first bucket is empty
	thirds  [256][256]bool // of buckets: a term's third byte is this, or it has two
	Quoted  []string       // texts in quotes or backticks that may be in a file to the letter
	Names   []string       // identifiers of several parts
	AskTest bool           // it speaks of tests
	AskDocs bool           // it speaks of documentation
}

// NewQuery takes a request apart.
func NewQuery(request string) *Query {
	q := &Query{index: make(map[string]int), buckets: make([][]int, 1)}
	first, _, _ := strings.Cut(strings.TrimSpace(request), "\n")
	at := strings.Index(request, first) + len(first) // where the first line ends
	for c := range q.letters {
		if isSmall(byte(c)) || isUpper(byte(c)) {
			q.letters[c] = afterLetter
		}
	}
	q.Quoted = append(q.Quoted, quotedIn(request)...)
	eachIdentifier(request, func(start int, whole string) {
		parts, weight := 0, 1.0
		if start >= at {
			weight = laterWeight
		}
		eachPart(whole, func(part string) {
			parts++
			if word := stem(strings.ToLower(part)); len(word) > 1 && !commonWord(word) {
				q.add(word, weight)
			}
		})
		if parts > 1 {
			q.add(strings.ToLower(whole), weight*wholeWeight)
			q.Names = append(q.Names, whole)
		}
		switch stem(strings.ToLower(whole)) {
		case "test", "spec":
			q.AskTest = true
		case "readme", "changelog", "documentation", "document", "doc":
			q.AskDocs = true
		}
	})
	return q
}

func (q *Query) add(term string, weight float64) {
	if i, known := q.index[term]; known || len(q.terms) == maxTerms {
		if known {
			q.weights[i] = max(q.weights[i], weight)
		}
		return
	}
	q.index[term] = len(q.terms)
	q.terms, q.weights = append(q.terms, term), append(q.weights, weight)
	bucket := q.starts[starting(term[0], term[1])]
	if bucket == 0 {
		bucket = uint8(len(q.buckets)) // there are no more buckets than terms
		q.buckets = append(q.buckets, nil)
	}
	q.buckets[bucket] = append(q.buckets[bucket], q.index[term])
	for c := range q.thirds[bucket] {
		q.thirds[bucket][c] = q.thirds[bucket][c] || len(term) == 2 || lower(byte(c)) == term[2]
	}
	for _, a := range []byte{term[0], upper(term[0])} {
		for _, b := range []byte{term[1], upper(term[1])} {
			q.starts[starting(a, b)] = bucket
			if isUpper(a) || isDigit(a) {
				q.starts[afterLetter|starting(a, b)] = bucket
			}
		}
	}
}

// starting is where a text that begins with two bytes is in Query.starts; behind a
// letter, where only capitals and digits begin a word, afterLetter is added.
func starting(a, b byte) uint32 { return uint32(a) | uint32(b)<<8 }

const afterLetter = 1 << 16

// count adds how often the query's terms are in a text: as words of identifiers, by
// their stems, and as whole identifiers. Nearly all bytes are passed over by one look into
// a table of how terms begin.
func count[T string | []byte](q *Query, text T, counts []uint32) {
	for i := nextStart(q, text, 0); i >= 0; {
		begins := i == 0 || !wordByte(text[i-1])
		if !begins && !partEnds(text, i) {
			i = nextStart(q, text, i+1)
			continue
		}
		part := i + 1
		for part < len(text) && wordByte(text[part]) && !partEnds(text, part) {
			part++
		}
		whole := part
		for begins && whole < len(text) && wordByte(text[whole]) {
			whole++
		}
		bucket := q.buckets[q.starts[starting(text[i], text[i+1])]]
		if t := lookUp(q, bucket, text[i:part], stemLength(text[i:part])); t >= 0 {
			counts[t]++
		}
		if whole > part {
			if t := lookUp(q, bucket, text[i:whole], whole-i); t >= 0 {
				counts[t]++
			}
		}
		i = nextStart(q, text, part)
	}
}

// nextStart is where, from i on, a word may begin that is a term; -1 if nowhere.
func nextStart[T string | []byte](q *Query, text T, i int) int {
	if i+1 >= len(text) {
		return -1
	}
	before := uint32(0)
	if i > 0 {
		before = q.letters[text[i-1]]
	}
	c := text[i]
	for rest, k := text[i+1:], 0; k < len(rest); k++ {
		next := rest[k]
		if bucket := q.starts[(before|starting(c, next))&(2*afterLetter-1)]; bucket != 0 &&
			(k+1 == len(rest) || q.thirds[bucket][rest[k+1]]) {
			return i + k
		}
		before, c = q.letters[c], next
	}
	return -1
}

// lookUp finds the term that a word is by its stem, which is so long, or else as it is;
// -1 if none.
func lookUp[T string | []byte](q *Query, bucket []int, word T, stem int) int {
	found := -1
	for _, t := range bucket {
		term := q.terms[t]
		if n := len(term); n != stem && n != len(word) || !beginsFolded(word, term) {
			continue
		}
		if len(term) == stem {
			return t
		}
		found = t
	}
	return found
}

// beginsFolded reports whether a text begins with a word in small letters.
func beginsFolded[T string | []byte](text T, word string) bool {
	if len(text) < len(word) {
		return false
	}
	for i := range len(word) {
		if lower(text[i]) != word[i] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if isSmall(c) {
		return c + 'A' - 'a'
	}
	return c
}

// wordByte reports whether a byte belongs to an identifier; those of characters
// outside ASCII do.
func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c >= utf8.RuneSelf
}

// eachIdentifier calls f for every run of word bytes, with where it begins.
func eachIdentifier(text string, f func(start int, whole string)) {
	for i := 0; i < len(text); {
		if !wordByte(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && wordByte(text[i]) {
			i++
		}
		f(start, text[start:i])
	}
}

// eachPart calls f for the words of an identifier.
func eachPart(whole string, f func(string)) {
	start := 0
	for i := 1; i <= len(whole); i++ {
		if i < len(whole) && !partEnds(whole, i) {
			continue
		}
		if part := whole[start:i]; part != "_" {
			f(part)
		}
		start = i
	}
}

// partEnds reports whether a word of an identifier ends before a byte: at underscores,
// where small letters turn to capitals, before the last of several capitals, and at
// digits.
func partEnds[T string | []byte](whole T, i int) bool {
	c, before := whole[i], whole[i-1]
	switch {
	case c == '_' || before == '_':
		return true
	case isUpper(c):
		return !isUpper(before) || i+1 < len(whole) && isSmall(whole[i+1])
	}
	return isDigit(c) != isDigit(before)
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isSmall(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// stem takes English endings from a folded word.
func stem(word string) string { return word[:stemLength(word)] }

// stemLength is how much of a word stays, whatever its case: a light stemmer, which joins
// "caches", "cached" and "caching", and leaves short words alone.
func stemLength[T string | []byte](word T) int {
	n := len(word)
	has := func(ending string) bool { return n-len(ending) >= 3 && beginsFolded(word[n-len(ending):], ending) }
	switch {
	case has("ies"), has("ied"):
		return n - 2
	case has("ing"):
		n -= 3
	case has("ed"):
		n -= 2
	case has("es"):
		n -= 2
	case has("s") && lower(word[n-2]) != 's':
		n--
	case has("e"):
		n--
	}
	if n < len(word) && n > 3 {
		if c := lower(word[n-1]); c == lower(word[n-2]) && c != 'l' && c != 's' {
			n--
		}
	}
	return n
}

// commonWord reports whether a stemmed word is in requests of every kind.
func commonWord(word string) bool {
	switch word {
	case "the", "and", "for", "with", "that", "thi", "this", "from", "into", "when", "not", "are", "was", "wer", "has",
		"hav", "but", "its", "it", "in", "is",
		"of", "to", "on", "or", "an", "as", "at", "be", "by", "if", "do", "so", "we", "up", "no", "us", "can", "now", "all",
		"also", "only", "should", "would",
		"will", "which", "than", "then", "them", "they", "ther", "mak", "add", "fix", "chang", "updat", "remov", "pleas",
		"support", "allow", "new", "more", "les",
		"some", "any", "co", "author", "sign", "off", "com", "http", "github", "pr", "issu", "clos", "you", "your", "our",
		"been", "such", "wher", "while", "whil":
		return true
	}
	return false
}

// quotedIn lists the texts in quotes or backticks, three to eighty bytes long and
// on one line.
func quotedIn(request string) (all []string) {
	for i := 0; i < len(request); i++ {
		c := request[i]
		if c != '`' && c != '"' && c != '\'' {
			continue
		}
		if c == '\'' && i > 0 && wordByte(request[i-1]) {
			continue // an apostrophe
		}
		end := strings.IndexByte(request[i+1:], c)
		if end < 0 {
			continue
		}
		text := request[i+1 : i+1+end]
		if strings.TrimSpace(text) == text && len(text) >= 3 && len(text) <= 80 && !strings.Contains(text, "\n") {
			all = append(all, text)
			i += end + 1
		}
	}
	return all
}
