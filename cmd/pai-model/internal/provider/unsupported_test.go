package provider

import (
	"paicode/pkg/model"

	"encoding/json"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// allSent are the members that a question may hold.
func allSent() []string {
	return []string{memberTemperature, memberEffort, memberStream, memberMaxNew, memberFormat, memberSchema}
}

// refusals are bodies of errors, and what is learnt of them when everything was
// sent: the names, or nothing.
var refusals = []struct{ name, body, want string }{
	{"by parameter", `{"error":{"message":"no","param":"stream_options"}}`, "json_schema max_completion_tokens reasoning_effort response_format stream_options temperature"},
	{"by a parameter that all know", `{"error":{"message":"Unsupported value: 'temperature' does not support 0.3","param":"temperature"}}`, "reasoning_effort temperature"},
	{"by a parameter, the schema", `{"error":{"message":"Invalid schema for response_format 'answer'","param":"response_format"}}`, "json_schema reasoning_effort temperature"},
	{"by location", `{"detail":[{"loc":["body","max_completion_tokens"],"msg":"extra","input":"temperature"}]}`, "max_completion_tokens reasoning_effort temperature"},
	{"an unknown member", `{"error":{"message":"Unrecognized request argument supplied: response_format"}}`, "json_schema max_completion_tokens reasoning_effort response_format stream_options temperature"},
	{"another type", `{"error":"'response_format.type' must be 'json_object' or 'text'"}`, "json_schema max_completion_tokens reasoning_effort stream_options temperature"},
	{"a model that fails", `{"error":{"message":"Failed to generate JSON","code":"json_validate_failed"}}`, "json_schema max_completion_tokens reasoning_effort response_format stream_options temperature"},
	{"grammar", `{"error":{"message":"failed to parse grammar"}}`, "json_schema max_completion_tokens reasoning_effort response_format stream_options temperature"},
	{"strict", `{"error":{"message":"response_format.json_schema.strict: Field required"}}`, "json_schema max_completion_tokens reasoning_effort stream_options temperature"},
	{"raw", `{"error":{"message":"Provider returned error","metadata":{"raw":"{\"message\":\"stream_options is unknown\"}"}}}`, "json_schema max_completion_tokens reasoning_effort response_format stream_options temperature"},
	{"an array", `[{"error":{"message":"reasoning_effort none is not valid","status":"INVALID_ARGUMENT"}}]`, "json_schema max_completion_tokens reasoning_effort response_format stream_options temperature"},
	{"nothing named", `{"error":{"message":"Invalid request parameters"}}`, "json_schema max_completion_tokens reasoning_effort response_format stream_options temperature"},
	{"no words", ``, "json_schema max_completion_tokens reasoning_effort response_format stream_options temperature"},
	{"an echo", `{"error":{"message":"bad role"},"request":{"temperature":0.3}}`, ""},
	{"an echo in the message", `{"error":{"message":"cannot read: set the temperature of the oven, with response_format, to ten degrees"}}`, ""},
	{"an echo with escapes", `{"error":{"message":"cannot read: {\"content\":\"set the \\\"temperature\\\" of the oven, with response_format, to ten\"}"}}`, ""},
	{"length", `{"error":{"message":"This model's maximum context length is 8192 tokens, reduce max_completion_tokens","code":"context_length_exceeded"}}`, ""},
	{"another thing", `{"error":{"message":"The model is being updated, try later"}}`, ""},
}

func learn(body string, set ...string) string {
	r := model.Request{Prompt: `please set the temperature of the oven, with response_format, to ten degrees`}
	lacks, e := make(unsupported), readChatError([]byte(body))
	lacks.detect(refused{said: withoutEcho(e.says, r), named: strings.TrimSpace(e.named), all: e.listed, sent: allSent(), set: set})
	return strings.Join(lacks.names(), " ")
}

func TestDetect(t *testing.T) {
	for _, tt := range refusals {
		if got := learn(tt.body); got != tt.want {
			t.Errorf("%s: learnt %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestDetectKeepsWhatWasSet has what the person asked for go only where the server
// speaks of it.
func TestDetectKeepsWhatWasSet(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"no","param":"stream_options"}}`: "json_schema max_completion_tokens reasoning_effort response_format stream_options",
		`{"error":{"message":"temperature is deprecated"}}`:   "json_schema max_completion_tokens reasoning_effort response_format stream_options temperature",
	} {
		if got := learn(body, memberTemperature); got != want {
			t.Errorf("%s: learnt %q, want %q", body, got, want)
		}
	}
}

// FuzzChatError reads errors of any form, and learns nothing of what wasn't sent.
func FuzzChatError(f *testing.F) {
	for _, tt := range refusals {
		f.Add([]byte(tt.body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		e := readChatError(body)
		lacks := make(unsupported)
		if found := lacks.detect(refused{said: e.says, sent: []string{memberStream}}); len(found) != len(lacks) || len(lacks) > 1 {
			t.Errorf("%v", lacks)
		}
		o := &openAI{name: "m", lacks: lacks}
		if f := o.failed(400, e); f.err == nil || strings.ContainsAny(f.err.Message, "\n\x1b") {
			t.Errorf("%q", f.err)
		}
	})
}

func TestStrictSchema(t *testing.T) {
	schema := `{"type":"object","properties":{"goal":{"type":"string"},"steps":{"type":"array","items":{"type":"object","properties":{"do":{"type":"string"},"at":{"type":"string"}},"required":["do"]}},"a\"b":{"enum":["x"]}},"required":["goal"]}`
	got, err := strictSchema(json.RawMessage(schema))
	want := `{"type":"object","properties":{"goal":{"type":"string"},"steps":{"type":"array","items":{"type":"object","properties":{"do":{"type":"string"},"at":{"type":"string"}},"required":["do","at"],"additionalProperties":false}},"a\"b":{"enum":["x"]}},"required":["goal","steps","a\"b"],"additionalProperties":false}`
	if err != nil || string(got) != want || !gjson.ValidBytes(got) {
		t.Errorf("%s, %v", got, err)
	}
}
