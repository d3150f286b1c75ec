// Package pkg is the architecture of Pai on one page.
//
// # The walk of a request
//
//	words ── filter ──▶ turn.Document ──▶ … ──▶ filter ──▶ JSON, text or diff
//
//	pai-classify  asks a model: is this a task or a question?
//	pai-plan      asks a model: which steps? Before, pai-exec --observe lists the files.
//	pai-exec      engine: judges the plan's paths by the guard
//	              → author has a generator write what the steps lack, and reply reads it
//	              → runs all steps on an overlay of the tree
//	              → computes diffs, counts and limits (change)
//	              → seals → asks → journal commits → runs checks
//	              What doesn't fit, or fails a check, goes back to the author, at most three
//	              times. Nothing stays applied in part.
//	pai-suggest   asks a model: what next?
//	pai-model     answers the questions of all four: one JSON line in, the answer out.
//	pai           runs the four with one pai-model, asks the person, and keeps a log.
//
// Only the document passes between two stages. Each adds its member and keeps the others.
//
// # The packages
//
// A phase is in the directory of its command: prompt.md, schema.json, the code that fills the one
// and reads the answer, and the tests. The engine is under cmd/pai-exec/internal and the providers
// are under cmd/pai-model/internal, where the compiler keeps other commands out. Packages in pkg are
// shared by two commands or more:
//
//   - turn is the document. filter is the frame of a command, and talk that of a command that asks
//     a model.
//   - model is the client of pai-model, and protocol the lines between them. prompt is what the
//     phases share. secret finds secrets and replaces them with placeholders.
//   - render shows documents to people. terminal and line are the terminal and its line editor.
//     event reports progress.
//   - sibling runs the other commands. history opens Pai's own directories. logbook, settings and
//     credentials are files in them.
//   - modeltest plays providers in tests, and scripttest runs the commands' testscripts.
//
// guard, change, find, reply and secret are pure: they make no system calls.
//
// # The arrows
//
// The table shows what each package imports: of Pai, and after the bar, of other modules, and of the
// standard library what talks or starts programs. A test compares it with the code. Draw a new arrow
// here first, and argue for it in the commit.
//
//	pai              credentials event filter history lazyregexp line logbook model protocol render settings sibling talk terminal turn | cli os/exec term unix
//	pai-classify     event filter model prompt secret talk turn
//	pai-plan         filter model prompt render secret sibling talk turn | cli gjson
//	pai-exec         change check engine filter guard journal logbook model overlay protocol render talk turn | cli
//	pai-suggest      filter model prompt secret talk turn
//	pai-model        coverage credentials filter model protocol provider talk turn | cli landlock unix
//
//	engine           author change check disk event find guard journal model overlay prompt protocol render reply terminal turn
//	author           change disk event find guard lazyregexp model overlay prompt protocol reply secret sibling turn | os/exec
//	reply            change find lazyregexp prompt secret turn | gjson
//	overlay          change disk find guard lazyregexp secret turn
//	find             lazyregexp turn
//	journal          disk guard history turn | unix
//	check            coverage sibling turn | landlock os/exec unix
//	disk             coverage guard turn | landlock unix
//	guard            lazyregexp turn | norm
//	change           lazyregexp turn | udiff
//
//	provider         credentials lazyregexp model protocol turn | genai gjson net os/exec
//
//	talk             coverage filter model protocol turn | cli landlock unix
//	model            protocol sibling turn | os/exec unix
//	model/modeltest  | net
//	protocol         turn
//	filter           event render settings sibling turn | cli isatty unix
//	prompt           lazyregexp secret turn | gjson
//	secret           lazyregexp turn
//	render           lazyregexp turn | pretty uniseg width
//	terminal         | unix
//	line             history terminal turn | uniseg
//	event            turn | unix
//	sibling          turn | os/exec
//	credentials      history turn
//	settings         history turn
//	history          turn | unix
//	logbook          history turn | unix
//	coverage         | unix
//	lazyregexp
//	scripttest       model/modeltest turn | os/exec testscript unix
//	turn             lazyregexp | smetrics
//
// # Promises
//
// One program talks, one writes, and no program does both: only pai-model links net, and only
// pai-exec links what changes files. Tests ask the linker's list. Where the kernel has Landlock, each
// of the two also locks itself out of the other's work.
//
// The packages argue the rest: guard and overlay why a path is safe, journal why a change is whole,
// check why a check can do no harm, and reply why a reply is believed.
//
// # Where a change goes
//
//   - What a person types or sees: cmd/pai, pkg/filter or pkg/render.
//   - What a model is asked: prompt.md of a phase. How its answer is read: the code beside it.
//   - What a provider does: cmd/pai-model/internal/provider, with a dialect in modeltest.
//   - What may be changed: guard. How it is changed: disk and journal.
//
// Test a behaviour with a script, cmd/*/testdata/script/*.txtar, that asserts standard output,
// standard error and the exit code. Test a pure function with a table whose rows seed its fuzz target,
// a kind of reply with a case in engine/testdata, and what takes long with the build tag soak. make
// lists the targets.
//
//	go test ./cmd/pai -run TestScripts/undo           one script; -update rewrites what it compares
//	go test ./cmd/pai-exec/internal/engine -run 'TestReplies/twice$'
package pkg
