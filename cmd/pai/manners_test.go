package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"paicode/pkg/model/modeltest"
	"paicode/pkg/scripttest"
)

// task is a whole turn, as a model of any provider answers it.
const task = "when: chat or a task\n---\n" + `{"kind": "task", "acknowledgment": "ok", "reply": ""}` +
	"\n===\nwhen: Plan the fewest\n---\n" + `{"goal": "x", "question": "", "steps": [{"action": "WRITE", "targets": ["new.txt"], "destination": "", "do": "x"}], "check": ""}` +
	"\n===\nwhen: Write what\n---\n## 1 WRITE new.txt\n```\nnew\n```" +
	"\n===\nwhen: Propose\n---\n" + `{"suggestion": "rest"}`

// manners are providers and models, and what the first whole turn with them
// costs in questions that are refused.
var manners = []struct {
	path, model string
	wasted      int
	lacks       string // as the last question's usage has it
	says        string // where the turn fails
}{
	{path: "/openai/v1", model: "openai/gpt-5-mini"},
	{path: "/openai/v1", model: "openai/gpt-5.4"},
	{path: "/openai/v1", model: "openai/gpt-4o"},
	{path: "/openai/v1", model: "openai/house", wasted: 1, lacks: "temperature"},
	{path: "/anthropic/v1", model: "openai/claude-sonnet-5"},
	{path: "/anthropic/v1", model: "openai/house", wasted: 1, lacks: "json_schema,response_format,stream_options,temperature"},
	{path: "/google/v1", model: "openai/gemini-3.5-flash-lite"},
	{path: "/google/v1", model: "openai/house", wasted: 1, lacks: "json_schema,response_format,stream_options,temperature"},
	{path: "/azure/v1?api-version=2024-10-21", model: "openai/gpt-5-mini"},
	{path: "/azure/v1?api-version=2024-10-21", model: "openai/house", wasted: 1, lacks: "temperature"},
	{path: "/ollama/v1", model: "openai/qwen3"},
	{path: "/llamacpp/v1", model: "openai/qwen3"},
	{path: "/vllm/v1", model: "openai/Qwen/Qwen3-Coder"},
	{path: "/vllm/v1", model: "openai/house", wasted: 1, lacks: "json_schema,response_format,stream_options,temperature"},
	{path: "/lmstudio/v1", model: "openai/qwen3"},
	{path: "/openrouter/v1", model: "openai/anthropic/claude-sonnet-5"},
	{path: "/openrouter/v1", model: "openai/qwen/qwen3:free"},
	{path: "/openrouter/v1", model: "openai/house", wasted: 1, lacks: "json_schema,response_format,stream_options,temperature"},
	{path: "/groq/v1", model: "openai/openai/gpt-oss-120b", wasted: 1, lacks: "json_schema,reasoning_effort,temperature"},
	{path: "/groq/v1", model: "openai/house", wasted: 1, lacks: "json_schema,temperature"},
	{path: "/mistral/v1", model: "openai/mistral-large-latest", wasted: 1, lacks: "stream_options,temperature"},
	{path: "/deepseek/v1", model: "openai/deepseek-chat", wasted: 1, lacks: "json_schema,stream_options,temperature"},
	{path: "/litellm/v1", model: "openai/sonnet", wasted: 1, lacks: "json_schema,response_format,stream_options,temperature"},
	{path: "/broken/v1", model: "openai/house", says: `pai-classify: the provider failed \(502\): Provider returned error: upstream is down\n`},
	{model: "gemini-2.5-flash-lite"},
	{model: "gemini-2.5-pro"},
	{model: "gemini-3.1-flash-lite"},
	{model: "gemini-3.5-flash-lite"},
	{model: "gemini-flash-lite-latest"},
	{model: "gemini-3.6-flash"},
	{model: "gemini-3.7-flash"},
	{model: "gemini-3.8-flash"},
	{model: "gemini-flash-latest"},
	{model: "gemini-3.1-pro"},
	{model: "gemini-4-flash"},
	{model: "gemini-9-mute", wasted: 1, lacks: "thinking"},
}

// TestManners leads a whole turn through the real commands with every kind of
// provider. What a server refuses is found out once, and not again in the turn.
func TestManners(t *testing.T) {
	bin := scripttest.Build(t)
	for _, tt := range manners {
		t.Run(tt.model+tt.path, func(t *testing.T) {
			t.Parallel()
			server, err := modeltest.Start(task)
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			dir := t.TempDir()
			cmd := exec.Command(filepath.Join(bin, "pai"), "--yes", "--model", tt.model, "--timeout", "20s", "write it")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "GORACE=atexit_sleep_ms=0", "GEMINI_API_KEY="+modeltest.Key,
				"GOOGLE_GEMINI_BASE_URL="+server.URL, "PAI_API_KEY="+modeltest.Key, "PAI_BASE_URL="+server.URL+tt.path)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err = cmd.Run()
			if tt.says != "" {
				if err == nil || !regexp.MustCompile(tt.says).MatchString(stderr.String()) {
					t.Errorf("%v\n%s", err, stderr.String())
				}
				return
			}
			if _, statErr := os.Stat(filepath.Join(dir, "new.txt")); err != nil || statErr != nil {
				t.Fatalf("%v, %v\n%s", err, statErr, stderr.String())
			}
			calls := len(server.Requests())
			t.Logf("%d answered, %d refused", calls, server.Refusals())
			if calls != 4 || server.Refusals() != tt.wasted {
				t.Errorf("%d questions were answered and %d refused, want 4 and %d", calls, server.Refusals(), tt.wasted)
			}
			if strings.Contains(stderr.String(), "retrying") {
				t.Errorf("standard error:\n%s", stderr.String())
			}
			var doc struct{ Usage []struct{ Lacks []string } }
			if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil || len(doc.Usage) != 4 {
				t.Fatalf("%v\n%s", err, stdout.String())
			}
			for i, u := range doc.Usage {
				if i > 0 && strings.Join(u.Lacks, ",") != tt.lacks && !slices.Equal(u.Lacks, doc.Usage[0].Lacks) {
					t.Errorf("question %d found that the server lacks %q, want %q", i+1, u.Lacks, tt.lacks)
				}
			}
			if last := strings.Join(doc.Usage[3].Lacks, ","); last != tt.lacks {
				t.Errorf("the server lacks %q, want %q", last, tt.lacks)
			}
		})
	}
}
