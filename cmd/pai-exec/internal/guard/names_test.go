package guard

import (
	"strings"
	"testing"
)

func TestDenyRule(t *testing.T) {
	for name, denied := range map[string]bool{
		".git": true, ".GIT": true, "git~1": true, ".git ": true, ".git.": true, ".git:stream": true, ".g\u200cit": true,
		"．ｇｉｔ": true, ".gi\u0074\u00ad": true, ".vſcode": true, "\u212Aey": false, "server.\u212Aey": true,
		".env": true, ".env.local": true, ".ENV.production": true, ".env.example": false, ".env.sample": false, ".env.template": false,
		"venv": true, ".venv": true, "VENV": true, "__pycache__": true, "node_modules": true, ".pai_history": true, ".idea": true, ".vscode": true,
		"id_rsa": true, "id_ed25519": true, "id_rsa.bak": true, "id_rsa.pub": false, "a.pem": true, "b.KEY": true,
		".ssh": true, ".aws": true, ".gnupg": true, ".netrc": true, ".pypirc": true, "credentials.json": true, "credentials-x.json": true,
		"..foo": false, ".gitignore": false, ".github": false, "my.git": false, "venv.py": false, "monkey": false, "keys.txt": false,
		"می\u200cخواهم": false, "🐍.py": false, ".envrc": false, "credentials.py": false,
		".hg": true, ".SVN": true, ".jj": true, "id_ed25519_work": true, "id_rsa_old": true, "id_rsa_old.pub": false, "prod.tfstate": true, "prod.tfstate.backup": true,
		".env.local.example": false, ".env.production.sample": false, ".env.d.ts": false, "credentials.example.json": false, "id_rsa-old": true, "ssh_host_rsa_key": true, "x.ppk": true, "x.pem.bak": true, ".env_local": true,
		".pgpass": true, "prod.env": true, "example.env": false, "app.example.env": false, "Sample.env": false, ".env.pub": true, "env": false, "hg": false, "idea": false,
		"a.p12": true, "a.PFX": true, "a.jks": true, "release.keystore": true, "a.kdbx": true, ".env.dist": false, "keystore": false, "p12": false, "id_rsa_notes.md": false, "id_rsa_test.go": false, "id_rsa_test": true, "..env": false,
	} {
		if got := DenyRule("", name) != ""; got != denied {
			t.Errorf("%q denied: %v, want %v", name, got, denied)
		}
	}
}

func TestLists(t *testing.T) {
	for _, tt := range []struct {
		path         string
		risky, shown bool
	}{
		{".mcp.json", true, false}, {".claude/settings.json", true, false}, {"app.code-workspace", true, false}, {".gdbinit", true, false}, {".zshenv", true, false},
		{"tools/hooks/pre-commit", true, false}, {"src/hooks/useX.ts", false, false}, {"lefthook.yml", true, false}, {".devcontainer/devcontainer.json", true, false},
		{".github/workflows/ci.yml", true, false}, {".github/ISSUE_TEMPLATE.md", false, false}, {".github", true, false}, {".npmrc", true, false}, {"a/.husky/x/y", true, false},
		{"docker-compose.override.yml", false, true}, {"Taskfile.yml", false, true}, {"pytest.ini", false, true}, {"tests/conftest.py", false, true}, {"gradlew", false, true},
		{"pom.xml", false, true}, {"build.rs", false, true}, {"vite.config.ts", false, true}, {".eslintrc.json", false, true}, {"Makefile", false, true}, {"package.json", false, true},
		{"src/hooks/update/index.ts", false, false}, {".github/workflows/README.md", false, false}, {"model.pth", false, true}, {"docs/mcp.json", false, false}, {".github/hooks/x.json", true, false},
		{".yarn/releases/yarn-4.cjs", true, false}, {".cursor/rules/x.mdc", false, false}, {".gitlab-ci.yaml", true, false}, {".envrc.local", true, false}, {"src/main.py", false, false}, {"makefile.md", false, true}, {"docs/Makefile/x", false, false}, {".CLAUDE/commands/x.md", true, false}, {"e\u0301.mk", false, true},
	} {
		parts := Components(tt.path)
		if risky, shown := Risk(parts) != "", Caution(parts) != ""; risky != tt.risky || shown != tt.shown {
			t.Errorf("%s: risky %v, shown %v", tt.path, risky, shown)
		}
	}
	for folder, denied := range map[string]bool{".kube": true, ".Kube": true, "kube": false, "": false} {
		if got := DenyRule(folder, "config") != ""; got != denied {
			t.Errorf("config in %q denied: %v", folder, got)
		}
	}
	for _, list := range [][]Entry{DenyList(), RiskList(), CautionList()} {
		seen := make(map[string]bool)
		for _, e := range list {
			for _, name := range strings.Fields(e.Names) {
				if seen[name] || name != Fold(name) || strings.Count(strings.TrimSuffix(name, "/"), "/") > 1 {
					t.Errorf("%q can't be found, or stands twice", name)
				}
				seen[name] = true
			}
		}
	}
}
