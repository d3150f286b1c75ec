package overlay

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paicode/cmd/pai-exec/internal/disk"
)

// hardIgnores are put into the modules: rules that contradict each other, with escapes,
// doubled stars, classes and blanks.
const hardIgnores = `# a comment
\#not
*.md
!README.md
/*.txt
**/testdata/**/x*
!**/testdata/keep/
doc*/
[!a-m]*_test.go
!z*_test.go
internal/**
!internal/
a\ b
trailing   
**/*.[ch]
foo**bar
`

func TestListingLikeGit(t *testing.T) { listLikeGit(t, 2, 300) }

// listLikeGit compares the files that are seen with what git lists, in real modules with hard
// rules added, and with rules by chance.
func listLikeGit(t *testing.T, most, rules int) {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "all").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := slices.DeleteFunc(strings.Fields(string(out)), func(dir string) bool { return !strings.Contains(dir, "@") })
	if len(modules) < most {
		t.Fatalf("%d modules", len(modules))
	}
	for _, module := range modules[:most] {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(module)); err != nil {
			t.Fatal(err)
		}
		n := 0
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				err = os.Chmod(p, 0o755)
				if n++; err == nil && n%3 == 1 {
					err = os.WriteFile(filepath.Join(p, ".gitignore"), []byte(hardIgnores), 0o600)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		compareWithGit(t, filepath.Base(module), dir)
	}
	compareWithGit(t, "rules by chance", rulesByChance(t, rules))
}

// rulesByChance makes a folder for each rule, all with the same files.
func rulesByChance(t *testing.T, rules int) string {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "b", "*", "**", "?", "/", "/", "!", ".", "txt", "[ab]", "[!a]", "[a-c]", `\*`, `\ `, " ", "sub", "**/", "/**", "#", `\!`, "x"}
	files := []string{"a", "b", "ab", "a.txt", "b.txt", "x y", "#x", "!a", "*", "sub/a", "sub/b.txt", "sub/x/a", "a.b/x", "a.b/sub/b", "c/sub/a.txt"}
	dir := t.TempDir()
	for i := range rules {
		at := filepath.Join(dir, fmt.Sprintf("%04d", i))
		for _, f := range files {
			p := filepath.Join(at, f)
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		rule := ""
		for range 1 + random.IntN(2) {
			for range 1 + random.IntN(5) {
				rule += pieces[random.IntN(len(pieces))]
			}
			rule += "\n"
		}
		if err := os.WriteFile(filepath.Join(at, ".gitignore"), []byte(rule), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func compareWithGit(t *testing.T, name, dir string) {
	t.Helper()
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "core.excludesFile=/dev/null"}, args...)...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %s: %s", args[0], err)
		}
		return string(out)
	}
	git("init", "-q")
	root, err := disk.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	tree := NewTree(root, Options{MaxFileBytes: DefaultMaxFileBytes})
	nodes, _, err := tree.files()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range nodes {
		got = append(got, n.path())
	}
	var want []string
	for p := range strings.SplitSeq(strings.TrimSuffix(git("ls-files", "-co", "--exclude-standard", "-z"), "\x00"), "\x00") {
		if n, err := tree.allowedNode(p); err == nil && n.Kind == disk.Regular && n.path() == p {
			want = append(want, p)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if len(got) == 0 {
		t.Errorf("%s: nothing is listed", name)
	}
	shown := 0
	for _, p := range got {
		if _, found := slices.BinarySearch(want, p); !found && shown < 10 {
			shown++
			rule, _ := os.ReadFile(filepath.Join(dir, strings.SplitN(p, "/", 2)[0], ".gitignore"))
			t.Errorf("%s: git ignores %q (rules there: %q)", name, p, rule)
		}
	}
	for _, p := range want {
		if _, found := slices.BinarySearch(got, p); !found && shown < 10 {
			shown++
			rule, _ := os.ReadFile(filepath.Join(dir, strings.SplitN(p, "/", 2)[0], ".gitignore"))
			t.Errorf("%s: git lists %q (rules there: %q)", name, p, rule)
		}
	}
}
