package credentials

import (
	"slices"
	"strings"

	"paicode/pkg/turn"
)

// gemini is the name of the provider that is asked by default.
const gemini = "gemini"

// Provider is who a key is for.
type Provider struct {
	Name      string   // as in "pai config set --provider NAME"
	Hosts     []string // where the key may go; those that begin with a dot are the ends of names
	Path      string   // under which the provider speaks OpenAI's protocol
	member    string   // of the file
	variables []string // of the environment, which go before the file
}

// Providers are those whose keys are kept by name, Gemini first.
func Providers() []Provider {
	return []Provider{
		{gemini, []string{"generativelanguage.googleapis.com"}, "/v1beta/openai", "api_key",
			[]string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}},
		{"openai", []string{"api.openai.com", ".api.openai.com"}, "/v1", "openai", []string{"OPENAI_API_KEY"}},
		{"openrouter", []string{"openrouter.ai"}, "/api/v1", "openrouter", []string{"OPENROUTER_API_KEY"}},
		{"anthropic", []string{"api.anthropic.com"}, "/v1", "anthropic", []string{"ANTHROPIC_API_KEY"}},
		{"groq", []string{"api.groq.com"}, "/openai/v1", "groq", []string{"GROQ_API_KEY"}},
		{"mistral", []string{"api.mistral.ai"}, "/v1", "mistral", []string{"MISTRAL_API_KEY"}},
		{"deepseek", []string{"api.deepseek.com"}, "/v1", "deepseek", []string{"DEEPSEEK_API_KEY"}},
		{"azure", []string{".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com"}, "/openai/v1",
			"azure", []string{"AZURE_OPENAI_API_KEY"}},
	}
}

// Named finds a provider, or makes one of a host that is named as such, with or
// without a port. Unknown names are an error of CodeUsage.
func Named(name string) (Provider, error) {
	var names []string
	name = strings.ToLower(strings.TrimSpace(name))
	for _, p := range Providers() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	if isHost(name) {
		return Provider{Name: name}, nil
	}
	return Provider{}, turn.Errorf(turn.CodeUsage, "unknown provider %s", turn.Quote(name)).
		WithHint("one of %s, or a server's host such as llm.example.com:8080", strings.Join(names, ", "))
}

// isHost reports whether a name can only be a host's: it has a dot or a port,
// and nothing of an address beside.
func isHost(name string) bool {
	return (strings.ContainsAny(name, ".:") || name == "localhost") && !strings.ContainsAny(name, "/@?# \t")
}

// ForHost finds the provider whose host it is.
func ForHost(host string) (Provider, bool) {
	for _, p := range Providers() {
		if slices.ContainsFunc(p.Hosts, func(h string) bool {
			return host == h || h[0] == '.' && strings.HasSuffix(host, h)
		}) {
			return p, true
		}
	}
	return Provider{}, false
}
