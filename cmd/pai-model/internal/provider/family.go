package provider

import (
	"paicode/pkg/model"

	"path"
	"slices"
	"strings"
)

// thinkingXHigh is above what a person can ask for.
const thinkingXHigh = "xhigh"

// control is the member of a request that sets how much a model thinks.
type control int

const (
	thinksUnasked control = iota // no member does
	byBudget                     // Gemini 2.5: a number of tokens
	byLevel                      // Gemini 3 and later, and OpenAI's reasoning_effort: a word
)

// family is what the models of one family take in a request.
type family struct {
	pattern     string // of the names, for path.Match
	thinking    control
	levels      []string // of thinking that it takes, least first
	temperature bool     // whether it heeds one
	window      int      // tokens of context; 0: not known
}

// Gemini's families, the first whose pattern fits. The last, of names that were
// not known in November 2026, has the rules of the newest (ai.google.dev,
// "Thinking" and "Gemini 3 developer guide", and reports of the fall of 2026).
func geminiFamilies() []family {
	const window = 1 << 20
	fromOff := []string{model.ThinkingOff, model.ThinkingMinimal, model.ThinkingLow, model.ThinkingMedium,
		model.ThinkingHigh}
	fromMinimal, fromLow := fromOff[1:], fromOff[2:]
	return []family{
		{"gemini-2.5-pro*", byBudget, fromMinimal, true, window},
		{"gemini-2.5-*", byBudget, fromOff, true, window},
		{"gemini-[12].*", thinksUnasked, nil, true, window},
		{"gemma-*", thinksUnasked, nil, true, 0},
		{"gemini-3.1-flash-lite*", byLevel, fromMinimal, false, window},
		{"gemini-3-flash*", byLevel, fromMinimal, false, window},
		{"gemini-3.[56]-*", byLevel, fromMinimal, false, window},
		{"gemini-flash-lite-latest", byLevel, fromMinimal, false, window},
		{"gemini-3*", byLevel, fromLow, false, window},
		{"gemini-*-latest", byLevel, fromLow, false, window},
		{"*", byLevel, append(slices.Clone(fromLow), thinkingXHigh), false, 0},
	}
}

// Families that are asked by OpenAI's protocol, the first whose pattern fits the
// last part of the name. The last is that of servers' own models, of which most
// take a temperature and few an effort.
func chatFamilies() []family {
	full := []string{model.ThinkingOff, model.ThinkingMinimal, model.ThinkingLow, model.ThinkingMedium, model.ThinkingHigh}
	return []family{
		{"gpt-oss*", byLevel, full[2:], true, 0},
		{"gpt-[1-4]*", thinksUnasked, nil, true, 0},
		{"gpt-5.*", byLevel, []string{model.ThinkingOff, model.ThinkingLow, model.ThinkingMedium, model.ThinkingHigh}, false,
			0},
		{"gpt-5*", byLevel, full[1:], false, 0},
		{"gpt-*", byLevel, []string{model.ThinkingOff, model.ThinkingLow, model.ThinkingMedium, model.ThinkingHigh}, false,
			0},
		{"o[0-9]*", byLevel, full[2:], false, 0},
		{"claude-*", thinksUnasked, nil, false, 0},
		{"*", thinksUnasked, nil, true, 0},
	}
}

func firstFitting(families []family, name string) family {
	for _, f := range families {
		if ok, _ := path.Match(f.pattern, name); ok {
			return f
		}
	}
	return family{}
}

// familyOf finds the family of a model's name as Options has it.
func familyOf(name string) family {
	name = strings.ToLower(name)
	chat, isChat := strings.CutPrefix(name, model.PrefixOpenAI)
	if !isChat {
		return firstFitting(geminiFamilies(), name)
	}
	chat, _, _ = strings.Cut(path.Base(chat), ":")
	if strings.HasPrefix(chat, "gemini-") {
		return firstFitting(geminiFamilies(), chat)
	}
	return firstFitting(chatFamilies(), chat)
}

// level is how much a model of the family thinks for a stage, in one of the
// family's words; empty if nothing can be asked for. In auto that is as little
// as it can for what is read at a glance, and low for what must be thought over.
func (f family) level(setting, stage string) string {
	if len(f.levels) == 0 {
		return ""
	}
	if setting == model.ThinkingAuto {
		setting = model.ThinkingLow
		if stage == stageClassify || stage == stageSuggest || stage == stageProbe {
			setting = model.ThinkingOff
		}
	}
	all := model.ThinkingSettings()
	for _, level := range f.levels {
		if slices.Index(all, level) >= slices.Index(all, setting) {
			return level
		}
	}
	return f.levels[len(f.levels)-1]
}

// The stages whose answers need no thinking.
const (
	stageClassify = "pai-classify"
	stageSuggest  = "pai-suggest"
	stageProbe    = "probe" // finds out whether a model answers
)

// budget is a level as Gemini 2.5 takes it, in tokens: what Google's own
// OpenAI-compatible endpoint makes of reasoning_effort
// (ai.google.dev/gemini-api/docs/openai), and the least that lite takes.
func budget(level string) int {
	switch level {
	case model.ThinkingOff:
		return 0
	case model.ThinkingMinimal:
		return 512
	case model.ThinkingMedium:
		return 8192
	case model.ThinkingHigh:
		return 24576
	default:
		return 1024
	}
}

// effort is a level as reasoning_effort takes it.
func effort(level string) string {
	if level == model.ThinkingOff {
		return "none"
	}
	return level
}
