// Package model is the one door to models: a question in, a text out, with
// retries, usage and errors that have exit codes. Nothing else in Pai talks
// to a network.
package model

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"paicode/pkg/credentials"
	"paicode/pkg/turn"
)

// DefaultName is the model that is asked if nobody says otherwise.
const DefaultName = "gemini-3.5-flash-lite"

// DefaultTemperature is the reference design's, for models that heed one.
const DefaultTemperature = 0.3

// DefaultTimeout bounds one question with all its tries.
const DefaultTimeout = 5 * time.Minute

// DefaultFirstByte bounds the silence of a provider before its answer: models
// that think say nothing for a minute and more. DefaultStall is that in it.
const (
	DefaultFirstByte = 2 * time.Minute
	DefaultStall     = 30 * time.Second
)

// NoThinkingTokens leaves it to Options.Thinking how much a model thinks.
const NoThinkingTokens = -1

// Request is one question.
type Request struct {
	Stage           string          // who asks, for the usage
	System          string          // how to answer; may be empty
	Prompt          string          // what is asked
	Schema          json.RawMessage // JSON Schema of the answer; nil for plain text
	MaxOutputTokens int             // 0: the model's own limit
	TokensLeft      int             // that all tries together may send; 0: any
}

// Reply is an answer.
type Reply struct {
	Text  string
	Usage turn.Usage
	Cut   bool // it reached the limit of tokens: Text is what came before, and Ask has an error too
}

// Model answers questions. Ask returns an *turn.Error of CodeModel or
// CodeQuota if there is no complete answer; the usage stands in the Reply
// even then. Each piece of the answer goes to delta as it comes, which may be
// nil; after a retry the pieces begin anew.
type Model interface {
	Ask(ctx context.Context, r Request, delta func(string)) (Reply, error)
}

// Ask puts one question to a model and returns the complete answer. It is
// what the phases see of a model; who makes one of a Model keeps the usage.
type Ask func(context.Context, Request) (string, error)

// Options choose a model and how to ask it.
type Options struct {
	Name           string        // empty: DefaultName; see Open
	BaseURL        string        // of an OpenAI-compatible server; empty: see README, "Models"
	PlainHTTP      bool          // a key may travel over plain http to another machine
	Raw            bool          // a program of "cmd:" gets and gives plain text
	Temperature    *float64      // 0 to 2; nil: DefaultTemperature where the model heeds one
	Thinking       string        // one of ThinkingSettings; empty: ThinkingAuto
	ThinkingTokens int           // how much a model of Gemini 2.5 may think; NoThinkingTokens or 0 and up
	Timeout        time.Duration // of one question with all its tries; 0: none
	FirstByte      time.Duration // of silence before an answer; 0: any
	Stall          time.Duration // of silence in it; 0: any
	Known          []turn.Usage  // what earlier questions found that servers lack
	// Notice is told what a person should know while they wait, such as a
	// retry; nil: nobody.
	Notice func(message string)
}

// server is the address that is asked, where it isn't the provider's own.
func (o Options) server() string {
	if strings.HasPrefix(o.Name, prefixOpenAI) {
		text, _ := o.serverURL()
		return text
	}
	return os.Getenv("GOOGLE_GEMINI_BASE_URL")
}

// temperature is what to send to a model of a family; nil: nothing.
func (o Options) temperature(f family) *float64 {
	if o.Temperature != nil || !f.temperature {
		return o.Temperature
	}
	temperature := DefaultTemperature
	return &temperature
}

// The prefixes of models' names.
const (
	prefixOpenAI  = "openai/"
	prefixCommand = "cmd:"
	prefixReplay  = "replay:"
)

