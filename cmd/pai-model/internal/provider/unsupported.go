package provider

import (
	"slices"
	"strings"

	"paicode/pkg/lazyregexp"
	"paicode/pkg/protocol"
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
func known(lacks []protocol.Lack, server, model string) unsupported {
	u := make(unsupported)
	for _, q := range lacks {
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

// saysOf are the words by which servers speak of a member. What is in the name of
// another comes after it.
func saysOf() []struct {
	member string
	words  []string
} {
	return []struct {
		member string
		words  []string
	}{
		{memberSchema, []string{"json_schema", "json schema", "additionalproperties", "json_validate_failed", "generate json",
			"structured output", "'required' is required", "strict", "grammar", "schema", "guided", "generate parser"}},
		{memberFormat, []string{"response_format", "response format", "json_object", "json mode"}},
		{memberEffort, []string{"reasoning_effort", "reasoning.effort", "reasoning", "thinking", "effort"}},
		{memberStream, []string{"stream_options", "include_usage"}},
		{memberMaxNew, []string{"max_completion_tokens"}},
		{memberMaxOld, []string{"max_tokens"}},
		{memberTemperature, []string{"temperature"}},
	}
}

// refused is a question that a server refused.
type refused struct {
	said  string   // its words, without an echo
	named string   // the members that it points at, where it does
	all   bool     // it points at all that it refuses
	sent  []string // the members that it may have refused
	set   []string // those of them that the person asked for
}

// names reports whether a refusal speaks of a member.
func (r refused) names(member string) bool {
	for _, s := range saysOf() {
		if s.member == member {
			return slices.ContainsFunc(s.words, func(word string) bool { return strings.Contains(r.said, word) })
		}
	}
	return false
}

// detect finds out which of the members that were sent a server refuses, and
// returns them; with none it isn't worth asking again. A server that points at a
// member is taken at its word. One that doesn't, or that is so old that it
// doesn't know memberStream, is spared all that it can be asked without, so that
// no more than one question is wasted on it; but what the person asked for goes
// only where the server speaks of it.
func (u unsupported) detect(r refused) (found []string) {
	r.said, r.named = strings.ToLower(r.said), strings.ToLower(r.named)
	if speaksOfLength(r.said) {
		return nil
	}
	drop := func(member string) {
		if slices.Contains(r.sent, member) && !u[member] {
			u[member] = true
			found = append(found, member)
		}
	}
	spare := func(members ...string) {
		for _, member := range members {
			if !slices.Contains(r.set, member) {
				drop(member)
			}
		}
	}
	for _, member := range r.spokenOf() {
		drop(member)
	}
	format := r.names(memberFormat) || r.names(memberSchema)
	if len(found) == 0 && !vague(r.said) {
		return nil
	}
	old := slices.Contains(found, memberStream) && !r.all
	spare(memberTemperature, memberEffort)
	if r.named == "" || old {
		spare(memberStream, memberMaxNew)
	}
	if r.named == "" && !format || old {
		spare(memberSchema, memberFormat)
	}
	return found
}

// spokenOf lists the members that a refusal speaks of, with what goes with them.
func (r refused) spokenOf() (members []string) {
	for _, s := range saysOf() {
		if s.member != memberFormat && s.member != memberSchema && r.names(s.member) {
			members = append(members, s.member)
		}
	}
	if r.names(memberFormat) || r.names(memberSchema) {
		members = append(members, memberSchema)
		if !slices.Contains(r.sent, memberSchema) || !r.anotherFormat() {
			members = append(members, memberFormat)
		}
	}
	return members
}

// anotherFormat reports whether a refusal leaves it open to ask for JSON without
// a schema.
func (r refused) anotherFormat() bool {
	return strings.Contains(r.said, "json_object") || strings.Contains(r.said, "response_format type") ||
		strings.Contains(r.named, "response_format") && !strings.Contains(r.said, "unrecognized") ||
		strings.Contains(r.said, "of type") || strings.Contains(r.said, "strict")
}

var vagueForm = lazyregexp.New(`(requested|unsupported|unknown|unrecognized|invalid|extra) (parameter|argument|field|input|request)|bad request|parameters? (is|are) not supported|unprocessable`)

// vague reports whether a refusal speaks of members of the question, or of
// nothing at all, without naming one.
func vague(said string) bool {
	return strings.TrimSpace(said) == "" || len(said) < 300 && vagueForm().MatchString(said)
}

// speaksOfLength reports whether a refusal is of a question that is too long:
// nothing is learnt from its words.
func speaksOfLength(said string) bool {
	said = strings.ToLower(said)
	return slices.ContainsFunc([]string{"context_length", "context length", "context window", "context size",
		"exceed_context", "prompt is too long",
		"input is too long", "too many tokens", "maximum prompt length", "input token count", "reduce the length"},
		func(words string) bool { return strings.Contains(said, words) })
}
