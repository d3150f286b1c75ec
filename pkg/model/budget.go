package model

import (
	"context"

	"paicode/pkg/turn"
)

// Budget bounds what the questions for a document may cost together. Zero means no limit.
type Budget struct {
	MaxCalls    int
	MaxTokensIn int
	Calls       int // made already
	TokensIn    int // sent already
}

// Before is the error of CodeQuota of a question that would pass the budget; where it doesn't,
// the question learns how many tokens all its tries together may send.
func (b *Budget) Before(r *Request) error {
	tokens := r.Tokens()
	switch {
	case b.MaxCalls > 0 && b.Calls >= b.MaxCalls:
		return turn.Errorf(turn.CodeQuota, "the budget of %d calls is used up", b.MaxCalls).
			WithHint("--max-calls and PAI_MAX_CALLS set it")
	case b.MaxTokensIn > 0 && b.TokensIn+tokens > b.MaxTokensIn:
		return turn.Errorf(turn.CodeQuota, "the question of about %d tokens would exceed the budget: %d of %d are spent",
			tokens, b.TokensIn, b.MaxTokensIn).WithHint("--max-tokens-in and PAI_BUDGET_TOKENS set it")
	}
	if b.MaxTokensIn > 0 {
		r.TokensLeft = b.MaxTokensIn - b.TokensIn
	}
	return nil
}

// After counts a question that was asked. A provider that doesn't count tokens is counted for.
func (b *Budget) After(r Request, u *turn.Usage) {
	if b.MaxCalls == 0 && b.MaxTokensIn == 0 {
		return
	}
	if u.Input == 0 && u.Tries > 0 {
		u.Input = r.Tokens()
	}
	b.Calls++
	b.TokensIn += u.Input
}

// Limited is an asker within a budget.
func Limited(ask func(context.Context, Request) (Reply, error), b Budget) func(context.Context, Request) (Reply,
	error) {
	return func(ctx context.Context, r Request) (Reply, error) {
		if err := b.Before(&r); err != nil {
			return Reply{}, err
		}
		reply, err := ask(ctx, r)
		b.After(r, &reply.Usage)
		return reply, err
	}
}

// Tokens is about how many tokens a question has.
func (r Request) Tokens() int { return turn.Tokens(r.Bytes()) }
