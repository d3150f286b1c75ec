package classify

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Partial is the reply to a chat in an answer that is still coming, as far as it came: empty
// where it isn't known yet that there will be one. Run alone decides what the answer says.
func Partial(answer string) string {
	kind := regexp.MustCompile(`^[^"]*\{\s*"kind"\s*:\s*"chat"`).FindString(answer)
	if kind == "" {
		return ""
	}
	at := regexp.MustCompile(`^\s*,\s*(?:"acknowledgment"\s*:\s*(?:null|"")\s*,\s*)?"reply"\s*:\s*"`).FindString(answer[len(kind):])
	if at == "" {
		return ""
	}
	return strings.TrimLeft(decoded(answer[len(kind)+len(at):]), " \n\t")
}

// decoded is a JSON string behind its first quote, up to its end or to where it broke off.
func decoded(text string) string {
	end := 0
	for end < len(text) && text[end] != '"' {
		length := 1
		if text[end] == '\\' {
			length = escape(text[end:])
		}
		if length == 0 || end+length > len(text) {
			break
		}
		end += length
	}
	var out string
	if json.Unmarshal([]byte(`"`+text[:end]+`"`), &out) != nil {
		return ""
	}
	return strings.TrimRight(out, "\ufffd") // the rest of a character comes
}

// escape is the length of the escape that a text begins with; 0 if it isn't whole. A pair of
// surrogates is one.
func escape(text string) int {
	const unit = len(`\u0000`)
	switch {
	case len(text) < 2:
		return 0
	case text[1] != 'u':
		return 2
	case len(text) < unit:
		return 0
	case strings.ContainsRune("dD", rune(text[2])) && strings.ContainsRune("89abAB", rune(text[3])):
		return 2 * unit
	}
	return unit
}
