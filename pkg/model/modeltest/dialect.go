package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// dialect is how one kind of server speaks OpenAI's protocol: which models it
// offers, what it refuses, and in which words and form. The words were gathered
// from public reports of November 2026; nothing was recorded.
type dialect struct {
	name    string // of the path before "/v1"; empty: none
	models  []string
	keys    keys
	window  int                                           // see sent
	refuses func(b chatBody) (status int, answer any)     // nil answer: nothing
	routes  map[string]func(model string, window int) any // more that it answers to GET
	broken  string                                        // an event with an error that stands for every answer
}

// keys is how a server wants its key.
type keys int

const (
	bearer keys = iota // in the header Authorization
	apiKey             // in the header api-key, with ?api-version=
	open               // none is asked for
)

// Manners are the names of the kinds of servers.
func Manners() (names []string) {
	for _, m := range dialects()[1:] {
		names = append(names, m.name)
	}
	return names
}

// strange is a model of which nobody can know from its name what it takes.
const strange = "house"

func dialects() []dialect {
	return []dialect{
		{models: []string{"gpt-5-mini", "qwen3", plainModel}, refuses: refusesPlain},
		{name: "openai", models: []string{"gpt-5-mini", "gpt-5.4", "gpt-4o", strange}, refuses: refusesOpenAI},
		{name: "anthropic", models: []string{"claude-sonnet-5", strange}, refuses: refusesAnthropic},
		{name: "google", models: []string{"gemini-3.5-flash-lite", strange}, refuses: refusesGoogle},
		{name: "azure", models: []string{"gpt-5-mini", strange}, keys: apiKey, refuses: refusesOpenAI},
		{name: "ollama", models: []string{"qwen3", strange}, keys: open, window: 2048, refuses: refusesOllama,
			routes: map[string]func(string, int) any{
				"/api/ps": func(model string, window int) any {
					return map[string]any{"models": []any{map[string]any{"name": model + ":latest", "context_length": window}}}
				}}},
		{name: "llamacpp", models: []string{"qwen3", strange}, keys: open, refuses: refusesNothing,
			routes: map[string]func(string, int) any{
				"/props": func(string, int) any {
					return map[string]any{"default_generation_settings": map[string]any{"n_ctx": 8192}}
				}}},
		{name: "vllm", models: []string{"Qwen/Qwen3-Coder", strange}, keys: open, refuses: refusesVLLM},
		{name: "lmstudio", models: []string{"qwen3", strange}, keys: open, window: 1024, refuses: refusesLMStudio},
		{name: "openrouter", models: []string{"anthropic/claude-sonnet-5", "qwen/qwen3:free", strange},
			refuses: refusesOpenRouter},
		{name: "groq", models: []string{"openai/gpt-oss-120b", strange}, refuses: refusesGroq},
		{name: "mistral", models: []string{"mistral-large-latest", strange}, refuses: refusesMistral},
		{name: "deepseek", models: []string{"deepseek-chat", strange}, refuses: refusesDeepSeek},
		{name: "litellm", models: []string{"sonnet", strange}, refuses: refusesLiteLLM},
		{name: "broken", models: []string{strange}, keys: open,
			broken: `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"{\"error\":\"upstream is down\"}"}},"choices":[]}`},
	}
}

