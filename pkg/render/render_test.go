package render

import (
	"strings"
	"testing"

	"paicode/pkg/turn"
)

// document is one with every part that is shown.
const document = `{"pai":"turn/1","request":"r","intent":{"kind":"task","acknowledgment":"ok \u001b[31mred"},
"plan":{"analysis":{"user_intent":"Do it"},"execution_plan":{"steps":[
{"step_number":1,"action":"MODIFY","target":"a b.py","description":"add\u202e"},
{"step_number":2,"action":"MV","target":"x","destination":"y","description":"move","risk":"runs in CI"},
{"step_number":3,"action":"FINISH","description":"report"}]}},
"exec":{"dry_run":true,"applied":false,"steps":[
{"step_number":1,"status":"ok","added":1,"removed":0,"diff":"--- a/a b.py\n+++ b/a b.py\n@@ -1 +1,2 @@\n x\n+y\n"},
{"step_number":2,"status":"unchanged","added":0,"removed":0},
{"step_number":3,"status":"ok","added":0,"removed":0,"output":"Done \u0007."}],
"landlock":"off","summary":{"ok":3,"total":3,"success_rate":1}},
"usage":[{"stage":"s","model":"m","input":5,"cached":0,"thinking":0,"output":2,"milliseconds":3,"tries":1}]}`

func TestDocument(t *testing.T) {
	doc, err := turn.Read([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		format string
		style  Style
		has    []string
	}{
		{Diff, Style{}, []string{"--- a/a b.py\n+++ b/a b.py\n@@ -1 +1,2 @@\n x\n+y\n"}},
		{Diff, Style{Terminal: true, Colour: true}, []string{"\x1b["}},
		{Text, Style{Terminal: true}, []string{"Do it", "MODIFY", "a b.py", "x → y", "+y", "Done", "5 tokens in"}},
		{JSON, Style{}, []string{`{"pai":"turn/1","request":"r"`}},
		{JSON, Style{Terminal: true}, []string{"{\n  \"pai\": \"turn/1\",\n"}},
	} {
		got, err := Document(doc, tt.format, tt.style)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range tt.has {
			if !strings.Contains(string(got), want) {
				t.Errorf("%s in style %v lacks %q:\n%s", tt.format, tt.style, want, got)
			}
		}
		if tt.format == Text && strings.ContainsAny(string(got), "\x1b\x07\u202e") {
			t.Errorf("what a model wrote reaches the terminal: %q", got)
		}
	}
}

// TestPatchAfterAFailure has a refused change printed by nobody as a patch.
func TestPatchAfterAFailure(t *testing.T) {
	doc, err := turn.Read([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	doc.SetError(turn.Errorf(turn.CodeRejected, "no"))
	if got := Patch(doc); got != "" {
		t.Errorf("%q", got)
	}
}

func TestPlural(t *testing.T) {
	if Plural(1, "call") != "call" || Plural(0, "call") != "calls" {
		t.Error("wrong number")
	}
}
