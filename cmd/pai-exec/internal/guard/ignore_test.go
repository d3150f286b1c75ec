package guard

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ignoredByGit asks git which of the paths it ignores.
func ignoredByGit(t *testing.T, dir string, paths []string) map[string]bool {
	t.Helper()
	cmd := exec.Command("git", "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "-z", "--stdin")
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
		t.Fatal(err)
	}
	ignored := make(map[string]bool)
	for p := range strings.SplitSeq(string(out), "\x00") {
		ignored[p] = true
	}
	return ignored
}

// patternPieces are what patterns are made of at random.
var patternPieces = []string{"a", "b", "ab", "*", "**", "?", "/", "/", "[ab]", "[!a]", "[a-b]", "[]a]", "[[:alpha:]]", `\*`, `\a`, ".", "#", "!", " ", `\ `, "[", "*.a"}

// TestIgnoreAgreesWithGit compares patterns made at random, alone and as
// files with negations, with git check-ignore.
func TestIgnoreAgreesWithGit(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	paths := []string{"a", "b", "ab", "ba", "a.a", "*", "aa", "a/a", "a/b", "b/a", "b/ab", "a/a/b", "a/b/a", "b/b/b/a", "#a", "!a", "a ", "[", "b/a.a"}
	var files []string
	isDir := make(map[string]bool)
	for _, p := range paths {
		// A name can't be a file and a directory: directories get a D.
		parts := strings.Split(p, "/")
		for i := range parts[:len(parts)-1] {
			parts[i] += "D"
			isDir[strings.Join(parts[:i+1], "/")] = true
		}
		files = append(files, strings.Join(parts, "/"))
	}
	for d := range isDir {
		files = append(files, d)
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	pieces := append([]string{"aD", "bD", "aD", "*D"}, patternPieces...)
	r := rand.New(rand.NewPCG(3, 4))
	for range 250 {
		var lines []string
		for range 1 + r.IntN(3) {
			var line strings.Builder
			for range 1 + r.IntN(5) {
				line.WriteString(pieces[r.IntN(len(pieces))])
			}
			lines = append(lines, line.String())
		}
		text := strings.Join(lines, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		want := ignoredByGit(t, dir, files)
		rules := &Ignore{patterns: parseIgnore(text)}
		for _, p := range files {
			if got := ignoredWithParents(rules, p, isDir); got != want[p] {
				t.Errorf("%q ignores %q: %v, git says %v", text, p, got, want[p])
			}
		}
	}
}

func ignoredWithParents(rules *Ignore, p string, isDir map[string]bool) bool {
	parts := strings.Split(p, "/")
	for i := range parts {
		if rules.Ignored(parts[:i+1], isDir[strings.Join(parts[:i+1], "/")]) {
			return true
		}
	}
	return false
}

func FuzzIgnore(f *testing.F) {
	for _, piece := range patternPieces {
		f.Add(piece+"\n", "a/b")
	}
	f.Add(strings.Repeat("*a", 40), strings.Repeat("a", 200))
	f.Add(strings.Repeat("**/a/", 40), strings.Repeat("a/", 100)+"b")
	f.Fuzz(func(t *testing.T, text, path string) {
		parts := Components(path)
		if len(parts) == 0 {
			return
		}
		rules := &Ignore{patterns: parseIgnore(text)}
		if rules.Ignored(parts, true) && len(rules.patterns) == 0 {
			t.Fatal("ignored by nothing")
		}
	})
}

func ExampleCheckPath() {
	fmt.Println(CheckPath("src/main.py", false, false))
	fmt.Println(CheckPath("../main.py", false, false))
	// Output:
	// <nil>
	// access denied: "../main.py" is outside the project root: it goes up with ..
}

// TestIgnoreGrows reads patterns that are slow to read, or to match, for whoever reads them
// more than once: they are long enough that it would not end.
func TestIgnoreGrows(t *testing.T) {
	name := strings.Repeat("a", 255)
	for _, pattern := range []string{
		strings.Repeat("[[:", 1<<20), strings.Repeat("[", 3<<20), strings.Repeat("[[:alpha:]", 1<<18), strings.Repeat(`[\`, 1<<20), strings.Repeat("[a-", 1<<20),
		strings.Repeat("*[[:alpha:]]", 1<<18) + "b", "*" + "[" + strings.Repeat("ab", 1<<20) + "]" + "b", strings.Repeat("**/", 1<<18) + "b", strings.Repeat("*a", 1<<18),
	} {
		var rules *Ignore
		if rules = rules.With(".gitignore", 0, pattern+"\n/"+pattern); rules.Ignored([]string{name, name}, false) {
			t.Errorf("%.20s…: ignored", pattern)
		}
	}
}
