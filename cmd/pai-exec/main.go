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
		Usage: "apply a plan, all of it or nothing",
		Synopsis: `pai-exec [--dry-run] [--yes] [--check CMD] [options] < plan.json    apply a plan
       pai-exec --observe [--look NAME] [--stat PATH] < request      list what there is to see
       pai-exec --explain PATH | --rules                             show the guard's rules
       pai-exec --log [--json] | --show [ID]                         show what was changed
       pai-exec --undo [--dry-run] [--force] [ID] | --redo           undo a change, or redo it`,
		Examples: `   pai-plan "add a power function" | pai-exec --dry-run --output diff
   pai-exec < plan.json                 apply a reviewed plan, without a model
   pai-exec --yes < plan.json           allow RM, and MV onto something
   pai-exec --check "make test" < plan.json`,
		Flags:      flags(),
		Standalone: standalone,
		NoRequest:  true,
		Open:       open,
		Run:        run,
	}.App()))
}
