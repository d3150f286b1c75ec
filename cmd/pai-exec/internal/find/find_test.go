package find

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestParts(t *testing.T) {
	for whole, want := range map[string]string{
		"cacheManager": "cache Manager", "HTTPServer2": "HTTP Server 2", "snake_case__x": "snake case x", "UPPER": "UPPER", "x509": "x 509",
		"größe": "größe", "_": "", "aB": "a B", "parseJSONText": "parse JSON Text",
	} {
		var got []string
		eachPart(whole, func(part string) { got = append(got, part) })
		if strings.Join(got, " ") != want {
			t.Errorf("%q has the parts %q, want %q", whole, got, want)
		}
	}
}

func TestStem(t *testing.T) {
	for _, same := range [][]string{{"cache", "caches", "cached", "caching"}, {"query", "queries"}, {"stop", "stopping", "stopped", "stops"}, {"class", "classes"}} {
		for _, word := range same[1:] {
			a, b := stem(same[0]), stem(word)
			if a != b && strings.TrimSuffix(a, "y") != strings.TrimSuffix(b, "i") {
				t.Errorf("%q becomes %q, and %q %q", same[0], a, word, b)
			}
		}
	}
	for _, word := range []string{"as", "is", "bus", "ring"} {
		if len(stem(word)) < 2 {
			t.Errorf("%q becomes %q", word, stem(word))
		}
	}
}

