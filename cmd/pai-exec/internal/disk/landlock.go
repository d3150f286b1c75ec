package disk

import (
	"paicode/pkg/coverage"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// How the process is locked in.
const (
	LandlockEnforced    = "enforced"
	LandlockUnavailable = "unavailable"
	LandlockOff         = "off"
)

// NoCoreDumps keeps what is read out of the file that a crash would leave.
func NoCoreDumps() {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) // less is always allowed
}

// Restrict takes from the process, where the kernel has Landlock, every file
// outside the root. It is a second layer under the guard. What else is
// needed must be open by now; files in a folder may be removed still, if one is named.
func Restrict(dir, removable string) (string, error) {
	if dir == "" {
		dir = "."
	}
	if version, err := ll.LandlockGetABIVersion(); err != nil || version < 1 {
		return LandlockUnavailable, nil
	}
	rules := []landlock.Rule{landlock.RWDirs(dir).WithRefer()}
	if removable != "" {
		rules = append(rules, landlock.PathAccess(ll.AccessFSRemoveFile, removable).IgnoreIfMissing())
	}
	if counts := coverage.Dir(); counts != "" {
		rules = append(rules, landlock.RWDirs(counts))
	}
	err := landlock.V5.BestEffort().RestrictPaths(rules...)
	return LandlockEnforced, err
}
