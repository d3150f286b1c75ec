package guard

import (
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
		"a.p12": true, "a.PFX": true, "a.jks": true, "release.keystore": true, "a.kdbx": true, ".env.dist": false, "keystore": false, "p12": false,
	} {
		if got := DenyRule(name) != ""; got != denied {
			t.Errorf("%q denied: %v, want %v", name, got, denied)
		}
	}
}