func TestQuoted(t *testing.T) {
	got := NewQuery("it's `Cache::build` and \"two words\", don't 'x' or ' blank ' the user's").Quoted
	if want := []string{"Cache::build", "two words"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// definitions are texts, and the names that they define with their lines.
var definitions = []struct{ file, text, want string }{
	{"a.go", "package a\n\nfunc F(x int) {\n}\n\nfunc (r *T) Method() error {\ntype T struct {\n// func not\nvar f = func() {}\n", "3 F, 6 Method, 7 T"},
	{"a.py", "import x\nclass C(B):\n    async def m(self):\n        return 1\n\ndef f():\n    pass\n# def no\n", "2 C, 3 m, 6 f"},
	{"a.js", "export default class A extends B {\n  constructor(x) {\n    if (x) {\n      return\n    }\n  }\n  async load(url) {\n}\nconst f = (a) => {\nexports.g = function (x) {\nfunction* h() {\nfoo(1)\n", "1 A, 2 constructor, 7 load, 9 f, 10 g, 11 h"},
	{"a.ts", "export interface I {\ntype X = string\nexport const useX = (a: number): number => {\nexport enum E {\ndeclare namespace N {\n", "1 I, 2 X, 3 useX, 4 E, 5 N"},
	{"A.java", "package a;\n@Foo\npublic final class A extends B {\n  private static int f(int x) throws E {\n    while (x) {\n    return new A();\n  }\n  public A() {\n", "3 A, 4 f, 8 A"},
	{"a.c", "#include <x.h>\n#define MAX(a) (a)\nstruct s {\n  int x;\n};\nstatic int f(int a,\n             int b)\n{\n  if (a) {\n  g(b);\n}\nvoid *h(void) {\nstruct s v;\nint proto(int);\n", "2 MAX, 3 s, 12 h"},
	{"a.rs", "pub(crate) struct S<T> {\nimpl<T> Display for S<T> {\n    pub async fn run(&self) {\nmacro_rules! m {\nmod tests {\n", "1 S, 2 S, 3 run, 4 m, 5 tests"},
	{"a.rb", "module M\n  class C < B\n    def self.build(x)\n    def empty?\n", "1 M, 2 C, 3 build, 4 empty?"},
	{"a.php", "<?php\nabstract class A\n{\n    public static function build(array $x)\n    {\n", "2 A, 4 build"},
	{"a.sh", "f() {\nfunction g {\n  if [ x ]; then\n", "1 f, 2 g"},
	{"a.cs", "namespace N\n{\n    public partial class C : B {\n        public async Task<int> RunAsync(int x) {\n", "1 N, 3 C, 4 RunAsync"},
	{"a.kt", "data class D(val x: Int)\n    override fun f(x: Int): Int {\nobject O {\n", "1 D, 2 f, 3 O"},
	{"a.md", "# One\ntext # no\n```\n# not in a fence\n```\n## Two words\n#hashtag\n", "1 One, 6 Two words"},
	{"a.txt", "def f():\n", ""},
}

func TestDefinitions(t *testing.T) {
	for _, tt := range definitions {
		var got []string
		for _, d := range Definitions(tt.file, tt.text) {
			got = append(got, fmt.Sprintf("%d %s", d.Line, d.Name))
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s defines %q, want %q", tt.file, strings.Join(got, ", "), tt.want)
		}
	}
}

func FuzzDefinitions(f *testing.F) {
	for _, tt := range definitions {
		f.Add(tt.file, tt.text)
	}
	f.Fuzz(func(t *testing.T, file, text string) {
		lines := countLines(text)
		for _, d := range Definitions(file, text) {
			if d.Line < 1 || d.Line > lines || d.Name == "" {
				t.Errorf("%+v of %d lines", d, lines)
			}
		}
		q := NewQuery(text)
		count(q, text, make([]uint32, len(q.terms)))
		for _, e := range Windows(q, file, text, []Range{{lines, lines + 3}}, []Range{{-1, 2}}, 50) {
			if !strings.Contains(text, e.Text) {
				t.Errorf("an excerpt that isn't in the text: %q", e.Text)
			}
		}
	})
}

func TestKindOf(t *testing.T) {
	for p, want := range map[string]Kind{
		"src/cache.go": Source, "src/cache_test.go": Test, "tests/a.py": Test, "a/test_x.py": Test, "x.spec.ts": Test, "src/FooTests.java": Test, "contest.py": Source,
		"README.md": Docs, "docs/x.py": Docs, "CHANGELOG": Docs, "go.sum": Generated, "vendor/a.go": Generated, "a.min.js": Generated, "pom.xml": Other, "x.pb.go": Generated, "latest.go": Source, "js/jquery-1.7.2.js": Generated, "utf-8.js": Source, "a-.js": Source,
	} {
		if got := KindOf(p); got != want {
			t.Errorf("%s is of kind %d, want %d", p, got, want)
		}
	}
}

// project is one whose files are given in memory.
func project(files map[string]string) (all []File) {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		text := files[name]
		all = append(all, File{Path: name, Read: func([]byte) ([]byte, int64, bool) { return []byte(text), int64(len(text)), true }})
	}
	return all
}

func TestRank(t *testing.T) {
	files := map[string]string{
		"src/cache/manager.go":      "package cache\n\nfunc Build() {}\n\nfunc Store() {}\n",
		"src/cache/manager_test.go": "package cache\n\nfunc TestBuild() {}\n// cache cache cache build\n",
		"src/http/server.go":        "package http\n\nfunc Serve() {}\n",
		"docs/cache.md":             "# Cache\nbuild the cache, cache build\n",
		"vendor/cache/cache.go":     "package cache // cache build cache build\n",
	}
	for request, want := range map[string]string{
		"cache building is broken":       "src/cache/manager.go",
		"the server doesn't serve":       "src/http/server.go",
		"a test for building the cache":  "src/cache/manager_test.go",
		"document the cache in its docs": "docs/cache.md",
	} {
		if got := Rank(NewQuery(request), project(files), 2)[0].Path; got != want {
			t.Errorf("%q: first comes %s, want %s", request, got, want)
		}
	}
}

// TestRankIsDeterministic ranks files in one goroutine and in many.
func TestRankIsDeterministic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	files := make(map[string]string)
	words := []string{"cache", "build", "server", "parse", "token", "func f() {\n", "\n", "type T struct {\n"}
	for i := range 300 {
		var b strings.Builder
		for range 200 {
			b.WriteString(words[r.IntN(len(words))] + " ")
		}
		files[fmt.Sprintf("d%d/f%d.go", i%7, i)] = b.String()
	}
	q := NewQuery("parse the token in the cache")
	packed := func(workers int) string {
		data, err := json.Marshal(Pack(q, Rank(q, project(files), workers), PlanTokens))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	want := packed(1)
	for range 3 {
		if packed(8) != want {
			t.Fatal("the result hangs on the number of goroutines")
		}
	}
}

// TestPackKeepsTheBudget packs projects of all sizes.
func TestPackKeepsTheBudget(t *testing.T) {
	for _, n := range []int{0, 1, 30, 300, 3000} {
		files := make(map[string]string)
		for i := range n {
			files[fmt.Sprintf("dir%d/sub%d/file%d.go", i%20, i%50, i)] = strings.Repeat(fmt.Sprintf("func Cache%d() {\n\tbuild(%d)\n}\n", i, i), 1+i%200)
		}
		q := NewQuery("build the cache")
		for _, tokens := range []int{2_000, PlanTokens, 3 * PlanTokens} {
			if got := float64(size(Pack(q, Rank(q, project(files), 2), tokens))) / bytesPerToken; got > float64(tokens) {
				t.Errorf("%d files take %.0f tokens of %d", n, got, tokens)
			}
		}
	}
}

func TestPackNamed(t *testing.T) {
	files := project(map[string]string{"a.py": "def a(): pass\n", "b.py": "def b(): pass\n", "c.py": "x\n"})
	files[0].Named = true
	q := NewQuery("change a.py")
	w := Pack(q, Rank(q, files, 1), PlanTokens)
	if len(w.Excerpts) != 1 || w.Excerpts[0].Path != "a.py" || !w.Excerpts[0].Whole || len(w.Outlines) > 0 || len(w.Files) != 3 {
		t.Errorf("%+v", w)
	}
}

func TestNamed(t *testing.T) {
	files := project(map[string]string{"a.go": "package a\n\nfunc Build() {\n\treturn\n}\n\nfunc Other() {\n}\n", "b.go": "// calls Build here\n"})
	if got := Named("Build", files); len(got) != 1 || got[0].Path != "a.go" || got[0].Lines != "3-6" {
		t.Errorf("%+v", got)
	}
	if got := Named("cache.Build()", files); len(got) != 1 || got[0].Path != "a.go" {
		t.Errorf("%+v", got)
	}
	if got := Named("calls Build", files); len(got) != 1 || got[0].Path != "b.go" {
		t.Errorf("%+v", got)
	}
	if got := Nearest("src/builder.go", project(map[string]string{"x/build.go": ""})); !strings.Contains(got, "x/build.go") {
		t.Errorf("%q", got)
	}
}

func TestSplitRange(t *testing.T) {
	for entry, want := range map[string]string{"a.py:3-9": "a.py 3 9", "a.py": "a.py 0 0", "a:b.py": "a:b.py 0 0", "a.py:3": "a.py 3 3", "a.py:9-": "a.py:9- 0 0"} {
		name, from, to := SplitRange(entry)
		if got := fmt.Sprint(name, " ", from, " ", to); got != want {
			t.Errorf("%q is %q, want %q", entry, got, want)
		}
	}
}

// TestCount has words in every form in which they are in code.
func TestCount(t *testing.T) {
	q := NewQuery("cache manager")
	for text, want := range map[string]uint32{"cache": 1, "CACHE_SIZE": 1, "newCaches": 1, "HTTPCache Cached": 2, "cacheManager": 2, "c ca cac": 0} {
		counts := make([]uint32, len(q.terms))
		count(q, text, counts)
		total := uint32(0)
		for _, n := range counts {
			total += n
		}
		if total != want {
			t.Errorf("%q holds %d terms, want %d", text, total, want)
		}
	}
}

// TestWindows fills no more than half with what fits nothing.
func TestWindows(t *testing.T) {
	text := strings.Repeat("x\n", 1000) + "zoom\n" + strings.Repeat("x\n", 1000)
	lines, found := 0, false
	for _, e := range Windows(NewQuery("zoom"), "a.txt", text, nil, nil, 240) {
		lines += strings.Count(e.Text, "\n")
		found = found || strings.Contains(e.Text, "zoom")
	}
	if !found || lines < 100 || lines > 140 {
		t.Errorf("%d lines are shown; zoom is among them: %v", lines, found)
	}
}

// TestDefinitionsLikeCtags compares with what Universal Ctags 5.9.0 finds in the same
// files, a line and a name each: of what either finds, both find nine in ten.
func TestDefinitionsLikeCtags(t *testing.T) {
	files, err := filepath.Glob("testdata/definitions/*.tags")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, tags := range files {
		file := strings.TrimSuffix(tags, ".tags")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list, err := os.ReadFile(tags)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Fields(strings.ReplaceAll(strings.TrimSpace(string(list)), " ", ":"))
		var got []string
		for _, d := range Definitions(file, string(text)) {
			got = append(got, fmt.Sprintf("%d:%s", d.Line, d.Name))
		}
		both := 0
		for _, d := range got {
			if slices.Contains(want, d) {
				both++
			}
		}
		if f1 := 2 * float64(both) / float64(len(got)+len(want)); f1 < 0.9 {
			t.Errorf("%s: F1 is %.2f: %q, ctags has %q", file, f1, got, want)
		}
	}
}

// TestTestsOf names the tests that are called after the best sources before others.
func TestTestsOf(t *testing.T) {
	ranked := []Ranked{{File: File{Path: "src/Changelog.java"}, Score: 9}, {File: File{Path: "src/ab.go"}, Score: 8}}
	for i := range 60 {
		ranked = append(ranked, Ranked{File: File{Path: fmt.Sprintf("test/other%dTest.java", i)}, Kind: Test, Score: 1})
	}
	ranked = append(ranked, Ranked{File: File{Path: "test/ChangelogTests.java"}, Kind: Test}, Ranked{File: File{Path: "test/ab_test.go"}, Kind: Test})
	var names []string
	for _, i := range worthNaming(ranked) {
		names = append(names, ranked[i].Path)
	}
	if len(names) != mostNames || names[mostNames-namedTests] != "test/ChangelogTests.java" || slices.Contains(names, "test/ab_test.go") {
		t.Errorf("%d names: %q", len(names), names)
	}
}
