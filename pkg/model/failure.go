package model

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"google.golang.org/genai"

	"paicode/pkg/turn"
)

// failed says what an error of the SDK means.
func (g *gemini) failed(err error) *failure {
	if api, ok := errors.AsType[genai.APIError](err); ok {
		return g.refused(api)
	}
	return unreachable(err)
}

// refused says what a status of the API means.
func (g *gemini) refused(e genai.APIError) *failure {
	said := firstLine(e.Message)
	status := e.Code
	if refusesKey(e) {
		status = http.StatusUnauthorized
	}
	f := refusal(status, said, advice{g.options.Name, "pai config validate tells more, pai config set stores another key", "--model or PAI_MODEL names another"})
	if spentForToday(e) {
		f = &failure{err: turn.Errorf(turn.CodeQuota, "the provider's quota for today is spent: %s", said).WithHint("%s", nextDay(time.Now()))}
	}
	f.wait = retryDelay(e, g.headers.last)
	return f
}

// advice is what a person can do about a refusal.
type advice struct {
	model          string // that was asked
	onKey, onModel string
}

// refusal says what an HTTP status of any provider means.
func refusal(status int, said string, a advice) *failure {
	f := &failure{cause: strconv.Itoa(status)}
	switch {
	case status == http.StatusPaymentRequired:
		f.err = turn.Errorf(turn.CodeQuota, "the provider's quota is spent: %s", said)
	case status == http.StatusTooManyRequests:
		f.again = true
		f.err = turn.Errorf(turn.CodeQuota, "the provider's rate limit is reached: %s", said)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.err = turn.Errorf(turn.CodeModel, "the provider refused the key: %s", said).WithHint("%s", a.onKey)
	case status == http.StatusNotFound:
		f.err = turn.Errorf(turn.CodeModel, "the provider doesn't know the model %q", a.model).WithHint("%s", a.onModel)
	case passes(status):
		f.again = true
		f.err = turn.Errorf(turn.CodeModel, "the provider failed (%d): %s", status, said)
	default:
		f.err = turn.Errorf(turn.CodeModel, "the provider refused the question (%d): %s", status, said)
	}
	return f
}

// passes tells of a status after which another try may help.
func passes(status int) bool {
	return slices.Contains([]int{http.StatusRequestTimeout, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout}, status)
}

// spentForToday recognises a quota that no wait of minutes brings back.
func spentForToday(e genai.APIError) bool {
	for _, detail := range e.Details {
		violations, _ := detail["violations"].([]any)
		for _, v := range violations {
			violation, _ := v.(map[string]any)
			if id, _ := violation["quotaId"].(string); strings.Contains(id, "PerDay") {
				return true
			}
		}
	}
	return false
}

// nextDay says when Gemini's quotas of a day come back: at midnight Pacific
// time (ai.google.dev/gemini-api/docs/rate-limits).
func nextDay(now time.Time) string {
	const when = "it comes back at midnight Pacific time"
	pacific, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		return when
	}
	there := now.In(pacific)
	midnight := time.Date(there.Year(), there.Month(), there.Day()+1, 0, 0, 0, 0, pacific)
	return fmt.Sprintf("%s, in %s", when, midnight.Sub(now).Round(time.Minute))
}

// refusesKey recognises the 400 that Gemini gives for a wrong key.
func refusesKey(e genai.APIError) bool {
	for _, detail := range e.Details {
		if detail["reason"] == "API_KEY_INVALID" {
			return true
		}
	}
	return false
}

// retryDelay is how long the provider asks to wait: RetryInfo in the error's
// details, else the header Retry-After; 0 if neither is there.
func retryDelay(e genai.APIError, h http.Header) time.Duration {
	for _, detail := range e.Details {
		if kind, _ := detail["@type"].(string); strings.HasSuffix(kind, "google.rpc.RetryInfo") {
			if text, ok := detail["retryDelay"].(string); ok {
				if d, err := time.ParseDuration(text); err == nil && d > 0 {
					return d
				}
			}
		}
	}
	return retryAfter(h)
}

// causeOf names what broke a connection; empty if it wasn't the connection.
func causeOf(err error) string {
	_, isNet := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "connection broken"
	case isNet:
		if dns, ok := errors.AsType[*net.DNSError](err); ok {
			return "no address for " + turn.Quote(dns.Name)
		}
		return "network error"
	}
	return ""
}

// firstLine keeps a provider's message to one line of bearable length.
func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200]) + "…"
	}
	if s == "" {
		return "no reason given"
	}
	return turn.Printable(s)
}
