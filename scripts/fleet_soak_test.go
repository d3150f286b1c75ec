//go:build soak

package scripts

import "testing"

// TestSoakFleet is TestFleet with many repositories.
func TestSoakFleet(t *testing.T) { fleet(t, 200) }
