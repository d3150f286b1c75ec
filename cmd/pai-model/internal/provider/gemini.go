package provider

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/genai"

	"paicode/pkg/credentials"
	"paicode/pkg/model"
	"paicode/pkg/turn"
)

// gemini asks Google's models by the official SDK.
type gemini struct {
	options Options
	key     credentials.Key
	client  *genai.Client
	headers *headerKeeper
	family  family
	lacks   unsupported
}

func openGemini(o Options) (*gemini, error) {
	o.Name = strings.TrimPrefix(o.Name, "models/") // as the API writes it
	if strings.ContainsAny(o.Name, "/ ?#%:") || !strings.HasPrefix(o.Name, "gem") {
		return nil, turn.Errorf(turn.CodeUsage, "unknown model %s", turn.Quote(o.Name)).
			WithHint("a Gemini model such as %q, openai/NAME, cmd:PROGRAM or replay:DIR", model.DefaultName)
	}
	f := familyOf(o.Name)
	if o.ThinkingTokens >= 0 && f.thinking != byBudget {
		return nil, turn.Errorf(turn.CodeUsage, "%s takes no number of thinking tokens", turn.Quote(o.Name)).
			WithHint("--thinking LEVEL is for models after Gemini 2.5")
	}
	key, err := credentials.Gemini()
	if err != nil {
		return nil, err
	}
	base, err := geminiBase(o, key)
	if err != nil {
		return nil, err
	}
	keeper := &headerKeeper{next: http.DefaultTransport}
	client, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey:      key.Value,
		Backend:     genai.BackendGeminiAPI,
		HTTPClient:  plainClient(keeper),
		HTTPOptions: genai.HTTPOptions{BaseURL: base},
	})
	if err != nil {
		// The SDK prints the key in some of these errors.
		return nil, turn.Errorf(turn.CodeModel, "the provider's client can't be set up with the key from %s", key.Source)
	}
	return &gemini{o, key, client, keeper, f, known(o.Known, o.server(), o.Name)}, nil
}

// geminiBase is the address that GOOGLE_GEMINI_BASE_URL means, as the SDK takes it;
// empty where nothing is set.
func geminiBase(o Options, key credentials.Key) (string, error) {
	if o.server() == "" {
		return "", nil
	}
	at, err := parseAddress(o.server())
	if err != nil {
		return "", err
	}
	for _, version := range []string{"/v1", "/v1beta", "/v1beta/openai"} {
		at.base.Path = strings.TrimSuffix(at.base.Path, version)
	}
	return at.String(), o.mayCarry(key, at.plain(), at.host())
}

func (g *gemini) secret() string { return g.key.Value }

// ask asks, and once more without what sets how the model thinks where that is
// refused, in whatever words: which model takes which form changes with models.
func (g *gemini) ask(t *attempt, r model.Request) *failure {
	defer func() {
		if t.usage.Lacks = g.lacks.names(); t.usage.Lacks != nil {
			t.usage.Server = g.options.server()
		}
	}()
	g.headers.alive = t.alive
	f := g.once(t, r)
	if f == nil || f.cause != strconv.Itoa(http.StatusBadRequest) || t.text.Len() > 0 {
		return f
	}
	said, thinks := withoutEcho(f.says, r), g.thinking(r.Stage) != nil
	if bare := strings.EqualFold(strings.TrimRight(strings.TrimSpace(said), "."),
		"Request contains an invalid argument"); !bare {
		if thinks && (strings.Contains(strings.ToLower(said), "thinking") ||
			strings.Contains(strings.ToLower(said), "budget")) {
			g.lacks[memberThinking] = true
		} else if temperature := (refused{said: strings.ToLower(said)}); temperature.names(memberTemperature) &&
			!g.lacks[memberTemperature] {
			g.lacks[memberTemperature] = true
		} else {
			return f
		}
		return g.once(t, r)
	}
	if !thinks {
		return f
	}
	g.lacks[memberThinking] = true
	again := g.once(t, r)
	if again != nil && again.says == f.says {
		delete(g.lacks, memberThinking) // something else is wrong
	}
	return again
}

