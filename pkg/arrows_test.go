package pkg

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func deps(t *testing.T, target string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", target).Output()
	if err != nil {
		t.Fatalf("go list -deps %s: %v", target, err)
	}
	return strings.Fields(string(out))
}

// The commands of Pai.
var commands = []string{"pai", "pai-classify", "pai-plan", "pai-exec", "pai-suggest", "pai-model"}

// TestOneTalksOneWrites holds the first promise, by what the linker is given: network code in
// pai-model alone, and what changes a project's files in pai-exec alone.
func TestOneTalksOneWrites(t *testing.T) {
	for _, name := range commands {
		linked := deps(t, "paicode/cmd/"+name)
		talks := slices.ContainsFunc(linked, func(p string) bool {
			return p == "net" || p == "net/http" || strings.HasPrefix(p, "google.golang.org/")
		})
		writes := slices.Contains(linked, "paicode/cmd/pai-exec/internal/disk")
		if talks != (name == "pai-model") {
			t.Errorf("%s links network code: %t", name, talks)
		}
		if writes != (name == "pai-exec") {
			t.Errorf("%s links what changes files: %t", name, writes)
		}
	}
	for _, name := range []string{"guard", "disk", "overlay", "journal", "check", "author", "change", "engine"} {
		if out, err := exec.Command("go", "list", "paicode/cmd/pai-exec/internal/"+name).CombinedOutput(); err != nil {
			t.Errorf("%s is not where the compiler guards it: %s", name, out)
		}
	}
}

// TestArrows compares what packages import with the page of architecture, which is one.
func TestArrows(t *testing.T) {
	page, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(page), "\n"); n > 120 {
		t.Errorf("the page has %d lines", n)
	}
	_, arrows, _ := strings.Cut(string(page), "# The arrows\n")
	arrows, _, _ = strings.Cut(arrows, "//\n// # ")
	drawn := make(map[string]string)
	for line := range strings.Lines(arrows) {
		if line, ok := strings.CutPrefix(line, "//\t"); ok {
			name, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
			drawn[name] = strings.TrimSpace(imports)
		}
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "paicode/cmd/...", "paicode/pkg/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		path, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, _ := shortName(path)
		if path == "paicode/pkg" {
			continue
		}
		if got := arrowsOf(strings.Fields(imports)); got != drawn[name] {
			t.Errorf("%s imports\n%s\nand the page says\n%s", name, got, drawn[name])
		}
		delete(drawn, name)
	}
	for name := range drawn {
		t.Errorf("the page knows %s, which does not exist", name)
	}
}

// arrowsOf writes imports as the page does.
func arrowsOf(imports []string) string {
	var own, others []string
	for _, path := range imports {
		name, ours := shortName(path)
		switch {
		case name == "":
		case ours:
			own = append(own, name)
		case !slices.Contains(others, name):
			others = append(others, name)
		}
	}
	slices.Sort(own)
	slices.Sort(others)
	text := strings.Join(own, " ")
	if len(others) > 0 {
		text += " | " + strings.Join(others, " ")
	}
	return strings.TrimSpace(text)
}

// shortName is a package's name on the page; empty for the standard library, but
// for what talks or starts programs.
func shortName(path string) (name string, ours bool) {
	for _, prefix := range []string{"paicode/cmd/pai-exec/internal/", "paicode/cmd/pai-model/internal/", "paicode/cmd/", "paicode/pkg/"} {
		if name, ok := strings.CutPrefix(path, prefix); ok {
			return name, true
		}
	}
	switch {
	case path == "os/exec":
		return path, false
	case path == "net" || strings.HasPrefix(path, "net/") && path != "net/url":
		return "net", false
	case !strings.Contains(strings.Split(path, "/")[0], "."):
		return "", false
	}
	for _, part := range strings.Split(path, "/")[2:] {
		if part != "v2" && part != "v6" && part != "unicode" && part != "sys" && part != "go-internal" && part != "text" {
			return strings.TrimPrefix(strings.TrimPrefix(part, "go-"), "x/"), false
		}
	}
	return strings.Split(path, "/")[1], false
}
