// Package modeltest plays model providers on loopback, for tests and for the
// demonstration. It speaks the provider's protocol to the real SDK, refuses
// what the provider refuses, and gives answers that were written by hand.
package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Key is the only key that the server accepts.
const Key = "AIzaSy-modeltest-0123456789abcdefghijkl"

// Server is a Gemini API. Point GOOGLE_GEMINI_BASE_URL at URL.
type Server struct {
	*httptest.Server
	mu       sync.Mutex
	rules    []Rule
	used     []int
	requests []Request
}

// Request is one question that was let through to the rules.
type Request struct {
	System, Prompt, Schema string
	InputTokens            int // as counted here: a token for four characters
	OutputTokens           int
	Matched                bool // whether a rule fitted
}

// Text is what a rule's expression sees.
func (r Request) Text() string { return r.System + "\n" + r.Prompt }

// New starts a server with rules; the first that fits and is not used up
// answers. Close it.
func New(rules []Rule) *Server {
	s := &Server{rules: rules, used: make([]int, len(rules))}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1beta/models/{call}", s.generate)
	mux.HandleFunc("GET /v1beta/models/{name}", s.describe)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "NOT_FOUND", "Requested entity was not found.")
	})
	s.Server = httptest.NewServer(mux)
	return s
}

// Requests returns the questions so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// body is what the API's GenerateContentRequest may hold, as far as its
// reference (ai.google.dev/api/generate-content) names it.
type body struct {
	Contents          []content         `json:"contents"`
	SystemInstruction *content          `json:"systemInstruction"`
	GenerationConfig  *generationConfig `json:"generationConfig"`
	SafetySettings    json.RawMessage   `json:"safetySettings"`
	Tools             json.RawMessage   `json:"tools"`
	ToolConfig        json.RawMessage   `json:"toolConfig"`
	CachedContent     string            `json:"cachedContent"`
}

type content struct {
	Role  string `json:"role"`
	Parts []struct {
		Text string `json:"text"`
	} `json:"parts"`
}

type generationConfig struct {
	StopSequences      []string        `json:"stopSequences"`
	ResponseMIMEType   string          `json:"responseMimeType"`
	ResponseSchema     json.RawMessage `json:"responseSchema"`
	ResponseJSONSchema json.RawMessage `json:"responseJsonSchema"`
	CandidateCount     int             `json:"candidateCount"`
	MaxOutputTokens    int             `json:"maxOutputTokens"`
	Temperature        *float64        `json:"temperature"`
	TopP               *float64        `json:"topP"`
	TopK               *float64        `json:"topK"`
	Seed               *int            `json:"seed"`
	ThinkingConfig     json.RawMessage `json:"thinkingConfig"`
}

func (s *Server) describe(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if !authorized(w, r) || !known(w, name) {
		return
	}
	writeJSON(w, map[string]any{"name": "models/" + name,
		"supportedGenerationMethods": []string{"generateContent", "countTokens"}})
}

func (s *Server) generate(w http.ResponseWriter, r *http.Request) {
	name, method, _ := strings.Cut(r.PathValue("call"), ":")
	if !authorized(w, r) || !known(w, name) {
		return
	}
	if method != "streamGenerateContent" {
		refuse(w, http.StatusNotFound, "NOT_FOUND", "Requested entity was not found.")
		return
	}
	q, max, problem := read(r)
	if problem != "" {
		refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT", problem)
		return
	}
	rule, ok := s.pick(&q)
	if !ok {
		refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT", "modeltest: no rule fits this request")
		return
	}
	answer(w, rule, q, max)
}

// authorized answers a missing or wrong key as the API does.
func authorized(w http.ResponseWriter, r *http.Request) bool {
	switch r.Header.Get("x-goog-api-key") {
	case Key:
		return true
	case "":
		refuse(w, http.StatusForbidden, "PERMISSION_DENIED", "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.")
	default:
		refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.",
			map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com",
				"metadata": map[string]any{"service": "generativelanguage.googleapis.com"}})
	}
	return false
}

func known(w http.ResponseWriter, name string) bool {
	if slices.Contains([]string{"gemini-2.5-flash-lite", "gemini-2.5-flash", "gemini-2.5-pro"}, name) {
		return true
	}
	refuse(w, http.StatusNotFound, "NOT_FOUND", fmt.Sprintf("models/%s is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.", name))
	return false
}

