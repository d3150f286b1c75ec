// Package pkg is the architecture of Pai on one page.
//
// # The walk of a request
//
//	words ── filter ──▶ turn.Document ──▶ … ──▶ filter ──▶ JSON, text or diff
//
//	pai-classify  asks a model: task or chat?
//	pai-plan      asks a model: which steps? pai-exec --observe has listed the files before.
//	pai-exec      engine: the plan's words under the guard
//	              → author has a generator write what steps lack, reply reads it
//	              → all steps on an overlay of the tree
//	              → diffs, counts, limits (change)
//	              → seal → a yes → journal commits → checks
//	              What doesn't fit, and what a check refuses, goes back to the author, three
//	              phases at most; nothing stays applied in part.
//	pai-suggest   asks a model: what next?
//	pai-model     answers the questions of all four: a JSON line in, its answer out.
//	pai           runs the four on one pai-model, asks the person, keeps a log.
//
// Between two stages there is nothing but the document. Each adds its member to it and leaves the
// others as they came.
//
// # The rooms
//
// A phase lives with its command: prompt.md, schema.json, the code that fills the one and reads
// what comes back, and the tests. The engine lives beneath cmd/pai-exec/internal and the providers
// beneath cmd/pai-model/internal, where the compiler keeps other commands out. What is in pkg is
// shared by two commands or more: turn is the document; filter the frame of a command; talk that
// of one that asks a model; model the client of pai-model, and protocol the lines between them;
// prompt what phases share; secret finds secrets and puts placeholders in their places; render
// shows documents to people; terminal and line are the terminal and the editor of a line on it;
// event tells what happens while it does; sibling runs the other commands; history opens Pai's own
// directories, logbook and settings and credentials are what lies there. Modeltest plays providers
// in tests, scripttest runs the commands' testscripts. Pure, without a system call: guard, change,
// find, reply, secret.
//
// # The arrows
//
// What each package imports: of Pai, and behind the bar of others, the standard library aside but
// for what talks or starts programs. A test compares; a new arrow is drawn here first, and argued
// in the commit.
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
// # What holds it together
//
// One program talks, one writes, and no program does both: only pai-model links net, only pai-exec
// links what changes files. Tests ask the linker's list. Each locks itself out of the rest where
// the kernel has Landlock, and gets text and gives text.
//
// The rest is argued where it is done: why a path is safe in guard and overlay, why a change is
// whole in journal, why a check can't do harm in check, why a reply is believed in reply.
//
// # Where a change goes
//
// What a person types or sees goes to cmd/pai, pkg/filter or pkg/render; what a model is asked to
// prompt.md of a phase, and how its answer is read beside it; what a provider does to
// cmd/pai-model/internal/provider, with a manner in modeltest that does it; what may be touched to
// guard; how it is touched to disk and journal.
//
// A behaviour is tested by a script, cmd/*/testdata/script/*.txtar, which asserts standard output,
// standard error and the exit code; a pure function by a table whose rows seed its fuzz target; a
// manner of replies by a case in engine/testdata; a promise that takes long to break behind the
// build tag soak. make lists the rest.
//
//	go test ./cmd/pai -run TestScripts/undo           one script; -update rewrites what it compares
//	go test ./cmd/pai-exec/internal/engine -run 'TestReplies/twice$'
package pkg
