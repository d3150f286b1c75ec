package engine

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"paicode/pkg/turn"
)

// known is a change of one file of which the outcome is certain.
type known struct{ path, before, old, new string }

func knownChanges() []known {
	return []known{
		{"calc.py", "import math\n\n\ndef add(a, b):\n    return a + b\n\n\ndef divide(a, b):\n    return a / b\n\n\ndef root(x):\n    return math.sqrt(x)\n",
			"def divide(a, b):\n    return a / b\n", "def divide(a, b):\n    if b == 0:\n        raise ZeroDivisionError(\"divide by zero\")\n    return a / b\n"},
		{"cmd/main.go", "package main\n\nimport \"fmt\"\n\nfunc add(a, b int) int {\n\treturn a + b\n}\n\nfunc main() {\n\tfmt.Println(add(1, 2))\n}\n",
			"\tfmt.Println(add(1, 2))\n", "\tfor i := range 3 {\n\t\tfmt.Println(add(i, 2))\n\t}\n"},
		{"config/app.yaml", "name: shop\nserver:\n  port: 80\n  hosts:\n    - a\n    - b\nlogging:\n  level: info\n", "  port: 80\n", "  port: 8080\n  timeout: 30\n"},
		{"web/index.html", "<!doctype html>\n<html>\n  <body>\n    <h1>Hello &amp; welcome</h1>\n    <ul>\n      <li>one</li>\n    </ul>\n  </body>\n</html>\n",
			"      <li>one</li>\n", "      <li>one</li>\n      <li>two</li>\n"},
		{"docs/guide.md", "# Guide\n\nInstall:\n\n```sh\nmake\n```\n\nThat is all.\n", "That is all.\n", "Then run it:\n\n```sh\nbin/pai\n```\n"},
		{"Makefile", "all: test\n\ntest:\n\tgo vet ./...\n\tgo test ./...\n\nclean:\n\trm -rf bin\n", "\tgo test ./...\n", "\tgo test -race ./...\n"},
	}
}

func (k known) after() string { return strings.Replace(k.before, k.old, k.new, 1) }

// manners write a known change as models do. Those of whole files are for its outcome.
func manners() map[string]func(k known) string {
	block := func(k known, open, middle, end string) string {
		return open + "\n" + k.old + middle + "\n" + k.new + end + "\n"
	}
	head := func(k known) string { return "## 1 MODIFY " + k.path + "\n" }
	diff := func(k known) string {
		var b strings.Builder
		for line := range strings.Lines(k.old) {
			b.WriteString("-" + line)
		}
		for line := range strings.Lines(k.new) {
			b.WriteString("+" + line)
		}
		return b.String()
	}
	strict := func(k known) string { return block(k, "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE") }
	return map[string]func(k known) string{
		"asked": func(k known) string { return head(k) + "````\n" + strict(k) + "````\n## 2 FINISH\nDone.\n" },
		"six": func(k known) string {
			return head(k) + "````\n" + block(k, "<<<<<< ORIGINAL", "======", ">>>>>> UPDATED") + "````\n"
		},
		"bare": func(k known) string { return strict(k) },
		"number": func(k known) string {
			return "### 7. Edit `" + k.path + "`\n````\n" + strict(k) + "````\n## 9 FINISH\nDone.\n"
		},
		"inside": func(k known) string { return "````\n" + head(k) + strict(k) + "````\n" },
		"outer": func(k known) string {
			return "`````markdown\n" + head(k) + "````\n" + strict(k) + "````\n## 2 FINISH\nok\n`````\n"
		},
		"whole": func(k known) string { return head(k) + "````\n" + k.after() + "````\n## 2 FINISH\nDone.\n" },
		"diff": func(k known) string {
			return head(k) + "````diff\n--- a/" + k.path + "\n+++ b/" + k.path + "\n@@ -1 +1 @@\n" + diff(k) + "````\n"
		},
		"patch": func(k known) string {
			return "*** Begin Patch\n*** Update File: " + k.path + "\n@@\n" + diff(k) + "*** End Patch\n"
		},
		"tags": func(k known) string { return head(k) + "<file path=\"" + k.path + "\">\n" + k.after() + "</file>\n" },
		"strings": func(k known) string {
			return head(k) + "<old_str>\n" + k.old + "</old_str>\n<new_str>\n" + k.new + "</new_str>\n"
		},
		"thought": func(k known) string {
			return "I could\n" + head(k) + "````\nx = 1\n````\n</think>\n" + head(k) + "````\n" + strict(k) + "````\n"
		},
	}
}

