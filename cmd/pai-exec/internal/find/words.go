package find

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTerms is how many words of a request are counted.
const maxTerms = 128

// Query is what a request looks for.
type Query struct {
	terms   []string // folded and stemmed words, and whole identifiers, in order
	index   map[string]int
	classes [256]uint8    // of bytes: 0 is outside of words
	starts  [1 << 16]bool // the first two bytes of terms, in small letters
	Quoted  []string      // texts in quotes or backticks that may stand in a file to the letter
	Names   []string      // identifiers of several parts
	AskTest bool          // it speaks of tests
	AskDocs bool          // it speaks of documentation
}

// NewQuery takes a request apart.
func NewQuery(request string) *Query {
	q := &Query{index: make(map[string]int)}
	for c := range q.classes {
		if wordByte(byte(c)) {
			q.classes[c] = wordInside
		}
	}
	q.Quoted = append(q.Quoted, quotedIn(request)...)
	eachIdentifier(request, func(whole string) {
		parts := 0
		eachPart(whole, func(part string) {
			parts++
			if word := stem(strings.ToLower(part)); len(word) > 1 && !commonWord(word) {
				q.add(word)
			}
		})
		if parts > 1 {
			q.add(strings.ToLower(whole))
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

func (q *Query) add(term string) {
	if _, known := q.index[term]; known || len(q.terms) == maxTerms {
		return
	}
	q.index[term] = len(q.terms)
	q.terms = append(q.terms, term)
	q.starts[pair(term[0], term[1])] = true
	q.classes[term[0]] = wordStart
	if isSmall(term[0]) {
		q.classes[term[0]-'a'+'A'] = wordStart
	}
}

// count adds how often the query's terms stand in a text.
func (q *Query) count(text string, counts []uint32) {
	class := &q.classes
	for i := 0; i < len(text); {
		if class[text[i]] == 0 {
			i++
			continue
		}
		start, may := i, false // may an identifier hold a term? only if one begins like a part of it
		for i < len(text) && class[text[i]] != 0 {
			may = may || class[text[i]] == wordStart && i+1 < len(text) && q.starts[pair(text[i], text[i+1])]
			i++
		}
		if may && i-start > 1 {
			q.countIdentifier(text[start:i], counts)
		}
	}
}

// The classes of bytes.
const (
	wordInside = 1 // no term begins so
	wordStart  = 2
)

// countIdentifier counts the parts of an identifier, and all of it if it has several.
func (q *Query) countIdentifier(whole string, counts []uint32) {
	start, parts := 0, 0
	for i := 1; i <= len(whole); i++ {
		if i < len(whole) && !partEnds(whole, i) {
			continue
		}
		if part := whole[start:i]; part != "_" {
			parts++
			q.lookUp(part, counts)
		}
		start = i
	}
	if parts < 2 || len(whole) > maxWordBytes || !q.starts[pair(whole[0], whole[1])] {
		return
	}
	var folded [maxWordBytes]byte
	if t, ok := q.index[string(fold(folded[:0], whole))]; ok {
		counts[t]++
	}
}

// maxWordBytes is how long a word may be to be counted.
const maxWordBytes = 64

// lookUp counts one word, by its stem or as it is.
func (q *Query) lookUp(word string, counts []uint32) {
	if len(word) < 2 || len(word) > maxWordBytes || !q.starts[pair(word[0], word[1])] {
		return
	}
	var buffer [maxWordBytes]byte
	folded := fold(buffer[:0], word)
	if t, ok := q.index[string(folded[:stemLength(folded)])]; ok {
		counts[t]++
	} else if t, ok := q.index[string(folded)]; ok {
		counts[t]++
	}
}

// pair folds the first two bytes of a word into an index. Stems keep three bytes or
// more, so a word and its stem have the same.
func pair(a, b byte) int { return int(lower(a))<<8 | int(lower(b)) }

func fold(into []byte, word string) []byte {
	for i := range len(word) {
		into = append(into, lower(word[i]))
	}
	return into
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// wordByte reports whether a byte belongs to an identifier; those of characters
// outside ASCII do.
func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c >= utf8.RuneSelf
}

// eachIdentifier calls f for every run of word bytes.
func eachIdentifier(text string, f func(string)) {
	for i := 0; i < len(text); {
		if !wordByte(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && wordByte(text[i]) {
			i++
		}
		f(text[start:i])
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
func partEnds(whole string, i int) bool {
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
func stem(word string) string { return word[:stemLength([]byte(word))] }

// stemLength is how much of a folded word stays: a light stemmer, which joins
// "caches", "cached" and "caching", and leaves short words alone.
func stemLength(word []byte) int {
	n := len(word)
	has := func(ending string) bool { return n-len(ending) >= 3 && string(word[n-len(ending):n]) == ending }
	switch {
	case has("ies"), has("ied"):
		return n - 2
	case has("ing"):
		n -= 3
	case has("ed"):
		n -= 2
	case has("es"):
		n -= 2
	case has("s") && word[n-2] != 's':
		n--
	case has("e"):
		n--
	}
	if n < len(word) && n > 3 && word[n-1] == word[n-2] && word[n-1] != 'l' && word[n-1] != 's' {
		n--
	}
	return n
}

// commonWord reports whether a stemmed word stands in requests of every kind.
func commonWord(word string) bool {
	switch word {
	case "the", "and", "for", "with", "that", "thi", "this", "from", "into", "when", "not", "are", "was", "wer", "has", "hav", "but", "its", "it", "in", "is",
		"of", "to", "on", "or", "an", "as", "at", "be", "by", "if", "do", "so", "we", "up", "no", "us", "can", "now", "all", "also", "only", "should", "would",
		"will", "which", "than", "then", "them", "they", "ther", "mak", "add", "fix", "chang", "updat", "remov", "pleas", "support", "allow", "new", "more", "les",
		"some", "any", "co", "author", "sign", "off", "com", "http", "github", "pr", "issu", "clos", "you", "your", "our", "been", "such", "wher", "while", "whil":
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

// capitalised reports whether a word begins with a capital letter, as names of types
// do.
func capitalised(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}
