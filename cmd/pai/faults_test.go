package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"paicode/pkg/model/modeltest"
	"paicode/pkg/scripttest"
)

// good is the answer that the plan under faults wants.
const good = "---\n## 1 WRITE new.txt\n```\nnew\n```\n"

// then has a rule answer once, before the good one.
func then(rule string) string {
	head, answer, _ := strings.Cut(rule, "---\n")
	return "when: .\ntimes: 1\n" + head + "---\n" + answer + "\n===\nwhen: .\n" + good
}

// faults is what a provider or the way to it can do, and what must come of it.
// Without an error the plan is applied.
var faults = []struct {
	name   string
	rules  string
	env    []string
	code   int
	says   string // on standard error
	hint   string
	tries  int
	within time.Duration
	only   string // a provider
}{
	{name: "fine", rules: "when: .\n" + good, tries: 1},
	{name: "gzip", rules: "when: .\ngzip: true\n" + good, tries: 1},
	{name: "comments", rules: "when: .\ncomment: true\n" + good, tries: 1},
	{name: "Vertex in the environment", rules: "when: .\n" + good, env: []string{"GOOGLE_GENAI_USE_VERTEXAI=true", "GOOGLE_CLOUD_PROJECT=x", "GOOGLE_API_KEY=AIzaAnother"}, tries: 1},
	{name: "400", rules: "when: .\nstatus: 400\n---\nno", code: 7, says: `the provider refused the question \(400\): no`, tries: 1},
	{name: "401", rules: "when: .\nstatus: 401\n---\nno", code: 7, says: `the provider refused the key: no`, hint: `GEMINI_API_KEY|PAI_API_KEY`, tries: 1},
	{name: "403", rules: "when: .\nstatus: 403\n---\nno", code: 7, says: `the provider refused the key: no`, hint: `GEMINI_API_KEY|PAI_API_KEY`, tries: 1},
	{name: "404", rules: "when: .\nstatus: 404\n---\nno", code: 7, says: `(the provider doesn't offer the model|nothing answers at)`, hint: `--model|--base-url`, tries: 1},
	{name: "408", rules: then("status: 408\n---\nslow"), says: `retrying in .* \(408, attempt 2 of 5\)`, tries: 2},
	{name: "429", rules: then("status: 429\n---\nslow down"), says: `retrying in .* \(429, attempt 2 of 5\)`, tries: 2},
	{name: "429 with a header", rules: then("status: 429\nheader: Retry-After: 1\n---\nslow down"), says: `retrying in 1s \(429, attempt 2 of 5\)`, tries: 2},
	{name: "429 with RetryInfo", only: "gemini", rules: "when: .\nstatus: 429\n" +
		`details: [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "61s"}]` + "\n---\nslow down", env: []string{"PAI_TIMEOUT=20s"},
		code: 8, says: `the provider's rate limit is reached: slow down`, hint: `asks to wait 1m1s, longer than --timeout leaves`, tries: 1, within: 3 * time.Second},
	{name: "the day's quota", only: "gemini", rules: "when: .\nstatus: 429\n" +
		`details: [{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]` +
		"\n---\nspent", code: 8, says: `the provider's quota for today is used up: spent`, hint: `midnight Pacific time`, tries: 1, within: 3 * time.Second},
	{name: "spent money", only: "openai", rules: "when: .\nstatus: 429\ndetails: [{\"code\": \"insufficient_quota\"}]\n---\npay", code: 8,
		says: `the provider's quota is used up: pay`, tries: 1, within: 3 * time.Second},
	{name: "500", rules: then("status: 500\n---\nbroken"), says: `retrying in .* \(500, attempt 2 of 5\)`, tries: 2},
	{name: "502 with a page", rules: then("status: 502\nverbatim: text/html\n---\n<html>Bad Gateway</html>"), says: `retrying in .* \(502, attempt 2 of 5\)`, tries: 2},
	{name: "503 with nothing", rules: then("status: 503\nverbatim: text/plain\n---\n"), says: `retrying in .* \(503, attempt 2 of 5\)`, tries: 2},
	{name: "500 for ever", rules: "when: .\nstatus: 500\n---\nbroken", code: 7, says: `the provider failed \(500\): broken`, tries: 5, within: 20 * time.Second},
	{name: "reset before", rules: then("reset: before\n---\nx"), says: `retrying in .* \(connection broken, attempt 2 of 5\)`, tries: 2},
	{name: "reset in the middle", rules: then("reset: middle\n" + good + strings.Repeat("long ", 40)), says: `retrying in .* \(connection broken, attempt 2 of 5\)`, tries: 2},
	{name: "silence", rules: then("stall: 20s\n" + good + strings.Repeat("long ", 40)), env: []string{"PAI_STALL_TIMEOUT=1s"}, says: `retrying in .* \(silence, attempt 2 of 2\)`, tries: 2, within: 10 * time.Second},
	{name: "slow headers", rules: then("delay: 20s\n" + good), env: []string{"PAI_STALL_TIMEOUT=1s"}, says: `retrying in .* \(silence, attempt 2 of 2\)`, tries: 2, within: 10 * time.Second},
	{name: "too slow", rules: "when: .\ndelay: 20s\n" + good, env: []string{"PAI_TIMEOUT=1s"}, code: 7, says: `no answer within 1s`, hint: `--timeout`, tries: 1, within: 5 * time.Second},
	{name: "cut on the way", rules: then("finish: none\n" + good), says: `retrying in .* \(answer cut off, attempt 2 of 5\)`, tries: 2},
	{name: "an empty object", only: "openai", rules: then("verbatim: application/json\n---\n{}"), says: `retrying in .* \(empty answer, attempt 2 of [25]\)`, tries: 2},
	{name: "an empty event", rules: then("verbatim: text/event-stream\n---\ndata: {}\n\n"), says: `retrying in .* \(empty answer, attempt 2 of [25]\)`, tries: 2},
	{name: "no words", rules: then("---\n"), says: `retrying in .* \(empty answer, attempt 2 of [25]\)`, tries: 2},
	{name: "blocked prompt", only: "gemini", rules: "when: .\nblock: SAFETY\n---\n", code: 7, says: `the provider blocked the prompt \(SAFETY\)`, hint: `reword`, tries: 1},
	{name: "blocked answer", rules: "when: .\nfinish: SAFETY\n---\nx", code: 7, says: `the provider blocked the answer`, hint: `reword`, tries: 1},
	{name: "the limit of tokens", rules: "when: .\nfinish: MAX_TOKENS\n---\n## 1 WRITE new.txt\n```\nne", code: 7, says: `new.txt: the reply was cut in it`, tries: 1},
	{name: "the limit without a word", rules: "when: .\nfinish: MAX_TOKENS\n---\n", code: 7, says: `the model's answer is truncated`, hint: `ask for less`, tries: 1},
	{name: "an unknown end", rules: "when: .\nfinish: WHATEVER\n---\nx", code: 7, says: `(?i)whatever`, tries: 1},
	{name: "nonsense", rules: "when: .\nverbatim: text/event-stream\n---\ndata: {nonsense\n\n", code: 7, says: `answer can't be read`, tries: 1},
	{name: "an endless answer", rules: "when: .\nrepeat: 6000\n---\n" + strings.Repeat("far too long, ", 300), code: 7, says: `the model's answer is larger than 16 MB`, tries: 1, within: 2 * time.Minute},
	{name: "a wrong key", rules: "when: .\n" + good, env: []string{"GEMINI_API_KEY=AIzaWrong-key", "PAI_API_KEY=AIzaWrong-key"}, code: 7, says: `the provider refused the key`, tries: 1},
	{name: "nobody there", rules: "when: .\n" + good, env: []string{"GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:9", "PAI_BASE_URL=http://127.0.0.1:9/v1"},
		code: 7, says: `the provider can't be reached: connection refused`, hint: `network`, tries: 5, within: 20 * time.Second},
}

