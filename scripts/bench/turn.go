package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"paicode/pkg/model/modeltest"
)

// client asks four questions of a server, one after the other, and nothing else.
const client = `package main

import (
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	for range 4 {
		request, err := http.NewRequest("POST", os.Args[1], strings.NewReader("{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"chat or a task\"}]}]}"))
		if err != nil {
			panic(err)
		}
		request.Header.Set("x-goog-api-key", os.Args[2])
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			panic(err)
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
}
`

// answers are a turn's, written by hand.
const answers = `when: chat or a task
---
{"kind": "task", "acknowledgment": "ok"}
===
when: Plan the fewest
---
{"goal": "Add power", "steps": [{"action": "MODIFY", "targets": ["a.py"], "do": "add power"}]}
===
when: these steps
---
## 1 MODIFY a.py
` + "```" + `
<<<<<<< SEARCH
x = 1
=======
x = 1


def power(a, b):
    return a ** b
>>>>>>> REPLACE
` + "```" + `
===
when: Propose the one next step
---
{"suggestion": "Write a test."}
`

// turn compares a whole turn on a server that answers at once with a client that asks it four
// questions: what is above that is the turn's own cost.
func turn(bin, dir string) error {
	server, err := modeltest.Start(answers)
	if err != nil {
		return err
	}
	defer server.Close()
	source, program, project := filepath.Join(dir, "client.go"), filepath.Join(dir, "client"), filepath.Join(dir, "turn")
	if err := os.WriteFile(source, []byte(client), 0o644); err != nil {
		return err
	}
	if _, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", program, source).Output(); err != nil {
		return err
	}
	if err := os.Mkdir(project, 0o755); err != nil {
		return err
	}
	for name, value := range map[string]string{"GOOGLE_GEMINI_BASE_URL": server.URL, "GEMINI_API_KEY": modeltest.Key,
		"XDG_STATE_HOME": dir} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	ours, reference, err := alternate(
		func() (time.Duration, error) {
			if err := os.WriteFile(filepath.Join(project, "a.py"), []byte("x = 1\n"), 0o644); err != nil {
				return 0, err
			}
			return clock(project, nil, filepath.Join(bin, "pai"), "--yes", "add power")
		},
		func() (time.Duration, error) {
			return clock(project, nil, program, server.URL+"/v1beta/models/gemini-3.5-flash-lite:generateContent", modeltest.Key)
		})
	report("a whole turn without latency / a Go client's four questions", ours, reference)
	return err
}
