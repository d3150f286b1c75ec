package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

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
	PresencePenalty    *float64        `json:"presencePenalty"`
	FrequencyPenalty   *float64        `json:"frequencyPenalty"`
	ThinkingConfig     json.RawMessage `json:"thinkingConfig"`
}

func (s *Server) describe(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if !authorized(w, r) {
		return
	}
	if _, ok := known(w, r, name); !ok {
		return
	}
	writeJSON(w, map[string]any{"name": "models/" + name,
		"supportedGenerationMethods": []string{"generateContent", "countTokens"}})
}

// listModels answers in pages, as the API does.
func (s *Server) listModels(w http.ResponseWriter, r *http.Request) {
	if !authorized(w, r) {
		return
	}
	names, answer := listed(), map[string]any{}
	if half := len(names) / 2; r.URL.Query().Get("pageToken") == "" {
		names, answer["nextPageToken"] = names[:half], "more"
	} else {
		names = names[half:]
	}
	models := []any{}
	for _, name := range names {
		models = append(models, map[string]any{"name": "models/" + name, "inputTokenLimit": 1048576,
			"supportedGenerationMethods": []string{"generateContent", "countTokens"}})
	}
	answer["models"] = models
	writeJSON(w, answer)
}

func (s *Server) generate(w http.ResponseWriter, r *http.Request) {
	name, method, _ := strings.Cut(r.PathValue("call"), ":")
	if !authorized(w, r) {
		return
	}
	family, ok := known(w, r, name)
	if !ok {
		s.refusals.Add(1)
		return
	}
	if method != "streamGenerateContent" {
		refuse(w, http.StatusNotFound, "NOT_FOUND", "Requested entity was not found.")
		return
	}
	q, max, problem := read(r, family)
	if problem != "" {
		s.refusals.Add(1)
		refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT", problem)
		return
	}
	rule, ok := s.pick(&q)
	if !ok {
		refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT", "modeltest: no rule fits this request")
		return
	}
	answer(sent{rule: rule, w: w, r: r}, q, max)
}

// authorized answers a missing or wrong key as the API does.
func authorized(w http.ResponseWriter, r *http.Request) bool {
	switch key := r.Header.Get("x-goog-api-key"); key {
	case Key, NewKey:
		return true
	case TokenKey:
		refuse(w, http.StatusUnauthorized, "UNAUTHENTICATED",
			"Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
			map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "ACCESS_TOKEN_TYPE_UNSUPPORTED",
				"domain": "googleapis.com"})
	case "":
		refuse(w, http.StatusForbidden, "PERMISSION_DENIED",
			"Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.")
	default:
		refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.",
			map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID",
				"domain":   "googleapis.com",
				"metadata": map[string]any{"service": "generativelanguage.googleapis.com"}})
	}
	return false
}

// read takes a request apart; problem is what the API would find wrong.
//
//nolint:gocognit // what the API checks, in its order
func read(r *http.Request, f geminiFamily) (q Request, maxTokens int, problem string) {
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
	if b.Contents[len(b.Contents)-1].Role == "model" {
		return q, 0, "Please ensure that single turn requests end with a user role or the role field is empty."
	}
	if problem := f.refuses(b.GenerationConfig); problem != "" {
		return q, 0, problem
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

func answer(s sent, q Request, maxTokens int) {
	if s.faults() {
		return
	}
	r := s.rule
	if r.Status != 0 && r.Status != http.StatusOK {
		refuse(s.w, r.Status, http.StatusText(r.Status), r.Answer, r.Details...)
		return
	}
	text, finish := cut(r, maxTokens)
	usage := map[string]any{"promptTokenCount": q.InputTokens, "candidatesTokenCount": Tokens(text),
		"totalTokenCount": q.InputTokens + Tokens(text)}
	if r.Block != "" {
		s.events([]map[string]any{{"promptFeedback": map[string]any{"blockReason": r.Block}, "usageMetadata": usage}}, "")
		return
	}
	var chunks []map[string]any
	for _, piece := range split(text) {
		chunks = append(chunks, map[string]any{"candidates": []any{map[string]any{
			"content": map[string]any{"role": "model", "parts": []any{map[string]any{"text": piece}}}, "index": 0}}})
	}
	if finish != "none" {
		chunks = append(chunks, map[string]any{"usageMetadata": usage, "candidates": []any{map[string]any{
			"content": map[string]any{"role": "model", "parts": []any{map[string]any{"text": ""}}}, "finishReason": finish,
			"index": 0}}})
	}
	s.events(chunks, "")
}

// refuse answers with an error of the API's shape.
func refuse(w http.ResponseWriter, code int, status, message string, details ...map[string]any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(code)
	e := map[string]any{"code": code, "message": message, "status": status}
	if len(details) > 0 {
		e["details"] = details
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"error": e})
}
