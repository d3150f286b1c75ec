package provider

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"paicode/pkg/model"
	"paicode/pkg/turn"
)

const testKey = "sk-test-0123456789abcdef"

// quirks are answers of servers that speak OpenAI's protocol in their own way:
// a status and a body, and what is read of it: the text, or the error after "!".
var quirks = []struct {
	name, kind, body string
	status           int
	want             string
	requests         int
	code             turn.Code
}{
	{name: "plain", body: "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", want: "ab"},
	{name: "byte order mark", body: "\ufeffdata: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n", want: "a"},
	{name: "carriage returns and no end", body: "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}],\"usage\":null}\r\n\r\n", want: "a"},
	{name: "null content", body: "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\",\"reasoning_content\":\"hm\"},\"finish_reason\":\"eos\"}]}\n\n", want: "a"},
	{name: "parts", kind: "application/json", body: "\n{\"choices\":[{\"message\":{\"content\":[{\"type\":\"thinking\"},{\"type\":\"text\",\"text\":\"a\"}]},\"finish_reason\":\"end_turn\"}]}", want: "a"},
	{name: "comments", body: ": PROCESSING\n\n: PROCESSING\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n", want: "a"},
	{name: "refusal", body: "data: {\"choices\":[{\"delta\":{\"content\":null,\"refusal\":\"I can't\"},\"finish_reason\":\"stop\"}]}\n\n", want: "!the model refuses: I can't", requests: 1, code: turn.CodeModel},
	{name: "half a character", body: "data: {\"choices\":[{\"delta\":{\"content\":\"\\ud83d\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"\\ude00\"},\"finish_reason\":\"stop\"}]}\n\n", want: "!the provider's answer can't be read", requests: 1, code: turn.CodeModel},
	{name: "an error in a good answer", kind: "application/json", body: `{"error":{"message":"no such key ` + testKey + `","code":401}}`, want: "!the provider refused the key: no such key (the key)", requests: 1, code: turn.CodeModel},
	{name: "an error as a text", kind: "application/json", body: `{"error":"model not loaded"}`, want: "!the provider failed: model not loaded", requests: 1, code: turn.CodeModel},
	{name: "a key as a reason", body: "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"" + testKey + "\"}]}\n\n", want: "!the model ended its answer for an unknown reason ((the key))", requests: 1, code: turn.CodeModel},
	{name: "a page", kind: "text/html", body: "<html>hello</html>", want: "!the provider's answer can't be read", requests: 1, code: turn.CodeModel},
	{name: "no money", status: 402, kind: "application/json", body: `{"error":{"message":"Insufficient Balance"}}`, want: "!the provider's quota is used up: Insufficient Balance", requests: 1, code: turn.CodeQuota},
	{name: "spent by type", status: 429, kind: "application/json", body: `{"error":{"message":"x","type":"insufficient_quota","code":null}}`, want: "!the provider's quota is used up: x", requests: 1, code: turn.CodeQuota},
	{name: "plain text", status: 404, kind: "text/plain", body: "404 page not found", want: `!nothing answers at "URL/v1" (404)`, requests: 1, code: turn.CodeModel},
	{name: "an error in a stream", body: ": PROCESSING\n\ndata: {\"error\":{\"code\":400,\"message\":\"Provider returned error\",\"metadata\":{\"raw\":\"{\\\"error\\\":{\\\"message\\\":\\\"no such tool\\\"}}\"}}}\n\n", want: "!the provider refused the question (400): Provider returned error: no such tool", requests: 1, code: turn.CodeModel},
	{name: "an error event", body: "event: error\ndata: {\"error\":{\"message\":\"the model has crashed\"}}\n\n", want: "!the provider failed: the model has crashed", requests: 1, code: turn.CodeModel},
	{name: "an array of one error", status: 403, kind: "application/json", body: `[{"error":{"code":403,"message":"no access","status":"PERMISSION_DENIED"}}]`, want: "!the provider refused the key: no access", requests: 1, code: turn.CodeModel},
	{name: "an error in the message", status: 422, kind: "application/json", body: `{"object":"error","message":{"detail":[{"type":"missing","loc":["body","messages",0,"content"],"msg":"Field required","input":{}}]}}`, want: "!the provider refused the question (422): content: Field required", requests: 1, code: turn.CodeModel},
	{name: "a number in quotes", status: 400, kind: "application/json", body: `{"error":{"message":"who are you?","type":"auth","code":"401"}}`, want: "!the provider refused the key: who are you?", requests: 1, code: turn.CodeModel},
	{name: "moderated", status: 403, kind: "application/json", body: `{"error":{"code":403,"message":"The input was flagged","metadata":{"reasons":["violence"],"flagged_input":"x"}}}`, want: "!the provider blocked the prompt: The input was flagged", requests: 1, code: turn.CodeModel},
	{name: "a filter", status: 400, kind: "application/json", body: `{"error":{"message":"The response was filtered","code":"content_filter","status":400}}`, want: "!the provider blocked the prompt: The response was filtered", requests: 1, code: turn.CodeModel},
	{name: "no endpoints", status: 404, kind: "application/json", body: `{"error":{"message":"No endpoints found matching your data policy","code":404}}`, want: `!no provider offers the model "m" like this: No endpoints found matching your data policy`, requests: 1, code: turn.CodeModel},
	{name: "too large", status: 413, kind: "application/json", body: `{"error":{"message":"Request too large for model m on tokens per minute (TPM): Limit 6000, Requested 8000","type":"tokens","code":"rate_limit_exceeded"}}`, want: "!the question is too large for the provider: Request too large for model m on tokens per minute (TPM): Limit 6000, Requested 8000", requests: 1, code: turn.CodeQuota},
	{name: "too large by words", status: 429, kind: "application/json", body: `{"error":{"message":"Request too large for m","type":"tokens"}}`, want: "!the question is too large for the provider: Request too large for m", requests: 1, code: turn.CodeQuota},
	{name: "too large for a gateway", status: 413, kind: "text/html", body: `<html>413</html>`, want: "!the question is too large for the provider: no reason given", requests: 1, code: turn.CodeModel},
	{name: "too long", status: 400, kind: "application/json", body: `{"error":{"message":"This model's maximum context length is 8192 tokens. temperature","code":"context_length_exceeded"}}`, want: "!the question is longer than the model's window: This model's maximum context length is 8192 tokens. temperature", requests: 1, code: turn.CodeModel},
	{name: "a tool call", body: "data: {\"choices\":[{\"delta\":{\"content\":null,\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"x\"}}]}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n", want: "!the model answered with a tool call, not with text", requests: 1, code: turn.CodeModel},
	{name: "not in the plan", status: 429, kind: "application/json", body: `[{"error":{"code":429,"message":"Quota exceeded, limit: 0, model: m"}}]`, want: `!the model "m" is not in your plan, or retired: Quota exceeded, limit: 0, model: m`, requests: 1, code: turn.CodeQuota},
	{name: "spent for today", status: 429, kind: "application/json", body: `{"error":{"message":"Rate limit exceeded: free-models-per-day","code":429}}`, want: "!the provider's quota for today is used up: Rate limit exceeded: free-models-per-day", requests: 1, code: turn.CodeQuota},
	{name: "another address", status: 307, body: "", want: "!the server redirects (307), and no key follows a redirect", requests: 1, code: turn.CodeModel},
	{name: "no money left", status: 400, kind: "application/json", body: `{"error":{"message":"Your credit balance is too low"}}`, want: "!the provider's quota is used up: Your credit balance is too low", requests: 1, code: turn.CodeQuota},
	{name: "null", body: "data: {\"choices\":[{\"delta\":{\"content\":null},\"finish_reason\":\"stop\"}]}\n\n", want: "!the model's answer holds no text (content is empty or null)", requests: 2, code: turn.CodeModel},
	{name: "a retired model", status: 404, kind: "application/json", body: `{"error":{"message":"The model m is retired. Use models/n instead."}}`, want: `!the provider doesn't offer the model "m": The model m is retired. Use models/n instead.`, requests: 1, code: turn.CodeModel},
	{name: "another limit", body: "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"max_tokens\"}]}\n\n", want: "!the model's answer is truncated: it reached the limit of tokens", requests: 1, code: turn.CodeModel},
}

