package model

import (
	"bufio"
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
	if u, err := url.Parse(base); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
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
		prompt += "\nAnswer with one JSON object, and nothing else, by this JSON Schema:\n" + string(r.Schema) + "\n"
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
		if !o.lacks[member] && strings.Contains(f.err.Message, member) {
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

// refused says what a status means.
func (o *openAI) refused(resp *http.Response) *failure {
	var body struct {
		Error struct {
			Message string `json:"message"`
			Code    any    `json:"code"`
			Type    string `json:"type"`
		} `json:"error"`
	}
	data, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	_ = json.Unmarshal(data, &body) // some answer with a page
	said := body.Error.Message
	if o.key != "" {
		said = strings.ReplaceAll(said, o.key, "(the key)")
	}
	said = firstLine(said)
	status := resp.StatusCode
	f := &failure{cause: strconv.Itoa(status), wait: retryAfter(resp.Header)}
	switch {
	case body.Error.Code == "insufficient_quota":
		f.err = turn.Errorf(turn.CodeQuota, "the provider's quota is spent: %s", said)
	case status == http.StatusTooManyRequests:
		f.again = true
		f.err = turn.Errorf(turn.CodeQuota, "the provider's rate limit is reached: %s", said)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.err = turn.Errorf(turn.CodeModel, "the provider refused the key: %s", said).
			WithHint("set OPENAI_API_KEY, or pai config set --provider openai stores one")
	case status == http.StatusNotFound:
		f.err = turn.Errorf(turn.CodeModel, "the provider doesn't know the model %q", o.name).
			WithHint("--model openai/NAME names another; --base-url says where to ask")
	case passes(status):
		f.again = true
		f.err = turn.Errorf(turn.CodeModel, "the provider failed (%d): %s", status, said)
	default:
		f.err = turn.Errorf(turn.CodeModel, "the provider refused the question (%d): %s", status, said)
	}
	return f
}

// chatChunk is one event of a stream, or a whole answer of a server that
// doesn't stream.
type chatChunk struct {
	Choices []struct {
		Delta   struct{ Content string } `json:"delta"`
		Message struct{ Content string } `json:"message"`
		Finish  string                   `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Input  int `json:"prompt_tokens"`
		Output int `json:"completion_tokens"`
		In     struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		Out struct {
			Thinking int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	} `json:"usage"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// read reads an answer: server-sent events, or one object.
func (o *openAI) read(t *try, resp *http.Response) *failure {
	finish := ""
	take := func(data []byte) *failure {
		var c chatChunk
		if err := json.Unmarshal(data, &c); err != nil {
			return &failure{err: turn.Errorf(turn.CodeModel, "the provider's answer can't be read")}
		}
		if c.Error != nil {
			return &failure{err: turn.Errorf(turn.CodeModel, "the provider failed: %s", firstLine(c.Error.Message)), again: true, cause: "error in the answer"}
		}
		if u := c.Usage; u != nil {
			t.usage.Input, t.usage.Cached = t.usage.Input+u.Input, t.usage.Cached+u.In.Cached
			t.usage.Thinking, t.usage.Output = t.usage.Thinking+u.Out.Thinking, t.usage.Output+u.Output-u.Out.Thinking
		}
		t.alive()
		if len(c.Choices) > 0 {
			t.piece(c.Choices[0].Delta.Content + c.Choices[0].Message.Content)
			if c.Choices[0].Finish != "" {
				finish = c.Choices[0].Finish
			}
		}
		return nil
	}
	if err := eachEvent(resp.Body, take); err != nil {
		return err
	}
	return judgeChat(finish, t.text.String())
}

// eachEvent calls take for the data of each event, or for the whole body if it
// is no stream of events.
func eachEvent(body io.Reader, take func([]byte) *failure) *failure {
	in := bufio.NewReader(io.LimitReader(body, 2*maxAnswerBytes))
	first, err := in.Peek(1)
	if err == nil && first[0] == '{' {
		data, err := io.ReadAll(in)
		if err != nil {
			return unreachable(err)
		}
		return take(data)
	}
	for {
		line, err := in.ReadBytes('\n')
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = bytes.TrimSpace(data)
			if string(data) == "[DONE]" {
				return nil
			}
			if f := take(data); f != nil {
				return f
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return unreachable(err)
		}
	}
}

// judgeChat finds out whether what came is an answer.
func judgeChat(finish, text string) *failure {
	empty := strings.TrimSpace(text) == ""
	switch {
	case finish == "length":
		return truncated()
	case finish == "content_filter":
		return &failure{err: turn.Errorf(turn.CodeModel, "the provider blocked the answer (content_filter)").WithHint("reword the request")}
	case finish == "" && empty:
		return &failure{err: turn.Errorf(turn.CodeModel, "the model's answer is empty"), again: true, cause: "empty answer"}
	case finish == "":
		return &failure{err: turn.Errorf(turn.CodeModel, "the model's answer was cut off on the way"), again: true, cause: "answer cut off"}
	case finish != "stop":
		return &failure{err: turn.Errorf(turn.CodeModel, "the model ended its answer for an unknown reason (%s)", turn.Printable(finish))}
	case empty:
		return &failure{err: turn.Errorf(turn.CodeModel, "the model's answer is empty"), again: true, cause: "empty answer"}
	}
	return nil
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
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	if when, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(when))
	}
	return 0
}
