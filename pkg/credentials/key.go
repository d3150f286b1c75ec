package credentials

import (
	"errors"
	"os"
	"strings"

	"paicode/pkg/turn"
)

// Key is a key and where it was found.
type Key struct{ Value, Source string }

// OpenAIBaseURL is the variable that names a server to which OPENAI_API_KEY
// goes, in the place of OpenAI's own.
const OpenAIBaseURL = "OPENAI_BASE_URL"

// baseURLKey is the variable with the key of the server that the person names.
const baseURLKey = "PAI_API_KEY"

// ErrNoKey is that of a host for which there is no key.
var ErrNoKey = errors.New("no API key")

// noKey is ErrNoKey with what a person can do.
type noKey struct{ said *turn.Error }

func (e noKey) Error() string   { return e.said.Message }
func (e noKey) Unwrap() []error { return []error{e.said, ErrNoKey} }

// Stored reports whether there is likely a key: its variable is set, or there is a file of
// keys, which isn't read.
func (p Provider) Stored() bool {
	for _, name := range p.variables {
		if os.Getenv(name) != "" {
			return true
		}
	}
	_, err := os.Stat(Path())
	return err == nil
}

// Gemini finds the key of Gemini.
func Gemini() (Key, error) { return Providers()[0].Find() }

// Find finds a provider's key: in the environment, or in the file. Without one
// the error is ErrNoKey, of CodeModel; so is that of one which no header could
// carry. The key never is in an error.
func (p Provider) Find() (Key, error) {
	for _, name := range p.variables {
		if value := strings.TrimSpace(os.Getenv(name)); value != "" {
			return checked(Key{value, name})
		}
	}
	store, err := Load()
	if err != nil {
		return Key{}, err
	}
	if stored := store.Key(p.Name); stored != "" {
		return checked(Key{stored, Path()})
	}
	return Key{}, p.none()
}

func (p Provider) none() error {
	set := "pai config set"
	if p.Name != gemini {
		set += " --provider " + p.Name
	}
	hint := set + " stores one"
	if len(p.variables) > 0 {
		hint += ", or set " + p.variables[0]
	}
	return noKey{turn.Errorf(turn.CodeModel, "no API key").WithHint("%s", hint)}
}

// Server is an address that is asked for a key.
type Server struct {
	Host  string // without the port
	Port  string // empty: the scheme's
	Given bool   // it is the person's --base-url: PAI_API_KEY is for it
}

// For finds the key that belongs to a server; errors are those of Find. It is
// PAI_API_KEY for one that the person names, or else the key of the provider
// whose host it is, or OPENAI_API_KEY for the host of OPENAI_BASE_URL, or the
// one that is stored for the host.
func For(s Server) (Key, error) {
	if value := strings.TrimSpace(os.Getenv(baseURLKey)); value != "" && s.Given {
		return checked(Key{value, baseURLKey})
	}
	if p, ok := ForHost(s.Host); ok {
		return p.Find()
	}
	if openAI, _ := Named("openai"); s.isOpenAIBase() {
		return openAI.Find()
	}
	store, err := Load()
	if err != nil {
		return Key{}, err
	}
	for _, name := range []string{s.Host + ":" + s.Port, s.Host} {
		if stored := store.Key(name); stored != "" {
			return checked(Key{stored, Path()})
		}
	}
	return Key{}, Provider{Name: s.Host, variables: []string{baseURLKey}}.none()
}

// isOpenAIBase reports whether OPENAI_BASE_URL names the server.
func (s Server) isOpenAIBase() bool {
	base := strings.ToLower(strings.TrimSpace(os.Getenv(OpenAIBaseURL)))
	if _, rest, ok := strings.Cut(base, "://"); ok {
		base = rest
	}
	base, _, _ = strings.Cut(base, "/")
	base, _, _ = strings.Cut(base, "?")
	full := s.Host
	if strings.Contains(full, ":") {
		full = "[" + full + "]"
	}
	return base != "" && (base == full+":"+s.Port || base == full && s.Port == "")
}

// Has reports whether there is a key of a provider.
func Has(provider string) bool {
	p, err := Named(provider)
	if err != nil {
		return false
	}
	_, err = p.Find()
	return err == nil
}

func checked(k Key) (Key, error) {
	if err := CheckForm(k.Value); err != nil {
		return Key{}, turn.Errorf(turn.CodeModel, "the API key from %s %s", k.Source, err)
	}
	return k, nil
}

// CheckForm tells what makes a text impossible as a key; nil if nothing does.
func CheckForm(key string) error {
	if key == "" {
		return errors.New("is empty")
	}
	for _, r := range key {
		if r <= ' ' || r > '~' {
			return errors.New("holds a blank or a character that is not ASCII")
		}
	}
	return nil
}

// LooksLikeGemini reports whether a key begins as Gemini's do: those made since
// 2026 with "AQ.", older ones with "AIza".
func LooksLikeGemini(key string) bool {
	return strings.HasPrefix(key, "AQ.") || strings.HasPrefix(key, "AIza")
}

// Unusual says what is unusual about the form of a key of Gemini's; empty if nothing is.
func Unusual(key string) string {
	if key == "" || LooksLikeGemini(key) {
		return ""
	}
	return `a Gemini key usually begins with "AQ." or "AIza", this one doesn't`
}

// LooksLikeKey reports whether a text has the form of a key: long, without blanks, and no
// word.
func LooksLikeKey(text string) bool {
	const shortest = 16
	return len(text) >= shortest && !strings.ContainsAny(text, " \t\r\n/") &&
		strings.ContainsAny(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_")
}

// Mask shows enough of a key to recognise it, and no more.
func Mask(key string) string {
	if len(key) < 16 {
		return "****"
	}
	return key[:4] + "…" + key[len(key)-4:]
}
