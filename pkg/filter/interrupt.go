package filter

import (
	"context"
	"errors"
	"sync"
	"time"
)

// patience is for how long what is interrupted may take to end by itself.
const patience = 250 * time.Millisecond

// errAbandoned tells that an interrupted call didn't end, and goes on until the process does.
var errAbandoned = errors.New("interrupted")

// Work is what a call does that may be interrupted.
type Work struct{ whole sync.Mutex }

// Whole begins what must not be left in the middle, and returns what ends it: an interrupted
// process waits for that.
func (w *Work) Whole() (end func()) {
	if w == nil {
		return func() {}
	}
	w.whole.Lock()
	return w.whole.Unlock
}

// do calls f and returns its error, or errAbandoned a while after an interruption.
func (w *Work) do(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
	}
	w.whole.Lock() // nothing of this kind begins any more
	select {
	case err := <-done:
		return err
	default:
		return errAbandoned
	}
}
