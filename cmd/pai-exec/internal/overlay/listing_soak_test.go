//go:build soak

package overlay

import "testing"

func TestSoakListingLikeGit(t *testing.T) { listLikeGit(t, 8, 2000) }
