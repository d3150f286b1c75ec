package provider

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

	"paicode/pkg/credentials"
	"paicode/pkg/lazyregexp"
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
	hint := anotherKey(g.key, "gemini")
	status := e.Code
	switch {
	case oldKey(e, g.key.Value):
		status = http.StatusUnauthorized
		hint = "keys of this kind are no longer accepted; make a new one at https://aistudio.google.com/apikey, then pai config set"
	case hasReason(e, "API_KEY_INVALID"):
		status = http.StatusUnauthorized
	}
	f := refusal(status, said, advice{g.options.Name, hint, ""})
	switch {
	case status >= 300 && status < 400:
		return redirected(status, g.headers.last.Get("Location"))
	case status == http.StatusTooManyRequests && noneAllowed(e.Message, e.Details):
		f = notInPlan(g.options.Name, said)
	case status == http.StatusTooManyRequests && spentForToday(e.Message, e.Details):
		f = spentToday(said)
	case status == http.StatusBadRequest && speaksOfLength(said):
		f.err = turn.Errorf(turn.CodeModel, "the question is longer than the model's window: %s", said).
			WithHint("%s", longHint)
	}
	f.wait, f.says = retryDelay(e, g.headers.last), e.Message
	return f
}

// oldKey recognises the refusals of keys that Google takes no more since 2026:
// those of no restricted use, which begin with "AIza".
func oldKey(e genai.APIError, key string) bool {
	refused := hasReason(e, "API_KEY_INVALID") || strings.Contains(e.Message, "API key are blocked")
	return hasReason(e, "ACCESS_TOKEN_TYPE_UNSUPPORTED") || strings.HasPrefix(key, "AIza") && refused
}

// anotherKey says how to get rid of a key that is refused.
func anotherKey(key credentials.Key, provider string) string {
	switch {
	case key.Source != credentials.Path():
		return "the key is the one in " + key.Source
	case provider == "gemini":
		return "pai config set stores another"
	}
	return "pai config set --provider " + provider + " stores another"
}

// advice is what a person can do about a refusal.
type advice struct {
	model  string // that was asked
	onKey  string
	prefix string // of names of the provider's models
}

// refusal says what an HTTP status of any provider means.
func refusal(status int, said string, a advice) *failure {
	f := &failure{cause: strconv.Itoa(status)}
	switch {
	case status == http.StatusPaymentRequired:
		f.err = turn.Errorf(turn.CodeQuota, "the provider's quota is used up: %s", said)
	case status == http.StatusTooManyRequests:
		f.again = true
		f.err = turn.Errorf(turn.CodeQuota, "the provider's rate limit is reached: %s", said)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.err = turn.Errorf(turn.CodeModel, "the provider refused the key: %s", said).WithHint("%s", a.onKey)
	case status == http.StatusNotFound:
		hint := "pai models lists those that it offers; --model or PAI_MODEL names one"
		if name := replacement(said); name != "" && name != a.model {
			hint = "--model " + a.prefix + name
		}
		f.err = turn.Errorf(turn.CodeModel, "the provider doesn't offer the model %q: %s", a.model, said).WithHint("%s", hint)
	case passes(status):
		f.again = true
		f.err = turn.Errorf(turn.CodeModel, "the provider failed (%d): %s", status, said)
	default:
		f.err = turn.Errorf(turn.CodeModel, "the provider refused the question (%d): %s", status, said)
	}
	return f
}

// overloaded is the status by which Anthropic says so.
const overloaded = 529

// passes tells of a status after which another try may help.
func passes(status int) bool {
	return slices.Contains([]int{http.StatusRequestTimeout, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout, overloaded}, status)
}

// quotas are what an error of Google's says of the quotas that it is about.
func quotas(details []map[string]any) (all []map[string]any) {
	for _, detail := range details {
		if metadata, ok := detail["metadata"].(map[string]any); ok {
			all = append(all, metadata)
		}
		list, _ := detail["violations"].([]any)
		for _, v := range list {
			if violation, ok := v.(map[string]any); ok {
				all = append(all, violation)
			}
		}
	}
	return all
}

var spentForTodayForm = lazyregexp.New(`(?i)\bper[- ]day\b`)

// spentForToday recognises a quota that no wait of minutes brings back.
func spentForToday(message string, details []map[string]any) bool {
	return spentForTodayForm().MatchString(message) ||
		slices.ContainsFunc(quotas(details), func(v map[string]any) bool {
			id, _ := v["quotaId"].(string)
			return strings.Contains(id, "PerDay")
		})
}

var noneAllowedForm = lazyregexp.New(`\blimit: 0\b`)

// noneAllowed recognises a quota of nothing, which no wait brings: so are models
// refused that a plan doesn't have, and some that are retired.
func noneAllowed(message string, details []map[string]any) bool {
	return noneAllowedForm().MatchString(message) ||
		slices.ContainsFunc(quotas(details), func(v map[string]any) bool {
			return fmt.Sprint(v["quotaValue"]) == "0" || fmt.Sprint(v["quota_limit_value"]) == "0"
		})
}

func notInPlan(model, said string) *failure {
	return &failure{err: turn.Errorf(turn.CodeQuota, "the model %q is not in your plan, or retired: %s", model, said).
		WithHint("pai models --probe lists those that answer; --model names one")}
}

func spentToday(said string) *failure {
	return &failure{err: turn.Errorf(turn.CodeQuota, "the provider's quota for today is used up: %s", said).
		WithHint("%s", nextDay(time.Now()))}
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

// hasReason reports whether an error gives a reason, in Google's words.
func hasReason(e genai.APIError, reason string) bool {
	return slices.ContainsFunc(e.Details, func(detail map[string]any) bool { return detail["reason"] == reason })
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
