package provider

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/tidwall/gjson"

	"paicode/pkg/credentials"
	"paicode/pkg/model"
	"paicode/pkg/turn"
)

// window is how many tokens a server of one's own holds. Such servers cut longer
// prompts without a word and answer what is left.
type window struct {
	model  string
	at     address
	client *http.Client
	key    credentials.Key

	asked  bool   // before the first question
	loads  bool   // the server tells of what it has loaded
	tokens int    // 0: not known
	knob   string // what a person can turn
}

// How questions are measured against windows. Text and programs have three to
// five bytes a token: what has fewer than one token for six bytes fits no window
// that is smaller, and what was counted as one for eight was cut.
const (
	smallBytes  = 8 << 10 // a question that fits every window in use
	surelyBytes = 6
	cutBytes    = 8
)

// tooSmall refuses a question that can't fit. Only a server on this machine is
// asked for its window, and only where the question is long.
func (w *window) tooSmall(ctx context.Context, r model.Request) *failure {
	size := sizeOf(r)
	if size < smallBytes || !w.at.loopback() {
		return nil
	}
	if !w.asked {
		w.asked = true
		w.find(ctx)
	}
	if w.tokens == 0 || size/surelyBytes <= w.tokens {
		return nil
	}
	return &failure{err: turn.Errorf(turn.CodeModel, "the question has about %d tokens, and the server's window holds %d",
		size/4, w.tokens).
		WithHint("%s", w.advice())}
}

// cut recognises an answer to a question of which the server read only a part.
func (w *window) cut(ctx context.Context, r model.Request, counted int) *failure {
	size := sizeOf(r)
	if size < smallBytes || counted == 0 {
		return nil
	}
	if w.loads && w.tokens == 0 {
		w.find(ctx) // it has loaded the model by now
	}
	if counted >= size/cutBytes && (w.tokens == 0 || counted > w.tokens || size/4 <= w.tokens || counted >= size/5) {
		return nil
	}
	return &failure{err: turn.Errorf(turn.CodeModel,
		"the server read only a part of the question: it counted %d tokens in %d bytes", counted, size).
		WithHint("%s", w.advice())}
}

func (w *window) advice() string {
	if w.knob != "" {
		return w.knob + " makes it larger"
	}
	return "a larger window helps: OLLAMA_CONTEXT_LENGTH for Ollama, --ctx-size for llama.cpp, --max-model-len for vLLM"
}

// ollamaLoaded is Ollama's list of the models that it has loaded. findWithin is
// how long a server may take to tell of its window.
const (
	ollamaLoaded = "/api/ps"
	findWithin   = 500 * time.Millisecond
)

// find asks the server in the ways in which servers tell, until one does.
func (w *window) find(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, findWithin)
	defer cancel()
	root := w.at.base
	root.Path = strings.TrimSuffix(root.Path, "/v1")
	for _, way := range []struct {
		path, knob string
		read       func(gjson.Result) int64
	}{
		{ollamaLoaded, "OLLAMA_CONTEXT_LENGTH, in Ollama's environment,", w.ofOllama},
		{"/props", "llama.cpp's --ctx-size",
			func(r gjson.Result) int64 { return r.Get("default_generation_settings.n_ctx").Int() }},
		{"/v1/models", "vLLM's --max-model-len", func(r gjson.Result) int64 { return r.Get("data.0.max_model_len").Int() }},
	} {
		data, ok := w.get(ctx, root.String()+way.path)
		if !ok {
			continue
		}
		w.loads = w.loads || way.path == ollamaLoaded
		if n := way.read(gjson.ParseBytes(data)); n > 0 {
			w.tokens, w.knob = int(min(n, 1<<40)), way.knob
			return
		}
	}
}

// ofOllama finds the model among those that Ollama has loaded.
func (w *window) ofOllama(loaded gjson.Result) (n int64) {
	loaded.Get("models").ForEach(func(_, m gjson.Result) bool {
		if name := m.Get("name").String(); name == w.model || name == w.model+":latest" {
			n = m.Get("context_length").Int()
		}
		return n == 0
	})
	return n
}

func (w *window) get(ctx context.Context, url string) ([]byte, bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, false
	}
	w.at.authorize(req, w.key)
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, false
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return bytes.TrimSpace(data), err == nil && resp.StatusCode == http.StatusOK && gjson.ValidBytes(data)
}

// windowOf is how many tokens a model in a list holds, by whatever name; 0 if it
// isn't said.
func windowOf(m gjson.Result) int {
	for _, name := range []string{"max_model_len", "context_length", "context_window", "max_context_length",
		"meta.n_ctx"} {
		if n := m.Get(name).Int(); n > 0 {
			return int(min(n, 1<<40))
		}
	}
	return 0
}

// sizeOf is how long a question is in bytes, without the blanks of which a
// tokenizer takes many for one.
func sizeOf(r model.Request) int {
	n, blank := 0, false
	for _, text := range []string{r.System, r.Prompt} {
		for _, c := range text {
			space := unicode.IsSpace(c)
			if !space || !blank {
				n += len(string(c))
			}
			blank = space
		}
	}
	return n
}
