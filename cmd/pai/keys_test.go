package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"paicode/pkg/scripttest"
)

// listener is a proxy on loopback that plays every host of the world, and keeps
// what arrives there, over https too: the commands are told to believe its
// certificates.
type listener struct {
	*httptest.Server
	roots string // a file with the certificate of its authority
	mu    sync.Mutex
	got   []string // "scheme host path?query key", in the order of arrival
}

func newListener(t *testing.T) *listener {
	l := &listener{roots: filepath.Join(t.TempDir(), "roots.pem")}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "listener"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, authority, authority, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	certificate := func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		leaf := &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{hello.ServerName}, NotBefore: authority.NotBefore, NotAfter: authority.NotAfter}
		der, err := x509.CreateCertificate(rand.Reader, leaf, authority, key.Public(), key)
		return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
	}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			l.keep(w, r, "http")
			return
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		conn.Write([]byte("HTTP/1.1 200 OK\r\n\r\n"))
		secret := tls.Server(conn, &tls.Config{GetCertificate: certificate})
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { l.keep(w, r, "https") })}
		server.Serve(&one{conn: secret})
	}))
	t.Cleanup(l.Close)
	return l
}

// keep notes what arrived, and sends it on to another host: nobody may go.
func (l *listener) keep(w http.ResponseWriter, r *http.Request, scheme string) {
	var keys []string
	for _, name := range []string{"Authorization", "Api-Key", "X-Goog-Api-Key"} {
		if value := r.Header.Get(name); value != "" {
			keys = append(keys, strings.TrimPrefix(value, "Bearer "))
		}
	}
	l.mu.Lock()
	l.got = append(l.got, strings.TrimSpace(scheme+" "+r.Host+" "+r.URL.RequestURI()+" "+strings.Join(keys, " ")))
	l.mu.Unlock()
	w.Header().Set("Location", "https://elsewhere.example/")
	w.WriteHeader(http.StatusTemporaryRedirect)
}

// take returns what arrived since it was called last.
func (l *listener) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	got := l.got
	l.got = nil
	return got
}

// one is a listener for one connection.
type one struct {
	conn net.Conn
	once sync.Once
}

func (o *one) Accept() (conn net.Conn, err error) {
	err = net.ErrClosed
	o.once.Do(func() { conn, err = o.conn, nil })
	return conn, err
}
func (o *one) Close() error   { return nil }
func (o *one) Addr() net.Addr { return o.conn.LocalAddr() }

// allKeys has a key for every provider; each is named after its variable.
func allKeys() (env []string) {
	for _, name := range []string{"GEMINI", "OPENAI", "OPENROUTER", "ANTHROPIC", "GROQ", "MISTRAL", "DEEPSEEK", "AZURE_OPENAI"} {
		env = append(env, name+"_API_KEY=key-of-"+name)
	}
	return env
}

