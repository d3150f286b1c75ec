package provider

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"paicode/pkg/lazyregexp"
	"paicode/pkg/model"
	"paicode/pkg/turn"
)

// chatError is an error of a server that speaks OpenAI's protocol, in whatever
// form it came.
type chatError struct {
	message string // in the server's words
	status  int    // that the error itself names; 0: none
	kind    string // its type and its code
	// all that may be learnt from: the message, what it is of, and the words of the server behind the
	// server
	says    string
	named   string           // the members of the question that it points at
	listed  bool             // they are all that it refuses
	details []map[string]any // Google's
	flagged bool             // the prompt was moderated
	wait    time.Duration
}

// readChatError reads an error: an object or an array of one, with the message
// in "error", in "message" or in "detail", as text or as an object once more.
// An echo of the question in it is not looked at. What is no JSON is taken as
// the message, if it isn't a page.
func readChatError(data []byte) (e chatError) {
	text := strings.TrimSpace(string(data))
	if !gjson.Valid(text) {
		if !strings.HasPrefix(text, "<") {
			e.message, e.says = text, text
		}
		return e
	}
	root := gjson.Parse(text)
	if root.IsArray() {
		root = root.Get("0")
	}
	at := root.Get("error")
	if !at.IsObject() && at.Type != gjson.String {
		at = root
	}
	e.fill(at)
	e.locations(root.Get("detail"))
	if e.message == "" {
		e.message = words(root.Get("detail"))
	}
	if at.Type == gjson.String {
		e.message = at.String()
	}
	e.says += " " + e.message
	return e
}

// fill takes what is in the object of an error.
func (e *chatError) fill(at gjson.Result) {
	if !at.IsObject() {
		return
	}
	message := at.Get("message")
	e.message = words(message)
	e.locations(message.Get("detail"))
	e.kind = at.Get("type").String() + " " + at.Get("code").String()
	if code := at.Get("code"); code.Type == gjson.Number || len(code.String()) == 3 {
		e.status = int(code.Int()) // 0 for a word
	}
	raw := at.Get("metadata.raw")
	e.named += " " + at.Get("param").String()
	e.says += " " + at.Get("param").String() + " " + at.Get("code").String() + " " + words(gjsonOf(raw))
	if raw.Exists() && strings.EqualFold(e.message, "Provider returned error") {
		if behind := words(gjsonOf(raw)); behind != "" {
			e.message += ": " + behind
		}
	}
	e.flagged = at.Get("metadata.reasons").Exists() || at.Get("code").String() == "content_filter" ||
		at.Get("innererror.content_filter_result").Exists()
	_ = json.Unmarshal([]byte(at.Get("details").Raw), &e.details) // what is in another form is not Google's
	at.Get("details").ForEach(func(_, detail gjson.Result) bool {
		if d, err := time.ParseDuration(detail.Get("retryDelay").String()); err == nil && d > 0 {
			e.wait = d
		}
		return true
	})
}

// gjsonOf reads what a text holds, if it is JSON itself.
func gjsonOf(r gjson.Result) gjson.Result {
	if r.Type == gjson.String && gjson.Valid(r.String()) {
		return gjson.Parse(r.String())
	}
	return r
}

// locations adds the names of the members that a validator speaks of.
func (e *chatError) locations(detail gjson.Result) {
	if !detail.IsArray() {
		return
	}
	detail.ForEach(func(_, d gjson.Result) bool {
		var names []string
		d.Get("loc").ForEach(func(_, name gjson.Result) bool {
			names = append(names, name.String())
			return true
		})
		e.named, e.listed = e.named+" "+strings.Join(names, "."), true
		e.says += " " + strings.Join(names, ".") + " " + d.Get("msg").String()
		return true
	})
}

// words are those that a message says, in whatever it is wrapped.
func words(r gjson.Result) string {
	switch {
	case r.Type == gjson.String:
		return r.String()
	case r.IsObject():
		for _, member := range []string{"message", "error", "detail", "msg"} {
			if said := words(r.Get(member)); said != "" {
				return said
			}
		}
	case r.IsArray():
		first := r.Get("0")
		said := words(first)
		if loc := first.Get("loc|@reverse|0"); loc.Exists() && said != "" {
			said = loc.String() + ": " + said
		}
		return said
	}
	return ""
}

