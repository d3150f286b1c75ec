package model

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	{name: "no money", status: 402, kind: "application/json", body: `{"error":{"message":"Insufficient Balance"}}`, want: "!the provider's quota is spent: Insufficient Balance", requests: 1, code: turn.CodeQuota},
	{name: "spent by type", status: 429, kind: "application/json", body: `{"error":{"message":"x","type":"insufficient_quota","code":null}}`, want: "!the provider's quota is spent: x", requests: 1, code: turn.CodeQuota},
	{name: "plain text", status: 404, kind: "text/plain", body: "404 page not found", want: `!the provider doesn't know the model "m"`, requests: 1, code: turn.CodeModel},
	{name: "another limit", body: "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"max_tokens\"}]}\n\n", want: "!the model's answer is truncated: it reached the limit of tokens", requests: 1, code: turn.CodeModel},
}

func TestChatQuirks(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", testKey)
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
			reply, err := askChat(t, server.URL, Options{}, Request{Prompt: "hi"})
			got := reply.Text
			if err != nil {
				got = "!" + err.Error()
				if code := turn.AsError(err).Code; code != tt.code {
					t.Errorf("code %d, want %d", code, tt.code)
				}
			}
			if got != tt.want || tt.requests > 0 && requests != tt.requests {
				t.Errorf("got %q after %d requests, want %q", got, requests, tt.want)
			}
		})
	}
}

func askChat(t *testing.T, url string, o Options, r Request) (Reply, error) {
	t.Helper()
	o.Name, o.BaseURL, o.Timeout = "openai/m", url, 20*time.Second
	m, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return m.Ask(context.Background(), r, nil)
}

// TestChatLearns has servers say in their own ways what they don't know.
func TestChatLearns(t *testing.T) {
	for name, body := range map[string]string{
		"vLLM":    `{"object":"error","message":"response_format is not supported"}`,
		"FastAPI": `{"detail":[{"loc":["body","response_format"],"msg":"extra fields not permitted"}]}`,
		"text":    `{"error":"` + strings.Repeat("long words, ", 40) + `unknown field response_format"}`,
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if requests++; requests == 1 {
					w.WriteHeader(http.StatusUnprocessableEntity)
					fmt.Fprint(w, body)
					return
				}
				fmt.Fprint(w, `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}`)
			}))
			defer server.Close()
			if reply, err := askChat(t, server.URL, Options{}, Request{Prompt: "hi", Schema: []byte(`{"type":"object"}`)}); err != nil || reply.Text != "{}" || requests != 2 {
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
	reply, err := askChat(t, server.URL, Options{Stall: 600 * time.Millisecond}, Request{Prompt: "hi"})
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
		o := Options{Name: "openai/m", BaseURL: url, Notice: func(string) {}}
		m, err := Open(o)
		if err == nil {
			m, err = Cache(m, o, dir, time.Hour, 1<<20)
		}
		if err != nil {
			t.Fatal(err)
		}
		if reply, err := m.Ask(context.Background(), Request{Prompt: "hi"}, nil); err != nil || reply.Text != []string{"one", "two"}[i] {
			t.Errorf("%q, %v", reply.Text, err)
		}
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Errorf("somebody else's file: %v", err)
	}
}
