//go:build soak

package engine

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// TestSoakManners has known changes, written in any manner and then mutated, end in what is
// meant or in a refusal, for ten minutes. The variable SEED says with which seed to begin.
func TestSoakManners(t *testing.T) {
	seed := uint64(0)
	if begin, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64); err == nil {
		seed = begin
	}
	for begin := time.Now(); time.Since(begin) < 10*time.Minute && !t.Failed(); seed++ {
		checkManner(t, seed)
	}
	t.Logf("up to seed %d", seed)
}
