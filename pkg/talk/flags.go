package talk

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"paicode/pkg/model"
	"paicode/pkg/turn"
)

// Flags are the options of a command that asks a model.
func Flags() []cli.Flag { return append(ModelFlags(), BudgetFlags()...) }

// ModelFlags choose the model and how it is asked: they are pai-model's own, and
// reach it by their variables.
func ModelFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "model", Value: model.DefaultName, EnvVars: []string{"PAI_MODEL"},
			Usage: "ask `NAME`: a Gemini model, openai/NAME, cmd:PROGRAM or replay:DIR"},
		&cli.StringFlag{Name: "base-url", EnvVars: []string{"PAI_BASE_URL"},
			Usage: "ask openai/NAME of the server at `URL`, such as http://localhost:11434/v1 " +
				"(default: $OPENAI_BASE_URL, $OLLAMA_HOST without a key of OpenAI's, OpenAI)"},
		&cli.BoolFlag{Name: "allow-plain-http", EnvVars: []string{"PAI_ALLOW_PLAIN_HTTP"},
			Usage: "let a key travel over plain http to another machine"},
		&cli.BoolFlag{Name: "raw", EnvVars: []string{"PAI_RAW"},
			Usage: "give cmd:PROGRAM plain text, and take what it prints as the answer"},
		&cli.Float64Flag{Name: "temperature", Usage: "between 0 and 2", EnvVars: []string{"PAI_TEMPERATURE"},
			DefaultText: fmt.Sprint(model.DefaultTemperature, " where the model heeds one")},
		&cli.StringFlag{Name: "thinking", Value: model.ThinkingAuto, EnvVars: []string{"PAI_THINKING"},
			Usage: "let the model think: " + strings.Join(model.ThinkingSettings(), ", ") +
				"; auto is little for plans and code, and else as little as it can"},
		&cli.IntFlag{Name: "thinking-tokens", Value: model.NoThinkingTokens, EnvVars: []string{"PAI_THINKING_TOKENS"},
			Usage: "let a model of Gemini 2.5 think up to `N` tokens; -1: as --thinking says"},
		&cli.DurationFlag{Name: "timeout", Value: model.DefaultTimeout, EnvVars: []string{"PAI_TIMEOUT"},
			Usage: "`TIME` for each question with all its tries, such as 90s; 0 means none"},
		&cli.DurationFlag{Name: "stall-timeout", Value: model.DefaultStall, EnvVars: []string{"PAI_STALL_TIMEOUT"},
			Usage:       "`TIME` that the provider may say nothing; 0 means any",
			DefaultText: fmt.Sprintf("%s before the answer, %s in it", model.DefaultFirstByte, model.DefaultStall)},
		&cli.StringFlag{Name: "record", EnvVars: []string{"PAI_RECORD"}, Usage: "keep each answer in `DIR`, for replay:DIR"},
		&cli.StringFlag{Name: "cache", EnvVars: []string{"PAI_CACHE"},
			Usage: "ask nothing twice: keep answers in `DIR` and give them again"},
		&cli.IntFlag{Name: "cache-days", Value: 7, EnvVars: []string{"PAI_CACHE_DAYS"},
			Usage: "forget answers in the cache after `N` days"},
		&cli.Int64Flag{Name: "cache-bytes", Value: 64 << 20, EnvVars: []string{"PAI_CACHE_BYTES"},
			Usage: "forget the oldest answers where all take more than `N` bytes"},
	}
}

// BudgetFlags bound what the questions for a document cost together.
func BudgetFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "max-calls", EnvVars: []string{"PAI_MAX_CALLS"},
			Usage: "ask at most `N` questions for a document; 0 means any"},
		&cli.IntFlag{Name: "max-tokens-in", EnvVars: []string{"PAI_BUDGET_TOKENS"},
			Usage: "send at most `N` tokens for a document; 0 means any"},
	}
}

// maxCacheDays is a hundred years.
const maxCacheDays = 36_500

// CheckFlags is the error of CodeUsage of a value of ModelFlags that is out of range for every
// model.
func CheckFlags(c *cli.Context) error {
	switch {
	case c.Duration("timeout") < 0:
		return turn.Errorf(turn.CodeUsage, "the time limit %s is negative", c.Duration("timeout"))
	case c.Duration("stall-timeout") < 0:
		return turn.Errorf(turn.CodeUsage, "the stall timeout %s is negative", c.Duration("stall-timeout"))
	case c.Int("cache-days") > maxCacheDays:
		return turn.Errorf(turn.CodeUsage, "--cache-days %d is over %d", c.Int("cache-days"), maxCacheDays)
	case c.Int("cache-days") < 0 || c.Int64("cache-bytes") < 0:
		return turn.Errorf(turn.CodeUsage, "--cache-days and --cache-bytes can't be negative")
	}
	return nil
}

// Budget reads the BudgetFlags, for questions that come after those whose usage is given. Errors
// are of CodeUsage.
func Budget(c *cli.Context, before []turn.Usage) (b model.Budget, err error) {
	b = model.Budget{MaxCalls: c.Int("max-calls"), MaxTokensIn: c.Int("max-tokens-in")}
	if b.MaxCalls < 0 || b.MaxTokensIn < 0 {
		return b, turn.Errorf(turn.CodeUsage, "--max-calls and --max-tokens-in can't be negative")
	}
	b.Calls, b.TokensIn = turn.Spent(before)
	return b, nil
}

// Share puts the options, and others, into the environment, where the commands that
// this one runs find them, and those that they run.
func Share(c *cli.Context, flags ...cli.Flag) error {
	for _, f := range flags {
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

// Choice is what the options say of each question.
func Choice(c *cli.Context) model.Choice {
	choice := model.Choice{Model: c.String("model"), Thinking: c.String("thinking")}
	if c.IsSet("temperature") {
		temperature := c.Float64("temperature")
		choice.Temperature = &temperature
	}
	return choice
}
