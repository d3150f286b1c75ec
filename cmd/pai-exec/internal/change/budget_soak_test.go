//go:build soak

package change

import "testing"

// TestSoakBudget prints how the work of finding edits grows with what comes in.
func TestSoakBudget(t *testing.T) { doubled(t, 1<<13) }
