// Package scripts holds the programs behind the Makefile. Its test runs the
// README's sessions.
package scripts

import (
	"cmp"
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

// documents are the README and the pages that are written by hand.
func documents(t *testing.T) []string {
	pages, err := filepath.Glob("manual/*.md")
	if err != nil || len(pages) < 5 {
		t.Fatal(pages, err)
	}
	return append(pages, "../README.md")
}

// TestReadme runs every command of the console blocks of the README and of the pages, in order, in
// a copy of the demonstration's project for each document, and compares what it prints.
func TestReadme(t *testing.T) {
	ran := 0
	_, noKeygen := exec.LookPath("ssh-keygen")
	for _, document := range documents(t) {
		dir, env := demonstration(t)
		for _, block := range consoleBlocks(read(t, document)) {
			if noKeygen != nil && strings.Contains(block, "ssh-keygen") {
				t.Log("without ssh-keygen nothing is signed")
				continue
			}
			for _, session := range strings.Split("\n"+block, "\n$ ")[1:] {
				command, want, _ := strings.Cut(session, "\n")
				cmd := exec.Command("/bin/sh", "-c", command)
				cmd.Dir, cmd.Env = dir, env
				got, _ := cmd.CombinedOutput()
				if strings.TrimSuffix(string(got), "\n") != strings.TrimSuffix(want, "\n") {
					t.Errorf("$ %s\nprints\n%s\n%s says\n%s", command, got, document, want)
				}
				ran++
			}
		}
	}
	if ran < 15 {
		t.Errorf("only %d commands were found", ran)
	}
}

// demonstration is a copy of the demonstration's project, and an environment with the commands
// and its model.
func demonstration(t *testing.T) (dir string, env []string) {
	rules, err := os.ReadFile("demo/model.rules")
	if err != nil {
		t.Fatal(err)
	}
	return project(t, string(rules))
}

// project is the same with another model.
func project(t *testing.T, rules string) (dir string, env []string) {
	server, err := modeltest.Start(rules)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("demo/sample")); err != nil {
		t.Fatal(err)
	}
	return dir, append(os.Environ(), "PATH="+scripttest.Build(t)+":"+os.Getenv("PATH"),
		"GOOGLE_GEMINI_BASE_URL="+server.URL, "GEMINI_API_KEY="+modeltest.Key, "GORACE=atexit_sleep_ms=0")
}

func consoleBlocks(readme string) []string {
	var blocks []string
	for _, part := range strings.Split(readme, "```console\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		blocks = append(blocks, block)
	}
	return blocks
}

// TestNames finds every test, script, program, option, variable and exit code that the README and the
// pages name.
func TestNames(t *testing.T) {
	help := allHelp(t)
	tests, options := 0, 0
	for _, document := range documents(t) {
		text := read(t, document)
		for _, m := range regexp.MustCompile("`([\\w-]+\\.txtar)`|\\b((?:Test|Fuzz)[A-Z]\\w+)").FindAllStringSubmatch(text, -1) {
			tests++
			if m[1] != "" {
				if found, _ := filepath.Glob("../cmd/*/testdata/script/" + m[1]); len(found) == 0 {
					t.Errorf("%s: there is no script %s", document, m[1])
				}
			} else if out, err := exec.Command("grep", "-rlE", "--include=*_test.go", "^func "+m[2]+`\(`, "..").Output(); err != nil || len(out) == 0 {
				t.Errorf("%s: there is no test %s", document, m[2])
			}
		}
		for _, m := range regexp.MustCompile(`(?:scripts|\.github)/[\w./-]+`).FindAllString(text, -1) {
			if _, err := os.Stat("../" + strings.TrimRight(m, ".")); err != nil {
				t.Errorf("%s names %s: %v", document, m, err)
			}
		}
		for _, m := range regexp.MustCompile(`(?m)(?:^|[ *(\x60])(--[a-z][a-z-]+)|\b(PAI_[A-Z_]+)\b`).FindAllStringSubmatch(text, -1) {
			name := cmp.Or(m[1], m[2])
			options++
			if !strings.Contains(help, name) && !slices.Contains(othersNames, name) {
				t.Errorf("%s names %s, which no --help-all has", document, name)
			}
		}
		for _, m := range regexp.MustCompile(`exit code (\d+)`).FindAllStringSubmatch(text, -1) {
			if !strings.Contains(help, "\n   "+m[1]+" ") {
				t.Errorf("%s names the exit code %s", document, m[1])
			}
		}
	}
	if tests < 20 || options < 60 {
		t.Errorf("only %d tests and %d options", tests, options)
	}
}

// othersNames are options and variables in the documents that are not those of the commands: of
// scripts, of other programs, and keys.
var othersNames = []string{"--commit", "--sshlogin", "--halt", "--review", "--redirect-stderr", "PAI_API_KEY", "PAI_PLAN",
	"PAI_SHA256", "PAI_PRICE_IN", "PAI_PRICE_OUT"}

// allHelp is what the commands print with --help-all.
func allHelp(t *testing.T) string {
	var b strings.Builder
	for _, name := range []string{"pai", "pai-classify", "pai-plan", "pai-exec", "pai-suggest", "pai-model"} {
		for _, args := range [][]string{{"--help-all"}, {"log", "--help"}, {"show", "--help"}, {"config", "set", "--help"}, {"models", "--help-all"}} {
			if len(args) > 1 && name != "pai" {
				continue
			}
			out, err := exec.Command(filepath.Join(scripttest.Build(t), name), args...).Output()
			if err != nil {
				t.Fatal(name, args, err)
			}
			b.Write(out)
		}
	}
	return b.String()
}

// TestShortHelp counts the options that --help has.
func TestShortHelp(t *testing.T) {
	for _, name := range []string{"pai", "pai-classify", "pai-plan", "pai-exec", "pai-suggest", "pai-model"} {
		out, err := exec.Command(filepath.Join(scripttest.Build(t), name), "--help").Output()
		if n := strings.Count(string(out), "\n   --"); err != nil || n < 5 || n > 15 {
			t.Errorf("%s --help has %d options, %v", name, n, err)
		}
	}
}
