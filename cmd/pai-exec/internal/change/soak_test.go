//go:build soak

package change

import "testing"

func TestSoakPatches(t *testing.T) { comparePatches(t, 2000) }
