package provider

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"paicode/pkg/turn"
)

// What servers that speak OpenAI's protocol answer, in the forms in which they
// do.

// chatText is a content: a text, null, or a list of parts.
type chatText string

func (c *chatText) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = chatText(text)
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		if p.Type == "text" || p.Type == "output_text" {
			*c += chatText(p.Text)
		}
	}
	return nil
}

// chatChunk is one event of a stream, or a whole answer of a server that
// doesn't stream.
type chatChunk struct {
	Choices []struct {
		Delta   chatMessagePart `json:"delta"`
		Message chatMessagePart `json:"message"`
		Finish  string          `json:"finish_reason"`
	} `json:"choices"`
	Usage *chatUsage      `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type chatMessagePart struct {
	Content *chatText       `json:"content"`
	Refusal string          `json:"refusal"`
	Tools   json.RawMessage `json:"tool_calls"`
}

// text is the content; what is absent or null has none.
func (p chatMessagePart) text() string {
	if p.Content == nil {
		return ""
	}
	return string(*p.Content)
}

type chatUsage struct {
	Input  int `json:"prompt_tokens"`
	Output int `json:"completion_tokens"`
	In     struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Out struct {
		Thinking int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// add adds what a server counted; some count thinking apart from the output.
func (c *chatUsage) add(u *turn.Usage) {
	if c == nil {
		return
	}
	thinking, output := max(0, c.Out.Thinking), max(0, c.Output)
	if thinking <= output {
		output -= thinking
	}
	count(u, c.Input, c.In.Cached, thinking, output)
}

// refused says what a status means.
func (o *openAI) refused(resp *http.Response) *failure {
	data, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // what came of it says enough
	e := readChatError(data)
	if to := resp.Header.Get("Location"); to != "" {
		e.message = to
	}
	f := o.failed(resp.StatusCode, e)
	if f.wait == 0 {
		f.wait = retryAfter(resp.Header)
	}
	return f
}

// afterFinish is how long a server may take to end an answer that is complete.
const afterFinish = 2 * time.Second

// chatReader reads one answer.
type chatReader struct {
	*openAI
	t       *attempt
	body    io.Closer
	finish  string
	refusal string
	tools   bool       // it calls tools, which nobody offered
	usage   *chatUsage // the last is the whole
	events  int
}

// read reads an answer: server-sent events, or one object.
func (o *openAI) read(t *attempt, resp *http.Response) *failure {
	r := &chatReader{openAI: o, t: t, body: resp.Body}
	f := r.each(resp.Body)
	r.usage.add(t.usage)
	switch {
	case f != nil && (r.finish == "" || f.cause == ""):
		return f
	case r.events == 0 && !strings.Contains(resp.Header.Get("Content-Type"), "event-stream"):
		return &failure{err: turn.Errorf(turn.CodeModel, "the provider's answer can't be read")}
	case r.tools && strings.TrimSpace(t.text.String()) == "":
		return &failure{err: turn.Errorf(turn.CodeModel, "the model answered with a tool call, not with text").
			WithHint("no tools were offered; another model may respect that")}
	case r.refusal != "" && strings.TrimSpace(t.text.String()) == "":
		return &failure{err: turn.Errorf(turn.CodeModel, "the model refuses: %s", firstLine(r.refusal)).
			WithHint("reword the request")}
	}
	return judgeChat(r.finish, t.text.String())
}

// take reads the data of one event, or a whole answer.
func (r *chatReader) take(data []byte) *failure {
	r.events++
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '[' &&
		bytes.Contains(trimmed, []byte(`"error"`)) {
		return r.failed(http.StatusOK, readChatError(data))
	}
	var c chatChunk
	if err := json.Unmarshal(data, &c); err != nil || mangled(data) {
		return &failure{err: turn.Errorf(turn.CodeModel, "the provider's answer can't be read")}
	}
	if c.Error != nil && string(c.Error) != "null" {
		return r.failed(http.StatusOK, readChatError(data))
	}
	if c.Usage != nil {
		r.usage = c.Usage
	}
	for _, choice := range c.Choices[:min(1, len(c.Choices))] {
		r.t.piece(choice.Delta.text() + choice.Message.text())
		r.refusal += choice.Delta.Refusal + choice.Message.Refusal
		r.tools = r.tools || callsTools(choice.Delta.Tools) || callsTools(choice.Message.Tools)
		if choice.Finish != "" {
			r.finish = choice.Finish
			time.AfterFunc(afterFinish, func() { r.body.Close() })
		}
	}
	return nil
}

// callsTools reports whether a list of tool calls holds any.
func callsTools(raw json.RawMessage) bool {
	return len(raw) > 0 && string(raw) != "null" && string(raw) != "[]"
}

// mangled tells of half a character in an event: the other half would be in the
// next one, and both would be lost.
func mangled(data []byte) bool {
	var text struct {
		Choices []struct {
			Delta struct {
				Content json.RawMessage `json:"content"`
			} `json:"delta"`
		} `json:"choices"`
	}
	if !utf8.Valid(data) {
		return true
	}
	if !bytes.Contains(bytes.ToLower(data), []byte(`\ud`)) || json.Unmarshal(data, &text) != nil ||
		len(text.Choices) == 0 {
		return false
	}
	var content string
	raw := text.Choices[0].Delta.Content
	if json.Unmarshal(raw, &content) != nil {
		return false
	}
	return strings.Count(content, "\uFFFD") > bytes.Count(raw, []byte("\uFFFD"))+
		bytes.Count(bytes.ToLower(raw), []byte(`\ufffd`))
}

// each calls take for the data of each event, or for the whole body if it is no
// stream of events.
func (r *chatReader) each(body io.Reader) *failure {
	in := bufio.NewReader(io.LimitReader(body, maxBodyBytes))
	if whole, f := r.isWhole(in); whole || f != nil {
		return f
	}
	for {
		line, err := in.ReadBytes('\n')
		r.t.alive()
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if data = bytes.TrimSpace(data); string(data) == "[DONE]" {
				return nil
			}
			if f := r.take(data); f != nil {
				return f
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			f := unreachable(err)
			if f.cause == "" {
				f.cause = "closed"
			}
			return f
		}
	}
}

// isWhole reads a body that is one object, or a list of one, and no stream of
// events; it leaves others as they are but for what is before them.
func (r *chatReader) isWhole(in *bufio.Reader) (is bool, f *failure) {
	for {
		c, _, err := in.ReadRune()
		if err != nil {
			return false, nil // each meets it again
		}
		r.t.alive()
		if c == '\ufeff' || unicode.IsSpace(c) {
			continue
		}
		_ = in.UnreadRune() // it was read just now
		if c != '{' && c != '[' {
			return false, nil
		}
		data, err := io.ReadAll(in)
		if err != nil {
			return true, unreachable(err)
		}
		return true, r.take(data)
	}
}

// judgeChat finds out whether what came is an answer.
func judgeChat(finish, text string) *failure {
	empty := strings.TrimSpace(text) == ""
	reason := strings.ToLower(finish)
	switch {
	case slices.Contains([]string{"length", "max_tokens", "model_length", "max_output_tokens"}, reason):
		return truncated()
	case reason == "content_filter" || reason == "safety":
		return &failure{err: turn.Errorf(turn.CodeModel, "the provider blocked the answer (content_filter)").
			WithHint("reword the request")}
	case reason == "" && !empty:
		return cutOff()
	case reason != "" && !slices.Contains([]string{"stop", "eos", "eos_token", "end_turn", "stop_sequence"}, reason):
		return &failure{err: turn.Errorf(turn.CodeModel, "the model ended its answer for an unknown reason (%s)",
			turn.Printable(finish))}
	case empty:
		f := emptied()
		f.err.Message = "the model's answer holds no text (content is empty or null)"
		f.few = true // a model that only thinks does so again
		return f
	}
	return nil
}
