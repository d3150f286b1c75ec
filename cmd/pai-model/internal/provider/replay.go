package provider

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"paicode/pkg/model"
	"paicode/pkg/turn"
)

// recording is a question with its answer as a file keeps it: texts are lists
// of lines, so that a person can read and compare them. The key is no part of
// any.
type recording struct {
	Model       string          `json:"model"`
	BaseURL     string          `json:"base_url,omitempty"`
	Temperature *float64        `json:"temperature,omitempty"`
	Thinking    string          `json:"thinking"`
	Budget      int             `json:"thinking_tokens"`
	Raw         bool            `json:"raw,omitempty"`
	Stage       string          `json:"stage"`
	System      []string        `json:"system"`
	Prompt      []string        `json:"prompt"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	MaxOutput   int             `json:"max_output_tokens,omitempty"`
	Answer      []string        `json:"answer"`
	Cut         bool            `json:"cut,omitempty"` // the answer reached the limit of tokens
	Usage       turn.Usage      `json:"usage"`
}

func split(text string) []string { return strings.SplitAfter(text, "\n") }

func newRecording(o Options, r model.Request) recording {
	return recording{Model: o.Name, BaseURL: o.server(), Temperature: o.Temperature, Thinking: o.Thinking,
		Budget: o.ThinkingTokens, Raw: o.Raw, Stage: r.Stage, System: split(r.System), Prompt: split(r.Prompt),
		Schema: r.Schema, MaxOutput: r.MaxOutputTokens}
}

// file names a recording by a hash of the question. A replay stands for any
// model; a cache is of one, asked in one way, and its files are named as such,
// since they are also removed.
func (r recording) file(anyModel bool) string {
	r.Answer, r.Cut, r.Usage = nil, false, turn.Usage{}
	if anyModel {
		r.Model, r.BaseURL, r.Temperature, r.Thinking, r.Budget, r.Raw = "", "", nil, "", 0, false
	}
	data, err := json.Marshal(r)
	if err != nil {
		panic(err) // plain data always encodes
	}
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:12]) + ".json"
	if anyModel {
		return name
	}
	return cachePrefix + name
}

// cachePrefix begins the names of a cache's files.
const cachePrefix = "pai-cache-"

func (r recording) reply() (model.Reply, error) {
	reply := model.Reply{Text: strings.Join(r.Answer, ""), Usage: r.Usage, Cut: r.Cut}
	reply.Usage.Milliseconds, reply.Usage.Tries = 0, 1
	if r.Cut {
		return reply, truncated().err
	}
	return reply, nil
}

func readRecording(file string) (r recording, err error) {
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	return r, err
}

// write keeps a recording, as a whole or not at all.
func (r recording) write(file string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(r); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(file), ".recording-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(b.Bytes())
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), file)
}

// replay answers from recordings, and nothing else.
type replay struct{ dir string }

func openReplay(dir string) (*replay, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, turn.Errorf(turn.CodeUsage, "%s is not a directory of recorded answers", turn.Quote(dir)).
			WithHint("--record %s makes them", turn.Shown(dir))
	}
	return &replay{dir}, nil
}

func (p *replay) Ask(_ context.Context, r model.Request, delta func(string)) (model.Reply, error) {
	asked := newRecording(Options{}, r)
	found, err := readRecording(filepath.Join(p.dir, asked.file(true)))
	if errors.Is(err, fs.ErrNotExist) {
		return model.Reply{}, turn.Errorf(turn.CodeModel, "no answer to this question is recorded").
			WithHint("%s", p.nearest(asked))
	}
	if err == nil && found.file(true) != asked.file(true) {
		err = errors.New("it is of another question")
	}
	if err != nil {
		return model.Reply{}, turn.Errorf(turn.CodeModel, "the recorded answer %s can't be read: %s", asked.file(true), err)
	}
	reply, err := found.reply()
	if delta != nil {
		delta(reply.Text)
	}
	return reply, err
}

// nearest shows what differs from the recorded question that has the most lines
// in common from its beginning.
func (p *replay) nearest(asked recording) string {
	files, _ := filepath.Glob(filepath.Join(p.dir, "*.json"))
	slices.Sort(files)
	best, most, hint := "", -1, "there are no recordings of its stage"
	for _, file := range files {
		r, err := readRecording(file)
		if err != nil || r.Stage != asked.Stage {
			continue
		}
		n := commonLines(r.Prompt, asked.Prompt)
		if n > most {
			best, most = filepath.Base(file), n
			hint = fmt.Sprintf("%s comes nearest; line %d of its prompt is %s, not %s", best, n+1, line(r.Prompt, n),
				line(asked.Prompt, n))
			if n == len(r.Prompt) && n == len(asked.Prompt) {
				hint = best + " has the same prompt, but another system text, schema or limit"
			}
		}
	}
	return hint
}

func commonLines(a, b []string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func line(lines []string, n int) string {
	if n >= len(lines) {
		return "absent"
	}
	return turn.Quote(strings.TrimSuffix(lines[n], "\n"))
}

// Keep wraps a model so that its answers are recorded in a directory. Failures
// are not kept, but for cut answers.
func Keep(m Model, o Options, dir string) Model {
	return &recorder{Model: m, options: o, dir: dir}
}

// Cache wraps a model so that a question which was asked before costs nothing.
// Answers older than age are asked for again and removed, and the oldest ones
// where all take more than limit bytes.
func Cache(m Model, o Options, dir string, age time.Duration, limit int64) Model {
	return &recorder{m, o, dir, true, age, limit}
}

// MakeDir makes a directory for Keep or Cache. Errors are of CodeInternal.
func MakeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return turn.Errorf(turn.CodeInternal, "answers can't be kept in %s: %s", turn.Quote(dir), errors.Unwrap(err))
	}
	return nil
}

// recorder keeps answers, and as a cache gives them again.
type recorder struct {
	Model
	options Options
	dir     string
	cache   bool
	age     time.Duration
	limit   int64
}

func (c *recorder) Ask(ctx context.Context, r model.Request, delta func(string)) (model.Reply, error) {
	kept := newRecording(c.options, r)
	file := filepath.Join(c.dir, kept.file(!c.cache))
	if c.cache {
		if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) <= c.age {
			if found, err := readRecording(file); err == nil && found.file(false) == kept.file(false) {
				reply, err := found.reply()
				reply.Usage.Input, reply.Usage.Output, reply.Usage.Thinking = 0, 0, 0 // it costs nothing
				reply.Usage.Cached = 0
				if delta != nil {
					delta(reply.Text)
				}
				return reply, err
			}
		}
	}
	reply, err := c.Model.Ask(ctx, r, delta)
	if err != nil && (c.cache || !reply.Cut) || c.cache && r.Schema != nil && !holdsJSON(reply.Text) {
		return reply, err // nothing worth giving again
	}
	kept.Answer, kept.Cut, kept.Usage = split(reply.Text), reply.Cut, reply.Usage
	kept.Usage.Milliseconds = 0
	switch writeErr := kept.write(file); {
	case writeErr != nil && c.cache:
		c.options.Notice(fmt.Sprintf("the answer can't be kept in %s: %s", turn.Quote(c.dir), writeErr))
	case writeErr != nil:
		return reply, turn.Errorf(turn.CodeInternal, "the answer can't be kept in %s: %s", turn.Quote(c.dir), writeErr)
	case c.cache:
		c.prune()
	}
	return reply, err
}

// holdsJSON reports whether an answer has the object that was asked for, as far as
// that can be seen from here.
func holdsJSON(text string) bool {
	at := strings.IndexByte(text, '{')
	return at >= 0 && json.NewDecoder(strings.NewReader(text[at:])).Decode(new(json.RawMessage)) == nil
}

// prune removes what is too old or too much, the oldest first.
func (c *recorder) prune() {
	files, _ := filepath.Glob(filepath.Join(c.dir, cachePrefix+strings.Repeat("[0-9a-f]", 24)+".json"))
	type entry struct {
		name string
		info fs.FileInfo
	}
	var all []entry
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			all = append(all, entry{name, info})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return b.info.ModTime().Compare(a.info.ModTime()) })
	var total int64
	for _, e := range all {
		if total += e.info.Size(); total > c.limit || time.Since(e.info.ModTime()) > c.age {
			os.Remove(e.name)
		}
	}
}
