package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"paicode/pkg/credentials"
	"paicode/pkg/model"
	"paicode/pkg/turn"
)

// openAIURL is where OpenAI itself answers.
const openAIURL = "https://api.openai.com/v1"

// openAI asks a server that speaks OpenAI's chat completions
// (platform.openai.com/docs/api-reference/chat): OpenAI, Ollama, llama.cpp,
// vLLM and others.
type openAI struct {
	options Options
	name    string
	at      address
	key     credentials.Key
	client  *http.Client
	family  family
	lacks   unsupported
	window  *window
}

func openOpenAI(o Options, name string) (*openAI, error) {
	if name == "" {
		return nil, turn.Errorf(turn.CodeUsage, "unknown model %s", turn.Quote(o.Name)).WithHint("openai/NAME names one")
	}
	text, given := o.serverURL()
	at, err := parseAddress(text)
	if err != nil {
		return nil, err
	}
	key, err := credentials.For(at.server(given))
	_, isProvider := credentials.ForHost(at.host())
	if err != nil && (isProvider || !errors.Is(err, credentials.ErrNoKey)) {
		return nil, err
	}
	if err := o.mayCarry(key, at.plain(), at.host()); err != nil {
		return nil, err
	}
	client := plainClient(http.DefaultTransport)
	m := &openAI{options: o, name: name, at: at, key: key, client: client, family: familyOf(o.Name),
		lacks: known(o.Known, at.String(), o.Name), window: &window{model: name, at: at, client: client, key: key}}
	if strings.HasSuffix(at.host(), "api.openai.com") && m.family.pattern == "*" {
		m.family = familyOf(model.PrefixOpenAI + "gpt-next") // what OpenAI makes after these lines
	}
	return m, nil
}

// mayCarry refuses to send a key where everybody on the way can read it.
func (o Options) mayCarry(key credentials.Key, plain bool, host string) error {
	if key.Value == "" || !plain || o.PlainHTTP {
		return nil
	}
	return turn.Errorf(turn.CodeModel, "the key from %s would travel to %s over plain http", key.Source, turn.Quote(host)).
		WithHint("use https, or --allow-plain-http where nobody else can listen")
}

// keyHint is what a person can do about a refused key, or one that is missing.
func (o *openAI) keyHint() string {
	p, known := credentials.ForHost(o.at.host())
	if !known {
		p.Name = o.at.host()
	}
	switch {
	case o.key.Value != "":
		return anotherKey(o.key, p.Name)
	case known:
		return "pai config set --provider " + p.Name + " stores one"
	}
	return "no key was sent: PAI_API_KEY goes to --base-url, and other keys only to their own hosts"
}

