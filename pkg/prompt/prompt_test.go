package prompt

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"paicode/pkg/secret"
	"paicode/pkg/turn"
)

func TestFence(t *testing.T) {
	for text, want := range map[string]string{
		"":               "```\n```",
		"a":              "```\na\n```",
		"a\n":            "```\na\n```",
		"```\nb\n```\n":  "````\n```\nb\n```\n````",
		"x `````` y\n":   "```````\nx `````` y\n```````",
		"no feed at ```": "````\nno feed at ```\n````",
	} {
		if got := Fence(text); got != want {
			t.Errorf("Fence(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestObject(t *testing.T) {
	for _, tt := range []struct{ name, reply, want string }{
		{"bare", `{"a": 1}`, `{"a": 1}`},
		{"in a fence", "Here:\n```json\n{\"a\": 1}\n```\n", `{"a": 1}`},
		{"after a brace in prose", `I use {braces} and then {"a": 1}.`, `{"a": 1}`},
		{"after thoughts", "<think>{\"a\": 0}</think>\n{\"a\": 1}", `{"a": 1}`},
		{"none", "I can't.", ""},
		{"without the member", `{"b": 1}`, ""},
		{"half", `{"a": `, ""},
		{"too many braces", strings.Repeat("{", 200) + `{"a": 1}`, ""},
	} {
		o, err := Object(tt.reply, "a")
		if o.Raw != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: %q, %v; want %q", tt.name, o.Raw, err, tt.want)
		}
	}
}

// FuzzObject has every reply give valid JSON with the member that was asked for, or an
// error.
func FuzzObject(f *testing.F) {
	for _, reply := range []string{`{'a': True, b: [1,], /* c */}`, "{\"a\": 1 // x\n}", `[{"action": "X"}]`, `{"x": {"a": 1}}`, `{"a": "\u00e4` + "\n" + `"}`} {
		f.Add(reply)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		o, err := Object(reply, "a", "steps")
		if (err == nil) != (gjson.Valid(o.Raw) && (o.Get("a").Exists() || o.Get("steps").Exists())) {
			t.Errorf("%q is %q, %v", reply, o.Raw, err)
		}
	})
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc… (cut)"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äöü… (cut)"}} {
		if got := Cut(tt.text, tt.most); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
}

// TestFiles has a name that would break out of its line.
func TestFiles(t *testing.T) {
	got := Files([]File{{Path: "a.py", Text: "x\n"}, {Path: "b\n### c", Text: "y", Lines: "3-4 of 9"}})
	want := "### a.py\n```\nx\n```\n### \"b\\n### c\", lines 3-4 of 9\n```\ny\n```\n"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestHistory(t *testing.T) {
	doc := turn.New("r")
	doc.SetHistory([]turn.Interaction{{Request: "one\ntwo", Outcome: "  done "}})
	got := Say(doc, secret.NewVault(nil)).History
	if got != "- one two → done\n" {
		t.Errorf("%q", got)
	}
}
