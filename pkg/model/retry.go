package model

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"paicode/pkg/turn"
)

// How often and how long to try again: exponential with full jitter, as in
// "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015).
const (
	maxTries  = 5
	firstWait = 500 * time.Millisecond
	maxWait   = 30 * time.Second
)

// failure is one try that failed.
type failure struct {
	err   *turn.Error
	again bool          // another try may help
	cause string        // "429", "connection reset": for the notice
	wait  time.Duration // what the server asked for; 0: nothing
}

// persist tries until there is an answer, an error that no try mends, or no
// time left for another wait. It returns how often it tried.
func persist(ctx context.Context, o Options, try func(context.Context) (string, *failure)) (string, int, error) {
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	for n := 1; ; n++ {
		text, f := try(ctx)
		if f == nil {
			return text, n, nil
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", n, turn.Errorf(turn.CodeModel, "no answer within %s", o.Timeout).
				WithHint("--timeout gives it longer")
		}
		if !f.again || n == maxTries || ctx.Err() != nil {
			return text, n, f.err // what a truncated answer has
		}
		wait := f.wait
		if wait == 0 {
			wait = rand.N(min(firstWait<<(n-1), maxWait)) + 1
		}
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait {
			f.err.WithHint("the provider asks to wait %s, longer than --timeout leaves", wait.Round(time.Second))
			return "", n, f.err
		}
		o.Notice(fmt.Sprintf("retrying in %s (%s, attempt %d of %d)", roundWait(wait), f.cause, n+1, maxTries))
		select {
		case <-ctx.Done():
			return "", n, f.err
		case <-time.After(wait):
		}
	}
}

func roundWait(wait time.Duration) time.Duration {
	if wait < time.Second {
		return wait.Round(time.Millisecond)
	}
	return wait.Round(time.Second)
}