// TestFaults has pai-exec ask for a file under every fault: the real commands,
// the real SDK, both providers.
func TestFaults(t *testing.T) {
	bin := scripttest.Build(t)
	for _, provider := range []string{"gemini", "openai"} {
		for _, tt := range faults {
			if tt.only != "" && tt.only != provider {
				continue
			}
			t.Run(provider+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				server, err := modeltest.Start(tt.rules)
				if err != nil {
					t.Fatal(err)
				}
				defer server.Close()
				run := underFault(t, bin, provider, server.URL, tt.env)
				if run.code != tt.code {
					t.Errorf("exit code %d, want %d", run.code, tt.code)
				}
				for _, want := range []string{tt.says, tt.hint} {
					if !regexp.MustCompile(want).MatchString(run.stderr) {
						t.Errorf("standard error lacks %q", want)
					}
				}
				if len(run.tries) != 1 || run.tries[0] != tt.tries {
					t.Errorf("%v tries, want %d", run.tries, tt.tries)
				}
				if asked := len(server.Requests()); asked > 0 && asked != tt.tries {
					t.Errorf("asked %d times, want %d", asked, tt.tries)
				}
				if tt.within > 0 && run.took > tt.within {
					t.Errorf("took %s, more than %s", run.took, tt.within)
				}
				if _, err := os.Stat(filepath.Join(run.dir, "new.txt")); (err == nil) != (tt.code == 0) {
					t.Errorf("new.txt: %v", err)
				}
				if strings.Contains(run.stderr+run.stdout, "AIza") {
					t.Error("the key shows")
				}
				if t.Failed() {
					t.Logf("%s\n%s", run.stdout, run.stderr)
				}
			})
		}
	}
}

