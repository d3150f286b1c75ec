// Package modeltest plays model providers on loopback, for tests and for the
// demonstration. It speaks the provider's protocol to the real SDK, refuses
// what the provider refuses, and gives answers that were written by hand.
package modeltest

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Key is the only key that the server accepts.
const Key = "AIzaSy-modeltest-0123456789abcdefghijkl"

// TokenKey is refused as what is no key.
const TokenKey = "AIzaSy-modeltest-of-a-kind-no-longer-taken"

// Server is a Gemini API, at which GOOGLE_GEMINI_BASE_URL points if it is URL,
// and an OpenAI-compatible one, with PAI_BASE_URL URL and "/v1", or in the dialect
// of a provider that Manners names, with URL and "/NAME/v1".
type Server struct {
	*httptest.Server
	refusals atomic.Int64 // of questions that had something wrong
	mu       sync.Mutex
	rules    []Rule
	used     []int
	requests []Request
}

// Request is one question that was let through to the rules.
type Request struct {
	System, Prompt, Schema string
	InputTokens            int // as counted here: a token for four characters
	OutputTokens           int
	Matched                bool // whether a rule fitted
}

// Text is what a rule's expression sees.
func (r Request) Text() string { return r.System + "\n" + r.Prompt }

// Start starts a server with rules, in the form that parseRules reads; the first that fits
// and is not used up answers. Close it.
func Start(text string) (*Server, error) {
	rules, err := parseRules(text)
	if err != nil {
		return nil, err
	}
	s := &Server{rules: rules, used: make([]int, len(rules))}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1beta/models/{call}", s.generate)
	mux.HandleFunc("GET /v1beta/models/{name}", s.describe)
	mux.HandleFunc("GET /v1beta/models", s.listModels)
	for _, m := range dialects() {
		m.handle(s, mux)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "NOT_FOUND", "Requested entity was not found.")
	})
	s.Server = httptest.NewServer(mux)
	return s, nil
}

// Refusals is how many questions were refused for what was wrong with them.
func (s *Server) Refusals() int { return int(s.refusals.Load()) }

// Requests returns the questions so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Tokens counts as everywhere in Pai's measurements: one for four characters,
// rounded up.
func Tokens(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// pick finds the rule for a question and keeps both.
func (s *Server) pick(q *Request) (Rule, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, r := range s.rules {
		if r.When.MatchString(q.Text()) && (r.Times == 0 || s.used[i] < r.Times) {
			s.used[i]++
			q.OutputTokens, q.Matched = Tokens(r.Answer), true
			s.requests = append(s.requests, *q)
			return r, true
		}
	}
	s.requests = append(s.requests, *q)
	return Rule{}, false
}

// split cuts an answer as a stream would: anywhere between characters.
func split(text string) []string {
	runes := []rune(text)
	size := max(50, len(runes)/1000)
	var pieces []string
	for len(runes) > 0 {
		n := min(size, len(runes))
		pieces = append(pieces, string(runes[:n]))
		runes = runes[n:]
	}
	return pieces
}

// sent is how an answer goes out: what happens to it on the way.
type sent struct {
	rule   Rule
	w      http.ResponseWriter
	r      *http.Request
	window int // tokens that are read of a question; 0: all
}

// faults does what a rule says of the way before any answer; done tells that
// there is none.
func (s sent) faults() (done bool) {
	select {
	case <-time.After(s.rule.Delay):
	case <-s.r.Context().Done():
		return true
	}
	if s.rule.Header[0] != "" {
		s.w.Header().Set(s.rule.Header[0], s.rule.Header[1])
	}
	if s.rule.Reset == "before" {
		s.reset()
		return true
	}
	if s.rule.Verbatim == "" {
		return false
	}
	s.w.Header().Set("Content-Type", s.rule.Verbatim)
	if s.rule.Status != 0 {
		s.w.WriteHeader(s.rule.Status)
	}
	_, _ = io.WriteString(s.w, s.rule.Answer)
	return true
}

// reset breaks the connection.
func (s sent) reset() {
	h, ok := s.w.(http.Hijacker)
	if !ok {
		return
	}
	conn, _, err := h.Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// events sends server-sent events and a last word, as far as the faults lets
// them.
func (s sent) events(events []map[string]any, last string) {
	s.w.Header().Set("Content-Type", "text/event-stream")
	var out io.Writer = s.w
	if s.rule.Gzip {
		s.w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(s.w)
		defer func() { _ = z.Close() }()
		out = z
	}
	for i, e := range events {
		if i == 1 && s.rule.Reset == "middle" {
			s.reset()
			return
		}
		if i == 1 && s.rule.Stall > 0 {
			select {
			case <-time.After(s.rule.Stall):
			case <-s.r.Context().Done():
				return
			}
		}
		if s.rule.Comment {
			_, _ = io.WriteString(out, ": keep-alive\n\n")
		}
		data, _ := json.Marshal(e)
		fmt.Fprintf(out, "data: %s\r\n\r\n", data)
		if f, ok := s.w.(http.Flusher); ok && !s.rule.Gzip {
			f.Flush()
		}
	}
	_, _ = io.WriteString(out, last)
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_ = json.NewEncoder(w).Encode(v)
}

// cut is an answer as a limit of tokens leaves it.
func cut(r Rule, maxTokens int) (text, finish string) {
	text, finish = strings.Repeat(r.Answer, max(1, r.Repeat)), r.Finish
	if finish == "" {
		finish = "STOP"
	}
	if maxTokens > 0 && Tokens(text) > maxTokens {
		return string([]rune(text)[:4*maxTokens]), "MAX_TOKENS"
	}
	return text, finish
}
