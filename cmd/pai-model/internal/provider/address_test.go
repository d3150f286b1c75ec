package provider

import (
	"strings"
	"testing"
)

// addresses are as people write them, and the URL that is asked for answers;
// empty where none can be meant.
var addresses = []struct{ text, want string }{
	{"http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions"},
	{"http://localhost:11434/v1/", "http://localhost:11434/v1/chat/completions"},
	{"http://localhost:11434", "http://localhost:11434/v1/chat/completions"},
	{"http://localhost:11434/", "http://localhost:11434/v1/chat/completions"},
	{"http://localhost:11434/api", "http://localhost:11434/v1/chat/completions"},
	{"http://localhost:11434/api/chat", "http://localhost:11434/v1/chat/completions"},
	{"  localhost:8080\t", "http://localhost:8080/v1/chat/completions"},
	{"127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/chat/completions"},
	{"[::1]:8080", "http://[::1]:8080/v1/chat/completions"},
	{"0.0.0.0:8080", "http://127.0.0.1:8080/v1/chat/completions"},
	{"llm.example.com", "https://llm.example.com/v1/chat/completions"},
	{"LLM.example.com:8443/v1", "https://llm.example.com:8443/v1/chat/completions"},
	{"https://llm.example.com/v1/chat/completions", "https://llm.example.com/v1/chat/completions"},
	{"https://llm.example.com/v1/chat/completions/", "https://llm.example.com/v1/chat/completions"},
	{"https://llm.example.com/v1/v1", "https://llm.example.com/v1/chat/completions"},
	{"https://llm.example.com//v1//", "https://llm.example.com/v1/chat/completions"},
	{"https://llm.example.com/v1/models", "https://llm.example.com/v1/chat/completions"},
	{"https://llm.example.com/api/paas/v4", "https://llm.example.com/api/paas/v4/chat/completions"},
	{"https://openrouter.ai/api", "https://openrouter.ai/api/v1/chat/completions"},
	{"https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/chat/completions"},
	{"api.groq.com/openai", "https://api.groq.com/openai/v1/chat/completions"},
	{"https://generativelanguage.googleapis.com", "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions"},
	{"https://me.openai.azure.com", "https://me.openai.azure.com/openai/v1/chat/completions"},
	{"https://me.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
		"https://me.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21"},
	{"ftp://x", ""}, {"http://", ""}, {"", ""}, {"http://a b/", ""}, {"https://user:pass@x/v1", ""}, {"http://x:port", ""},
}

func TestAddress(t *testing.T) {
	for _, tt := range addresses {
		got := ""
		if a, err := parseAddress(tt.text); err == nil {
			got = a.endpoint("/chat/completions")
		}
		if got != tt.want {
			t.Errorf("%q is asked at %q, want %q", tt.text, got, tt.want)
		}
	}
}

// FuzzAddress has the method's whole address, as people paste it, be read as the same.
func FuzzAddress(f *testing.F) {
	for _, tt := range addresses {
		f.Add(tt.text)
	}
	f.Add("1/chat/completions")
	f.Add("x/models/models")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseAddress(text)
		if err != nil {
			return
		}
		whole := a.endpoint(chatMethod)
		if again, err := parseAddress(whole); err != nil || again.endpoint(chatMethod) != whole {
			t.Errorf("%q is asked at %q, and that at %q, %v", text, whole, again, err)
		}
		if strings.HasSuffix(a.base.Path, "/") || a.base.User != nil || a.plain() && a.loopback() {
			t.Errorf("%q is %q", text, a)
		}
	})
}

func TestOllamaHost(t *testing.T) {
	for host, want := range map[string]string{"": "https://api.openai.com/v1", "localhost": "http://localhost:11434", ":8080": "http://127.0.0.1:8080",
		"0.0.0.0:11434": "http://0.0.0.0:11434", "https://gpu.example": "https://gpu.example:11434", "::1": "http://[::1]:11434"} {
		t.Setenv("OPENAI_API_KEY", "")
		t.Setenv("XDG_CONFIG_HOME", t.TempDir())
		t.Setenv("OLLAMA_HOST", host)
		if got, given := (Options{}).serverURL(); got != want || given {
			t.Errorf("OLLAMA_HOST=%s means %q, want %q", host, got, want)
		}
		t.Setenv("OPENAI_API_KEY", "sk-1")
		if got, _ := (Options{}).serverURL(); got != openAIURL {
			t.Errorf("with a key of OpenAI's OLLAMA_HOST=%s means %q", host, got)
		}
	}
}
