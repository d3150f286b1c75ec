package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"google.golang.org/genai"

	"paicode/pkg/credentials"
	"paicode/pkg/turn"
)

// gemini asks Google's models by the official SDK.
type gemini struct {
	options Options
	key     string
	client  *genai.Client
	headers *headerKeeper
}

// headerKeeper remembers the headers of the last answer: the SDK's errors
// come without them.
type headerKeeper struct {
	next  http.RoundTripper
	last  http.Header
	alive func() // called at every sign of life; nil: nobody waits
}

func (k *headerKeeper) RoundTrip(r *http.Request) (*http.Response, error) {
	k.last = nil
	resp, err := k.next.RoundTrip(r)
	if err == nil {
		k.last = resp.Header
		in := bufio.NewReader(io.LimitReader(resp.Body, maxBodyBytes))
		resp.Body = &uncommented{Closer: resp.Body, in: in, alive: k.alive,
			plain: resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")}
	}
	return resp, err
}

// maxBodyBytes bounds what a provider may send, of whatever kind.
const maxBodyBytes = 2 * maxAnswerBytes

// uncommented leaves the comments out of a stream of events: gateways send them
// to keep a connection alive, and the SDK takes them for a broken answer.
type uncommented struct {
	io.Closer
	in    *bufio.Reader
	line  []byte // what was read and not taken yet
	after bool   // the last line was a comment
	begun bool
	plain bool // it is no stream of events
	alive func()
}

func (u *uncommented) Read(p []byte) (int, error) {
	if u.plain {
		return u.in.Read(p)
	}
	for len(u.line) == 0 {
		line, err := u.in.ReadBytes('\n')
		if !u.begun {
			line, u.begun = bytes.TrimPrefix(line, []byte("\ufeff")), true
		}
		comment := len(line) > 0 && line[0] == ':'
		if comment && u.alive != nil {
			u.alive()
		}
		if !comment && (!u.after || len(bytes.TrimSpace(line)) > 0) {
			u.line = line
		}
		u.after = comment // the blank line behind it ends no event
		if err != nil && len(u.line) == 0 {
			return 0, err
		}
	}
	n := copy(p, u.line)
	u.line = u.line[n:]
	return n, nil
}

func openGemini(o Options) (*gemini, error) {
	if strings.ContainsAny(o.Name, "/ ?#%:") || !strings.HasPrefix(o.Name, "gem") {
		return nil, turn.Errorf(turn.CodeUsage, "unknown model %s", turn.Quote(o.Name)).
			WithHint("a Gemini model such as %q, openai/NAME, cmd:PROGRAM or replay:DIR", DefaultName)
	}
	key, err := credentials.Gemini()
	if err != nil {
		return nil, err
	}
	keeper := &headerKeeper{next: http.DefaultTransport}
	client, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey:     key.Value,
		Backend:    genai.BackendGeminiAPI,
		HTTPClient: plainClient(keeper),
	})
	if err != nil {
		// The SDK prints the key in some of these errors.
		return nil, turn.Errorf(turn.CodeModel, "the provider's client can't be set up with the key from %s", key.Source)
	}
	return &gemini{o, key.Value, client, keeper}, nil
}

func (g *gemini) secret() string { return g.key }

func (g *gemini) ask(t *try, r Request) *failure {
	g.headers.alive = t.alive
	config, err := g.config(r)
	if err != nil {
		return &failure{err: turn.AsError(err)}
	}
	var finish genai.FinishReason
	var block genai.BlockedReason
	var counted *genai.GenerateContentResponseUsageMetadata
	defer func() { add(t.usage, counted) }()
	for chunk, err := range g.client.Models.GenerateContentStream(t.ctx, g.options.Name, genai.Text(r.Prompt), config) {
		if err != nil {
			return g.failed(err)
		}
		if chunk.UsageMetadata != nil {
			counted = chunk.UsageMetadata
		}
		if chunk.PromptFeedback != nil {
			block = chunk.PromptFeedback.BlockReason
		}
		if len(chunk.Candidates) == 0 {
			t.alive()
			continue
		}
		candidate := chunk.Candidates[0]
		if candidate.FinishReason != "" {
			finish = candidate.FinishReason
		}
		t.piece(chunkText(candidate))
	}
	return judge(finish, block, t.text.String())
}

