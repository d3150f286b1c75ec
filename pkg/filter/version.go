package filter

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"paicode/pkg/turn"
)

// version is what the build knows of itself: a version, which stands for the commit where it
// has no tag, the commit, and what it was built with.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown, document " + turn.Version
	}
	commit := "unknown"
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			commit = s.Value
		}
	}
	return fmt.Sprintf("%s, commit %s, %s, document %s", cmp.Or(info.Main.Version, "unknown"), commit, info.GoVersion,
		turn.Version)
}
