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

// decoded is a JSON string behind its first quote, up to its end, to where it broke off, or to
// the first thing that no JSON string holds.
func decoded(text string) string {
	whole := regexp.MustCompile(`^(?:` +
		`[^"\\\x00-\x1f]` +
		`|\\["\\/bfnrt]` +
		`|\\u[dD][89abAB][[:xdigit:]]{2}\\u[dD][c-fC-F][[:xdigit:]]{2}` +
		`|\\u(?:[0-9a-ce-fA-CE-F][[:xdigit:]]|[dD][0-7])[[:xdigit:]]{2}` +
		`)*`).FindString(text)
	var out string
	if json.Unmarshal([]byte(`"`+whole+`"`), &out) != nil {
		return ""
	}
	return strings.TrimRight(out, "\ufffd") // the rest of a character comes
}