// once asks once.
func (g *gemini) once(t *attempt, r model.Request) *failure {
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
		t.piece(chunkText(candidate)) // thoughts are a sign of life
	}
	return judge(finish, block, t.text.String())
}

func (g *gemini) config(r model.Request) (*genai.GenerateContentConfig, error) {
	c := &genai.GenerateContentConfig{AutomaticContinuation: genai.Ptr(false), ThinkingConfig: g.thinking(r.Stage)}
	if temperature := g.options.temperature(g.family); temperature != nil && !g.lacks[memberTemperature] {
		c.Temperature = genai.Ptr(float32(*temperature))
	}
	if !g.thinks(r.Stage) {
		c.MaxOutputTokens = int32(r.MaxOutputTokens)
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

// thinking sets how much the model thinks; nil where nothing can.
func (g *gemini) thinking(stage string) *genai.ThinkingConfig {
	level := g.family.level(g.options.Thinking, stage)
	switch {
	case g.lacks[memberThinking] || level == "":
		return nil
	case g.family.thinking == byLevel:
		return &genai.ThinkingConfig{ThinkingLevel: genai.ThinkingLevel(strings.ToUpper(level))}
	case g.options.ThinkingTokens >= 0:
		return &genai.ThinkingConfig{ThinkingBudget: genai.Ptr(int32(g.options.ThinkingTokens))}
	}
	return &genai.ThinkingConfig{ThinkingBudget: genai.Ptr(int32(budget(level)))}
}

// thinks reports whether the model may think, which counts as output.
func (g *gemini) thinks(stage string) bool {
	t := g.thinking(stage)
	return len(g.family.levels) > 0 && (t == nil || t.ThinkingBudget == nil || *t.ThinkingBudget > 0)
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
		return &failure{err: turn.Errorf(turn.CodeModel, "the provider blocked the prompt (%s)",
			turn.Printable(string(block))).
			WithHint("reword the request, or leave out the file that it objects to")}
	case finish == "" && text != "":
		return cutOff()
	case finish == genai.FinishReasonMaxTokens:
		return truncated()
	case finish != "" && finish != genai.FinishReasonStop:
		return &failure{err: turn.Errorf(turn.CodeModel, "the provider blocked the answer (%s)",
			turn.Printable(string(finish))).
			WithHint("reword the request")}
	case strings.TrimSpace(text) == "":
		return emptied()
	}
	return nil
}

// truncated is an answer that reached the limit of tokens.
func truncated() *failure {
	return &failure{cut: true, err: model.Truncated()}
}

// causeEmpty is the cause of an answer without words.
const causeEmpty = "empty answer"

// emptied is an answer without words, cutOff one that ended before its end.
func emptied() *failure {
	return &failure{err: turn.Errorf(turn.CodeModel, "the model's answer is empty"), again: true, cause: causeEmpty}
}

func cutOff() *failure {
	return &failure{err: turn.Errorf(turn.CodeModel, "the model's answer was cut off on the way"), again: true,
		cause: "answer cut off"}
}

func add(u *turn.Usage, m *genai.GenerateContentResponseUsageMetadata) {
	if m == nil {
		return
	}
	count(u, int(m.PromptTokenCount), int(m.CachedContentTokenCount), int(m.ThoughtsTokenCount),
		int(m.CandidatesTokenCount))
}

// count adds tokens that a provider counted; nobody gives any back.
func count(u *turn.Usage, input, cached, thinking, output int) {
	u.Input += max(0, input)
	u.Cached += max(0, cached)
	u.Thinking += max(0, thinking)
	u.Output += max(0, output)
}

// list asks for the models that generate text.
func (g *gemini) list(ctx context.Context) (all []Listed, f *failure) {
	for m, err := range g.client.Models.All(ctx) {
		if err != nil {
			return nil, g.failed(err)
		}
		if len(m.SupportedActions) == 0 || slices.Contains(m.SupportedActions, "generateContent") {
			all = append(all, Listed{Name: strings.TrimPrefix(m.Name, "models/"), Window: int(m.InputTokenLimit)})
		}
	}
	return all, nil
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
