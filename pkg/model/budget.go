package model

import (
	"context"

	"paicode/pkg/turn"
)

// Budget bounds what questions may cost together. Zero means no limit.
type Budget struct {
	MaxCalls    int
	MaxTokensIn int
	Calls       int // made already
	TokensIn    int // sent already
}

// Limit wraps a model so that a question which would pass the budget is
// refused, with CodeQuota, before it is sent.
func Limit(m Model, b Budget) Model {
	if b.MaxCalls == 0 && b.MaxTokensIn == 0 {
		return m
	}
	return &limited{m, b}
}

type limited struct {
	Model
	budget Budget
}

func (l *limited) Ask(ctx context.Context, r Request, delta func(string)) (Reply, error) {
	b := &l.budget
	tokens := r.Tokens()
	switch {
	case b.MaxCalls > 0 && b.Calls >= b.MaxCalls:
		return Reply{}, turn.Errorf(turn.CodeQuota, "the budget of %d calls is spent", b.MaxCalls).
			WithHint("--max-calls and PAI_MAX_CALLS set it")
	case b.MaxTokensIn > 0 && b.TokensIn+tokens > b.MaxTokensIn:
		return Reply{}, turn.Errorf(turn.CodeQuota, "the question of about %d tokens would pass the budget: %d of %d are spent", tokens, b.TokensIn, b.MaxTokensIn).
			WithHint("--max-tokens-in and PAI_BUDGET_TOKENS set it")
	}
	if b.MaxTokensIn > 0 {
		r.TokensLeft = b.MaxTokensIn - b.TokensIn
	}
	reply, err := l.Model.Ask(ctx, r, delta)
	if reply.Usage.Input == 0 && reply.Usage.Tries > 0 {
		reply.Usage.Input = tokens // who doesn't count is counted for
	}
	b.Calls++
	b.TokensIn += reply.Usage.Input
	return reply, err
}

// BytesPerToken is fewer than providers' tokenizers make of text and programs
// on average, which is about four.
const BytesPerToken = 3

// Tokens is about how many tokens a question has, rather too many than too few.
func (r Request) Tokens() int {
	return (len(r.System) + len(r.Prompt) + len(r.Schema) + BytesPerToken - 1) / BytesPerToken
}
