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
	starts  [256]bool // the first bytes of terms, folded
	Quoted  []string  // texts in quotes or backticks that may stand in a file to the letter
	Names   []string  // identifiers of several parts
	AskTest bool      // it speaks of tests
	AskDocs bool      // it speaks of documentation
}

// NewQuery takes a request apart.
func NewQuery(request string) *Query {
	q := &Query{index: make(map[string]int)}
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
	q.starts[term[0]] = true
}

// count adds how often the query's terms stand in a text.
func (q *Query) count(text string, counts []uint32) {
	var folded [64]byte
	lookUp := func(word string) {
		if len(word) < 2 || len(word) > len(folded) || !q.starts[lower(word[0])] {
			return
		}
		for i := range len(word) {
			folded[i] = lower(word[i])
		}
		if i, ok := q.index[string(folded[:stemLength(folded[:len(word)])])]; ok {
			counts[i]++
		} else if i, ok := q.index[string(folded[:len(word)])]; ok {
			counts[i]++
		}
	}
	eachIdentifier(text, func(whole string) {
		parts := 0
		eachPart(whole, func(part string) {
			parts++
			lookUp(part)
		})
		if parts > 1 && len(whole) <= len(folded) && q.starts[lower(whole[0])] {
			for i := range len(whole) {
				folded[i] = lower(whole[i])
			}
			if i, ok := q.index[string(folded[:len(whole)])]; ok {
				counts[i]++
			}
		}
	})
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

// eachPart calls f for the words of an identifier: split at underscores, where small
// letters turn to capitals, before the last of several capitals, and at digits.
func eachPart(whole string, f func(string)) {
	start := 0
	cut := func(end int) {
		if end > start {
			f(whole[start:end])
		}
		start = end
	}
	for i := 0; i < len(whole); i++ {
		c := whole[i]
		switch {
		case c == '_':
			cut(i)
			start = i + 1
		case i > start && isUpper(c) && (!isUpper(whole[i-1]) || i+1 < len(whole) && isSmall(whole[i+1])):
			cut(i)
		case i > start && isDigit(c) != isDigit(whole[i-1]):
			cut(i)
		}
	}
	cut(len(whole))
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