func TestChatQuirks(t *testing.T) {
	t.Setenv("PAI_API_KEY", testKey)
	for _, tt := range quirks {
		t.Run(tt.name, func(t *testing.T) {
			requests := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				requests++
				kind := tt.kind
				if kind == "" {
					kind = "text/event-stream"
				}
				w.Header().Set("Content-Type", kind)
				if tt.status != 0 {
					w.WriteHeader(tt.status)
				}
				fmt.Fprint(w, tt.body)
			}))
			defer server.Close()
			reply, err := askChat(t, server.URL, Options{}, model.Request{Prompt: "hi"})
			got := reply.Text
			if err != nil {
				got = "!" + err.Error()
				if code := turn.AsError(err).Code; code != tt.code {
					t.Errorf("code %d, want %d", code, tt.code)
				}
			}
			if got = strings.ReplaceAll(got, server.URL, "URL"); got != tt.want || tt.requests > 0 && requests != tt.requests {
				t.Errorf("got %q after %d requests, want %q", got, requests, tt.want)
			}
		})
	}
}

func askChat(t *testing.T, url string, o Options, r model.Request) (model.Reply, error) {
	t.Helper()
	o.Name, o.BaseURL, o.Timeout, o.ThinkingTokens = "openai/m", url, 20*time.Second, model.NoThinkingTokens
	m, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return m.Ask(context.Background(), r, nil)
}