func (g *gemini) config(r Request) (*genai.GenerateContentConfig, error) {
	c := &genai.GenerateContentConfig{
		Temperature:           genai.Ptr(float32(g.options.Temperature)),
		MaxOutputTokens:       int32(r.MaxOutputTokens),
		AutomaticContinuation: genai.Ptr(false),
		ThinkingConfig:        g.thinking(),
	}
	if r.System != "" {
		c.SystemInstruction = genai.NewContentFromText(r.System, genai.RoleUser)
	}
	if r.Schema != nil {
		schema, err := ordered(r.Schema)
		if err != nil {
			return nil, err
		}
		c.ResponseMIMEType, c.ResponseJsonSchema = "application/json", schema
	}
	return c, nil
}

// thinking is how much the model may think. By default it doesn't, where it can
// be told so: of the models of 2.5 all but pro.
func (g *gemini) thinking() *genai.ThinkingConfig {
	tokens := g.options.ThinkingTokens
	if tokens == ThinkingAuto {
		if !strings.Contains(g.options.Name, "2.5-flash") {
			return nil
		}
		tokens = 0
	}
	return &genai.ThinkingConfig{ThinkingBudget: genai.Ptr(int32(tokens))}
}

// chunkText joins what a piece of an answer says, without its thoughts.
func chunkText(c *genai.Candidate) string {
	if c.Content == nil {
		return ""
	}
	var b strings.Builder
	for _, part := range c.Content.Parts {
		if !part.Thought {
			b.WriteString(part.Text)
		}
	}
	return b.String()
}

// judge finds out whether a stream that ended without an error is an answer:
// the SDK reports blocked, empty and truncated ones as successes.
func judge(finish genai.FinishReason, block genai.BlockedReason, text string) *failure {
	switch {
	case block != "" && block != genai.BlockedReasonUnspecified:
		return &failure{err: turn.Errorf(turn.CodeModel, "the provider blocked the prompt (%s)", turn.Printable(string(block))).
			WithHint("reword the request, or leave out the file that it objects to")}
	case finish == "" && text != "":
		return cutOff()
	case finish == genai.FinishReasonMaxTokens:
		return truncated()
	case finish != "" && finish != genai.FinishReasonStop:
		return &failure{err: turn.Errorf(turn.CodeModel, "the provider blocked the answer (%s)", turn.Printable(string(finish))).
			WithHint("reword the request")}
	case strings.TrimSpace(text) == "":
		return emptied()
	}
	return nil
}

// truncated is an answer that reached the limit of tokens.
func truncated() *failure {
	return &failure{cut: true, err: turn.Errorf(turn.CodeModel, "the model's answer is truncated: it reached the limit of tokens").
		WithHint("ask for less at a time")}
}

// emptied is an answer without words, cutOff one that ended before its end.
func emptied() *failure {
	return &failure{err: turn.Errorf(turn.CodeModel, "the model's answer is empty"), again: true, cause: "empty answer"}
}

func cutOff() *failure {
	return &failure{err: turn.Errorf(turn.CodeModel, "the model's answer was cut off on the way"), again: true, cause: "answer cut off"}
}

func add(u *turn.Usage, m *genai.GenerateContentResponseUsageMetadata) {
	if m == nil {
		return
	}
	count(u, int(m.PromptTokenCount), int(m.CachedContentTokenCount), int(m.ThoughtsTokenCount), int(m.CandidatesTokenCount))
}

// count adds tokens that a provider counted; nobody gives any back.
func count(u *turn.Usage, input, cached, thinking, output int) {
	u.Input += max(0, input)
	u.Cached += max(0, cached)
	u.Thinking += max(0, thinking)
	u.Output += max(0, output)
}

func (g *gemini) validate(ctx context.Context) *failure {
	if _, err := g.client.Models.Get(ctx, g.options.Name, nil); err != nil {
		return g.failed(err)
	}
	return nil
}

// ordered adds propertyOrdering to a schema, since the SDK sends the members
// sorted and models answer in the order that they see.
func ordered(schema json.RawMessage) (map[string]any, error) {
	var m map[string]any
	if err := json.Unmarshal(schema, &m); err != nil {
		return nil, err
	}
	return m, addOrder(m, schema)
}

func addOrder(m map[string]any, raw json.RawMessage) error {
	var parts struct {
		Properties json.RawMessage `json:"properties"`
		Items      json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	if items, ok := m["items"].(map[string]any); ok {
		if err := addOrder(items, parts.Items); err != nil {
			return err
		}
	}
	properties, ok := m["properties"].(map[string]any)
	if !ok {
		return nil
	}
	var names []string
	d := json.NewDecoder(strings.NewReader(string(parts.Properties)))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		names = append(names, name.(string))
		if property, ok := properties[name.(string)].(map[string]any); ok {
			if err := addOrder(property, value); err != nil {
				return err
			}
		}
	}
	m["propertyOrdering"] = names
	return nil
}

// isContext tells of errors that come from the caller's context.
func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
