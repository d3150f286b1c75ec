package provider

import (
	"net"
	"net/url"
	"os"
	"path"
	"strings"

	"paicode/pkg/credentials"
	"paicode/pkg/lazyregexp"
	"paicode/pkg/turn"
)

// address is where a server that speaks OpenAI's protocol answers.
type address struct {
	base  url.URL // without query and without a slash at its end
	query string  // goes with every request
}

// ollamaPort is where Ollama listens if nobody says otherwise.
const ollamaPort = "11434"

// serverURL is the address that a model "openai/NAME" is asked at: the option,
// or else OPENAI_BASE_URL, or else OLLAMA_HOST where there is no key of
// OpenAI's, or else OpenAI's own. Given reports whether it is the option's.
func (o Options) serverURL() (text string, given bool) {
	if text := strings.TrimSpace(o.BaseURL); text != "" {
		return text, true
	}
	if text := strings.TrimSpace(os.Getenv(credentials.OpenAIBaseURL)); text != "" {
		return text, false
	}
	if host := strings.TrimSpace(os.Getenv("OLLAMA_HOST")); host != "" && !credentials.Has("openai") {
		return ollamaURL(host), false
	}
	return openAIURL, false
}

// ollamaURL reads OLLAMA_HOST, which may lack a scheme, a host or a port.
func ollamaURL(host string) string {
	scheme, rest, found := strings.Cut(host, "://")
	if !found {
		scheme, rest = "http", host
	}
	rest, _, _ = strings.Cut(rest, "/")
	name, port, err := net.SplitHostPort(rest)
	if err != nil {
		name, port = strings.Trim(rest, "[]"), ollamaPort
	}
	if name == "" {
		name = "127.0.0.1"
	}
	return scheme + "://" + net.JoinHostPort(name, port)
}

// parseAddress reads an address as people write it: without a scheme, with a
// slash at its end, with or without "/v1", or pasted with the method's path.
func parseAddress(text string) (address, error) {
	wrong := func() (address, error) {
		return address{}, turn.Errorf(turn.CodeUsage, "the base URL %s is not the address of a server", turn.Quote(text)).
			WithHint("such as http://localhost:11434/v1")
	}
	full := strings.TrimSpace(text)
	if !strings.Contains(full, "://") {
		host, _, _ := strings.Cut(full, "/")
		if full = "https://" + full; isLoopback(hostOnly(host)) {
			full = "http" + strings.TrimPrefix(full, "https")
		}
	}
	u, err := url.Parse(full)
	if err == nil && u.User != nil {
		return address{}, turn.Errorf(turn.CodeUsage, "the base URL holds a name or a password").
			WithHint("PAI_API_KEY is the place for a key")
	}
	if err != nil || u.Hostname() == "" || strings.ContainsAny(u.Host, " \t") || u.Scheme != "http" &&
		u.Scheme != "https" {
		return wrong()
	}
	a := address{url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host)}, u.RawQuery}
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsUnspecified() { // where a server listens is no place to go
		a.base.Host = "127.0.0.1"
		if port := u.Port(); port != "" {
			a.base.Host = net.JoinHostPort(a.base.Host, port)
		}
	}
	a.base.Path = a.cleanPath(u.Path)
	return a, nil
}

// cleanPath leaves out what belongs to one method, and puts in what is missing.
func (a address) cleanPath(p string) string {
	p = path.Clean("/" + p)
	full := strings.HasSuffix(p, chatMethod)
	for before := ""; before != p; {
		before = p
		for _, method := range []string{chatMethod, "/completions", "/models", "/responses", "/embeddings"} {
			p = strings.TrimSuffix(p, method)
		}
	}
	for strings.HasSuffix(p, "/v1/v1") {
		p = strings.TrimSuffix(p, "/v1")
	}
	provider, known := credentials.ForHost(a.host())
	switch {
	case known && !strings.Contains(p, "v1") && !strings.Contains(p, "deployments") &&
		strings.HasPrefix(provider.Path, strings.TrimSuffix(p, "/")):
		return provider.Path
	case full:
		return strings.TrimSuffix(p, "/") // whoever names the method means this very address
	case p == "/" || p == "" || p == "/api" || p == "/api/chat" || p == "/api/generate": // Ollama's own methods
		return "/v1"
	}
	return p
}

// endpoint is the URL of one method.
func (a address) endpoint(method string) string {
	u := a.base
	u.Path += method
	u.RawQuery = a.query
	return u.String()
}

// String is the address without its query, which may hold a secret.
func (a address) String() string { return a.base.String() }

// chatMethod is the path of what is asked, under the address.
const chatMethod = "/chat/completions"

var versionForm = lazyregexp.New(`/v[0-9]`)

// other is the address in the form that it doesn't have, as --base-url takes it:
// with "/v1", or without; empty where another version is named.
func (a address) other() string {
	u := a.base
	p, versioned := strings.CutSuffix(u.Path, "/v1")
	switch {
	case versioned:
		u.Path = p + chatMethod
	case versionForm().MatchString(u.Path):
		return ""
	default:
		u.Path += "/v1"
	}
	return u.String()
}

func (a address) host() string { return hostOnly(a.base.Host) }

// server is the address as keys are looked up for it.
func (a address) server(given bool) credentials.Server {
	return credentials.Server{Host: a.host(), Port: a.base.Port(), Given: given}
}

func (a address) loopback() bool { return isLoopback(a.host()) }

// plain tells of an address to which everybody on the way can listen.
func (a address) plain() bool { return a.base.Scheme == "http" && !a.loopback() }

// hostOnly takes the port away.
func hostOnly(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// isLoopback reports whether a host is this machine, without asking anybody.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil &&
		(ip.IsLoopback() || ip.IsUnspecified())
}