// read takes a request apart; problem is what the API would find wrong.
func read(r *http.Request) (q Request, maxTokens int, problem string) {
	var b body
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return q, 0, fmt.Sprintf("Invalid JSON payload received. Unknown name %s: Cannot find field.", name)
		}
		return q, 0, "Invalid JSON payload received. " + err.Error()
	}
	if len(b.Contents) == 0 {
		return q, 0, "* GenerateContentRequest.contents: contents is not specified"
	}
	for i, c := range b.Contents {
		if c.Role != "user" && c.Role != "model" && c.Role != "" {
			return q, 0, "Please use a valid role: user, model."
		}
		if len(c.Parts) == 0 {
			return q, 0, fmt.Sprintf("* GenerateContentRequest.contents[%d].parts: contents.parts must not be empty.", i)
		}
		q.Prompt += joinParts(c)
	}
	if b.SystemInstruction != nil {
		q.System = joinParts(*b.SystemInstruction)
	}
	if g := b.GenerationConfig; g != nil {
		if g.Temperature != nil && (*g.Temperature < 0 || *g.Temperature > 2) {
			return q, 0, fmt.Sprintf("* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0]; got %v", *g.Temperature)
		}
		q.Schema = compact(g.ResponseSchema) + compact(g.ResponseJSONSchema)
		if q.Schema != "" && g.ResponseMIMEType != "application/json" {
			return q, 0, "Function calling config is set without function_declarations or response_schema is set without response_mime_type application/json"
		}
		maxTokens = g.MaxOutputTokens
	}
	q.InputTokens = Tokens(q.System + q.Prompt + q.Schema)
	return q, maxTokens, ""
}

func joinParts(c content) string {
	var b strings.Builder
	for _, p := range c.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) == 0 || json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}

// Tokens counts as everywhere in Pai's measurements: one for four characters,
// rounded up.
func Tokens(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// pick finds the rule for a question and keeps both.
func (s *Server) pick(q *Request) (Rule, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, r := range s.rules {
		if r.When.MatchString(q.Text()) && (r.Times == 0 || s.used[i] < r.Times) {
			s.used[i]++
			q.OutputTokens, q.Matched = Tokens(r.Answer), true
			s.requests = append(s.requests, *q)
			return r, true
		}
	}
	s.requests = append(s.requests, *q)
	return Rule{}, false
}

func answer(w http.ResponseWriter, r Rule, q Request, maxTokens int) {
	if r.Header[0] != "" {
		w.Header().Set(r.Header[0], r.Header[1])
	}
	if r.Status != 0 && r.Status != http.StatusOK {
		refuse(w, r.Status, http.StatusText(r.Status), r.Answer)
		return
	}
	text, finish := r.Answer, r.Finish
	if finish == "" {
		finish = "STOP"
	}
	if maxTokens > 0 && Tokens(text) > maxTokens {
		text, finish = string([]rune(text)[:4*maxTokens]), "MAX_TOKENS"
	}
	usage := map[string]any{"promptTokenCount": q.InputTokens, "candidatesTokenCount": Tokens(text),
		"totalTokenCount": q.InputTokens + Tokens(text)}
	if r.Block != "" {
		writeChunks(w, map[string]any{"promptFeedback": map[string]any{"blockReason": r.Block}, "usageMetadata": usage})
		return
	}
	var chunks []map[string]any
	for _, piece := range split(text) {
		chunks = append(chunks, map[string]any{"candidates": []any{map[string]any{
			"content": map[string]any{"role": "model", "parts": []any{map[string]any{"text": piece}}}, "index": 0}}})
	}
	if finish != "none" {
		chunks = append(chunks, map[string]any{"usageMetadata": usage, "candidates": []any{map[string]any{
			"content": map[string]any{"role": "model", "parts": []any{map[string]any{"text": ""}}}, "finishReason": finish, "index": 0}}})
	}
	writeChunks(w, chunks...)
}

// split cuts an answer as a stream would: anywhere between characters.
func split(text string) []string {
	const size = 50
	var pieces []string
	for runes := []rune(text); len(runes) > 0; {
		n := min(size, len(runes))
		pieces = append(pieces, string(runes[:n]))
		runes = runes[n:]
	}
	return pieces
}

// writeChunks sends server-sent events.
func writeChunks(w http.ResponseWriter, chunks ...map[string]any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, c := range chunks {
		data, _ := json.Marshal(c)
		fmt.Fprintf(w, "data: %s\r\n\r\n", data)
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	}
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	json.NewEncoder(w).Encode(v)
}

// refuse answers with an error of the API's shape.
func refuse(w http.ResponseWriter, code int, status, message string, details ...map[string]any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(code)
	e := map[string]any{"code": code, "message": message, "status": status}
	if len(details) > 0 {
		e["details"] = details
	}
	json.NewEncoder(w).Encode(map[string]any{"error": e})
}
