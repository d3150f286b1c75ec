package pkg

import (
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

// TestWhatWritesDoesNotTalk holds the first promise from one side.
func TestWhatWritesDoesNotTalk(t *testing.T) {
	linked := deps(t, "paicode/cmd/pai-exec")
	if !slices.Contains(linked, "paicode/cmd/pai-exec/internal/disk") {
		t.Fatal("the list is not pai-exec's")
	}
	for _, p := range linked {
		if p == "net" || p == "net/http" || strings.HasPrefix(p, "google.golang.org/") || p == "paicode/pkg/model" {
			t.Errorf("pai-exec links %s", p)
		}
	}
}

// TestWhatTalksDoesNotWrite holds it from the other side: the code that
// changes files is out of every other command's reach.
func TestWhatTalksDoesNotWrite(t *testing.T) {
	for _, name := range []string{"pai", "pai-classify", "pai-plan", "pai-suggest"} {
		for _, p := range deps(t, "paicode/cmd/"+name) {
			if strings.HasPrefix(p, "paicode/cmd/pai-exec/") {
				t.Errorf("%s links %s", name, p)
			}
		}
	}
	for _, name := range []string{"guard", "disk", "overlay", "journal", "check", "author", "change", "engine"} {
		if out, err := exec.Command("go", "list", "paicode/cmd/pai-exec/internal/"+name).CombinedOutput(); err != nil {
			t.Errorf("%s is not where the compiler guards it: %s", name, out)
		}
	}
}

// TestArrows keeps the layers in order.
func TestArrows(t *testing.T) {
	for target, never := range map[string][]string{
		"paicode/pkg/turn":                     {"paicode/pkg/filter", "paicode/pkg/model", "paicode/pkg/prompt", "paicode/pkg/render"},
		"paicode/pkg/generate":                 {"paicode/pkg/model", "paicode/pkg/filter"},
		"paicode/pkg/plan":                     {"paicode/pkg/filter", "paicode/pkg/talk", "paicode/pkg/sibling"},
		"paicode/pkg/classify":                 {"paicode/pkg/filter", "paicode/pkg/talk", "paicode/pkg/sibling"},
		"paicode/pkg/suggest":                  {"paicode/pkg/filter", "paicode/pkg/talk", "paicode/pkg/sibling"},
		"paicode/pkg/filter":                   {"paicode/pkg/model", "paicode/pkg/plan", "paicode/pkg/talk"},
		"paicode/pkg/model":                    {"paicode/pkg/filter", "paicode/pkg/plan", "paicode/pkg/prompt"},
		"paicode/cmd/pai-exec/internal/change": {"paicode/cmd/pai-exec/internal/disk", "os/exec"},
	} {
		linked := deps(t, target)
		for _, p := range never {
			if slices.Contains(linked, p) {
				t.Errorf("%s depends on %s", target, p)
			}
		}
	}
}
