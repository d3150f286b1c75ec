package plan

import (
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
	{"a question", `{"goal":"g","question":"Which?","steps":[{"action":"RM","targets":["a.py"]}]}`, "? Which?"},
	{"unknown action", `{"steps":[{"action":"EXECUTE","targets":["x"]}]}`, `!the model planned an unknown action, "EXECUTE"`},
	{"no target", `{"steps":[{"action":"RM","targets":[""]}]}`, "!the model planned RM without a target"},
	{"no destination", `{"steps":[{"action":"MV","targets":["a.py"]}]}`, "!the model planned MV without a destination"},
	{"no JSON", `I can't do that.`, "!the model's answer is not the JSON that was asked for"},
	{"half", `{"steps":[{"action":"RM"`, "!the model's answer is not the JSON that was asked for"},
}

func plan(reply string) string {
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
			if got := plan(tt.reply); got != tt.want {
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