// TestChatLearns has servers say in their own ways what they don't know.
func TestChatLearns(t *testing.T) {
	for name, body := range map[string]string{
		"vLLM":     `{"object":"error","message":"response_format is not supported"}`,
		"FastAPI":  `{"detail":[{"loc":["body","response_format"],"msg":"extra fields not permitted"}]}`,
		"an event": "!data: {\"error\":{\"message\":\"response_format json_schema is not supported\"}}\n\n",
		"grammar":  `{"error":{"code":500,"message":"failed to parse grammar: JSON schema conversion failed"}}`,
		"a model":  `{"error":{"message":"Failed to generate JSON.","code":"json_validate_failed"}}`,
		"text":     `{"error":"` + strings.Repeat("long words, ", 40) + `unknown field response_format"}`,
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if requests++; requests == 1 {
					event, ok := strings.CutPrefix(body, "!")
					if !ok {
						w.WriteHeader(http.StatusUnprocessableEntity)
					}
					fmt.Fprint(w, event)
					return
				}
				fmt.Fprint(w, `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}`)
			}))
			defer server.Close()
			if reply, err := askChat(t, server.URL, Options{}, model.Request{Prompt: "hi", Schema: []byte(`{"type":"object"}`)}); err != nil || reply.Text != "{}" || requests != 2 {
				t.Errorf("%q, %v after %d requests", reply.Text, err, requests)
			}
		})
	}
}

