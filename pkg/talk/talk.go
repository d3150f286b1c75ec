// Package talk is what the commands that ask a model share: the options that
// choose it, the usage that the document keeps, and the lock that keeps them
// from writing.
package talk

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"github.com/landlock-lsm/go-landlock/landlock"
	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"

	"paicode/pkg/coverage"
	"paicode/pkg/filter"
	"paicode/pkg/model"
	"paicode/pkg/protocol"
	"paicode/pkg/turn"
)

// Flags are the options that choose the model and how it is asked.
func Flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "model", Value: model.DefaultName, Usage: "ask `NAME`: a Gemini model, openai/NAME, cmd:PROGRAM or replay:DIR", EnvVars: []string{"PAI_MODEL"}},
		&cli.StringFlag{Name: "base-url", Usage: "ask openai/NAME of the server at `URL`, such as http://localhost:11434/v1 (default: $OPENAI_BASE_URL, $OLLAMA_HOST without a key of OpenAI's, OpenAI)", EnvVars: []string{"PAI_BASE_URL"}},
		&cli.BoolFlag{Name: "allow-plain-http", Usage: "let a key travel over plain http to another machine", EnvVars: []string{"PAI_ALLOW_PLAIN_HTTP"}},
		&cli.BoolFlag{Name: "raw", Usage: "give cmd:PROGRAM plain text, and take what it prints as the answer", EnvVars: []string{"PAI_RAW"}},
		&cli.Float64Flag{Name: "temperature", Usage: "between 0 and 2", DefaultText: fmt.Sprint(model.DefaultTemperature, " where the model heeds one"), EnvVars: []string{"PAI_TEMPERATURE"}},
		&cli.StringFlag{Name: "thinking", Value: model.ThinkingAuto, Usage: "let the model think: " + strings.Join(model.ThinkingSettings(), ", ") + "; auto is little for plans and code, and else as little as it can", EnvVars: []string{"PAI_THINKING"}},
		&cli.IntFlag{Name: "thinking-tokens", Value: model.NoThinkingTokens, Usage: "let a model of Gemini 2.5 think up to `N` tokens; -1: as --thinking says", EnvVars: []string{"PAI_THINKING_TOKENS"}},
		&cli.DurationFlag{Name: "timeout", Value: model.DefaultTimeout, Usage: "`TIME` for each question with all its tries, such as 90s; 0 means none", EnvVars: []string{"PAI_TIMEOUT"}},
		&cli.DurationFlag{Name: "stall-timeout", Value: model.DefaultStall, Usage: "`TIME` that the provider may say nothing; 0 means any", DefaultText: fmt.Sprintf("%s before the answer, %s in it", model.DefaultFirstByte, model.DefaultStall), EnvVars: []string{"PAI_STALL_TIMEOUT"}},
		&cli.StringFlag{Name: "record", Usage: "keep each answer in `DIR`, for replay:DIR", EnvVars: []string{"PAI_RECORD"}},
		&cli.StringFlag{Name: "cache", Usage: "ask nothing twice: keep answers in `DIR` and give them again", EnvVars: []string{"PAI_CACHE"}},
		&cli.IntFlag{Name: "cache-days", Value: 7, Usage: "forget answers in the cache after `N` days", EnvVars: []string{"PAI_CACHE_DAYS"}},
		&cli.Int64Flag{Name: "cache-bytes", Value: 64 << 20, Usage: "forget the oldest answers where all take more than `N` bytes", EnvVars: []string{"PAI_CACHE_BYTES"}},
		&cli.IntFlag{Name: "max-calls", Usage: "ask at most `N` questions for a document; 0 means any", EnvVars: []string{"PAI_MAX_CALLS"}},
		&cli.IntFlag{Name: "max-tokens-in", Usage: "send at most `N` tokens for a document; 0 means any", EnvVars: []string{"PAI_BUDGET_TOKENS"}},
	}
}

// maxCacheDays is a hundred years.
const maxCacheDays = 36_500

// Share puts the options, and others, into the environment, where the commands that
// this one runs find them, and those that they run.
func Share(c *cli.Context, others ...cli.Flag) error {
	for _, f := range append(Flags(), others...) {
		documented, ok := f.(cli.DocGenerationFlag)
		name := f.Names()[0]
		if !ok || !c.IsSet(name) {
			continue
		}
		if err := os.Setenv(documented.GetEnvVars()[0], fmt.Sprint(c.Value(name))); err != nil {
			return err
		}
	}
	return nil
}

