package model

import (
	"slices"
	"strings"
	"time"

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

// How much a model may think, least first. Off and the levels are what a person
// can ask for; some families know higher ones.
const (
	ThinkingAuto    = "auto" // little for plans and code, else as little as it can
	ThinkingOff     = "off"
	ThinkingMinimal = "minimal"
	ThinkingLow     = "low"
	ThinkingMedium  = "medium"
	ThinkingHigh    = "high"
)

// NoThinkingTokens leaves it to the setting how much a model thinks.
const NoThinkingTokens = -1

// ThinkingSettings are the values of --thinking.
func ThinkingSettings() []string {
	return []string{ThinkingAuto, ThinkingOff, ThinkingMinimal, ThinkingLow, ThinkingMedium, ThinkingHigh}
}

// The prefixes of models' names.
const (
	PrefixOpenAI  = "openai/"
	PrefixCommand = "cmd:"
	PrefixReplay  = "replay:"
)

// RunsProgram reports whether a model is a program of the person's own, which may
// write where it likes.
func RunsProgram(name string) bool { return strings.HasPrefix(name, PrefixCommand) }

// AsksServer reports whether a model is asked by OpenAI's protocol.
func AsksServer(name string) bool { return strings.HasPrefix(name, PrefixOpenAI) }

// IsGemini reports whether a name is that of a model of Google's, asked by its
// own protocol.
func IsGemini(name string) bool {
	return !AsksServer(name) && !RunsProgram(name) && !strings.HasPrefix(name, PrefixReplay)
}

// CheckName is the error of CodeUsage of a name that is likely another's than its form says: one
// of a provider's models that is not Gemini's needs the prefix of OpenAI's protocol.
func CheckName(name string) error {
	if !IsGemini(name) {
		return nil
	}
	if strings.ContainsAny(name, " \t\n") {
		return turn.Errorf(turn.CodeUsage, "%s is not a model name", turn.Quote(name))
	}
	lower := strings.ToLower(name)
	for _, other := range otherModels() {
		if slices.ContainsFunc(other.begins, func(begin string) bool { return strings.HasPrefix(lower, begin) }) {
			return turn.Errorf(turn.CodeUsage, "the model %s is not a Gemini model", turn.Quote(name)).
				WithHint("%spai --base-url %s --model openai/%s", other.key, other.address, turn.OneLine(name))
		}
	}
	return nil
}

// others are models of one provider, and how it is asked.
type others struct {
	begins       []string // in small letters
	key, address string
}

func otherModels() []others {
	return []others{
		{[]string{"claude"}, "ANTHROPIC_API_KEY=… ", "https://api.anthropic.com/v1"},
		{[]string{"gpt-", "chatgpt", "o1", "o3", "o4"}, "OPENAI_API_KEY=… ", "https://api.openai.com/v1"},
		{[]string{"mistral", "mixtral", "codestral"}, "MISTRAL_API_KEY=… ", "https://api.mistral.ai/v1"},
		{[]string{"deepseek"}, "DEEPSEEK_API_KEY=… ", "https://api.deepseek.com/v1"},
		{[]string{"llama", "qwen", "phi", "grok", "kimi", "glm"}, "", "http://localhost:11434/v1"},
	}
}