// TestSignsOfLife has a gateway send comments for longer than a silence may
// last, and a server that leaves a complete answer open.
func TestSignsOfLife(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 6 {
			fmt.Fprint(w, ": PROCESSING\n\n")
			w.(http.Flusher).Flush()
			time.Sleep(200 * time.Millisecond)
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2,\"completion_tokens_details\":{\"reasoning_tokens\":7}}}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	reply, err := askChat(t, server.URL, Options{Stall: 600 * time.Millisecond}, model.Request{Prompt: "hi"})
	if err != nil || reply.Text != "a" || reply.Usage.Tries != 1 {
		t.Fatalf("%+v, %v", reply, err)
	}
	if u := reply.Usage; u.Input != 9 || u.Output != 2 || u.Thinking != 7 {
		t.Errorf("usage %+v", u)
	}
}

// TestCacheKeepsApart asks two servers, and in two ways, and has the cache
// remove what is its own and nothing else.
func TestCacheKeepsApart(t *testing.T) {
	var urls []string
	for _, answer := range []string{"one", "two"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"choices":[{"message":{"content":%q},"finish_reason":"stop"}]}`, answer)
		}))
		defer server.Close()
		urls = append(urls, server.URL)
	}
	dir := t.TempDir()
	foreign := filepath.Join(dir, "package.json")
	if err := os.WriteFile(foreign, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-1000 * time.Hour)
	if err := os.Chtimes(foreign, old, old); err != nil {
		t.Fatal(err)
	}
	for i, url := range urls {
		o := Options{Name: "openai/m", BaseURL: url, ThinkingTokens: model.NoThinkingTokens, Notice: func(string) {}}
		m, err := Open(o)
		if err == nil {
			m = Cache(m, o, dir, time.Hour, 1<<20)
		}
		if err != nil {
			t.Fatal(err)
		}
		if reply, err := m.Ask(context.Background(), model.Request{Prompt: "hi"}, nil); err != nil || reply.Text != []string{"one", "two"}[i] {
			t.Errorf("%q, %v", reply.Text, err)
		}
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Errorf("somebody else's file: %v", err)
	}
}

// TestLoading has a server load its model for longer than tries last, and one
// that asks to be left alone in the manner of Google.
func TestLoading(t *testing.T) {
	for name, busy := range map[string]string{
		"loading": `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`,
		"waiting": `[{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2s"}]}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start, requests := time.Now(), 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if requests++; time.Since(start) < 1500*time.Millisecond {
					w.WriteHeader(map[string]int{"loading": 503, "waiting": 429}[name])
					fmt.Fprint(w, busy)
					return
				}
				fmt.Fprint(w, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`)
			}))
			defer server.Close()
			reply, err := askChat(t, server.URL, Options{}, model.Request{Prompt: "hi"})
			if err != nil || reply.Text != "a" || requests != 2 {
				t.Errorf("%q, %v after %d requests in %s", reply.Text, err, requests, time.Since(start))
			}
		})
	}
}

// TestFirstByte has a server think for longer than a silence in an answer may
// last; and one say nothing at all, which is tried once more and no longer.
func TestFirstByte(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		select {
		case <-time.After(500 * time.Millisecond):
		case <-r.Context().Done():
			return
		}
		fmt.Fprint(w, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`)
	}))
	defer server.Close()
	if reply, err := askChat(t, server.URL, Options{FirstByte: 5 * time.Second, Stall: 100 * time.Millisecond}, model.Request{Prompt: "hi"}); err != nil || reply.Usage.Tries != 1 {
		t.Errorf("%+v, %v", reply, err)
	}
	requests.Store(0)
	reply, err := askChat(t, server.URL, Options{FirstByte: 100 * time.Millisecond, Stall: 5 * time.Second}, model.Request{Prompt: "hi"})
	if err == nil || err.Error() != "the provider said nothing for 100ms" || requests.Load() != 2 || reply.Usage.Tries != 2 {
		t.Errorf("%v after %d requests", err, requests.Load())
	}
}

// TestWindow asks servers with small windows long questions.
func TestWindow(t *testing.T) {
	for _, tt := range []struct {
		name, path, tells string
		counts            int // prompt tokens
		want              string
	}{
		{"Ollama", "/api/ps", `{"models":[{"name":"other:latest","context_length":99},{"name":"m:latest","context_length":4096}]}`, 4096, "!the question has about 10000 tokens, and the server's window holds 4096"},
		{"llama.cpp", "/props", `{"default_generation_settings":{"n_ctx":2048}}`, 2048, "!the question has about 10000 tokens, and the server's window holds 2048"},
		{"vLLM", "/v1/models", `{"data":[{"id":"m","max_model_len":1024}]}`, 1024, "!the question has about 10000 tokens, and the server's window holds 1024"},
		{"nobody tells", "/", "", 4096, "!the server read only a part of the question: it counted 4096 tokens in 40000 bytes"},
		{"it nearly fits", "/api/ps", `{"models":[{"name":"m","context_length":8192}]}`, 5000, "!the server read only a part of the question: it counted 5000 tokens in 40000 bytes"},
		{"it fits", "/api/ps", `{"models":[{"name":"m","context_length":16384}]}`, 7000, "a"},
		{"it isn't counted", "/", "", 0, "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method == http.MethodPost:
					fmt.Fprintf(w, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d}}`, tt.counts)
				case r.URL.Path == tt.path && tt.tells != "":
					fmt.Fprint(w, tt.tells)
				default:
					http.NotFound(w, r)
				}
			}))
			defer server.Close()
			reply, err := askChat(t, server.URL, Options{}, model.Request{Prompt: strings.Repeat("word word ", 4000)})
			got := reply.Text
			if err != nil {
				got = "!" + err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
