package credentials

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// files are contents of the credentials file, what is found in them, and what
// Save makes of them.
var files = []struct {
	name, content string
	gemini        string
	openAI        string
	host          string // of "llm.example.com"
	saved         string
	broken        bool
}{
	{name: "none"},
	{name: "version 2", content: `{"version": 2, "api_key": "g"}`, gemini: "g", saved: `{"api_key":"g","version":2}`},
	{name: "several", content: `{"version": 2, "api_key": "g", "openai": "o", "hosts": {"llm.example.com": "h"}}`, gemini: "g", openAI: "o", host: "h",
		saved: `{"api_key":"g","hosts":{"llm.example.com":"h"},"openai":"o","version":2}`},
	{name: "members of a later version stay", content: `{"version": 2, "api_key": "g", "later": {"x": 1}}`, gemini: "g", saved: `{"api_key":"g","later":{"x":1},"version":2}`},
	{name: "no hosts", content: `{"version": 2, "hosts": null}`, saved: `{"version":2}`},
	{name: "version 1", content: `{"version": 1, "keys": {"a": "g"}, "default": "a"}`, gemini: "g", saved: `{"api_key":"g","version":2}`},
	{name: "version 1 with other keys", content: `{"version": 1, "keys": {"a": "g", "b": "x"}, "default": "a"}`, gemini: "g", saved: `{"api_key":"g","keys":{"b":"x"},"version":2}`},
	{name: "version 1 without a default", content: `{"version": 1, "keys": {"b": "x"}, "default": "a"}`, saved: `{"keys":{"b":"x"},"version":2}`},
	{name: "an unknown version", content: `{"version": 3}`, broken: true},
	{name: "no JSON", content: `AIza`, broken: true},
	{name: "another form", content: `{"version": 2, "api_key": 7}`, broken: true},
}

func TestStore(t *testing.T) {
	for _, tt := range files {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("XDG_CONFIG_HOME", t.TempDir())
			if tt.content != "" {
				if err := os.MkdirAll(filepath.Dir(Path()), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(Path(), []byte(tt.content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s, err := Load()
			if (err != nil) != tt.broken {
				t.Fatal(err)
			}
			if tt.broken {
				return
			}
			if s.Key("gemini") != tt.gemini || s.Key("openai") != tt.openAI || s.Key("llm.example.com") != tt.host {
				t.Errorf("%q, %q, %q", s.Key("gemini"), s.Key("openai"), s.Key("llm.example.com"))
			}
			if tt.saved == "" {
				return
			}
			if err := s.Save(); err != nil {
				t.Fatal(err)
			}
			saved, err := os.ReadFile(Path())
			if err != nil || strings.TrimSpace(string(saved)) != tt.saved {
				t.Errorf("saved %s, want %s (%v)", saved, tt.saved, err)
			}
			if checkMode(Path()) != nil {
				t.Error("others can read it")
			}
		})
	}
}

func TestFor(t *testing.T) {
	for _, tt := range []struct {
		name   string
		server Server
		env    []string
		want   string // the key, or empty for none
	}{
		{"a provider's host", Server{Host: "api.groq.com"}, []string{"GROQ_API_KEY", "g", "OPENAI_API_KEY", "o"}, "g"},
		{"a host beneath", Server{Host: "me.openai.azure.com"}, []string{"AZURE_OPENAI_API_KEY", "a"}, "a"},
		{"a host that only ends so", Server{Host: "notapi.groq.com"}, []string{"GROQ_API_KEY", "g"}, ""},
		{"a server of one's own", Server{Host: "llm.example.com", Given: true}, []string{"OPENAI_API_KEY", "o"}, ""},
		{"one that is named", Server{Host: "llm.example.com", Given: true}, []string{"PAI_API_KEY", "p"}, "p"},
		{"one that isn't", Server{Host: "llm.example.com"}, []string{"PAI_API_KEY", "p"}, ""},
		{"OpenAI's base", Server{Host: "gw.example"}, []string{"OPENAI_API_KEY", "o", OpenAIBaseURL, "https://GW.example/v1"}, "o"},
		{"another port than OpenAI's base", Server{Host: "gw.example", Port: "81"}, []string{"OPENAI_API_KEY", "o", OpenAIBaseURL, "https://gw.example:80/v1"}, ""},
		{"OpenAI's base by number", Server{Host: "::1", Port: "81"}, []string{"OPENAI_API_KEY", "o", OpenAIBaseURL, "http://[::1]:81"}, "o"},
		{"a stored one", Server{Host: "stored.example", Port: "8080"}, nil, "s"},
		{"a stored one of another port", Server{Host: "stored.example", Port: "8081"}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("XDG_CONFIG_HOME", t.TempDir())
			for _, name := range []string{"GROQ_API_KEY", "OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "PAI_API_KEY", OpenAIBaseURL} {
				t.Setenv(name, "")
			}
			s := newStore()
			s.SetKey("stored.example:8080", "s")
			if err := s.Save(); err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(tt.env); i += 2 {
				t.Setenv(tt.env[i], tt.env[i+1])
			}
			key, err := For(tt.server)
			if key.Value != tt.want || errors.Is(err, ErrNoKey) != (tt.want == "") {
				t.Errorf("%q, %v; want %q", key.Value, err, tt.want)
			}
		})
	}
}

func TestCheckForm(t *testing.T) {
	for key, ok := range map[string]bool{"": false, "a b": false, "a\n": false, "schlüssel": false, "AQ.x_y-z": true} {
		if err := CheckForm(key); (err == nil) != ok {
			t.Errorf("%q: %v", key, err)
		}
	}
	if Mask("short") != "****" || Mask("0123456789abcdef") != "0123…cdef" {
		t.Error("too much or too little is shown")
	}
}
