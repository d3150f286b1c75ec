package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"paicode/pkg/model/modeltest"
)

// root is where agents work: a path of its own, since it is in their questions.
const root = "/tmp/pai-bench-project"

// packages are the agents of npm, at the versions that were measured.
func packages() []string {
	return []string{"@google/gemini-cli@0.61.0", "opencode-ai@1.18.33", "@openai/codex@0.169.0"}
}

// install gets what is missing.
func install(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "node_modules/.bin/codex")); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	cmd := exec.Command("npm", append([]string{"install", "--no-audit", "--no-fund", "--prefix", dir}, packages()...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w\n%s", err, out)
	}
	return nil
}

// agent is one that is measured. Files are in its home.
type agent struct {
	name, version string
	command       func(request string) []string
	env           []string
	files         map[string]string
}

func agents(bin, dir, url string) []agent {
	in := func(name string) string { return filepath.Join(dir, "node_modules/.bin", name) }
	return []agent{
		{"pai", "this tree", func(r string) []string { return []string{filepath.Join(bin, "pai"), "--yes", r} },
			[]string{"GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=" + modeltest.Key}, nil},
		{"gemini-cli", "0.61.0", func(r string) []string {
			return []string{in("gemini"), "--yolo", "-m", "gemini-2.5-flash",
				"-p", r}
		},
			[]string{"GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=" + modeltest.Key, "GEMINI_CLI_TRUST_WORKSPACE=true"},
			map[string]string{".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "telemetry": {"enabled": false},
				"privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false}}`}},
		{"opencode", "1.18.33", func(r string) []string {
			return []string{in("opencode"), "run", "--model", "google/gemini-2.5-flash", r}
		},
			[]string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"},
			map[string]string{".config/opencode/opencode.json": fmt.Sprintf(`{"autoupdate": false, "share": "disabled", "permission": "allow",
				"provider": {"google": {"options": {"baseURL": "%s/v1beta", "apiKey": "%s"}}}}`, url, modeltest.Key)}},
		{"codex", "0.169.0", func(r string) []string {
			return []string{in("codex"), "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-m",
				"gpt-5", r}
		},
			[]string{"PEER_KEY=k"},
			map[string]string{".codex/config.toml": fmt.Sprintf("model_provider = \"local\"\ncheck_for_update_on_startup = false\n[analytics]\nenabled = false\n"+
				"[model_providers.local]\nname = \"local\"\nbase_url = \"%s/v1\"\nwire_api = \"responses\"\nenv_key = \"PEER_KEY\"\n", url)}},
	}
}