type faulted struct {
	dir, stdout, stderr string
	code                int
	tries               []int
	took                time.Duration
}

func underFault(t *testing.T, bin, provider, url string, env []string) (w faulted) {
	t.Helper()
	w.dir = t.TempDir()
	cmd := exec.Command(filepath.Join(bin, "pai-exec"), "--max-phases", "1")
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "GORACE=atexit_sleep_ms=0", "GEMINI_API_KEY="+modeltest.Key, "GOOGLE_GEMINI_BASE_URL="+url,
		"PAI_API_KEY="+modeltest.Key, "PAI_BASE_URL="+url+"/v1")
	if provider == "openai" {
		cmd.Env = append(cmd.Env, "PAI_MODEL=openai/gpt-5-mini")
	}
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdin = strings.NewReader(`{"pai": "turn/1", "request": "write it", "plan": {"execution_plan": {"steps": [{"step_number": 1, "action": "WRITE", "target": "new.txt", "description": "write"}]}}}`)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	cmd.Run()
	w.took, w.code, w.stdout, w.stderr = time.Since(start), cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
	var doc struct {
		Usage []struct{ Tries int }
	}
	if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
		t.Fatalf("standard output is no document: %v\n%s", err, stdout.String())
	}
	for _, u := range doc.Usage {
		w.tries = append(w.tries, u.Tries)
	}
	return w
}

// TestRedirect sends the question to another server: neither the key nor the
// question arrives there.
func TestRedirect(t *testing.T) {
	arrived := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived++ }))
	defer other.Close()
	server, err := modeltest.Start("when: .\nstatus: 307\nheader: Location: " + other.URL + "/\n---\nover there")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	bin := scripttest.Build(t)
	for _, provider := range []string{"gemini", "openai"} {
		if run := underFault(t, bin, provider, server.URL, nil); run.code != 7 || !strings.Contains(run.stderr, "(307)") {
			t.Errorf("%s: exit code %d\n%s", provider, run.code, run.stderr)
		}
	}
	if arrived > 0 {
		t.Errorf("%d requests arrived at the other server", arrived)
	}
}
