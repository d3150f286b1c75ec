// Package scripts holds the programs behind the Makefile. Its test runs the
// README's sessions.
package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"paicode/pkg/model/modeltest"
	"paicode/pkg/scripttest"
)

// TestReadme runs every command of the README's console blocks, in order, in
// a copy of the demonstration's project, and compares what it prints.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, env := demonstration(t)
	ran := 0
	_, noKeygen := exec.LookPath("ssh-keygen")
	for _, block := range consoleBlocks(string(readme)) {
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
				t.Errorf("$ %s\nprints\n%s\nthe README says\n%s", command, got, want)
			}
			ran++
		}
	}
	if ran < 5 {
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

// TestNames finds every test, script and program that the README names.
func TestNames(t *testing.T) {
	readme := read(t, "../README.md")
	_, tables, _ := strings.Cut(readme, "## What it protects, and what not")
	names := regexp.MustCompile("`(\\w+\\.txtar)`|\\b((?:Test|Fuzz)[A-Z]\\w+)").FindAllStringSubmatch(tables, -1)
	if len(names) < 20 {
		t.Fatalf("only %d names", len(names))
	}
	for _, m := range names {
		if m[1] != "" {
			if found, _ := filepath.Glob("../cmd/*/testdata/script/" + m[1]); len(found) == 0 {
				t.Errorf("there is no script %s", m[1])
			}
		} else if out, err := exec.Command("grep", "-rlE", "--include=*_test.go", "^func "+m[2]+`\(`, "..").Output(); err != nil || len(out) == 0 {
			t.Errorf("there is no test %s", m[2])
		}
	}
	for _, m := range regexp.MustCompile(`(?:scripts|\.github)/[\w./-]+`).FindAllString(readme, -1) {
		if _, err := os.Stat("../" + strings.TrimRight(m, ".")); err != nil {
			t.Errorf("the README names %s: %v", m, err)
		}
	}
}
