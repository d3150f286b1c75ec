package scripts

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paicode/pkg/scripttest"
)

const share = "../cmd/pai/share"

// TestShare compares the manual pages and completions with what --help says now.
func TestShare(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "./manual", scripttest.Build(t), dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	entries, err := os.ReadDir(share)
	if err != nil || len(entries) != 15 {
		t.Fatalf("%d files, %v", len(entries), err)
	}
	for _, e := range entries {
		was, _ := os.ReadFile(filepath.Join(share, e.Name()))
		now, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || string(was) != string(now) {
			t.Errorf("%s is out of date, %v: run make share", e.Name(), err)
		}
	}
}

// TestManualPages has groff read them: it warns of what isn't sound.
func TestManualPages(t *testing.T) {
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("groff isn't installed")
	}
	pages, _ := filepath.Glob(share + "/*.[157]")
	for _, page := range pages {
		if out, err := exec.Command("groff", "-k", "-t", "-man", "-Tutf8", "-ww", "-z", page).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", page, err, out)
		}
	}
}

// TestBash asks bash what it offers, and has it complete what would run something.
func TestBash(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ words, want string }{
		{`pai --y`, "--yes"},
		{`pai conf`, "config"},
		{`pai config s`, "set show"},
		{`pai config set --p`, "--provider"},
		{`pai undo --dry`, "--dry-run"},
		{`pai --output `, "json text diff answer"},
		{`pai --root `, ""},
		{`bin/pai-exec --und`, "--undo"},
		{`pai-exec --ask n`, "never"},
		{`pai completion `, "bash zsh fish"},
		{`pai man ex`, "exec"},
		{`pai "$(touch x)"`, ""},
		{`pai --output $(touch x)`, ""},
		{`pai $(touch\ x) --y`, "--yes"},
		{"pai `touch x` config --h", "--help"},
	} {
		words := strings.Split(tt.words, " ")
		cmd := exec.Command("bash", append([]string{"--norc", "-c",
			`. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pai; echo "${COMPREPLY[*]}"`, "-", must(filepath.Abs(share + "/pai.bash"))}, words...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSuffix(string(out), "\n"); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.words, got, err, tt.want)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("completing made %v", left)
	}
}

// TestFish asks fish what it offers.
func TestFish(t *testing.T) {
	if _, err := exec.LookPath("fish"); err != nil {
		t.Skip("fish isn't installed")
	}
	dir := t.TempDir()
	for _, tt := range []struct{ line, want string }{
		{"pai --y", "--yes"},
		{"pai conf", "config"},
		{"pai config s", "set\nshow"},
		{"pai-exec --ask n", "never"},
		{"pai undo --dry", "--dry-run"},
		{"pai completion z", "zsh"},
		{"pai (touch x) --y", "--yes"},
	} {
		cmd := exec.Command("fish", "--no-config", "-c", "source "+must(filepath.Abs(share+"/pai.fish"))+"; complete -C $argv[1]", tt.line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir+"/.c", "XDG_DATA_HOME="+dir+"/.d", "TERM=dumb")
		out, err := cmd.CombinedOutput()
		var got []string
		for line := range strings.Lines(string(out)) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			got = append(got, word)
		}
		if err != nil || strings.Join(got, "\n") != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.line, got, err, tt.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("completing ran what was typed")
	}
}

// zsh drives an interactive zsh: what is in its line after a Tab is printed, and never run.
const zsh = `zmodload zsh/zpty
zpty -b z zsh -f -i
zpty -w z "autoload -U compinit; compinit -u -D; . $1; print RE''ADY"
zpty -r -m z out '*READY*'
zpty -w -n z "$2"$'\t'
sleep 1
zpty -w z $'\x01print -r -- \'LINE \x05\''
zpty -r -m z out $'*\nLINE *\n*'
print -r -- "${${out##*$'\n'LINE }%%$'\r'*}"
`

// TestZsh types at zsh's prompt as a person does.
func TestZsh(t *testing.T) {
	if _, err := exec.LookPath("zsh"); err != nil {
		t.Skip("zsh isn't installed")
	}
	dir := t.TempDir()
	for _, tt := range []struct{ line, want string }{
		{"pai config se", "pai config set"},
		{"pai-exec --und", "pai-exec --undo"},
		{"pai --output te", "pai --output text"},
		{`pai "$(touch x)" --ye`, `pai "$(touch x)" --yes`},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, "zsh", "-f", "-c", zsh, "-", must(filepath.Abs(share+"/_pai")), tt.line)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "TERM=vt100", "HOME="+dir)
		out, err := cmd.CombinedOutput()
		cancel()
		if got := strings.TrimSpace(string(out)); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.line, got, err, tt.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("completing ran what was typed")
	}
}

func must(text string, err error) string {
	if err != nil {
		panic(err)
	}
	return text
}