// Options reads the flags that say how a model is asked.
func Options(c *cli.Context, notice func(string)) (model.Options, error) {
	o := model.Options{
		Name:           c.String("model"),
		BaseURL:        c.String("base-url"),
		PlainHTTP:      c.Bool("allow-plain-http"),
		Raw:            c.Bool("raw"),
		Thinking:       c.String("thinking"),
		ThinkingTokens: c.Int("thinking-tokens"),
		Timeout:        c.Duration("timeout"),
		FirstByte:      model.DefaultFirstByte,
		Stall:          c.Duration("stall-timeout"),
		Known:          protocol.DecodeLacks(os.Getenv(protocol.KnownLacks)),
		Notice:         notice,
	}
	if c.IsSet("stall-timeout") {
		o.FirstByte = o.Stall
	}
	if c.IsSet("temperature") {
		temperature := c.Float64("temperature")
		o.Temperature = &temperature
	}
	switch {
	case o.Timeout < 0:
		return o, turn.Errorf(turn.CodeUsage, "the time limit %s is negative", o.Timeout)
	case o.Stall < 0:
		return o, turn.Errorf(turn.CodeUsage, "the stall timeout %s is negative", o.Stall)
	case c.Int("cache-days") > maxCacheDays:
		return o, turn.Errorf(turn.CodeUsage, "--cache-days %d is over %d", c.Int("cache-days"), maxCacheDays)
	case c.Int("cache-days") < 0 || c.Int64("cache-bytes") < 0 || c.Int("max-calls") < 0 || c.Int("max-tokens-in") < 0:
		return o, turn.Errorf(turn.CodeUsage, "--cache-days, --cache-bytes, --max-calls and --max-tokens-in can't be negative")
	}
	return o, nil
}

// Open opens the model, with what keeps its answers and bounds its cost. What
// was asked before counts against the budget.
func Open(c *cli.Context, o model.Options, calls, tokensIn int) (model.Model, error) {
	m, err := model.Open(o)
	if err != nil {
		return nil, err
	}
	m = model.Limit(m, model.Budget{MaxCalls: c.Int("max-calls"), MaxTokensIn: c.Int("max-tokens-in"), Calls: calls, TokensIn: tokensIn})
	if dir := c.String("cache"); dir != "" {
		age := time.Duration(c.Int("cache-days")) * 24 * time.Hour
		if m, err = model.Cache(m, o, dir, age, c.Int64("cache-bytes")); err != nil {
			return nil, err
		}
	}
	if dir := c.String("record"); dir != "" {
		if m, err = model.Keep(m, o, dir); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Lock takes from the process, where the kernel has Landlock, the right to
// change any file but recorded answers. It is a second layer: the commands that
// talk link no code that changes a project's files. A program of the person's
// own, as a model, has its own rights.
func Lock(c *cli.Context) {
	if model.RunsProgram(c.String("model")) {
		return
	}
	rules := []landlock.Rule{landlock.RODirs("/"), landlock.RWFiles("/dev/null", "/dev/tty").IgnoreIfMissing()}
	for _, dir := range []string{c.String("record"), c.String("cache"), coverage.Dir()} {
		if dir != "" {
			rules = append(rules, landlock.RWDirs(dir))
		}
	}
	// The error means that the kernel can't; there is nothing to do then.
	_ = landlock.V5.BestEffort().RestrictPaths(rules...)
}

// Quiet keeps the SDK's own log lines off standard error: what people must
// know comes as errors. Nor does a crash leave the key in a core dump.
func Quiet() {
	log.SetOutput(io.Discard)
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) // less is always allowed
}

// Phase asks a model and writes what it learnt into the document.
type Phase func(ctx context.Context, ask model.Ask, doc *turn.Document) error

// Prepare is done before the process locks itself; nil: nothing.
type Prepare func(ctx context.Context, call *filter.Call) error

// Run returns the body of a stage that consists of one phase.
func Run(prepare Prepare, phase Phase) func(context.Context, *filter.Call) error {
	return func(ctx context.Context, call *filter.Call) error {
		Quiet()
		options, err := Options(call.Context, call.Progress.Retry)
		if err != nil {
			return err
		}
		usage := call.Doc.Usage()
		options.Known = append(options.Known, usage...)
		calls, tokens := turn.Spent(usage)
		m, err := Open(call.Context, options, calls, tokens)
		if err != nil {
			return err
		}
		if prepare != nil {
			if err := prepare(ctx, call); err != nil {
				return err
			}
		}
		Lock(call.Context)
		return phase(ctx, asker(m, call, options.Name), call.Doc)
	}
}

// asker asks with the stage's name, keeps the usage, and shows that it waits.
func asker(m model.Model, call *filter.Call, name string) model.Ask {
	return func(ctx context.Context, r model.Request) (string, error) {
		r.Stage = call.Name
		stop := call.Progress.Wait("asking " + name)
		reply, err := m.Ask(ctx, r, call.Progress.Deltas())
		stop()
		if reply.Usage.Tries > 0 {
			call.Doc.AddUsage(reply.Usage)
		}
		return reply.Text, err
	}
}
