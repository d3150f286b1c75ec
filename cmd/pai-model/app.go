package main

import (
	"fmt"
	"io"
	"log"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"

	"paicode/cmd/pai-model/internal/provider"
	"paicode/pkg/filter"
	"paicode/pkg/model"
	"paicode/pkg/talk"
	"paicode/pkg/turn"
)

func flags() []cli.Flag {
	return append(append(talk.ModelFlags(), fineFlags()...),
		&cli.BoolFlag{Name: "list", Usage: "print the models that the provider offers"},
		&cli.BoolFlag{Name: "probe",
			Usage: "with --list, ask each model a question of a few tokens, and print which ones answer"},
		&cli.BoolFlag{Name: "validate", Usage: "check the key and its file, and ask the provider"},
		&cli.BoolFlag{Name: "offline", Usage: "with --validate, don't ask the provider"},
		&cli.IntFlag{Name: model.ConnectionsFlag, Hidden: true},
	)
}

// fineFlags are the options of pai-model alone: elsewhere their variables serve.
func fineFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "allow-plain-http", Category: filter.ModelGroup, EnvVars: []string{"PAI_ALLOW_PLAIN_HTTP"},
			Usage: "send a key over plain http to another machine"},
		&cli.IntFlag{Name: "thinking-tokens", Category: filter.ModelGroup, Value: model.NoThinkingTokens, EnvVars: []string{"PAI_THINKING_TOKENS"},
			Usage: "let a Gemini 2.5 model think up to `N` tokens; -1: as --thinking says"},
		&cli.DurationFlag{Name: "stall-timeout", Category: filter.ModelGroup, Value: model.DefaultStall, EnvVars: []string{"PAI_STALL_TIMEOUT"},
			Usage:       "stop when the provider sends nothing for `TIME`; 0: never",
			DefaultText: fmt.Sprintf("%s before the answer, %s in it", model.DefaultFirstByte, model.DefaultStall)},
		&cli.IntFlag{Name: "cache-days", Category: filter.ModelGroup, Value: 7, EnvVars: []string{"PAI_CACHE_DAYS"},
			Usage: "delete cached answers after `N` days"},
		&cli.Int64Flag{Name: "cache-bytes", Category: filter.ModelGroup, Value: 64 << 20, EnvVars: []string{"PAI_CACHE_BYTES"},
			Usage: "delete the oldest cached answers when the cache takes more than `N` bytes"},
	}
}

// maxCacheDays is a hundred years.
const maxCacheDays = 36_500

// checkFlags is the error of CodeUsage of a value that is out of range for every model.
func checkFlags(c *cli.Context) error {
	switch {
	case c.Duration("stall-timeout") < 0:
		return turn.Errorf(turn.CodeUsage, "the stall timeout %s is negative", c.Duration("stall-timeout"))
	case c.Int("cache-days") > maxCacheDays:
		return turn.Errorf(turn.CodeUsage, "--cache-days %d is over %d", c.Int("cache-days"), maxCacheDays)
	case c.Int("cache-days") < 0 || c.Int64("cache-bytes") < 0:
		return turn.Errorf(turn.CodeUsage, "--cache-days and --cache-bytes can't be negative")
	}
	return talk.CheckFlags(c)
}

func run(c *cli.Context) error {
	log.SetOutput(io.Discard)                            // the SDK's own lines: what people must know comes as errors
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) // a crash doesn't leave the key in a core dump
	if c.NArg() > 0 {
		return turn.Errorf(turn.CodeUsage, "unexpected argument %s", turn.Quote(c.Args().First())).
			WithHint("questions come on standard input: jq -nc '{prompt: \"…\"}' | pai-model")
	}
	o, err := options(c)
	if err != nil {
		return err
	}
	o.Notice = filter.NewProgress(c.App.ErrWriter, c.App.Name, nil).Retry
	switch {
	case c.Bool("list"):
		return list(c, o)
	case c.Bool("validate"):
		return validate(c, o)
	}
	d := &door{options: o, keep: keepOf(c)}
	d.closed = d.keep.makeFolders()
	lock(o.Name, d.keep)
	if c.IsSet(model.ConnectionsFlag) {
		return d.serve(c.Context, c.Int(model.ConnectionsFlag))
	}
	return d.answerStdin(c.Context, c.App.Reader, c.App.Writer)
}

// options reads the flags that say how a model is asked.
func options(c *cli.Context) (provider.Options, error) {
	o := provider.Options{
		Name:           c.String("model"),
		BaseURL:        c.String("base-url"),
		PlainHTTP:      c.Bool("allow-plain-http"),
		Raw:            c.Bool("raw"),
		Thinking:       c.String("thinking"),
		ThinkingTokens: c.Int("thinking-tokens"),
		Timeout:        c.Duration("timeout"),
		FirstByte:      model.DefaultFirstByte,
		Stall:          c.Duration("stall-timeout"),
		Temperature:    talk.Choice(c).Temperature,
	}
	if c.IsSet("stall-timeout") {
		o.FirstByte = o.Stall
	}
	return o, checkFlags(c)
}

// keep says where answers are kept.
type keep struct {
	record, cache string // directories; empty: nowhere
	age           time.Duration
	bytes         int64
}

func keepOf(c *cli.Context) keep {
	return keep{c.String("record"), c.String("cache"), time.Duration(c.Int("cache-days")) * 24 * time.Hour,
		c.Int64("cache-bytes")}
}

// makeFolders makes what is missing, before the process locks itself in.
func (k keep) makeFolders() error {
	for _, dir := range []string{k.record, k.cache} {
		if dir != "" {
			if err := provider.MakeDir(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// open opens a model that keeps its answers.
func (k keep) open(o provider.Options) (m provider.Model, err error) {
	if m, err = provider.Open(o); err != nil {
		return nil, err
	}
	if k.cache != "" {
		m = provider.Cache(m, o, k.cache, k.age, k.bytes)
	}
	if k.record != "" {
		m = provider.Keep(m, o, k.record)
	}
	return m, nil
}
