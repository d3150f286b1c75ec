package main

import (
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
	return append(talk.ModelFlags(),
		&cli.BoolFlag{Name: "list", Usage: "print the models that the provider offers, and answer nothing"},
		&cli.BoolFlag{Name: "probe", Usage: "with --list, ask each a question of a few tokens, and say which answer"},
		&cli.BoolFlag{Name: "validate", Usage: "look at the key and its file, ask the provider, and answer nothing"},
		&cli.BoolFlag{Name: "offline", Usage: "with --validate, don't ask the provider"},
		&cli.IntFlag{Name: model.ConnectionsFlag, Hidden: true},
	)
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
	return o, talk.CheckFlags(c)
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
