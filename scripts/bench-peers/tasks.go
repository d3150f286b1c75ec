package main

import (
	"bytes"
	"strings"
)

// task is one of the two: what is asked, what is there, and what an agent's model does.
type task struct {
	name, request, mark string
	before, after       string // what calculator.py holds; before may be empty: it isn't there
	calls               []wanted
}

// wanted is a call of one of some tools, by the names that agents give them.
type wanted struct {
	tools     []string
	arguments func(tool) map[string]any
}

const calculator = "def add(a, b):\n    return a + b\n\n\ndef divide(a, b):\n    return a / b\n"
const power = "\n\ndef power(a, b):\n    return a ** b\n"

func tasks() []task {
	shell := []string{"exec_command", "shell", "shell_command"}
	write := func(text string) wanted {
		return wanted{append([]string{"write_file", "write"}, shell...), func(t tool) map[string]any {
			return fill(t, "cat > calculator.py <<'EOF'\n"+text+"EOF", map[string]string{"content": text})
		}}
	}
	read := wanted{append([]string{"read_file", "read"}, shell...),
		func(t tool) map[string]any { return fill(t, "cat calculator.py", nil) }}
	edit := wanted{append([]string{"replace", "edit"}, shell...), func(t tool) map[string]any {
		return fill(t, "cat >> calculator.py <<'EOF'\n"+power+"EOF", map[string]string{
			"old_string": "    return a / b\n", "oldString": "    return a / b\n",
			"new_string": "    return a / b\n" + power, "newString": "    return a / b\n" + power, "instruction": "add power"})
	}}
	return []task{
		{"create a calculator", "create calculator.py with add and divide", "with add and divide", "", calculator,
			[]wanted{write(calculator), read}},
		{"add a function to it", "add a power function to calculator.py", "a power function", calculator, calculator + power,
			[]wanted{read, edit, read}},
	}
}

// taskOf is the one that a question is about.
func taskOf(body []byte) task {
	for _, t := range tasks() {
		if bytes.Contains(body, []byte(t.mark)) {
			return t
		}
	}
	return task{}
}

// fill fills a tool's parameters in by their names; command is for one that runs commands.
func fill(t tool, command string, texts map[string]string) map[string]any {
	out := make(map[string]any)
	for name, schema := range t.properties {
		switch text, known := texts[name]; {
		case known:
			out[name] = text
		case name == "cmd" || name == "command" && bytes.Contains(schema, []byte(`"string"`)) &&
			!bytes.Contains(schema, []byte(`"array"`)):
			out[name] = command
		case name == "command":
			out[name] = []string{"bash", "-c", command}
		case strings.Contains(strings.ToLower(name), "path") && !strings.HasPrefix(name, "dir"):
			out[name] = root + "/calculator.py"
		}
	}
	return out
}

// answers are Pai's model's, written by hand.
const answers = `when: chat or a task
---
{"kind": "task", "acknowledgment": "I will do that."}
===
when: (?s)Plan the fewest.*with add and divide
---
{"goal": "Create a calculator", "steps": [{"action": "WRITE", "targets": ["calculator.py"], "do": "add and divide"}, {"action": "FINISH", "targets": [], "do": "report"}]}
===
when: (?s)these steps.*with add and divide
---
## 1 WRITE calculator.py
` + "````python\n" + calculator + "````\n" + `## 2 FINISH
Done.
===
when: Plan the fewest
---
{"goal": "Add power", "steps": [{"action": "MODIFY", "targets": ["calculator.py"], "do": "add power"}, {"action": "FINISH", "targets": [], "do": "report"}]}
===
when: these steps
---
## 1 MODIFY calculator.py
` + "````python\n<<<<<<< SEARCH\n    return a / b\n=======\n    return a / b\n" + power + ">>>>>>> REPLACE\n````\n" + `## 2 FINISH
Done.
===
when: Propose the one next step
---
{"suggestion": "Write a test."}
`
