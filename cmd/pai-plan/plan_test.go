package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"paicode/pkg/turn"
)

// expandTests are replies on a project that has a.py and b/c.py, and the
// steps they become, or the error after "!".
var expandTests = []struct{ name, reply, want string }{
	{"plain", `{"goal":"g","steps":[{"action":"MODIFY","targets":["a.py"],"do":"d"},{"action":"FINISH","targets":[],"do":"f"}]}`,
		"1 MODIFY a.py, 2 FINISH"},
	{"several targets", `{"goal":"g","steps":[{"action":"WRITE","targets":["x","y"],"do":"d"}]}`, "1 WRITE x, 2 WRITE y, 3 FINISH"},
	{"no FINISH", `{"goal":"g","steps":[{"action":"TREE","targets":["."],"do":"d"}]}`, "1 TREE ., 2 FINISH"},
	{"FINISH early and twice", `{"goal":"g","steps":[{"action":"FINISH","targets":[""]},{"action":"MKDIR","targets":["d"]},{"action":"FINISH","targets":["x"]}]}`, "1 MKDIR d, 2 FINISH"},
	{"WRITE onto a file", `{"steps":[{"action":"WRITE","targets":["./a.py"]}]}`, "1 MODIFY a.py, 2 FINISH"},
	{"WRITE of a removed file", `{"steps":[{"action":"RM","targets":["a.py"]},{"action":"WRITE","targets":["a.py"]}]}`, "1 RM a.py, 2 WRITE a.py, 3 FINISH"},
	{"MODIFY of a new file", `{"steps":[{"action":"WRITE","targets":["x"]},{"action":"MODIFY","targets":["x"]}]}`, "1 WRITE x, 2 MODIFY x, 3 FINISH"},
	{"MODIFY of nothing", `{"steps":[{"action":"MODIFY","targets":["gone.py"]}]}`, "1 MODIFY gone.py, 2 FINISH missing gone.py"},
	{"fences and prose", "Plan {draft}:\n```json\n{\"steps\":[{\"action\":\"touch\",\"targets\":\"x\"}]}\n```\nok?", "1 TOUCH x, 2 FINISH"},
	{"thinking", `<think>{"steps":[{"action":"RM","targets":["a.py"]}]}</think>{"steps":[]}`, "1 FINISH"},
	{"the document's form", `{"steps":[{"action":"READ","target":"a.py"}]}`, "1 READ a.py, 2 FINISH"},
	{"folders by default", `{"steps":[{"action":"TREE","targets":[]},{"action":"LIST_PATH","targets":[""]}]}`, "1 TREE ., 2 LIST_PATH ., 3 FINISH"},
	{"MV", `{"steps":[{"action":"MV","targets":["a.py"],"destination":"./z.py"}]}`, "1 MV a.py → z.py, 2 FINISH"},
	{"MV of several", `{"steps":[{"action":"MV","targets":["a.py","b/c.py"],"destination":"d/"}]}`, "1 MV a.py → d/a.py, 2 MV b/c.py → d/c.py, 3 FINISH"},
	{"MV of two names", `{"steps":[{"action":"MV","targets":["a.py","z.py"]}]}`, "1 MV a.py → z.py, 2 FINISH"},
	{"outside stays for the guard", `{"steps":[{"action":"READ","targets":["../../etc/passwd","/etc/passwd"]}]}`, "1 READ ../../etc/passwd, 2 READ /etc/passwd, 3 FINISH"},
	{"nothing", `{"goal":"g","steps":[]}`, "1 FINISH"},
	{"a question", `{"goal":"g","question":"Which?","steps":[]}`, "? Which?"},
	{"a question and FINISH", `{"goal":"g","question":"Which?","steps":[{"action":"FINISH","targets":[]}]}`, "? Which?"},
	{"steps go before a question", `{"goal":"g","question":"Which?","steps":[{"action":"RM","targets":["a.py"]}]}`, "1 RM a.py, 2 FINISH"},
	{"no question in words", `{"question":"None","steps":[{"action":"FINISH","targets":[]}]}`, "1 FINISH"},
	{"no question, not applicable", `{"question":"N/A.","steps":[{"action":"READ","targets":["a.py"]}]}`, "1 READ a.py, 2 FINISH"},
	{"no question in Indonesian", `{"question":"Tidak ada","steps":[{"action":"FINISH"}]}`, "1 FINISH"},
	{"no question but a dash", `{"question":"-","steps":[{"action":"FINISH"}]}`, "1 FINISH"},
	{"a path in backticks", "{\"steps\":[{\"action\":\"READ\",\"targets\":[\" `a.py` \"]}]}", "1 READ a.py, 2 FINISH"},
	{"a list in a text", `{"steps":[{"action":"READ","targets":"[\"a.py\", \"b/c.py\"]"}]}`, "1 READ a.py, 2 READ b/c.py, 3 FINISH"},
	{"a path with brackets", `{"steps":[{"action":"READ","targets":["app/(x)/[id].tsx"]}]}`, "1 READ app/(x)/[id].tsx, 2 FINISH"},
	{"null as a target", `{"steps":[{"action":"FINISH","targets":[null],"destination":null},{"action":"READ","targets":["a.py"],"destination":"null"}]}`, "1 READ a.py, 2 FINISH"},
	{"unknown action", `{"steps":[{"action":"EXECUTE","targets":["x"]}]}`, `!the model planned an unknown action, "EXECUTE"`},
	{"other words for actions", `{"steps":[{"action":"edit","targets":["a.py"]},{"action":"Create","path":"x"},{"action":"DELETE","file":"b/c.py"}]}`, "1 MODIFY a.py, 2 WRITE x, 3 RM b/c.py, 4 FINISH"},
	{"a plan in a plan", `{"plan":{"steps":[{"action":"READ","targets":["a.py"]}]}}`, "1 READ a.py, 2 FINISH"},
	{"a list at the top", `[{"action":"READ","targets":["a.py"]}]`, "1 READ a.py, 2 FINISH"},
	{"the last of two", `{"steps":[{"action":"RM","targets":["a.py"]}]} No, better: {"steps":[{"action":"READ","targets":["a.py"]}]}`, "1 READ a.py, 2 FINISH"},
	{"the end of thoughts only", `I could {"steps":[{"action":"RM","targets":["a.py"]}]}</think>{"steps":[{"action":"READ","targets":["a.py"]}]}`, "1 READ a.py, 2 FINISH"},
	{"another end of thoughts", `analysisI could {"steps":[]}assistantfinal{"steps":[{"action":"READ","targets":["a.py"]}]}`, "1 READ a.py, 2 FINISH"},
	{"commas and comments", "{\"steps\": [ // all of them\n {\"action\": \"READ\", \"targets\": [\"a.py\",], /* d */ },\n],}", "1 READ a.py, 2 FINISH"},
	{"a dictionary of Python", `{'goal': 'it\'s "so"', 'question': None, 'steps': [{'action': 'READ', 'targets': ['a.py']}]}`, "1 READ a.py, 2 FINISH"},
	{"names without quotes", `{steps: [{action: "READ", targets: ["a.py"]}]}`, "1 READ a.py, 2 FINISH"},
	{"steps twice", `{"steps":[{"action":"RM","targets":["a.py"]}],"steps":[{"action":"READ","targets":["a.py"]}]}`, `!the model's answer has the member "steps" twice`},
	{"a target twice", `{"steps":[{"action":"RM","target":"a.py","target":"b/c.py"}]}`, `!the model's answer has the member "target" twice`},
	{"no target", `{"steps":[{"action":"RM","targets":[""]}]}`, "!the model planned RM without a target"},
	{"no destination", `{"steps":[{"action":"MV","targets":["a.py"]}]}`, "!the model planned MV without a destination"},
	{"no JSON", `I can't do that.`, "!the model's answer is not the JSON that was asked for"},
	{"half", `{"steps":[{"action":"RM"`, "!the model's answer is not the JSON that was asked for"},
}

