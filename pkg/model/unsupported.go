package model

import (
	"regexp"
	"slices"
	"strings"

	"paicode/pkg/turn"
)

// The members of a question that a server may not take, as usage[].lacks names
// them. A server that lacks memberSchema is asked for json_object, and one that
// lacks memberFormat is asked for JSON in words.
const (
	memberTemperature = "temperature"
	memberThinking    = "thinking" // Gemini's thinkingConfig
	memberEffort      = "reasoning_effort"
	memberSchema      = "json_schema"
	memberFormat      = "response_format"
	memberStream      = "stream_options"
	memberMaxNew      = "max_completion_tokens" // then max_tokens is sent
	memberMaxOld      = "max_tokens"
)

// unsupported holds what a server was found not to take.
type unsupported map[string]bool

// known gathers what earlier questions to a model at a server found out.
func known(usage []turn.Usage, server, model string) unsupported {
	u := make(unsupported)
	for _, q := range usage {
		if q.Server == server && q.Model == model {
			for _, member := range q.Lacks {
				u[member] = true
			}
		}
	}
	return u
}

// names lists the members, sorted; nil if there are none.
func (u unsupported) names() (all []string) {
	for member := range u {
		all = append(all, member)
	}
	slices.Sort(all)
	return all
}

// saysOf are the words by which servers speak of a member, in the order in which
// they are looked for: what is in the name of another comes after it.
func saysOf() []struct {
	member string
	words  []string
} {
	return []struct {
		member string
		words  []string
	}{
		{memberSchema, []string{"json_schema", "json schema", "additionalproperties", "json_validate_failed", "structured output", "'required' is required", "strict"}},
		{memberFormat, []string{"response_format", "response format", "json_object", "json mode"}},
		{memberEffort, []string{"reasoning_effort", "reasoning.effort", "reasoning effort", "reasoning", "thinking", "effort"}},
		{memberStream, []string{"stream_options", "include_usage"}},
		{memberMaxNew, []string{"max_completion_tokens"}},
		{memberMaxOld, []string{"max_tokens"}},
		{memberTemperature, []string{"temperature"}},
	}
}

// detect finds out which of the members that were sent a server refuses, by its
// words, and reports whether there are any: then it is worth asking again
// without them. Where it refuses one, it is spared the others of which nothing
// but a preference hangs, so that it isn't asked a third time.
func (u unsupported) detect(said string, sent []string) bool {
	said = strings.ToLower(said)
	if speaksOfLength(said) {
		return false
	}
	found := false
	drop := func(member string) {
		if slices.Contains(sent, member) && !u[member] {
			u[member], found = true, true
		}
	}
	for _, s := range saysOf() {
		if !slices.ContainsFunc(s.words, func(word string) bool { return strings.Contains(said, word) }) {
			continue
		}
		switch {
		case s.member != memberFormat:
			drop(s.member)
		case !slices.Contains(sent, memberSchema):
			drop(memberFormat)
		case strings.Contains(said, "json_object") || strings.Contains(said, "json_schema") || strings.Contains(said, "type"):
			drop(memberSchema) // another type is worth a try
		default:
			drop(memberSchema)
			drop(memberFormat)
		}
	}
	switch {
	case found:
		drop(memberTemperature)
		drop(memberEffort)
	case vague(said):
		for _, member := range sent {
			drop(member)
		}
	}
	return found
}

// vague reports whether a refusal speaks of members of the question, or of
// nothing at all, without naming one.
func vague(said string) bool {
	return strings.TrimSpace(said) == "" || len(said) < 300 && regexp.MustCompile(
		`(requested|unsupported|unknown|unrecognized|invalid|extra) (parameter|argument|field|input|request)|bad request|not supported|unprocessable`).MatchString(said)
}

// speaksOfLength reports whether a refusal is of a question that is too long:
// nothing is learnt from its words.
func speaksOfLength(said string) bool {
	said = strings.ToLower(said)
	return slices.ContainsFunc([]string{"context_length", "context length", "context window", "context size", "exceed_context", "prompt is too long",
		"input is too long", "too many tokens", "maximum prompt length", "input token count", "reduce the length"},
		func(words string) bool { return strings.Contains(said, words) })
}
