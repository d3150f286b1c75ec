// Package model is the one door to models: a question in, a text out, with
// retries, usage and errors that have exit codes. Nothing else in Pai talks
// to a network.
package model

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"time"

	"paicode/pkg/turn"
)

// DefaultName is the model that is asked if nobody says otherwise.
const DefaultName = "gemini-2.5-flash-lite"

// DefaultTemperature is the reference design's.
const DefaultTemperature = 0.3

// DefaultTimeout bounds one question with all its tries.
const DefaultTimeout = 2 * time.Minute

// DefaultStall bounds the silence of a provider, before its answer and in it.
const DefaultStall = 30 * time.Second

// ThinkingAuto has a model think as little as it lets one set.
const ThinkingAuto = -1

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
	BaseURL        string        // of an OpenAI-compatible server; empty: OpenAI's own
	Raw            bool          // a program of "cmd:" gets and gives plain text
	Temperature    float64       // 0 to 2
	ThinkingTokens int           // how much the model may think; ThinkingAuto or 0 and up
	Timeout        time.Duration // of one question with all its tries; 0: none
	Stall          time.Duration // of silence; 0: none
	// Notice is told what a person should know while they wait, such as a
	// retry; nil: nobody.
	Notice func(message string)
}

// server is the address that is asked, where one is set.
func (o Options) server() string {
	if o.BaseURL == "" && !strings.HasPrefix(o.Name, prefixOpenAI) {
		return os.Getenv("GOOGLE_GEMINI_BASE_URL")
	}
	return o.BaseURL
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
	if !(o.Temperature >= 0 && o.Temperature <= 2) {
		return nil, turn.Errorf(turn.CodeUsage, "temperature %v is not between 0 and 2", o.Temperature)
	}
	if o.ThinkingTokens < ThinkingAuto {
		return nil, turn.Errorf(turn.CodeUsage, "%d thinking tokens are neither %d nor 0 or more", o.ThinkingTokens, ThinkingAuto)
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if dir, ok := strings.CutPrefix(o.Name, prefixReplay); ok {
		return openReplay(dir)
	}
	p, err := openProvider(o)
	if err != nil {
		return nil, err
	}
	return &patient{o, p}, nil
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

// RunsProgram tells whether a model is a program of the person's own, which may
// write where it likes.
func RunsProgram(name string) bool { return strings.HasPrefix(name, prefixCommand) }

// KeyOf names the provider whose key a model needs; ok is false if it needs
// none.
func KeyOf(name string) (provider string, ok bool) {
	switch {
	case strings.HasPrefix(name, prefixCommand), strings.HasPrefix(name, prefixReplay):
		return "", false
	case strings.HasPrefix(name, prefixOpenAI):
		return "openai", true
	}
	return "gemini", true
}

// Validate asks the provider whether the key is accepted and the model known.
func Validate(ctx context.Context, o Options) error {
	m, err := Open(o)
	if err != nil {
		return err
	}
	p, ok := m.(*patient)
	if !ok {
		return nil // there is nobody to ask
	}
	_, _, err = persist(ctx, p.options, func(t *try) *failure { return hide(p.provider.validate(t.ctx), p.provider.secret()) })
	return err
}

// hide takes a key out of what is said of a failure: providers repeat it.
func hide(f *failure, secret string) *failure {
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
	ask(t *try, r Request) *failure
	// validate finds out whether the key is accepted and the model known.
	validate(ctx context.Context) *failure
}

// patient asks a provider until there is an answer.
type patient struct {
	options  Options
	provider provider
}

func (p *patient) Ask(ctx context.Context, r Request, delta func(string)) (Reply, error) {
	start := time.Now()
	usage := turn.Usage{Stage: r.Stage, Model: p.options.Name}
	text, tries, err := persist(ctx, p.options, func(t *try) *failure {
		t.usage, t.delta = &usage, delta
		if r.TokensLeft > 0 && usage.Input > 0 && usage.Input+r.Tokens() > r.TokensLeft {
			return &failure{err: turn.Errorf(turn.CodeQuota, "another try would pass the budget of tokens")}
		}
		return hide(p.provider.ask(t, r), p.provider.secret())
	})
	usage.Tries = tries
	usage.Milliseconds = time.Since(start).Milliseconds()
	return Reply{text, usage, err != nil && text != ""}, err
}
