package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"paicode/pkg/model/modeltest"
)

// server is a provider on loopback without latency. Agents that bring tools get calls of
// these, one a question, until the task is done; Pai is answered by modeltest.
type server struct {
	*httptest.Server
	log  io.Writer // the bodies of questions; nil: nowhere
	pai  http.Handler
	lock sync.Mutex
	seen []question
}

// question is one that came.
type question struct {
	at    time.Time
	bytes int // of the body, which has instructions, tools, files and all
	tools bool
}

func newServer(rules string, log io.Writer) (*server, error) {
	played, err := modeltest.Start(rules)
	if err != nil {
		return nil, err
	}
	model, err := url.Parse(played.URL)
	if err != nil {
		return nil, err
	}
	s := &server{pai: httputil.NewSingleHostReverseProxy(model), log: log}
	s.Server = httptest.NewServer(s)
	return s, nil
}

// ServeHTTP counts and answers.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	if s.log != nil {
		fmt.Fprintf(s.log, "%s %s\n%s\n\n", r.Method, r.URL, body)
	}
	if strings.Contains(r.URL.Path, ":countTokens") {
		fmt.Fprintf(w, `{"totalTokens": %d}`, len(body)/4)
		return
	}
	tools := bytes.Contains(body, []byte(`"functionDeclarations"`)) || bytes.Contains(body, []byte(`"tools":[{`))
	s.lock.Lock()
	s.seen = append(s.seen, question{time.Now(), len(body), tools})
	s.lock.Unlock()
	switch {
	case strings.HasSuffix(r.URL.Path, "/responses"):
		answerResponses(w, body)
	case !tools && isPai(body):
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		s.pai.ServeHTTP(w, r)
	default:
		answerGemini(w, r, body)
	}
}

// isPai tells Pai's questions from others without tools, such as one for a title.
func isPai(body []byte) bool {
	for _, word := range []string{"chat or a task", "Plan the fewest", "these steps", "Propose the one next step"} {
		if bytes.Contains(body, []byte(word)) {
			return true
		}
	}
	return false
}

// taken are the questions since the last time.
func (s *server) taken() []question {
	s.lock.Lock()
	defer s.lock.Unlock()
	all := s.seen
	s.seen = nil
	return all
}

// tool is one that an agent offers, with the types of its parameters.
type tool struct {
	name       string
	properties map[string]json.RawMessage
}

// call is what a model would do next: calls done before, and the tools there are. An empty name is
// the end. Parameters are filled in by what their names say.
func call(task task, done int, tools []tool) (name string, arguments map[string]any) {
	want := task.calls
	if done >= len(want) {
		return "", nil
	}
	for _, candidate := range want[done].tools {
		for _, t := range tools {
			if t.name == candidate {
				return t.name, want[done].arguments(t)
			}
		}
	}
	return "", nil
}

// answerGemini answers in Gemini's protocol, in a stream or not.
func answerGemini(w http.ResponseWriter, r *http.Request, body []byte) {
	var q struct {
		Contents []struct {
			Parts []struct {
				FunctionResponse json.RawMessage `json:"functionResponse"`
			} `json:"parts"`
		} `json:"contents"`
		Tools []struct {
			FunctionDeclarations []struct {
				Name                 string
				Parameters           struct{ Properties map[string]json.RawMessage }
				ParametersJSONSchema struct{ Properties map[string]json.RawMessage } `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	done, tools := 0, []tool(nil)
	for _, c := range q.Contents {
		for _, p := range c.Parts {
			if p.FunctionResponse != nil {
				done++
			}
		}
	}
	for _, t := range q.Tools {
		for _, f := range t.FunctionDeclarations {
			properties := f.Parameters.Properties
			if properties == nil {
				properties = f.ParametersJSONSchema.Properties
			}
			tools = append(tools, tool{f.Name, properties})
		}
	}
	part := map[string]any{"text": "Done."}
	if name, arguments := call(taskOf(body), done, tools); name != "" {
		part = map[string]any{"functionCall": map[string]any{"name": name, "args": arguments}}
	}
	answer, err := json.Marshal(map[string]any{
		"candidates": []any{map[string]any{"content": map[string]any{"role": "model", "parts": []any{part}},
			"finishReason": "STOP", "index": 0}},
		"usageMetadata": map[string]any{"promptTokenCount": len(body) / 4, "candidatesTokenCount": 20,
			"totalTokenCount": len(body)/4 + 20},
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if strings.Contains(r.URL.Path, "stream") {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\r\n\r\n", answer)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer)
}

// answerResponses answers in OpenAI's protocol of responses, in a stream.
func answerResponses(w http.ResponseWriter, body []byte) {
	var q struct {
		Input []struct{ Type string }
		Tools []struct {
			Type, Name string
			Parameters struct{ Properties map[string]json.RawMessage }
		}
	}
	if err := json.Unmarshal(body, &q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	done, tools := 0, []tool(nil)
	for _, i := range q.Input {
		if strings.HasSuffix(i.Type, "call_output") {
			done++
		}
	}
	for _, t := range q.Tools {
		tools = append(tools, tool{t.Name, t.Parameters.Properties})
	}
	item := map[string]any{"type": "message", "role": "assistant", "id": "m1",
		"content": []any{map[string]any{"type": "output_text", "text": "Done."}}}
	if name, arguments := call(taskOf(body), done, tools); name != "" {
		text, err := json.Marshal(arguments)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		item = map[string]any{"type": "function_call", "id": fmt.Sprint("f", done), "call_id": fmt.Sprint("c", done),
			"name": name, "arguments": string(text)}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range []map[string]any{
		{"type": "response.created", "response": map[string]any{"id": "r1"}},
		{"type": "response.output_item.done", "output_index": 0, "item": item},
		{"type": "response.completed",
			"response": map[string]any{"id": "r1",
				"usage": map[string]any{"input_tokens": len(body) / 4, "input_tokens_details": nil,
					"output_tokens": 20, "output_tokens_details": nil, "total_tokens": len(body)/4 + 20}}},
	} {
		data, err := json.Marshal(event)
		if err != nil {
			return
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event["type"], data)
	}
}
