package guard

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"os"
)

const gitConfig = `# a comment
[core]
	hooksPath = .hooks ; where they are
	fsmonitor = "./tools/watch \"a b\"" --fast
[Filter "My Lfs"] clean = tools/clean %f
[diff]
	external = a\
/b
[alias] x = "!sh tools/x.sh"
	plain
[include]
	path = ../more.config
`

// TestGitConfig compares what is read with what git reads.
func TestGitConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(gitConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("git", "config", "--no-includes", "--list", "--file", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, s := range GitConfig(gitConfig) {
		b.WriteString(s.Name)
		if s.Name != "alias.plain" {
			b.WriteString("=" + s.Value)
		}
		b.WriteString("\n")
	}
	if b.String() != string(out) {
		t.Errorf("read\n%s\ngit reads\n%s", &b, out)
	}
}

func FuzzGitConfig(f *testing.F) {
	f.Add(gitConfig)
	f.Add("[a \"b\\")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range GitConfig(text) {
			if !strings.Contains(s.Name, ".") {
				t.Errorf("%q", s.Name)
			}
			s.Runs()
		}
	})
}
