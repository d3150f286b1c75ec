package modeltest

import (
	"encoding/json"
	"net/http"
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
		Type       string `json:"type"`
		JSONSchema *struct {
			Name   string          `json:"name"`
			Strict bool            `json:"strict"`
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
	MaxTokens       int             `json:"max_tokens"`
	MaxCompletion   int             `json:"max_completion_tokens"`
	TopP            *float64        `json:"top_p"`
	N               int             `json:"n"`
	Seed            *int            `json:"seed"`
	Stop            json.RawMessage `json:"stop"`
	ReasoningEffort string          `json:"reasoning_effort"`
}

func refuseChat(w http.ResponseWriter, status int, message string, code any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message,
		"type": "invalid_request_error", "param": nil, "code": code}})
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
		if s := b.ResponseFormat.JSONSchema; s != nil {
			q.Schema = compact(s.Schema)
		}
	}
	q.InputTokens = Tokens(q.System + q.Prompt + q.Schema)
	return q
}

func (b chatBody) answer(s sent, q Request) {
	if s.faults() {
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
	if s.window > 0 {
		q.InputTokens = min(q.InputTokens, s.window) // what is longer is cut, and nothing said
	}
	text, finish := cut(s.rule, max(b.MaxTokens, b.MaxCompletion))
	finish = map[string]string{"STOP": "stop", "MAX_TOKENS": "length", "SAFETY": "content_filter",
		"RECITATION": "content_filter", "none": "none"}[finish]
	if s.rule.Block != "" {
		text, finish = "", "content_filter"
	} else if finish == "" {
		finish = strings.ToLower(s.rule.Finish)
	}
	usage := map[string]any{"prompt_tokens": q.InputTokens, "completion_tokens": Tokens(text),
		"total_tokens": q.InputTokens + Tokens(text)}
	if !b.Stream {
		writeJSON(s.w, map[string]any{"object": "chat.completion", "model": b.Model, "usage": usage,
			"choices": []any{map[string]any{
				"index": 0, "message": map[string]any{"role": "assistant", "content": text}, "finish_reason": finish}}})
		return
	}
	chunk := func(delta map[string]any, finish any) map[string]any {
		return map[string]any{"object": "chat.completion.chunk", "model": b.Model,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}}
	}
	var events []map[string]any
	for _, piece := range split(text) {
		events = append(events, chunk(map[string]any{"content": piece}, nil))
	}
	if finish != "none" {
		events = append(events, chunk(map[string]any{}, finish))
		if b.StreamOptions != nil && b.StreamOptions.IncludeUsage {
			events = append(events, map[string]any{"object": "chat.completion.chunk", "model": b.Model, "choices": []any{},
				"usage": usage})
		}
	}
	done := "data: [DONE]\n\n"
	if finish == "none" {
		done = ""
	}
	s.events(events, done)
}
