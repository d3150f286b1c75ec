package talk

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"paicode/pkg/filter"
	"paicode/pkg/model"
	"paicode/pkg/turn"
)

// Flags are the options of a command that asks a model.
func Flags() []cli.Flag { return append(ModelFlags(), BudgetFlags()...) }

// ModelFlags choose the model and how it is asked. They reach pai-model by their variables.
func ModelFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "model", Value: model.DefaultName, EnvVars: []string{"PAI_MODEL"},
			Usage: "ask the model `NAME`: a Gemini model, openai/NAME, cmd:PROGRAM or replay:DIR"},
		&cli.StringFlag{Name: "base-url", EnvVars: []string{"PAI_BASE_URL"},
			Usage: "send questions for openai/NAME to the server at `URL`, such as http://localhost:11434/v1 " +
				"(default: $OPENAI_BASE_URL; else $OLLAMA_HOST if OPENAI_API_KEY is not set; else OpenAI)"},
		&cli.BoolFlag{Name: "raw", Category: filter.ModelGroup, EnvVars: []string{"PAI_RAW"},
			Usage: "pass plain text to cmd:PROGRAM, and take its output as the answer"},
		&cli.Float64Flag{Name: "temperature", Category: filter.ModelGroup,
			Usage: "sampling temperature `T`, 0 to 2", EnvVars: []string{"PAI_TEMPERATURE"},
			DefaultText: fmt.Sprint(model.DefaultTemperature, " if the model supports it")},
		&cli.StringFlag{Name: "thinking", Category: filter.ModelGroup, Value: model.ThinkingAuto, EnvVars: []string{"PAI_THINKING"},
			Usage: "thinking `LEVEL`: " + strings.Join(model.ThinkingSettings(), ", ") +
				"; auto is low for plans and code, otherwise the least that the model allows"},
		&cli.DurationFlag{Name: "timeout", Category: filter.ModelGroup, Value: model.DefaultTimeout, EnvVars: []string{"PAI_TIMEOUT"},
			Usage: "stop a question, with its retries, after `TIME`; 0: never"},
		&cli.StringFlag{Name: "record", Category: filter.ModelGroup, EnvVars: []string{"PAI_RECORD"},
			Usage: "save each answer in `DIR`, for replay:DIR"},
		&cli.StringFlag{Name: "cache", Category: filter.ModelGroup, EnvVars: []string{"PAI_CACHE"},
			Usage: "save answers in `DIR`, and reuse them for the same question"},
	}
}

// BudgetFlags bound what the questions for a document cost together.
func BudgetFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "max-calls", Category: filter.LimitsGroup, EnvVars: []string{"PAI_MAX_CALLS"},
			Usage: "ask at most `N` questions per document; 0: no limit"},
		&cli.IntFlag{Name: "max-tokens-in", Category: filter.LimitsGroup, EnvVars: []string{"PAI_BUDGET_TOKENS"},
			Usage: "send at most `N` tokens per document; 0: no limit"},
	}
}

// CheckFlags is the error of CodeUsage of a value of ModelFlags that is out of range for every
// model.
func CheckFlags(c *cli.Context) error {
	if limit := c.Duration("timeout"); limit < 0 {
		return turn.Errorf(turn.CodeUsage, "the time limit %s is negative", limit)
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
