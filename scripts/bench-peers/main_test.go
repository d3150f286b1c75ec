package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"paicode/pkg/scripttest"
)

// TestPai measures Pai alone: the others have to be installed.
func TestPai(t *testing.T) {
	s, err := newServer(answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := agents(scripttest.Build(t), "", s.URL)[0].measure(s, filepath.Join(t.TempDir(), "home"), 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range r.figures {
		if f.questions != 4 || f.size < 400 || f.bytes < 3000 || f.first <= 0 || f.wall <= f.first || f.memory < 1<<20 {
			t.Errorf("task %d: %+v", i, f)
		}
	}
	var out strings.Builder
	if err := print(&out, []row{r}); err != nil || strings.Count(out.String(), "\n") != 3 {
		t.Errorf("%s, %v", &out, err)
	}
}

// TestAgent plays an agent with tools of its own names, in both protocols.
func TestAgent(t *testing.T) {
	s, err := newServer(answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, tt := range []struct{ path, body, want string }{
		{"/v1beta/models/m:generateContent", `{"contents":[{"parts":[{"text":"add a power function"}]}],"tools":[{"functionDeclarations":[{"name":"read_file","parameters":{"properties":{"file_path":{}}}}]}]}`,
			`"functionCall":{"args":{"file_path":"` + root + `/calculator.py"},"name":"read_file"}`},
		{"/v1beta/models/m:generateContent", `{"contents":[{"parts":[{"text":"create it with add and divide"}]},{"parts":[{"functionResponse":{}}]},{"parts":[{"functionResponse":{}}]}],"tools":[{"functionDeclarations":[{"name":"read_file"}]}]}`,
			`"text":"Done."`},
		{"/v1/responses", `{"input":[{"type":"message","content":"a power function"},{"type":"function_call_output"}],"tools":[{"type":"function","name":"shell","parameters":{"properties":{"command":{"type":"array"}}}}]}`,
			`def power(a, b)`},
	} {
		response, err := http.Post(s.URL+tt.path, "application/json", strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := response.Write(&out); err != nil || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s: %s, %v", tt.body, &out, err)
		}
	}
	if n := len(s.taken()); n != 3 {
		t.Errorf("%d questions were counted", n)
	}
}
