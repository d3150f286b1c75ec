//go:build soak

package engine

import (
	"testing"
	"time"
)

// TestSoakManners has known changes, written in any manner and then mutated, end in what is
// meant or in a refusal, for ten minutes.
func TestSoakManners(t *testing.T) {
	seed := uint64(300)
	for begin := time.Now(); time.Since(begin) < 10*time.Minute && !t.Failed(); seed++ {
		checkManner(t, seed)
	}
	t.Logf("%d replies", seed)
}