// plainClient follows no redirect: it would carry the key to another host.
func plainClient(t http.RoundTripper) *http.Client {
	return &http.Client{Transport: t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type chatRequest struct {
	Model         string          `json:"model"`
	Messages      []chatMessage   `json:"messages"`
	Stream        bool            `json:"stream"`
	StreamOptions json.RawMessage `json:"stream_options,omitempty"`
	Temperature   *float64        `json:"temperature,omitempty"`
	Effort        string          `json:"reasoning_effort,omitempty"`
	Format        json.RawMessage `json:"response_format,omitempty"`
	MaxNew        int             `json:"max_completion_tokens,omitempty"`
	MaxOld        int             `json:"max_tokens,omitempty"`
}

// body builds a request without what the server lacks; sent are the members in
// it that a server may refuse. Thinking counts as output, so that none is limited
// with it.
func (o *openAI) body(r model.Request) (data []byte, sent []string, err error) {
	q := chatRequest{Model: o.name, Stream: true}
	send := func(member string, wanted bool) bool {
		wanted = wanted && !o.lacks[member]
		if wanted {
			sent = append(sent, member)
		}
		return wanted
	}
	if temperature := o.options.temperature(o.family); send(memberTemperature, temperature != nil) {
		q.Temperature = temperature
	}
	if level := o.level(r.Stage); send(memberEffort, level != "") {
		q.Effort = effort(level)
	}
	if send(memberStream, true) {
		q.StreamOptions = json.RawMessage(`{"include_usage":true}`)
	}
	limited := r.MaxOutputTokens > 0 && q.Effort == "" && len(o.family.levels) == 0
	if send(memberMaxNew, limited) {
		q.MaxNew = r.MaxOutputTokens
	} else if send(memberMaxOld, limited) {
		q.MaxOld = r.MaxOutputTokens
	}
	prompt := r.Prompt
	if r.Schema != nil {
		var member string
		var asked string
		if q.Format, asked, member, err = o.lacks.format(r.Schema); err != nil {
			return nil, nil, err
		}
		prompt += asked
		if member != "" {
			sent = append(sent, memberFormat)
		}
		if member == memberSchema {
			sent = append(sent, memberSchema)
		}
	}
	if r.System != "" {
		q.Messages = append(q.Messages, chatMessage{"system", r.System})
	}
	q.Messages = append(q.Messages, chatMessage{"user", prompt})
	data, err = json.Marshal(q)
	return data, sent, err
}

// level is how much the model is to think; a person's word goes to models too of
// which it isn't known whether they can.
func (o *openAI) level(stage string) string {
	if len(o.family.levels) == 0 && o.options.Thinking != model.ThinkingAuto {
		return o.options.Thinking
	}
	return o.family.level(o.options.Thinking, stage)
}

func (o *openAI) secret() string { return o.key.Value }

// ask asks without what the server lacks, and again where it is found to lack
// more. What didn't help is not remembered.
func (o *openAI) ask(t *attempt, r model.Request) *failure {
	defer func() { o.note(t.usage) }()
	if f := o.window.tooSmall(t.ctx, r); f != nil {
		return f
	}
	before := maps.Clone(o.lacks)
	for {
		data, sent, err := o.body(r)
		if err != nil {
			return &failure{err: turn.AsError(err)}
		}
		f := o.once(t, data)
		if f == nil {
			return o.window.cut(t.ctx, r, t.usage.Input+t.usage.Cached)
		}
		if !f.refusesMember() {
			return f
		}
		if t.text.Len() > 0 {
			return f
		}
		found := o.lacks.detect(refused{withoutEcho(f.says, r), f.named, f.listed, sent, o.options.setByPerson()})
		if len(found) == 0 {
			o.lacks = before
			return f
		}
		for _, member := range found {
			if slices.Contains(o.options.setByPerson(), member) {
				o.options.Notice(fmt.Sprintf("the server takes no %s; it is left out", member))
			}
		}
	}
}

// note writes into the usage what is known of the server.
func (o *openAI) note(u *turn.Usage) {
	if u.Lacks = o.lacks.names(); u.Lacks != nil {
		u.Server = o.at.String()
	}
}

// once asks once.
func (o *openAI) once(t *attempt, data []byte) *failure {
	resp, f := o.send(t.ctx, http.MethodPost, "/chat/completions", data)
	if f != nil {
		return f
	}
	defer resp.Body.Close()
	return o.read(t, resp)
}

// refusesMember reports whether a failure may be of a member of the question,
// and not of the question itself.
func (f *failure) refusesMember() bool {
	switch f.cause {
	case strconv.Itoa(http.StatusBadRequest), strconv.Itoa(http.StatusUnprocessableEntity),
		strconv.Itoa(http.StatusNotImplemented), causeInAnswer:
		return true
	case strconv.Itoa(http.StatusNotFound), strconv.Itoa(http.StatusInternalServerError):
		said := refused{said: strings.ToLower(f.says)}
		return said.names(memberSchema) || strings.Contains(said.said, "requested parameters")
	}
	return false
}

// setByPerson are the members that the person asked for.
func (o Options) setByPerson() (members []string) {
	if o.Temperature != nil {
		members = append(members, memberTemperature)
	}
	if o.Thinking != model.ThinkingAuto {
		members = append(members, memberEffort)
	}
	return members
}

// send sends a request and returns the answer if its status is 200.
func (o *openAI) send(ctx context.Context, method, path string, data []byte) (*http.Response, *failure) {
	req, err := http.NewRequestWithContext(ctx, method, o.at.endpoint(path), bytes.NewReader(data))
	if err != nil {
		return nil, &failure{err: turn.AsError(err)}
	}
	if data != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	o.at.authorize(req, o.key)
	resp, err := o.client.Do(req)
	if err != nil {
		return nil, unreachable(err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, o.refused(resp)
	}
	return resp, nil
}

// authorize puts the key into a request, as the server wants it: Azure has a
// header of its own.
func (a address) authorize(req *http.Request, key credentials.Key) {
	p, _ := credentials.ForHost(a.host())
	switch {
	case key.Value == "":
	case p.Name == "azure" || req.URL.Query().Has("api-version"):
		req.Header.Set("api-key", key.Value)
	default:
		req.Header.Set("Authorization", "Bearer "+key.Value)
	}
}

// list asks for the server's models.
func (o *openAI) list(ctx context.Context) (all []Listed, f *failure) {
	resp, f := o.send(ctx, http.MethodGet, "/models", nil)
	if f != nil {
		return nil, f
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes))
	models := gjson.GetBytes(data, "data")
	if err != nil || !gjson.ValidBytes(data) || !models.IsArray() {
		return nil, &failure{err: turn.Errorf(turn.CodeModel, "the provider's list of models can't be read")}
	}
	models.ForEach(func(_, m gjson.Result) bool {
		all = append(all, Listed{Name: model.PrefixOpenAI + m.Get("id").String(), Window: windowOf(m)})
		return true
	})
	return all, nil
}

// unreachable says what broke a connection.
func unreachable(err error) *failure {
	switch cause := causeOf(err); {
	case isContext(err):
		return &failure{err: turn.Errorf(turn.CodeModel, "the question was cancelled")}
	case cause != "":
		return &failure{err: turn.Errorf(turn.CodeModel, "the provider can't be reached: %s", cause).
			WithHint("is the network up, and the server running?"), again: true, cause: cause}
	}
	return &failure{err: turn.Errorf(turn.CodeModel, "the provider's answer can't be read")}
}

// retryAfter reads the header in both its forms; 0 if it isn't there.
func retryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	const longest = 365 * 24 * 60 * 60
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return time.Duration(min(seconds, longest)) * time.Second
	}
	if when, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(when))
	}
	return 0
}
