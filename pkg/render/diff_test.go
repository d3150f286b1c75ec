package render

import "testing"

func TestDiff(t *testing.T) {
	const header = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n"
	coloured := Style{Terminal: true, Colour: true}
	for _, tt := range []struct {
		name, patch, want string
		style             Style
	}{
		{"a file gets it as it is", header + "-x\n+y\n", header + "-x\n+y\n", Style{}},
		{"a line that counts", header + "-x\n+y\n", "a.py  +1 −1\n" + header + "-x\n+y\n", Style{Terminal: true}},
		{"a word is marked", header + "-return a + b\n+return a - b\n",
			"\x1b[1ma.py  +1 −1\x1b[0m\n\x1b[1m--- a/a.py\x1b[0m\n\x1b[1m+++ b/a.py\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n" +
				"\x1b[31m-return a \x1b[4m+\x1b[24m b\x1b[0m\n\x1b[32m+return a \x1b[4m-\x1b[24m b\x1b[0m\n", coloured},
		{"too little alike", "@@ -1 +1 @@\n-abc def\n+ghi jkl\n", "\x1b[1m  +1 −1\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n\x1b[31m-abc def\x1b[0m\n\x1b[32m+ghi jkl\x1b[0m\n", coloured},
		{"a new file", "--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+x\n", "n.py  +1 −0\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+x\n", Style{Terminal: true}},
		{"two files", header + "-x\n+y\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-p\n+q\n",
			"a.py  +1 −1\n" + header + "-x\n+y\n\nb  +1 −1\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-p\n+q\n", Style{Terminal: true}},
		{"a removed line that looks like a header", "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n--- x\n+++ y\n z\n", "a.py  +1 −1\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n--- x\n+++ y\n z\n", Style{Terminal: true}},
		{"nothing", "", "", Style{Terminal: true}},
	} {
		if got := tt.style.diff(tt.patch); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
