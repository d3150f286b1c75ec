//go:build soak

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"paicode/pkg/scripttest"
)

// TestSoakFormatters has checks of real tools rewrite the plan's own files, and pass or fail.
func TestSoakFormatters(t *testing.T) {
	bin := filepath.Join(scripttest.Build(t), "pai-exec")
	prettier := prettier(t)
	cargo := map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"src/lib.rs": "mod x;\n\n#[test]\nfn m() {}\n"}
	npm := map[string]string{"package.json": `{"name": "m", "scripts": {"test": "node -e 1"}}`}
	for _, tt := range []struct {
		tool, check, name, text string
		files                   map[string]string
	}{
		{"gofmt", "gofmt -w .", "pkg/x.go", "package x\nfunc  F( ) {}\n", nil},
		{"black", "black -q .", "pkg/x.py", "x  =  {'a':1}\n", nil},
		{"npm", prettier + " --write .", "pkg/x.js", "const  x = {a:1}\n", nil},
		{"cargo", "cargo fmt && cargo test --offline -q", "src/x.rs", "pub fn f( ) { }\n", cargo},
		{"npm", "npm test --no-update-notifier && echo >> pkg/x.js", "pkg/x.js", "1\n", npm},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			if _, err := exec.LookPath(tt.tool); err != nil {
				t.Skipf("%s is not installed", tt.tool)
			}
			dir := t.TempDir()
			undoWrite(t, dir, tt.files)
			plan := `{"execution_plan": {"steps": [{"action": "WRITE", "target": ` + strconv.Quote(tt.name) +
				`, "content": ` + strconv.Quote(tt.text) + `}]}}`
			run := func(code int, args ...string) {
				t.Helper()
				cmd := exec.Command(bin, args...)
				cmd.Dir, cmd.Stdin = dir, strings.NewReader(plan)
				if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != code {
					t.Fatalf("%v: %s\n%s", args, cmd.ProcessState, out)
				}
			}
			holds := func(want string) {
				t.Helper()
				got, _ := os.ReadFile(filepath.Join(dir, tt.name))
				if string(got) != want {
					t.Errorf("%s holds %q, want %q", tt.name, got, want)
				}
			}
			run(9, "--check", tt.check+" && false")
			holds("")
			run(0, "--check", tt.check)
			holds(tt.text)
			run(0, "--undo")
			holds("")
			run(0, "--check-may-write", "--check", tt.check)
			if got, _ := os.ReadFile(filepath.Join(dir, tt.name)); len(got) == 0 || string(got) == tt.text {
				t.Errorf("%s holds %q: nothing that the check wrote", tt.name, got)
			}
			run(0, "--undo")
			holds("")
		})
	}
}

// prettier installs prettier from npm's registry; its path.
func prettier(t *testing.T) string {
	dir := t.TempDir()
	if out, err := exec.Command("npm", "install", "--silent", "--prefix", dir, "prettier@3.6.2").CombinedOutput(); err != nil {
		t.Logf("prettier can't be installed: %v\n%s", err, out)
		return "false"
	}
	return filepath.Join(dir, "node_modules/.bin/prettier")
}
