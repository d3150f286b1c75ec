// Package provider asks models: a question in, a text out, with retries, usage
// and errors that have exit codes. Nothing else in Pai talks to a network.
package provider

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"paicode/pkg/credentials"
	"paicode/pkg/model"
	"paicode/pkg/protocol"
	"paicode/pkg/turn"
)

// Model answers questions. Ask returns an *turn.Error of CodeModel or
// CodeQuota if there is no complete answer; the usage is in the Reply
// even then. Each piece of the answer goes to delta as it comes, which may be
// nil; after a retry the pieces begin again.
type Model interface {
	Ask(ctx context.Context, r model.Request, delta func(string)) (model.Reply, error)
}

// Options choose a model and how to ask it.
type Options struct {
	Name           string          // empty: model.DefaultName; see Open
	BaseURL        string          // of an OpenAI-compatible server; empty: see README, "Models"
	PlainHTTP      bool            // a key may travel over plain http to another machine
	Raw            bool            // a program of "cmd:" gets and gives plain text
	Temperature    *float64        // 0 to 2; nil: model.DefaultTemperature where the model heeds one
	Thinking       string          // one of model.ThinkingSettings; empty: model.ThinkingAuto
	ThinkingTokens int             // how much a model of Gemini 2.5 may think; model.NoThinkingTokens or 0 and up
	Timeout        time.Duration   // of one question with all its tries; 0: none
	FirstByte      time.Duration   // of silence before an answer; 0: any
	Stall          time.Duration   // of silence in it; 0: any
	Known          []protocol.Lack // what earlier questions found that servers lack
	// Notice is told what a person should know while they wait, such as a
	// retry; nil: nobody.
	Notice func(message string)
}

// server is the address that is asked, where it isn't the provider's own.
func (o Options) server() string {
	if strings.HasPrefix(o.Name, model.PrefixOpenAI) {
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
	temperature := model.DefaultTemperature
	return &temperature
}

// Open returns the model that the options name: a Gemini model, "openai/NAME"
// of any server that speaks OpenAI's protocol, "cmd:PROGRAM", or "replay:DIR".
// Errors are of CodeModel where a key is missing, and of CodeUsage where the
// options are wrong.
func Open(o Options) (Model, error) {
	if o.Name == "" {
		o.Name = model.DefaultName
	}
	if o.Thinking == "" {
		o.Thinking = model.ThinkingAuto
	}
	switch {
	case o.Temperature != nil && (*o.Temperature < 0 || *o.Temperature > 2 || *o.Temperature != *o.Temperature):
		return nil, turn.Errorf(turn.CodeUsage, "temperature %v is not between 0 and 2", *o.Temperature)
	case !slices.Contains(model.ThinkingSettings(), o.Thinking):
		return nil, turn.Errorf(turn.CodeUsage, "unknown thinking %s", turn.Quote(o.Thinking)).
			WithHint("one of %s", strings.Join(model.ThinkingSettings(), ", "))
	case o.ThinkingTokens < model.NoThinkingTokens:
		return nil, turn.Errorf(turn.CodeUsage, "%d thinking tokens are neither %d nor 0 or more", o.ThinkingTokens,
			model.NoThinkingTokens)
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if dir, ok := strings.CutPrefix(o.Name, model.PrefixReplay); ok {
		return openReplay(dir)
	}
	if err := model.CheckName(o.Name); err != nil {
		return nil, err
	}
	p, err := openProvider(o)
	if err != nil {
		return nil, err
	}
	return &retrying{options: o, provider: p}, nil
}

func openProvider(o Options) (provider, error) {
	if program, ok := strings.CutPrefix(o.Name, model.PrefixCommand); ok {
		return openCommand(o, program)
	}
	if name, ok := strings.CutPrefix(o.Name, model.PrefixOpenAI); ok {
		return openOpenAI(o, name)
	}
	return openGemini(o)
}

// KeyOf finds the key that the options' model would be asked with: none for a
// program or recorded answers, and for a server of the person's own that may
// need none. Known is false then.
func KeyOf(o Options) (key credentials.Key, known bool, err error) {
	switch {
	case model.IsGemini(o.Name):
		key, err = credentials.Gemini()
		return key, true, err
	case !model.AsksServer(o.Name):
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
		f := redact(p.provider.ask(t,
			model.Request{Stage: stageProbe, Prompt: "Answer with the one word: yes", MaxOutputTokens: probeTokens}),
			p.provider.secret())
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
	if !ok || model.RunsProgram(o.Name) {
		return nil, turn.Errorf(turn.CodeUsage, "%s is one model", turn.Quote(o.Name)).
			WithHint("--model gemini-… or openai/… names a provider")
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
	ask(t *attempt, r model.Request) *failure
	// list asks for the models that there are.
	list(ctx context.Context) ([]Listed, *failure)
}

// retrying asks a provider until there is an answer.
type retrying struct {
	options  Options
	provider provider
}

func (p *retrying) Ask(ctx context.Context, r model.Request, delta func(string)) (model.Reply, error) {
	start := time.Now()
	usage := turn.Usage{Stage: r.Stage, Model: p.options.Name}
	text, tries, err := retry(ctx, p.options, func(t *attempt) *failure {
		t.usage, t.delta = &usage, delta
		if r.TokensLeft > 0 && usage.Input > 0 && usage.Input+r.Tokens() > r.TokensLeft {
			return &failure{err: turn.Errorf(turn.CodeQuota, "another try would exceed the token budget")}
		}
		return redact(p.provider.ask(t, r), p.provider.secret())
	})
	if secret := p.provider.secret(); secret != "" {
		text = strings.ReplaceAll(text, secret, "(the key)") // a gateway may echo it
	}
	usage.Tries = tries
	usage.Milliseconds = time.Since(start).Milliseconds()
	return model.Reply{Text: text, Usage: usage, Cut: err != nil && text != ""}, err
}
