package prompt

import (
	"fmt"
	"strings"
	"testing"

	"paicode/pkg/secret"
	"paicode/pkg/turn"
)

func TestRelative(t *testing.T) {
	place := turn.Place{Roots: []string{"/home/ann/shop", "/data/shop"}, Home: "/home/ann"}
	for text, want := range map[string]string{
		"/home/ann/shop/src/a.py:3: boom":         "src/a.py:3: boom",
		"cd /home/ann/shop":                       "cd .",
		"cd /home/ann/shop/":                      "cd ./",
		"in /home/ann/shop.":                      "in ..",
		`File "/home/ann/shop/a.py"`:              `File "a.py"`,
		"file:///home/ann/shop/a.py":              "file://a.py",
		"/home/ann/shopping/a.py":                 "~/shopping/a.py",
		"/home/ann/shop-old/a.py":                 "~/shop-old/a.py",
		"/mnt/home/ann/shop/a.py":                 "/mnt/home/ann/shop/a.py",
		"/home/anna/a.py":                         "/home/anna/a.py",
		"/home/ann/.ssh/id_rsa":                   "~/.ssh/id_rsa",
		"-I/home/ann/shop/inc -v/home/ann/q:/app": "-Iinc -v~/q:/app",
		"\x1b[32m/home/ann/shop/a.py":             "\x1b[32ma.py",
		"file://localhost/home/ann/shop/a":        "file://localhost/a",
		"/data/shop/a.py":                         "a.py",
		"a.py and /etc/passwd stay":               "a.py and /etc/passwd stay",
		"/home/ann/shop/a /home/ann/shop/b":       "a b",
	} {
		if got := relative(text, place); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
	if got := relative("/a/b", turn.Place{Roots: []string{"/"}, Home: "/"}); got != "/a/b" {
		t.Errorf("beneath the top: %s", got)
	}
}

// TestCondense keeps the failures of a long log, and of other long texts the beginning and
// the end.
func TestCondense(t *testing.T) {
	var log strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&log, "test_%d PASSED\n", i)
		if i == 700 {
			log.WriteString("    def test_total(self):\n>       assert total([1]) == 2\nE       assert 1 == 2\nshop/cart_test.py:12: AssertionError\n")
		}
	}
	log.WriteString("1 failed, 1999 passed\n")
	got := Condense(log.String(), 1500)
	for _, want := range []string{"def test_total", "assert 1 == 2", "shop/cart_test.py:12", "1 failed, 1999 passed", "lines left out …"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing from\n%s", want, got)
		}
	}
	if len(got) > 1700 {
		t.Errorf("%d bytes are kept", len(got))
	}
	var trace strings.Builder
	trace.WriteString("Traceback (most recent call last):\n")
	for i := range 600 {
		if i == 300 {
			trace.WriteString("  File \"shop/cart.py\", line 2, in total\n    raise ValueError(x)\n")
		}
		fmt.Fprintf(&trace, "  File \"/usr/lib/python3/site-packages/lib.py\", line %d, in f%d\n    call()\n", i, i)
	}
	trace.WriteString("ValueError: bad thing\n")
	if got := Condense(trace.String(), 2000); !strings.Contains(got, "shop/cart.py") || !strings.Contains(got, "bad thing") || len(got) > 2300 {
		t.Errorf("a trace becomes\n%s", got)
	}
	words := strings.Repeat("one two three\n", 500)
	if got := Condense("first\n"+words+"last\n", 200); !strings.HasPrefix(got, "first\n") || !strings.HasSuffix(got, "last\n") || len(got) > 300 {
		t.Errorf("plain words become\n%s", got)
	}
	if got := Condense(words, len(words)); got != words {
		t.Error("what fits is cut")
	}
}

// TestSay withholds secrets from all that a person gave, before it is cut.
func TestSay(t *testing.T) {
	doc := turn.New("use AKIAIOSFODNN7EXAMPLE")
	doc.SetContext("from /w/p/a.py: ASIAIOSFODNN7EXAMPLE and AKIAIOSFODNN7EXAMPLE")
	doc.SetHistory([]turn.Interaction{{Request: "AKIAIOSFODNN7EXAMPLE", Outcome: "ok"}})
	doc.SetPlace(turn.Place{Roots: []string{"/w/p"}})
	said := Say(doc, secret.NewVault(nil))
	if said.Request != "use [WITHHELD-1]" || said.Context != "from a.py: [WITHHELD-2] and [WITHHELD-1]" || said.History != "- [WITHHELD-1] → ok\n" {
		t.Errorf("%+v", said)
	}
}
