package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// chatBody is what OpenAI's chat completions may be asked for, as far as its
// reference (platform.openai.com/docs/api-reference/chat/create) names it.
type chatBody struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	Stream        bool `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Temperature    *float64 `json:"temperature"`
	ResponseFormat *struct {
		Type       string          `json:"type"`
		JSONSchema json.RawMessage `json:"json_schema"`
	} `json:"response_format"`
	MaxTokens       int             `json:"max_tokens"`
	MaxCompletion   int             `json:"max_completion_tokens"`
	TopP            *float64        `json:"top_p"`
	N               int             `json:"n"`
	Seed            *int            `json:"seed"`
	Stop            json.RawMessage `json:"stop"`
	ReasoningEffort string          `json:"reasoning_effort"`
}

// chatModels are the models that the server knows. One of them knows neither
// schemas nor temperatures, as small servers and reasoning models don't.
var chatModels = []string{"gpt-5-mini", "qwen3", "plain"}

const plainModel = "plain"

// notFound is OpenAI's code for a model that it doesn't know.
const notFound = "model_not_found"

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	if !bearer(w, r) {
		return
	}
	var data []any
	for _, name := range chatModels {
		data = append(data, map[string]any{"id": name, "object": "model", "owned_by": "modeltest"})
	}
	writeJSON(w, map[string]any{"object": "list", "data": data})
}

// bearer answers a missing or wrong key as OpenAI does.
func bearer(w http.ResponseWriter, r *http.Request) bool {
	switch key := r.Header.Get("Authorization"); key {
	case "Bearer " + Key:
		return true
	case "":
		refuseChat(w, http.StatusUnauthorized, "You didn't provide an API key.", nil)
	default:
		refuseChat(w, http.StatusUnauthorized, "Incorrect API key provided: "+strings.TrimPrefix(key, "Bearer ")+".", "invalid_api_key")
	}
	return false
}

func refuseChat(w http.ResponseWriter, status int, message string, code any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": nil, "code": code}})
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	if !bearer(w, r) {
		return
	}
	var b chatBody
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		message := "We could not parse the JSON body of your request. " + err.Error()
		if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			message = "Unrecognized request argument supplied: " + strings.Trim(name, `"`)
		}
		refuseChat(w, http.StatusBadRequest, message, nil)
		return
	}
	if problem, code := b.problem(); problem != "" {
		status := http.StatusBadRequest
		if code == notFound {
			status = http.StatusNotFound
		}
		refuseChat(w, status, problem, code)
		return
	}
	q := b.request()
	rule, ok := s.pick(&q)
	if !ok {
		refuseChat(w, http.StatusBadRequest, "modeltest: no rule fits this request", nil)
		return
	}
	b.answer(sent{rule, w, r}, q)
}

// problem is what OpenAI would find wrong.
func (b chatBody) problem() (message string, code any) {
	switch {
	case !slices.Contains(chatModels, b.Model):
		return fmt.Sprintf("The model `%s` does not exist or you do not have access to it.", b.Model), notFound
	case len(b.Messages) == 0:
		return "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.", "empty_array"
	case b.Temperature != nil && (*b.Temperature < 0 || *b.Temperature > 2):
		return fmt.Sprintf("Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got %v instead.", *b.Temperature), "decimal_above_max_value"
	case b.StreamOptions != nil && !b.Stream:
		return "The 'stream_options' parameter is only allowed when 'stream' is enabled.", nil
	case b.Model == plainModel && b.Temperature != nil && *b.Temperature != 1:
		return "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported.", "unsupported_value"
	case b.Model == plainModel && b.ResponseFormat != nil:
		return "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", nil
	}
	for _, m := range b.Messages {
		if !slices.Contains([]string{"system", "developer", "user", "assistant"}, m.Role) {
			return fmt.Sprintf("Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', and 'developer'.", m.Role), "invalid_value"
		}
	}
	return "", nil
}

func (b chatBody) request() (q Request) {
	for _, m := range b.Messages {
		if m.Role == "user" {
			q.Prompt += m.Content
		} else {
			q.System += m.Content
		}
	}
	if b.ResponseFormat != nil {
		q.Schema = compact(b.ResponseFormat.JSONSchema)
	}
	q.InputTokens = Tokens(q.System + q.Prompt + q.Schema)
	return q
}

func (b chatBody) answer(s sent, q Request) {
	if s.weather() {
		return
	}
	if s.rule.Status != 0 && s.rule.Status != http.StatusOK {
		var code any
		if len(s.rule.Details) > 0 {
			code = s.rule.Details[0]["code"]
		}
		refuseChat(s.w, s.rule.Status, s.rule.Answer, code)
		return
	}
	text, finish := cut(s.rule, max(b.MaxTokens, b.MaxCompletion))
	finish = map[string]string{"STOP": "stop", "MAX_TOKENS": "length", "SAFETY": "content_filter", "RECITATION": "content_filter", "none": "none"}[finish]
	if s.rule.Block != "" {
		text, finish = "", "content_filter"
	} else if finish == "" {
		finish = strings.ToLower(s.rule.Finish)
	}
	usage := map[string]any{"prompt_tokens": q.InputTokens, "completion_tokens": Tokens(text), "total_tokens": q.InputTokens + Tokens(text)}
	if !b.Stream {
		writeJSON(s.w, map[string]any{"object": "chat.completion", "model": b.Model, "usage": usage, "choices": []any{map[string]any{
			"index": 0, "message": map[string]any{"role": "assistant", "content": text}, "finish_reason": finish}}})
		return
	}
	chunk := func(delta map[string]any, finish any) map[string]any {
		return map[string]any{"object": "chat.completion.chunk", "model": b.Model, "choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}}
	}
	var events []map[string]any
	for _, piece := range split(text) {
		events = append(events, chunk(map[string]any{"content": piece}, nil))
	}
	if finish != "none" {
		events = append(events, chunk(map[string]any{}, finish))
		if b.StreamOptions != nil && b.StreamOptions.IncludeUsage {
			events = append(events, map[string]any{"object": "chat.completion.chunk", "model": b.Model, "choices": []any{}, "usage": usage})
		}
	}
	done := "data: [DONE]\n\n"
	if finish == "none" {
		done = ""
	}
	s.events(events, done)
}
