package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"paicode/pkg/credentials"
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
	base    string
	key     string
	client  *http.Client
	lacks   map[string]bool // what the server doesn't know, by the member's name
}

func openOpenAI(o Options, name string) (*openAI, error) {
	if name == "" {
		return nil, turn.Errorf(turn.CodeUsage, "unknown model %s", turn.Quote(o.Name)).WithHint("openai/NAME names one")
	}
	base := strings.TrimRight(o.BaseURL, "/")
	if base == "" {
		base = openAIURL
	}
	u, err := url.Parse(base)
	if err == nil && u.User != nil {
		return nil, turn.Errorf(turn.CodeUsage, "the base URL holds a name or a password").WithHint("OPENAI_API_KEY is the place for a key")
	}
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" {
		return nil, turn.Errorf(turn.CodeUsage, "the base URL %s is not the address of a server", turn.Quote(base)).
			WithHint("such as http://localhost:11434/v1")
	}
	key, err := credentials.OpenAI()
	if err != nil && (o.BaseURL == "" || !errors.Is(err, credentials.ErrNoKey)) {
		return nil, err
	}
	return &openAI{o, name, base, key.Value, plainClient(http.DefaultTransport), make(map[string]bool)}, nil
}

// plainClient follows no redirect: it would carry the key to another host.
func plainClient(t http.RoundTripper) *http.Client {
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// The members of a request that some servers don't know.
const (
	memberTemperature = "temperature"
	memberFormat      = "response_format"
	memberStream      = "stream_options"
)

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
	Format        json.RawMessage `json:"response_format,omitempty"`
	MaxTokens     int             `json:"max_completion_tokens,omitempty"`
}

// body builds a request without what the server lacks. A schema that it doesn't
// know goes into the words.
func (o *openAI) body(r Request) ([]byte, error) {
	q := chatRequest{Model: o.name, Stream: true, MaxTokens: r.MaxOutputTokens}
	prompt := r.Prompt
	if !o.lacks[memberTemperature] {
		q.Temperature = &o.options.Temperature
	}
	if !o.lacks[memberStream] {
		q.StreamOptions = json.RawMessage(`{"include_usage":true}`)
	}
	switch {
	case r.Schema != nil && o.lacks[memberFormat]:
		prompt += schemaWords(r.Schema)
	case r.Schema != nil:
		format, err := json.Marshal(map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "answer", "schema": r.Schema}})
		if err != nil {
			return nil, err
		}
		q.Format = format
	}
	if r.System != "" {
		q.Messages = append(q.Messages, chatMessage{"system", r.System})
	}
	q.Messages = append(q.Messages, chatMessage{"user", prompt})
	return json.Marshal(q)
}

func (o *openAI) secret() string { return o.key }

func (o *openAI) ask(t *try, r Request) *failure {
	for {
		data, err := o.body(r)
		if err != nil {
			return &failure{err: turn.AsError(err)}
		}
		resp, f := o.send(t.ctx, http.MethodPost, "/chat/completions", data)
		if f == nil {
			f = o.read(t, resp)
			resp.Body.Close()
			return f
		}
		if !o.learn(f) {
			return f
		}
	}
}

// learn finds out which member of a request the server doesn't know; false if
// that isn't what is wrong.
func (o *openAI) learn(f *failure) bool {
	if f.cause != strconv.Itoa(http.StatusBadRequest) && f.cause != strconv.Itoa(http.StatusUnprocessableEntity) {
		return false
	}
	for _, member := range []string{memberFormat, memberTemperature, memberStream} {
		if !o.lacks[member] && strings.Contains(f.body, member) {
			o.lacks[member] = true
			return true
		}
	}
	return false
}

// send sends a request and returns the answer if its status is 200.
func (o *openAI) send(ctx context.Context, method, path string, data []byte) (*http.Response, *failure) {
	req, err := http.NewRequestWithContext(ctx, method, o.base+path, bytes.NewReader(data))
	if err != nil {
		return nil, &failure{err: turn.AsError(err)}
	}
	if data != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if o.key != "" {
		req.Header.Set("Authorization", "Bearer "+o.key)
	}
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

func (o *openAI) validate(ctx context.Context) *failure {
	resp, f := o.send(ctx, http.MethodGet, "/models", nil)
	if f != nil {
		return f
	}
	defer resp.Body.Close()
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswerBytes)).Decode(&list); err != nil {
		return &failure{err: turn.Errorf(turn.CodeModel, "the provider's list of models can't be read")}
	}
	for _, m := range list.Data {
		if m.ID == o.name {
			return nil
		}
	}
	return &failure{err: turn.Errorf(turn.CodeModel, "the provider doesn't know the model %q", o.name).
		WithHint("it offers %d others", len(list.Data))}
}

// unreachable says what broke a connection.
func unreachable(err error) *failure {
	switch cause := causeOf(err); {
	case isContext(err):
		return &failure{err: turn.Errorf(turn.CodeModel, "the question was called off")}
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
