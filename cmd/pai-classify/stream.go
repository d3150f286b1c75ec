package main

import (
	"encoding/json"
	"regexp"
	"strings"

	"paicode/pkg/event"
	"paicode/pkg/filter"
	"paicode/pkg/model"
)

// longestStreamed is how much of an answer is told as it comes, in bytes: each piece has all
// before it read again.
const longestStreamed = 64 << 10

// hear tells of the answer as it comes: of each piece, and of the words of a chat's reply in it.
func hear(call *filter.Call) model.Hear {
	answer, told := "", ""
	denied := false
	if w := call.Doc.Workspace(); w != nil {
		denied = len(w.Denied) > 0 // then it is no chat, whatever the model says
	}
	return model.Hear{
		Delta: func(delta string) {
			call.Progress.Event(event.Event{Event: event.Delta, Text: delta})
			if answer += delta; denied || len(answer) > longestStreamed {
				return
			}
			if rest, ok := strings.CutPrefix(partial(answer), told); ok && rest != "" {
				told += rest
				call.Progress.Event(event.Event{Event: event.Reply, Text: rest})
			}
		},
		Notice: func(why string) {
			answer = ""
			call.Progress.Retry(why)
		},
	}
}

var (
	chatBegins  = regexp.MustCompile(`^[^"]*\{\s*"kind"\s*:\s*"chat"`)
	replyBegins = regexp.MustCompile(`^\s*,\s*(?:"acknowledgment"\s*:\s*(?:null|"")\s*,\s*)?"reply"\s*:\s*"`)
	wholeString = regexp.MustCompile(`^(?:` +
		`[^"\\\x00-\x1f]` +
		`|\\["\\/bfnrt]` +
		`|\\u[dD][89abAB][[:xdigit:]]{2}\\u[dD][c-fC-F][[:xdigit:]]{2}` +
		`|\\u(?:[0-9a-ce-fA-CE-F][[:xdigit:]]|[dD][0-7])[[:xdigit:]]{2}` +
		`)*`)
)

// partial is the reply to a chat in an answer that is still coming, as far as it came: empty
// where it isn't known yet that there will be one. Only read decides what the answer says.
func partial(answer string) string {
	kind := chatBegins.FindString(answer)
	if kind == "" {
		return ""
	}
	at := replyBegins.FindString(answer[len(kind):])
	if at == "" {
		return ""
	}
	return strings.TrimLeft(decoded(answer[len(kind)+len(at):]), " \n\t")
}

// decoded is a JSON string behind its first quote, up to its end, to where it broke off, or to
// the first thing that no JSON string holds.
func decoded(text string) string {
	var out string
	if json.Unmarshal([]byte(`"`+wholeString.FindString(text)+`"`), &out) != nil {
		return ""
	}
	return strings.TrimRight(out, "\ufffd") // the rest of a character comes
}
