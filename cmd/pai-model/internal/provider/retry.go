package provider

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"paicode/pkg/turn"
)

// How often and how long to try again: exponential with full jitter, as in
// "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015).
const (
	maxTries  = 5
	fewTries  = 2 // after silence: who said nothing for minutes may go on so
	firstWait = 500 * time.Millisecond
	maxWait   = 30 * time.Second
)

// maxAnswerBytes bounds an answer.
const maxAnswerBytes = 16 << 20

// failure is one try that failed.
type failure struct {
	err     *turn.Error
	again   bool          // another try may help
	loading bool          // the server will answer: waiting for it is no try
	few     bool          // one more try is enough
	cut     bool          // the answer reached the limit of tokens; what came of it is worth having
	cause   string        // "429", "connection reset": for the notice
	named   string        // the members of the question that it points at
	listed  bool          // they are all that it refuses
	says    string        // the provider's words on what is wrong, from which may be learnt
	wait    time.Duration // what the server asked for; 0: nothing
}

// The reasons why a try is called off.
var (
	errStalled = errors.New("stalled")
	errTooLong = errors.New("too long")
)

// attempt is one try to get an answer.
type attempt struct {
	ctx   context.Context
	text  strings.Builder
	usage *turn.Usage
	delta func(string)
	off   context.CancelCauseFunc
	alive func()      // puts the end of patience off
	begun atomic.Bool // there was a sign of life
}

// newAttempt begins a try that is called off after so long a silence: before the
// first sign of life, and after any. 0 means any length.
func newAttempt(ctx context.Context, first, stall time.Duration) *attempt {
	t := &attempt{alive: func() {}}
	t.ctx, t.off = context.WithCancelCause(ctx)
	if first == 0 && stall == 0 {
		return t
	}
	const ever = 1 << 62
	forever := func(d time.Duration) time.Duration {
		if d == 0 {
			return ever
		}
		return d
	}
	timer := time.AfterFunc(forever(first), func() { t.off(errStalled) })
	context.AfterFunc(t.ctx, func() { timer.Stop() })
	t.alive = func() {
		t.begun.Store(true)
		timer.Reset(forever(stall))
	}
	return t
}

// piece takes a part of the answer; it may be empty: a sign of life.
func (t *attempt) piece(text string) {
	t.alive()
	if t.text.Len()+len(text) > maxAnswerBytes {
		t.off(errTooLong)
		return
	}
	t.text.WriteString(text)
	if t.delta != nil && text != "" {
		t.delta(text)
	}
}

// judged is what a failure really is, if the try was called off.
func (t *attempt) judged(f *failure, o Options) *failure {
	switch cause := context.Cause(t.ctx); {
	case f != nil && errors.Is(cause, errStalled):
		silence := o.Stall
		if !t.begun.Load() {
			silence = o.FirstByte
		}
		return &failure{err: turn.Errorf(turn.CodeModel, "the provider said nothing for %s", silence).
			WithHint("--stall-timeout gives it longer"),
			again: true, few: true, cause: "silence"}
	case errors.Is(cause, errTooLong):
		return &failure{err: turn.Errorf(turn.CodeModel, "the model's answer is larger than %d MB", maxAnswerBytes>>20)}
	}
	return f
}

// retry tries until there is an answer, an error that no try mends, or no
// time left for another wait. It returns how often it tried.
func retry(ctx context.Context, o Options, ask func(*attempt) *failure) (string, int, error) {
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	for n, counted := 1, 1; ; n++ {
		t := newAttempt(ctx, o.FirstByte, o.Stall)
		f := t.judged(ask(t), o)
		t.off(nil)
		if f == nil {
			return t.text.String(), n, nil
		}
		switch {
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			return "", n, turn.Errorf(turn.CodeModel, "no answer within %s", o.Timeout).
				WithHint("--timeout gives it longer")
		case f.cut:
			return t.text.String(), n, f.err
		case !f.again || counted >= tries(f) && !f.loading || ctx.Err() != nil:
			return "", n, f.err
		}
		wait := f.pause(n)
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait {
			if f.wait > 0 {
				f.err.WithHint("the provider asks to wait %s, longer than --timeout leaves", wait.Round(time.Second))
			}
			return "", n, f.err
		}
		if !f.loading {
			counted++
		}
		o.Notice(f.announce(wait, counted))
		select {
		case <-ctx.Done():
			return "", n, f.err
		case <-time.After(wait):
		}
	}
}

// pause is how long to wait after the n-th try, counted from one.
func (f *failure) pause(n int) time.Duration {
	if f.wait > 0 {
		return f.wait
	}
	return rand.N(min(firstWait<<(n-1), maxWait)) + 1
}

// announce says that a wait comes, before the try of a number.
func (f *failure) announce(wait time.Duration, next int) string {
	if f.loading {
		return fmt.Sprintf("waiting %s (%s)", roundWait(wait), f.cause)
	}
	return fmt.Sprintf("retrying in %s (%s, attempt %d of %d)", roundWait(wait), f.cause, next, tries(f))
}

// tries is how many there are at most.
func tries(f *failure) int {
	if f.few {
		return fewTries
	}
	return maxTries
}

func roundWait(wait time.Duration) time.Duration {
	if wait < time.Second {
		return wait.Round(time.Millisecond)
	}
	return wait.Round(time.Second)
}
