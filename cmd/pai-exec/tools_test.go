package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"paicode/pkg/scripttest"
)

// TestConfinedTools runs the tests of small projects as checks, with the home of whoever runs
// this: what tools write they may write.
func TestConfinedTools(t *testing.T) {
	bin := filepath.Join(scripttest.Build(t), "pai-exec")
	for _, tt := range []struct {
		tool, check string
		files       map[string]string
	}{
		{"go", "go test ./...", map[string]string{"go.mod": "module m\n\ngo 1.24\n", "m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestM(t *testing.T) { t.TempDir() }\n"}},
		{"pytest", "pytest -q", map[string]string{"test_m.py": "def test_m(tmp_path):\n    (tmp_path / 'x').write_text('x')\n"}},
		{"cargo", "cargo test --offline", map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": "#[test]\nfn m() {}\n"}},
		{"npm", "npm test --no-update-notifier", map[string]string{"package.json": "{\"name\": \"m\", \"scripts\": {\"test\": \"node -e 'require(\\\"assert\\\")(true)'\"}}\n"}},
		{"gradle", "gradle --offline test", map[string]string{"build.gradle": "plugins { id 'java' }\n", "settings.gradle": "rootProject.name = 'm'\n"}},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			if _, err := exec.LookPath(tt.tool); err != nil {
				t.Skipf("%s is not installed", tt.tool)
			}
			dir := t.TempDir()
			undoWrite(t, dir, tt.files)
			cmd := exec.Command(bin, "--check", tt.check)
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(`{"execution_plan": {"steps": [{"action": "WRITE", "target": "f", "content": "x\n"}]}}`)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