// arrivals are addresses, and what must arrive of a question to them: where,
// and with which key.
var arrivals = []struct {
	model, base string
	env         []string
	want        string
	says        string // on standard error, where nothing may arrive
}{
	{model: "gemini-3.5-flash-lite", want: "https generativelanguage.googleapis.com /v1beta/models/gemini-3.5-flash-lite:streamGenerateContent?alt=sse key-of-GEMINI"},
	{model: "openai/x", want: "https api.openai.com /v1/chat/completions key-of-OPENAI"},
	{model: "openai/x", base: "https://eu.api.openai.com", want: "https eu.api.openai.com /v1/chat/completions key-of-OPENAI"},
	{model: "openai/x", base: "openrouter.ai", want: "https openrouter.ai /api/v1/chat/completions key-of-OPENROUTER"},
	{model: "openai/x", base: "https://api.anthropic.com/v1/", want: "https api.anthropic.com /v1/chat/completions key-of-ANTHROPIC"},
	{model: "openai/x", base: "https://api.groq.com/openai/v1/chat/completions", want: "https api.groq.com /openai/v1/chat/completions key-of-GROQ"},
	{model: "openai/x", base: "https://api.mistral.ai/v1/v1", want: "https api.mistral.ai /v1/chat/completions key-of-MISTRAL"},
	{model: "openai/x", base: " https://api.deepseek.com ", want: "https api.deepseek.com /v1/chat/completions key-of-DEEPSEEK"},
	{model: "openai/x", base: "https://me.openai.azure.com/openai/deployments/x?api-version=2024-10-21", want: "https me.openai.azure.com /openai/deployments/x/chat/completions?api-version=2024-10-21 key-of-AZURE_OPENAI"},
	{model: "openai/gemini-3.5-flash-lite", base: "https://generativelanguage.googleapis.com/v1beta/openai/", want: "https generativelanguage.googleapis.com /v1beta/openai/chat/completions key-of-GEMINI"},
	{model: "openai/x", base: "https://llm.example.com", want: "https llm.example.com /v1/chat/completions"},
	{model: "openai/x", base: "https://api.openai.com.evil.example/v1", want: "https api.openai.com.evil.example /v1/chat/completions"},
	{model: "openai/x", base: "https://evilapi.openai.com/v1", want: "https evilapi.openai.com /v1/chat/completions"},
	{model: "openai/x", base: "https://llm.example.com/v1", env: []string{"PAI_API_KEY=key-of-PAI"}, want: "https llm.example.com /v1/chat/completions key-of-PAI"},
	{model: "openai/x", env: []string{"PAI_API_KEY=key-of-PAI"}, want: "https api.openai.com /v1/chat/completions key-of-OPENAI"},
	{model: "openai/x", env: []string{"OPENAI_BASE_URL=https://gateway.example:8443/v1"}, want: "https gateway.example:8443 /v1/chat/completions key-of-OPENAI"},
	{model: "openai/x", base: "https://other.example/v1", env: []string{"OPENAI_BASE_URL=https://gateway.example/v1"}, want: "https other.example /v1/chat/completions"},
	{model: "openai/x", base: "http://llm.example.com:8000/v1", want: "http llm.example.com:8000 /v1/chat/completions"},
	{model: "openai/x", base: "http://llm.example.com/v1", env: []string{"PAI_API_KEY=key-of-PAI"}, says: `the key from PAI_API_KEY would travel to "llm.example.com" over plain http`},
	{model: "openai/x", base: "http://api.openai.com/v1", says: `the key from OPENAI_API_KEY would travel to "api.openai.com" over plain http`},
	{model: "openai/x", env: []string{"OPENAI_BASE_URL=http://gateway.example/v1"}, says: `the key from OPENAI_API_KEY would travel to "gateway.example" over plain http`},
	{model: "gemini-3.5-flash-lite", env: []string{"GOOGLE_GEMINI_BASE_URL=http://gateway.example"}, says: `the key from GEMINI_API_KEY would travel to "gateway.example" over plain http`},
	{model: "openai/x", base: "http://llm.example.com/v1", env: []string{"PAI_API_KEY=key-of-PAI", "PAI_ALLOW_PLAIN_HTTP=1"}, want: "http llm.example.com /v1/chat/completions key-of-PAI"},
}

// TestKeysStayHome looks at what arrives at every host: no key but the host's
// own, none in the clear, and nothing at all where a redirect leads.
func TestKeysStayHome(t *testing.T) {
	bin, l := scripttest.Build(t), newListener(t)
	for _, tt := range arrivals {
		t.Run(tt.model+" "+tt.base+" "+strings.Join(tt.env, " "), func(t *testing.T) {
			l.take()
			cmd := exec.Command(filepath.Join(bin, "pai-classify"), "--timeout", "5s", "--model", tt.model, "hi")
			if tt.base != "" {
				cmd.Args = append(cmd.Args[:1], append([]string{"--base-url", tt.base}, cmd.Args[1:]...)...)
			}
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "GORACE=atexit_sleep_ms=0",
				"SSL_CERT_FILE="+l.roots, "HTTP_PROXY="+l.URL, "HTTPS_PROXY="+l.URL, "NO_PROXY=")
			cmd.Env = append(append(cmd.Env, allKeys()...), tt.env...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 7 {
				t.Errorf("%v\n%s", err, stderr.String())
			}
			if got := strings.Join(l.take(), "\n"); got != tt.want {
				t.Errorf("arrived:\n%s\nwant:\n%s\n%s", got, tt.want, stderr.String())
			}
			if !strings.Contains(stderr.String(), tt.says) || strings.Contains(stderr.String(), "key-of-") {
				t.Errorf("standard error:\n%s", stderr.String())
			}
		})
	}
}
