package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
)

// NewKey is a key made in 2026, of a user to whom retired models are closed.
const NewKey = "AQ.modeltest-0123456789abcdefghijklmnopqrstuvwx"

// bareRefusal is all that the API says of some wrong requests.
const bareRefusal = "Request contains an invalid argument."

// geminiFamily is what models take, as public reports of November 2026 have it.
// The texts of refusals were gathered from them; nothing was recorded.
type geminiFamily struct {
	pattern     string   // of names, for path.Match
	levels      []string // of thinking, in capitals; nil: a level is refused
	leastBudget int      // of thinking; -1: a budget is refused
	bare        bool     // refusals of thinking say nothing
	retired     string   // closed to new users: what they are told to use
}

func geminiFamilies() []geminiFamily {
	all := []string{"MINIMAL", "LOW", "MEDIUM", "HIGH"}
	return []geminiFamily{
		{"gemini-2.5-flash-lite", nil, 0, false, "gemini-3.5-flash-lite"},
		{"gemini-2.5-flash", nil, 0, false, "gemini-3.6-flash"},
		{"gemini-2.5-pro", nil, 128, false, "gemini-3.1-pro"},
		{"gemini-3.[15]-flash-lite", all, 1, true, ""},
		{"gemini-flash-lite-latest", all, 1, true, ""},
		{"gemini-3.[56]-flash", all, 1, false, ""},
		{"gemini-3.[78]-flash", all[1:], 1, false, ""},
		{"gemini-flash-latest", all[1:], 1, false, ""},
		{"gemini-3.1-pro", all[1:], 128, false, ""},
		{"gemini-4-flash", []string{"LOW", "MEDIUM", "HIGH", "XHIGH"}, -1, false, ""},
		{"gemini-9-mute", nil, -1, true, ""}, // of no family that anybody knows: it takes no thinking, and doesn't say so
	}
}

func geminiFamilyOf(name string) (geminiFamily, bool) {
	for _, f := range geminiFamilies() {
		if ok, _ := path.Match(f.pattern, name); ok {
			return f, true
		}
	}
	return geminiFamily{}, false
}

// listed are the models that the API lists.
func listed() []string {
	return []string{"gemini-2.5-flash-lite", "gemini-3.5-flash-lite", "gemini-3.6-flash", "gemini-3.8-flash",
		"gemini-4-flash", "gemini-flash-lite-latest"}
}

// known answers a question to a model that isn't offered, at all or to this key.
func known(w http.ResponseWriter, r *http.Request, name string) (geminiFamily, bool) {
	f, ok := geminiFamilyOf(name)
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, "NOT_FOUND",
			fmt.Sprintf("models/%s is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.", name))
		return f, false
	case f.retired != "" && r.Method == http.MethodPost && r.Header.Get("x-goog-api-key") == NewKey:
		refuse(w, http.StatusNotFound, "NOT_FOUND",
			fmt.Sprintf("This model models/%s is no longer available to new users. Please update your code to use models/%s for the latest features and improvements.", name, f.retired))
		return f, false
	}
	return f, true
}

// refusesThinking is what the API would find wrong with how a model is to think.
func (f geminiFamily) refusesThinking(raw json.RawMessage) (problem string) {
	var t struct {
		Level    *string `json:"thinkingLevel"`
		Budget   *int    `json:"thinkingBudget"`
		Thoughts bool    `json:"includeThoughts"`
	}
	if raw == nil {
		return ""
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return "Invalid JSON payload received. " + err.Error()
	}
	switch {
	case t.Level != nil && t.Budget != nil:
		problem = "You can only set only one of thinking budget and thinking level."
	case t.Level != nil && f.levels == nil:
		problem = "Thinking level is not supported for this model."
	case t.Level != nil && !slices.Contains(f.levels, *t.Level):
		problem = fmt.Sprintf("Thinking level %s is not supported for this model. Please retry with other thinking level.",
			*t.Level)
	case t.Budget != nil && f.leastBudget < 0:
		problem = "Thinking budget is not supported for this model. Please use thinking_level."
	case t.Budget != nil && *t.Budget >= 0 && *t.Budget < f.leastBudget:
		problem = fmt.Sprintf("Budget %d is invalid. This model only works in thinking mode.", *t.Budget)
	}
	if problem != "" && f.bare {
		return bareRefusal
	}
	return problem
}

// refuses is what the API would find wrong with a configuration.
func (f geminiFamily) refuses(g *generationConfig) string {
	switch {
	case g == nil:
		return ""
	case f.levels != nil && (g.PresencePenalty != nil || g.FrequencyPenalty != nil):
		return "Penalty is not enabled for this model"
	}
	return f.refusesThinking(g.ThinkingConfig)
}