// Open returns the model that the options name: a Gemini model, "openai/NAME"
// of any server that speaks OpenAI's protocol, "cmd:PROGRAM", or "replay:DIR".
// Errors are of CodeModel where a key is wanting, and of CodeUsage where the
// options are wrong.
func Open(o Options) (Model, error) {
	if o.Name == "" {
		o.Name = DefaultName
	}
	if o.Thinking == "" {
		o.Thinking = ThinkingAuto
	}
	switch {
	case o.Temperature != nil && (*o.Temperature < 0 || *o.Temperature > 2 || *o.Temperature != *o.Temperature):
		return nil, turn.Errorf(turn.CodeUsage, "temperature %v is not between 0 and 2", *o.Temperature)
	case !slices.Contains(ThinkingSettings(), o.Thinking):
		return nil, turn.Errorf(turn.CodeUsage, "unknown thinking %s", turn.Quote(o.Thinking)).WithHint("one of %s", strings.Join(ThinkingSettings(), ", "))
	case o.ThinkingTokens < NoThinkingTokens:
		return nil, turn.Errorf(turn.CodeUsage, "%d thinking tokens are neither %d nor 0 or more", o.ThinkingTokens, NoThinkingTokens)
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if dir, ok := strings.CutPrefix(o.Name, prefixReplay); ok {
		return openReplay(dir)
	}
	if err := Check(o); err != nil {
		return nil, err
	}
	p, err := openProvider(o)
	if err != nil {
		return nil, err
	}
	return &retrying{options: o, provider: p}, nil
}

// Check is the error of CodeUsage of a name that is likely another's than its form says: one of a
// provider's models that is not Gemini's needs the prefix of OpenAI's protocol.
func Check(o Options) error {
	if !IsGemini(o.Name) {
		return nil
	}
	if strings.ContainsAny(o.Name, " \t\n") {
		return turn.Errorf(turn.CodeUsage, "%s is no name of a model", turn.Quote(o.Name))
	}
	name := strings.ToLower(o.Name)
	for _, begin := range []string{"gpt-", "chatgpt", "o1", "o3", "o4", "claude", "llama", "mistral", "mixtral", "codestral", "deepseek", "qwen", "grok", "phi", "kimi", "glm"} {
		if strings.HasPrefix(name, begin) {
			return turn.Errorf(turn.CodeUsage, "the model %s is none of Gemini's", turn.Quote(o.Name)).
				WithHint("openai/%s asks a server that speaks OpenAI's protocol, and --base-url says which", turn.OneLine(o.Name))
		}
	}
	return nil
}

func openProvider(o Options) (provider, error) {
	if program, ok := strings.CutPrefix(o.Name, prefixCommand); ok {
		return openCommand(o, program)
	}
	if name, ok := strings.CutPrefix(o.Name, prefixOpenAI); ok {
		return openOpenAI(o, name)
	}
	return openGemini(o)
}

// RunsProgram reports whether a model is a program of the person's own, which may
// write where it likes.
func RunsProgram(name string) bool { return strings.HasPrefix(name, prefixCommand) }

// IsGemini reports whether a name is that of a model of Google's, asked by its
// own protocol.
func IsGemini(name string) bool {
	return !AsksServer(name) && !RunsProgram(name) && !strings.HasPrefix(name, prefixReplay)
}

// AsksServer reports whether a model is asked by OpenAI's protocol.
func AsksServer(name string) bool { return strings.HasPrefix(name, prefixOpenAI) }

// KeyOf finds the key that the options' model would be asked with: none for a
// program or recorded answers, and for a server of the person's own that may
// need none. Known is false then.
func KeyOf(o Options) (key credentials.Key, known bool, err error) {
	switch {
	case IsGemini(o.Name):
		key, err = credentials.Gemini()
		return key, true, err
	case !AsksServer(o.Name):
		return key, false, nil
	}
	text, given := o.serverURL()
	at, err := parseAddress(text)
	if err != nil {
		return key, false, err
	}
	key, err = credentials.For(at.server(given))
	if _, isProvider := credentials.ForHost(at.host()); !isProvider && errors.Is(err, credentials.ErrNoKey) {
		return key, false, nil
	}
	return key, true, err
}

// Probe asks a model a question of a few tokens: whether the key is accepted,
// and the model answers. There is nobody to ask of replay:DIR.
func Probe(ctx context.Context, o Options) error {
	m, err := Open(o)
	if err != nil {
		return err
	}
	p, ok := m.(*retrying)
	if !ok {
		return nil
	}
	var usage turn.Usage
	_, _, err = retry(ctx, p.options, func(t *attempt) *failure {
		t.usage = &usage
		f := redact(p.provider.ask(t, Request{Stage: stageProbe, Prompt: "Answer with the one word: yes", MaxOutputTokens: probeTokens}), p.provider.secret())
		if f != nil && (f.cut || f.cause == causeEmpty) {
			return nil // it answers; how is not asked
		}
		return f
	})
	return err
}

// probeTokens is how long an answer to Probe may be.
const probeTokens = 16

// Listed is a model that a provider offers.
type Listed struct {
	Name   string // as --model takes it
	Window int    // tokens of context; 0: not said
}

// List asks for the models of the provider that the options name.
func List(ctx context.Context, o Options) (all []Listed, err error) {
	m, err := Open(o)
	if err != nil {
		return nil, err
	}
	p, ok := m.(*retrying)
	if !ok || RunsProgram(o.Name) {
		return nil, turn.Errorf(turn.CodeUsage, "%s is one model", turn.Quote(o.Name)).WithHint("--model gemini-… or openai/… names a provider")
	}
	_, _, err = retry(ctx, p.options, func(t *attempt) (f *failure) {
		all, f = p.provider.list(t.ctx)
		return redact(f, p.provider.secret())
	})
	return all, err
}

// redact takes a key out of what is said of a failure: providers repeat it.
func redact(f *failure, secret string) *failure {
	if f != nil && secret != "" {
		f.err.Message = strings.ReplaceAll(f.err.Message, secret, "(the key)")
		f.err.Hint = strings.ReplaceAll(f.err.Hint, secret, "(the key)")
	}
	return f
}

// provider asks once.
type provider interface {
	// secret is what must not show in any error; empty if there is nothing.
	secret() string
	// ask puts the question. Each piece of the answer goes to t.piece; whatever
	// usage the provider counted is added to t.usage.
	ask(t *attempt, r Request) *failure
	// list asks for the models that there are.
	list(ctx context.Context) ([]Listed, *failure)
}

// retrying asks a provider until there is an answer.
type retrying struct {
	options  Options
	provider provider
}

func (p *retrying) Ask(ctx context.Context, r Request, delta func(string)) (Reply, error) {
	start := time.Now()
	usage := turn.Usage{Stage: r.Stage, Model: p.options.Name}
	text, tries, err := retry(ctx, p.options, func(t *attempt) *failure {
		t.usage, t.delta = &usage, delta
		if r.TokensLeft > 0 && usage.Input > 0 && usage.Input+r.Tokens() > r.TokensLeft {
			return &failure{err: turn.Errorf(turn.CodeQuota, "another try would pass the budget of tokens")}
		}
		return redact(p.provider.ask(t, r), p.provider.secret())
	})
	if secret := p.provider.secret(); secret != "" {
		text = strings.ReplaceAll(text, secret, "(the key)") // a gateway may echo it
	}
	usage.Tries = tries
	usage.Milliseconds = time.Since(start).Milliseconds()
	return Reply{text, usage, err != nil && text != ""}, err
}