// withoutEcho leaves out of a refusal what repeats the question, escaped or not:
// every stretch of echoBytes and more that is in it.
func withoutEcho(said string, r model.Request) string {
	const echoBytes, most = 24, 4096
	plain := strings.NewReplacer(`\n`, "", "\n", "", `\`, "", `"`, "", "'", "")
	said, asked := plain.Replace(said), plain.Replace(r.System+r.Prompt)
	said = said[:min(len(said), most)]
	var b strings.Builder
	for i := 0; i < len(said); {
		end := i + echoBytes
		if end > len(said) || !strings.Contains(asked, said[i:end]) {
			b.WriteByte(said[i])
			i++
			continue
		}
		for end < len(said) && strings.Contains(asked, said[i:end+1]) {
			end++
		}
		i = end
	}
	return b.String()
}

// failed says what an error means that came with a status, or in a stream.
func (o *openAI) failed(status int, e chatError) *failure {
	if e.status >= 400 && e.status < 600 {
		status = e.status
	}
	f := o.judgeError(status, e)
	if e.wait > 0 {
		f.wait = e.wait
	}
	f.says, f.named, f.listed = e.says, strings.TrimSpace(e.named), e.listed
	return f
}

// judgeError says what an error means: by its words where they say more than the
// status, else by the status.
func (o *openAI) judgeError(status int, e chatError) *failure {
	said, lower := firstLine(e.message), strings.ToLower(e.message+" "+e.kind)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(lower, word) })
	}
	if f := o.judgeQuestion(status, e, said, has); f != nil {
		return f
	}
	limited, forbidden := status == http.StatusTooManyRequests, status == http.StatusForbidden
	switch {
	case status >= 300 && status < 400:
		return redirected(status, e.message)
	case has("insufficient_quota", "credit balance"):
		status = http.StatusPaymentRequired
	case limited && noneAllowed(e.message, e.details):
		return notInPlan(o.name, said)
	case limited && spentForToday(e.message, e.details):
		return spentToday(said)
	case forbidden && has("country", "region"):
		return &failure{err: turn.Errorf(turn.CodeModel, "the provider refused the question (%d): %s", status, said)}
	case has("decommissioned", "not a valid model"):
		status = http.StatusNotFound
	case status == http.StatusServiceUnavailable && has("loading"):
		return &failure{err: turn.Errorf(turn.CodeModel, "the server is still loading the model: %s", said), again: true,
			loading: true, cause: "loading the model", wait: loadingWait}
	case status == http.StatusNotFound && !has("model", strings.ToLower(o.name)), status == http.StatusOK &&
		has("unexpected endpoint"):
		return o.nobodyThere()
	case status == http.StatusOK:
		return &failure{cause: causeInAnswer, err: turn.Errorf(turn.CodeModel, "the provider failed: %s", said)}
	}
	return refusal(status, said, advice{o.name, o.keyHint(), model.PrefixOpenAI})
}

// judgeQuestion recognises the errors that are of the question itself; nil if it
// is none of them.
func (o *openAI) judgeQuestion(status int, e chatError, said string, has func(...string) bool) *failure {
	switch {
	case speaksOfLength(e.message + " " + e.kind):
		return &failure{err: turn.Errorf(turn.CodeModel, "the question is longer than the model's window: %s", said).
			WithHint("%s", longHint)}
	case has("request too large") || status == http.StatusRequestEntityTooLarge:
		f := &failure{err: turn.Errorf(turn.CodeModel, "the question is too large for the provider: %s", said).
			WithHint("%s", longHint)}
		if status == http.StatusTooManyRequests || has("per minute", "rate_limit") {
			f.err.Code = turn.CodeQuota
		}
		return f
	case e.flagged || status == http.StatusForbidden && has("moderation", "flagged"):
		return &failure{err: turn.Errorf(turn.CodeModel, "the provider blocked the prompt: %s", said).
			WithHint("%s", blockHint)}
	case has("no endpoints found", "no allowed providers"):
		return &failure{cause: "404", err: turn.Errorf(turn.CodeModel, "no provider offers the model %q like this: %s", o.name, said)}
	}
	return nil
}

// causeInAnswer is the cause of an error that came in the place of an answer.
const causeInAnswer = "error"

// nobodyThere is the failure of an address that knows no chat completions.
func (o *openAI) nobodyThere() *failure {
	f := &failure{err: turn.Errorf(turn.CodeModel, "nothing answers at %s (404)", turn.Quote(o.at.String()))}
	if other := o.at.other(); other != "" {
		f.err.WithHint("try --base-url %s", other)
	}
	return f
}

// redirected is the failure of a server that points elsewhere: a key follows to
// no other host.
func redirected(status int, to string) *failure {
	f := &failure{err: turn.Errorf(turn.CodeModel, "the server redirects (%d), and no key follows a redirect", status)}
	if to != "" {
		f.err.WithHint("if %s is the right address, name it", turn.Quote(to))
	}
	return f
}

// What a person can do about a question that is too long, or blocked.
const (
	longHint  = "a shorter request, fewer or smaller files, or a model with a larger window"
	blockHint = "reword the request, or leave out the file that it objects to"
)

// loadingWait is how long to wait for a server that loads its model.
const loadingWait = 2 * time.Second

var replacementForm = lazyregexp.New(`(?i)\buse (?:the )?[` + "`'\"" + `]?models/([a-z0-9][a-z0-9._-]*[a-z0-9])`)

// replacement finds the model that a provider names in the place of a retired
// one.
func replacement(said string) string {
	m := replacementForm().
		FindStringSubmatch(said)
	if m == nil {
		return ""
	}
	return m[1]
}
