package reply

import (
	"strings"
	"testing"
)

const calc = `import math

def add(a, b):
    return a + b

def mul(a, b):
    total = 0
    for _ in range(b):
        total += a
    return total
`

// elisionTests have a file, its old text, the new one, and the line that stands for others; an
// empty one where all is meant.
var elisionTests = []struct{ name, file, old, text, line string }{
	{"dots in a comment", "a.py", calc, strings.Replace(calc, "    return a + b\n", "    # ... existing code ...\n", 1), "# ... existing code ..."},
	{"an ellipsis of one letter", "a.js", "f()\ng()\n", "f()\n// … rest\n", "// … rest"},
	{"words of any language before dots", "a.py", calc, "import math\n\ndef add(a, b):\n    return a + b\n\n# kode lainnya...\n", "# kode lainnya..."},
	{"words of any language without dots", "a.py", calc, "import math\n\ndef add(a, b):\n    return a + b\n\n# kode lainnya tetap sama\n", "# kode lainnya tetap sama"},
	{"in a comment of HTML", "a.html", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n", "<ul>\n<!-- ... -->\n<li>c</li>\n</ul>\n", "<!-- ... -->"},
	{"a comment of HTML in words", "a.html", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n", "<ul>\n<!-- existing items -->\n</ul>\n", "<!-- existing items -->"},
	{"bare dots", "a.go", "package a\n\nfunc f() {\n\ta()\n\tb()\n}\n", "package a\n\nfunc f() {\n\t...\n}\n", "..."},
	{"bare dots with a comma", "a.js", "x = [\n  1,\n  2,\n]\n", "x = [\n  ...,\n  3,\n]\n", "...,"},
	{"dots in brackets", "a.c", "a();\nb();\n", "[... unchanged ...]\n", "[... unchanged ...]"},
	{"a new file", "a.py", "", "def f():\n    # ... the rest here\n    return 1\n", "# ... the rest here"},
	{"the whole body of a new function", "a.js", "", "function f() {\n  // implement this...\n}\n", "// implement this..."},
	{"other methods, new code beside", "a.py", calc, "import math\n\ndef add(a, b):\n    print(a)\n    return a + b\n\n# other methods unchanged\n", "# other methods unchanged"},
	{"code that comes between", "a.py", calc, "import math\nimport os\n\n# rest of the code remains the same\n\ndef sub(a, b):\n    return a - b\n", "# rest of the code remains the same"},
	{"in Markdown", "a.md", "# A\none\ntwo\n", "# A\n<!-- ... existing text ... -->\nthree\n", "<!-- ... existing text ... -->"},

	{"a comment last, behind less code", "a.js", "a()\nb()\nc()\nd()\ne()\n", "const v0 = 9\n// kode lainnya tetap sama\n", "// kode lainnya tetap sama"},
	{"items of HTML, and a new one", "a.html", "<ul>\n<li>a</li>\n<li>b</li>\n<li>c</li>\n</ul>\n", "<ul>\n<!-- existing items -->\n<li>d</li>\n</ul>\n", "<!-- existing items -->"},
	{"a body on one line", "a.js", "", "function gamma(x) { ... }\n", "function gamma(x) { ... }"},
	{"a comment as a body on one line", "a.c", "", "int g(void) { /* ... */ }\n", "int g(void) { /* ... */ }"},
	{"behind code", "a.py", "", "def f():\n    pass  # ... existing code ...\n", "pass  # ... existing code ..."},
	{"dots with words", "a.json", "{\"a\": 1}\n", "{\"a\": 2,\n...other keys here\n}\n", "...other keys here"},
	{"dots set apart", "a.go", "", "package a\n\nfunc f() {\n\t. . .\n}\n", ". . ."},
	{"the body of a Ruby method", "a.rb", "", "def beta(x)\n  # rest of body here...\nend\n", "# rest of body here..."},
	{"in Markdown by words", "a.md", "# A\none\ntwo\nthree\n", "# A\n<!-- existing items -->\n", "<!-- existing items -->"},
	{"in Markdown in any language", "a.md", "# A\none\ntwo\n", "# A\n<!-- bagian lain tetap -->\n", "<!-- bagian lain tetap -->"},
	{"in TeX in any language", "a.tex", "a\nb\nc\n", "a\n% bagian lain tetap\n", "% bagian lain tetap"},
	{"in TeX", "a.tex", "a\nb\n", "a\n% ... existing text ...\n", "% ... existing text ..."},

	{"a spread in braces", "a.jsx", "", "f(<A\n  {...props}\n  {...register('name')}\n/>)\n", ""},
	{"a spread at the end", "a.js", "", "x = [\n  b,\n  ...a,\n  [...a]\n]\n", ""},
	{"a parameter in C", "a.c", "", "int f(const char *x,\n      ...\n);\n", ""},
	{"a table in Lua", "a.lua", "", "local t = {...}\nlocal u =\n  {...}\n", ""},
	{"a comment behind the header", "a.py", "", "class E(Exception):  # raised late\n    ...\n", ""},
	{"an address", "a.js", "", "get('http://...')\n", ""},
	{"a body of dots in Python", "a.py", "", "def f():\n    ...\n", ""},
	{"a body of dots beneath a text", "a.py", "", "def f():\n    \"\"\"Does.\"\"\"\n    ...\n", ""},
	{"a document's end in YAML", "a.yml", "", "a: 1\n...\n", ""},
	{"dots in a text", "a.py", "", "X = \"\"\"\n...\n# ... more\n\"\"\"\n", ""},
	{"dots in Markdown", "a.md", "a\nb\n", "a\n...\n", ""},
	{"a doctest", "a.py", "", "def f():\n    \"\"\"\n    >>> for x in y:\n    ...     pass\n    \"\"\"\n    return 1\n", ""},
	{"a spread", "a.js", "f(a)\n", "f(\n  ...args\n)\n", ""},
	{"variadic in Go", "a.go", "", "package a\n\nfunc f(a ...int) {}\n", ""},
	{"a comment that ends in dots, and nothing vanishes", "a.py", "x = 1\n", "# wait for it...\nx = 1\n", ""},
	{"a comment where one line goes", "a.py", "x = 1\ny = 2\n", "# y went away\nx = 1\n", ""},
	{"a comment with new code", "a.py", calc, strings.Replace(calc, "    total = 0\n    for _ in range(b):\n        total += a\n    return total\n", "    # the processor knows how\n    return a * b\n", 1), ""},
	{"it was there before", "a.py", "x = 1\n# ... existing code ...\n", "x = 2\n# ... existing code ...\n", ""},
	{"comments go for another", "a.py", "# one\n# two\n# three\nx = 1\n", "# less\nx = 1\n", ""},
	{"code goes without a word", "a.py", calc, "import math\n\ndef add(a, b):\n    return a + b\n", ""},
	{"a heading in a text", "a.md", "one\ntwo\nthree\n", "# The rest of the code\none\n", ""},
	{"preprocessor", "a.c", "int a;\nint b;\nint c;\n", "#include <existing/code.h>\n", ""},
}

func TestElision(t *testing.T) {
	for _, e := range elisionTests {
		if got := Elision(e.file, e.old, e.text, nil); got != e.line {
			t.Errorf("%s: %q, want %q", e.name, got, e.line)
		}
		if e.line != "" {
			if got := Elision(e.file, e.old, e.text, []string{" " + e.line}); got != "" {
				t.Errorf("%s: it is meant, and %q is found", e.name, got)
			}
		}
	}
}

func TestPart(t *testing.T) {
	script := "#!/bin/sh\nset -e\n\nbuild() {\n\tmake\n}\n\nbuild\n"
	list := "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6\ng: 7\nh: 8\ni: 9\nj: 10\nk: 11\nl: 12\n"
	for _, tt := range []struct{ name, file, old, text, words, removed, why string }{
		{"all of it", "a.py", calc, calc + "\ndef sub(a, b):\n    return a - b\n", "", "", ""},
		{"another order", "a.py", calc, "import math\n\ndef mul(a, b):\n    total = 0\n    for _ in range(b):\n        total += a\n    return total\n\ndef add(a, b):\n    return a + b\n", "", "", ""},
		{"only what changes", "a.py", calc, "import math\n\ndef add(a, b):\n    \"\"\"Adds.\"\"\"\n    # numbers\n    x = a\n    y = b\n    z = x + y\n    print(z)\n    return z\n", "", "", "the definition of mul is missing"},
		{"what the request names goes", "a.py", calc, "import math\n\ndef add(a, b):\n    # numbers\n    x = a\n    y = b\n    z = x + y\n    print(z)\n    print(x)\n    return z\n", "remove mul", "", ""},
		{"a word that holds the name", "a.py", calc, "import math\n\ndef add(a, b):\n    # numbers\n    x = a\n    y = b\n    z = x + y\n    print(z)\n    print(x)\n    return z\n", "simulate", "", "the definition of mul is missing"},
		{"what goes on purpose", "a.py", calc, "import math\n\ndef add(a, b):\n    # numbers\n    x = a\n    y = b\n    z = x + y\n    print(z)\n    print(x)\n    return z\n", "", "mul", ""},
		{"a body gone", "a.py", calc + "\ndef long(a):\n    b = 1\n    c = 2\n    d = 3\n    e = 4\n    f = 5\n    return a\n", calc + "\ndef long(a):\n    return a\n", "", "", "more than half of long is missing"},
		{"the head is gone", "a.py", calc, strings.TrimPrefix(calc, "import math\n") + "\nx = 1\n", "", "", "its beginning, import math, is missing"},
		{"an import goes", "a.py", "import os\n\nx = 1\ny = 2\n" + calc, "x = 1\ny = 2\n" + calc, "", "", ""},
		{"the interpreter is gone", "a.sh", script + "\n# more\n# and more\n", strings.TrimPrefix(script, "#!/bin/sh\n") + "\n# more\n# and more\n\n\nx=1\n", "", "", "its first line, #!/bin/sh, is missing"},
		{"tabs are gone", "a.sh", script, strings.ReplaceAll(script, "\t", "    "), "", "", "its tabs are missing"},
		{"two thirds of a list", "a.yml", list, strings.Replace(list, "a: 1\nb: 2\n", "", 1), "", "", ""},
		{"less of a list", "a.yml", list, strings.Replace(list, "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\n", "", 1), "", "", "of 12 lines it keeps 7"},
		{"a small file grows", "a.txt", "a\nb\n", "c\na\nb\n", "", "", ""},
		{"a small file shrinks", "a.txt", "a\nb\nc\n", "a\nb\n", "", "", "it has 2 lines where 3 were"},
		{"one of two of a name", "a.py", "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 2\n\n# end\n# really\nx = 1\ny = 2\n", "class A:\n    def f(self):\n        return 1\n\nclass B:\n    x = 2\n\n# end\n# really\nx = 1\ny = 2\nz = 3\n", "", "", "the definition of f is missing"},
		{"a package clause goes", "a.go", "package a\n\nimport \"fmt\"\n\n// F prints.\nfunc F() {\n\tfmt.Println(1)\n\tfmt.Println(2)\n\tfmt.Println(3)\n\tfmt.Println(4)\n}\n", "import \"fmt\"\n\n// F prints.\nfunc F() {\n\tfmt.Println(1)\n\tfmt.Println(2)\n\tfmt.Println(3)\n\tfmt.Println(4)\n}\n// more\n", "", "", "package a is missing"},
		{"the tail goes", "a.py", calc + "\nif __name__ == \"__main__\":\n    add(1, 2)\n", calc + "\nx = 1\ny = 2\n", "", "", "if __name__ == \"__main__\": is missing"},
		{"a line of one", "VERSION", "1.0\n", "1.1\n", "", "", ""},
		{"a column more", "a.csv", strings.Repeat("a,b\n", 20), strings.Repeat("a,b,c\n", 20), "", "", ""},
		{"tabs become blanks by request", "a.sh", script, strings.ReplaceAll(script, "\t", "    "), "use spaces", "", ""},
		{"keys that go on purpose", "a.yml", list, strings.Replace(list, "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\n", "", 1), "", "a", ""},
		{"a stub is filled in", "a.py", "def f():\n    pass\n", "def f():\n    return 1\n", "", "", ""},
		{"an empty file", "a.py", "", "x = 1\n", "", "", ""},
	} {
		if got := Part(tt.file, tt.old, tt.text, tt.words, strings.Fields(tt.removed)); string(got) != tt.why {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.why)
		}
	}
}

func FuzzReview(f *testing.F) {
	for _, e := range elisionTests {
		f.Add(e.file, e.old, e.text)
	}
	f.Add(".md", "0", "# \xed")
	f.Fuzz(func(t *testing.T, file, old, text string) {
		line := Elision(file, old, text, nil)
		if line != "" && (!strings.Contains(text, line) || strings.TrimSpace(line) != line) {
			t.Errorf("%q is no line of %q", line, text)
		}
		if got := Elision(file, text, text, nil); got != "" {
			t.Errorf("nothing changes, and %q is found", got)
		}
		if got := Part(file, text, text, "", nil); got != "" {
			t.Errorf("nothing changes, and %s", got)
		}
	})
}