// handle puts the dialect's methods behind its path.
func (m dialect) handle(s *Server, mux *http.ServeMux) {
	prefix := ""
	if m.name != "" {
		prefix = "/" + m.name
	}
	mux.HandleFunc("POST "+prefix+"/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) { m.chat(s, w, r) })
	mux.HandleFunc("GET "+prefix+"/v1/models", func(w http.ResponseWriter, r *http.Request) {
		if !m.authorized(w, r) {
			return
		}
		data := []any{}
		for _, name := range m.models {
			data = append(data, map[string]any{"id": name, "object": "model", "owned_by": "modeltest"})
		}
		writeJSON(w, map[string]any{"object": "list", "data": data})
	})
	for path, answer := range m.routes {
		mux.HandleFunc("GET "+prefix+path,
			func(w http.ResponseWriter, r *http.Request) { writeJSON(w, answer(m.models[0], m.window)) })
	}
}

// authorized answers a missing or wrong key as OpenAI does.
func (m dialect) authorized(w http.ResponseWriter, r *http.Request) bool {
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if m.keys == apiKey {
		key = r.Header.Get("api-key")
		if !r.URL.Query().Has("api-version") {
			refuseChat(w, http.StatusNotFound, "Resource not found", "404")
			return false
		}
	}
	switch {
	case key == Key || m.keys == open && key == "":
		return true
	case key == "":
		refuseChat(w, http.StatusUnauthorized, "You didn't provide an API key.", nil)
	default:
		refuseChat(w, http.StatusUnauthorized, "Incorrect API key provided: "+key+".", "invalid_api_key")
	}
	return false
}

func (m dialect) chat(s *Server, w http.ResponseWriter, r *http.Request) {
	if !m.authorized(w, r) {
		return
	}
	data, _ := io.ReadAll(r.Body)
	var b chatBody
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	refuse := func(status int, answer any) {
		s.refusals.Add(1)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(answer)
	}
	if err := d.Decode(&b); err != nil {
		message := "We could not parse the JSON body of your request. " + err.Error()
		if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			message = "Unrecognized request argument supplied: " + strings.Trim(name, `"`)
		}
		refuse(http.StatusBadRequest, openAIError(message, "", nil))
		return
	}
	if !slices.Contains(m.models, b.Model) {
		refuse(http.StatusNotFound, openAIError(fmt.Sprintf("The model `%s` does not exist or you do not have access to it.",
			b.Model), "", "model_not_found"))
		return
	}
	if problem, param := b.problem(); problem != "" {
		refuse(http.StatusBadRequest, openAIError(problem, param, "invalid_value"))
		return
	}
	if m.broken != "" {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, ": PROCESSING\n\ndata: %s\n\n", m.broken)
		return
	}
	if status, answer := m.refuses(b); answer != nil {
		refuse(status, answer)
		return
	}
	q := b.request()
	rule, ok := s.pick(&q)
	if !ok {
		refuseChat(w, http.StatusBadRequest, "modeltest: no rule fits this request", nil)
		return
	}
	b.answer(sent{rule, w, r, m.window}, q)
}

// problem is what every server would find wrong.
func (b chatBody) problem() (message, param string) {
	switch {
	case len(b.Messages) == 0:
		return "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
			"messages"
	case b.Temperature != nil && (*b.Temperature < 0 || *b.Temperature > 2):
		return fmt.Sprintf("Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got %v instead.",
			*b.Temperature), "temperature"
	case b.StreamOptions != nil && !b.Stream:
		return "The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options"
	}
	for _, m := range b.Messages {
		if !slices.Contains([]string{"system", "developer", "user", "assistant"}, m.Role) {
			return fmt.Sprintf("Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', and 'developer'.",
				m.Role), "messages"
		}
	}
	return "", ""
}

func (b chatBody) format() string {
	if b.ResponseFormat == nil {
		return ""
	}
	return b.ResponseFormat.Type
}

// strict reports whether the schema is one that strict modes take: nothing but
// what is named, and all of it required.
func (b chatBody) strict() bool {
	s := b.ResponseFormat.JSONSchema
	return s != nil && s.Strict && strictObject(s.Schema)
}

func strictObject(raw json.RawMessage) bool {
	var o struct {
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		Additional *bool                      `json:"additionalProperties"`
		Items      json.RawMessage            `json:"items"`
	}
	if json.Unmarshal(raw, &o) != nil {
		return false
	}
	if o.Type == "object" && (o.Additional == nil || *o.Additional || len(o.Required) != len(o.Properties)) {
		return false
	}
	for _, p := range o.Properties {
		if !strictObject(p) {
			return false
		}
	}
	return o.Items == nil || strictObject(o.Items)
}

func openAIError(message, param string, code any) any {
	var p any
	if param != "" {
		p = param
	}
	return map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": p,
		"code": code}}
}