// mutate changes what frames a reply, or cuts it, as a model or a line may. What a reply
// holds of the file stays to the letter: nobody could tell.
func mutate(r *rand.Rand, k known, text string) (reply, finish string) {
	finish = "stop"
	lines := strings.SplitAfter(text, "\n")
	frame := regexp.MustCompile("^\\s*(<{5,}|={5,}$|>{5,}|`{3,}|~{3,}|#+ |\\*\\*\\* |@@|---|\\+\\+\\+ |</?(file|old_str|new_str))")
	var frames []int
	for i, line := range lines {
		if frame.MatchString(line) && !strings.Contains(k.before+k.new, line) {
			frames = append(frames, i)
		}
	}
	for range r.IntN(3) {
		i := frames[r.IntN(len(frames))]
		switch r.IntN(8) {
		case 0:
			lines[i] = ""
		case 1:
			lines[i] += lines[i]
		case 2:
			lines[i] = strings.Repeat(" ", r.IntN(4)) + lines[i]
		case 3:
			lines[i] = strings.TrimSuffix(lines[i], "\n") + "  \n"
		case 4:
			lines[i] = lines[i][min(1, max(0, len(lines[i])-1)):]
		case 5:
			lines[i] = lines[i][:min(1, len(lines[i]))] + lines[i]
		case 6:
			lines[i] = strings.ToLower(lines[i])
		case 7:
			if strings.HasPrefix(lines[i], "#") {
				lines[i] = "\n" + lines[i]
			}
		}
	}
	reply = strings.Join(lines, "")
	switch r.IntN(6) {
	case 0:
		if at := r.IntN(len(reply) + 1); at < len(reply) && at > 0 && reply[at-1] != '\n' {
			reply = reply[:at] // in the middle of a line
		}
	case 1:
		reply, finish = reply[:r.IntN(len(reply)+1)], "length"
	case 2:
		reply = strings.ReplaceAll(reply, "\n", "\r\n")
	}
	return reply, finish
}

// checkManner has a mutated reply end in the outcome that is meant, or in a refusal.
func checkManner(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 12))
	changes := knownChanges()
	k := changes[r.IntN(len(changes))]
	all := manners()
	names := slices.Sorted(maps.Keys(all))
	name := names[r.IntN(len(names))]
	text, finish := mutate(r, k, all[name](k))
	c := replyCase{steps: []turn.Step{{Number: 1, Action: turn.ActionModify, Target: k.path}, {Number: 2, Action: turn.ActionFinish}},
		finish: finish, text: text, request: "change it", before: map[string]string{k.path: k.before, "other.txt": "stays\n"}}
	dir, _, err := c.run(t)
	tree := readTree(t, dir)
	want := maps.Clone(c.before)
	want[k.path] = k.after()
	if !maps.Equal(tree, c.before) && (err != nil || !maps.Equal(tree, want)) {
		t.Errorf("seed %d, manner %q (%v):\n%s%s", seed, name, err, text, differences(tree, want))
	}
}

func TestManners(t *testing.T) {
	for name, manner := range manners() {
		for _, k := range knownChanges() {
			c := replyCase{steps: []turn.Step{{Number: 1, Action: turn.ActionModify, Target: k.path}, {Number: 2, Action: turn.ActionFinish}},
				finish: "stop", text: manner(k), before: map[string]string{k.path: k.before}}
			dir, _, err := c.run(t)
			want := map[string]string{k.path: k.after()}
			refused := name == "tags" || name == "strings"
			if refused {
				want = c.before
			}
			if refused != (err != nil) || !maps.Equal(readTree(t, dir), want) {
				t.Errorf("%s of %s: %v%s", name, k.path, err, differences(readTree(t, dir), want))
			}
		}
	}
	for seed := range uint64(300) {
		checkManner(t, seed)
	}
	checkManner(t, 1111)   // a tag that ends twice
	checkManner(t, 17499)  // a marker that ends twice, once longer
	checkManner(t, 20465)  // a diff with half a header
	checkManner(t, 214420) // a tag that ends twice, once broken
}

// FuzzReply has no reply change a path that the plan doesn't name.
func FuzzReply(f *testing.F) {
	for _, manner := range manners() {
		f.Add(manner(knownChanges()[0]), false)
	}
	f.Fuzz(func(t *testing.T, text string, cut bool) {
		finish := "stop"
		if cut {
			finish = "length"
		}
		c := replyCase{steps: []turn.Step{{Number: 1, Action: turn.ActionModify, Target: "calc.py"}, {Number: 2, Action: turn.ActionWrite, Target: "new.txt"}, {Number: 3, Action: turn.ActionFinish}},
			finish: finish, text: strings.ToValidUTF8(text, "?"), before: map[string]string{"calc.py": knownChanges()[0].before, "other.txt": "stays\n"}}
		dir, _, err := c.run(t)
		tree := readTree(t, dir)
		if err != nil && !maps.Equal(tree, c.before) {
			t.Errorf("refused (%v), and the tree changed", err)
		}
		delete(tree, "calc.py")
		delete(tree, "new.txt")
		if want := map[string]string{"other.txt": "stays\n"}; !maps.Equal(tree, want) {
			t.Error(fmt.Sprintf("%q", text), differences(tree, want))
		}
	})
}