func planned(reply string) string {
	a, err := read(reply)
	if err != nil {
		return "!" + err.Error()
	}
	p, missing := expand(a, files{map[string]string{"a.py": turn.TargetFile, "b/c.py": turn.TargetFile, "gone.py": turn.TargetNone, "x": turn.TargetNone}})
	if p.Question != "" {
		return "? " + p.Question
	}
	var parts []string
	for _, s := range p.ExecutionPlan.Steps {
		part := strings.TrimSpace(string(rune('0'+s.Number)) + " " + s.Action + " " + s.Target)
		if s.Destination != "" {
			part += " → " + s.Destination
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, ", ")
	if len(missing) > 0 {
		text += " missing " + strings.Join(missing, ", ")
	}
	return text
}

func TestExpand(t *testing.T) {
	for _, tt := range expandTests {
		t.Run(tt.name, func(t *testing.T) {
			if got := planned(tt.reply); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// FuzzExpand proves that whatever a model answers becomes a document that can
// be read again, or an error.
func FuzzExpand(f *testing.F) {
	for _, tt := range expandTests {
		f.Add(tt.reply)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		a, err := read(reply)
		if err != nil {
			return
		}
		p, _ := expand(a, files{})
		doc := turn.New("r")
		doc.SetPlan(p)
		line, err := doc.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(line) {
			t.Fatalf("not JSON: %s", line)
		}
		if _, err := turn.Read(line); err != nil {
			t.Fatalf("%v\n%s", err, line)
		}
	})
}

// standing stands for pai-exec: what is at paths, by their names.
type standing map[string]string

func (l standing) Stands(_ context.Context, paths []string) (map[string]string, error) {
	out := make(map[string]string)
	for _, p := range paths {
		out[p] = turn.TargetNone
		if kind, ok := l[p]; ok {
			out[p] = kind
		}
	}
	return out, nil
}

func (standing) Look(context.Context, *turn.Document, []string) error { return nil }

// TestTargets reads targets by what is there.
func TestTargets(t *testing.T) {
	eyes := standing{"a.py": turn.TargetFile, "b/c.py": turn.TargetFile, "a, b.txt": turn.TargetFile, "app/(x)/[id].tsx": turn.TargetFile, "notes (old).md": turn.TargetFile}
	for _, tt := range []struct{ action, target, want string }{
		{"MODIFY", "a.py, b/c.py", "a.py b/c.py"},
		{"MODIFY", "a.py (entry point)", "a.py"},
		{"MODIFY", "a, b.txt", "a, b.txt"},
		{"MODIFY", "app/(x)/[id].tsx", "app/(x)/[id].tsx"},
		{"MODIFY", "notes (old).md", "notes (old).md"},
		{"MODIFY", "a.py, gone.py", "a.py, gone.py"},
		{"WRITE", "x.py, y.py", "x.py y.py"},
		{"WRITE", "x.py (new)", "x.py"},
		{"WRITE", "Hello, World", "Hello, World"},
		{"WRITE", "(x)/y.tsx", "(x)/y.tsx"},
	} {
		a := answer{steps: []group{{action: tt.action, targets: []string{tt.target}}}}
		if _, err := (&planner{look: eyes}).known(context.Background(), a); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(a.steps[0].targets, " "); got != tt.want {
			t.Errorf("%s %s is read as %s, want %s", tt.action, tt.target, got, tt.want)
		}
	}
}
