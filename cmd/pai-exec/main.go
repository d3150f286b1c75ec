// Pai-exec observes a project and carries out plans on it. It is the only
// command of Pai that opens a project's files, and it links no network code.
package main

import (
	"os"

	"paicode/pkg/filter"
)

func main() {
	os.Exit(filter.Main(filter.Stage{
		Name:  "pai-exec",
		Usage: "carry out a plan, all of it or nothing",
		Examples: `   pai-plan "add a power function" | pai-exec --dry-run --output diff
   pai-exec < plan.json                 apply a reviewed plan, without a model
   pai-exec --yes < plan.json           agree to RM, and to MV onto something
   pai-exec --log                       list what can be undone
   pai-exec --undo                      put back what was before the last change
   pai-exec --redo                      make it once more
   echo "tidy up" | pai-exec --observe  show what a plan is made from`,
		Flags:      flags(),
		Standalone: standalone,
		NoRequest:  true,
		Open:       open,
		Run:        run,
	}.App()))
}
