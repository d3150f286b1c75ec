// Package pkg is the architecture of Pai on one page.
//
// # The walk of a request
//
//	words ── filter ──▶ turn.Document ──▶ … ──▶ filter ──▶ JSON, text or diff
//
//	pai-classify  classify.Run    asks a model: task or chat?
//	pai-plan      plan.Run        asks a model: which steps? It has had
//	                              pai-exec --observe list the files before.
//	pai-exec      engine.Execute  words of the plan under the guard
//	                              → author has a generator write what steps lack
//	                              → all steps on an overlay of the tree
//	                              → diffs, counts, limits (change)
//	                              → seal → a yes → journal commits → checks
//	                              what doesn't fit, and what a check refuses,
//	                              goes back to the author, three phases at most;
//	                              nothing stays applied in part
//	pai-suggest   suggest.Run     asks a model: what next?
//	pai                           runs the four, asks the person, keeps a log
//
// Between two commands there is nothing but the document. Each stage adds its
// member to it and leaves the others as they came.
//
// # The rooms
//
//	turn         the document: types, codec, schema, errors with codes
//	render       documents for people
//	filter       the frame of a command: flags, streams, exit codes
//	terminal     the person's terminal: its modes, its keys, a yes or a no
//	line         the editor of a line on it: keys, text, rows; pure but for Editor
//	event        tells other programs what happens, while it does
//	typo         what a mistyped word was meant to be; pure
//	sibling      runs the other commands
//	logbook      what was done in a project, for people and for pai log
//	history      opens Pai's own directories, in a project and in the person's own
//	prompt       what phases share: data in fences, an answer in a reply
//	secret       finds secrets, and puts placeholders in their places and back; pure
//	classify, plan, generate, suggest
//	             one phase each: its prompt beside the code that fills it in
//	             and the code that reads the reply
//	model        the one door to models; modeltest plays providers in tests
//	credentials  keys, and the hosts to which they belong
//	settings     what a person chose for all projects, and the check of each
//	protocol     the lines in which pai-exec and its generator speak
//	talk         what the commands that ask a model share
//	preview      what would be asked, and its cost, before anything is sent
//	coverage     lets builds that count their coverage write the counts
//	scripttest   runs the commands' testscripts
//
// Beneath cmd/pai-exec/internal, where the compiler keeps every other command out
// and nothing knows of command lines:
//
//	engine       carries out a plan: validate, author, resolve, seal, commit
//	author       question, reply, drafts, mending
//	overlay      the tree in memory; leaves a list of operations
//	find         what a model sees: words, definitions, ranking, budgets; pure
//	journal      makes operations on disk and takes them back, all or none
//	check        runs a person's checks
//	guard        may this path be touched, and why not; pure
//	disk         the root and the system calls on it
//	change       edits, diffs, counts, limits; pure
//	review       what nobody can have meant in a text that a model wrote; pure
//
// Seven rooms are larger than 1,500 lines, model twice as large. Model is one door with
// two protocols behind it, and most of it is what providers do that their manuals don't
// say; its files are small and named after that. Turn is the document with all its
// members. Journal is one mechanism, forth and back: whoever changes how a change is made
// must see how it is taken back. Change is matching, comparing and counting of the same
// lines. Author, find and overlay are a conversation, a search and a tree, a file for
// each part of it.
//
// # The arrows
//
// What each package imports: of Pai, and behind the bar of others, the standard
// library aside but for what talks or starts programs. A test compares; a new
// arrow is drawn here first, and argued in the commit.
//
//	pai              classify credentials event filter history line logbook model plan preview protocol render settings sibling talk terminal turn typo | cli isatty os/exec term unix
//	pai-classify     classify filter talk
//	pai-plan         filter plan preview render sibling talk turn | cli
//	pai-exec         change check engine filter guard journal logbook overlay protocol render turn | cli
//	pai-suggest      filter suggest talk turn
//
//	engine           author change check disk event find generate guard journal overlay prompt protocol render terminal turn | os/exec
//	author           change disk event find generate guard overlay prompt protocol review secret sibling turn | os/exec
//	overlay          change disk find guard secret turn
//	find             turn
//	review           change find turn
//	journal          disk guard history turn | unix
//	check            coverage sibling turn | landlock os/exec unix
//	disk             coverage guard turn | landlock unix
//	guard            turn | norm
//	change           turn | udiff
//
//	talk             coverage filter model protocol turn | cli landlock unix
//	preview          classify generate model plan prompt protocol turn
//	classify         model prompt secret turn
//	plan             model prompt secret turn | gjson
//	generate         prompt secret turn | gjson
//	suggest          model prompt secret turn
//	model            credentials protocol turn | genai gjson net os/exec
//	model/modeltest  | net
//	credentials      history turn
//	settings         history turn
//	filter           event prompt render settings turn typo | cli isatty os/exec unix
//	prompt           secret turn | gjson
//	secret           turn
//	render           turn | pretty uniseg width
//	protocol         turn
//	sibling          event turn | os/exec
//	history          turn | unix
//	logbook          history turn | unix
//	terminal         | unix
//	line             history terminal turn | uniseg
//	event            turn | os/exec unix
//	typo
//	coverage         | unix
//	scripttest       model/modeltest turn | os/exec testscript unix
//	turn             | smetrics
//
// # What holds it together
//
// What can talk can't write: the commands that ask models can't import what
// changes files, and lock themselves out of writing where the kernel lets them.
// What can write can't talk: pai-exec links neither net nor an SDK. Its generator
// is a child process that gets text and gives text. A test beside this page checks
// both. Checks run in another child, started before pai-exec locks itself in,
// which outlives it for as long as it takes to end them, holds the root's lock until
// then, and takes from itself and from them the right to write outside the root.
//
// The guard decides, and the overlay's walk is the one place where it is asked
// about the tree: a path is refused by its words, or resolved component by
// component beneath one open directory, with links followed in memory and the file
// system told to follow none. What a step may see and change is decided on this
// resolved path. Ignore files are read with code of our own, since they decide what
// is sent and what is denied, and no library agrees with git on them; a test
// compares it with git. The disk speaks the guard's words where it refuses, which
// is why it imports it: both are beneath the rest.
//
// Every step happens in memory first. What a dry run shows is sealed with what
// stood at every path before and what will stand there after, so the same
// document gives the same bytes later, or is refused as stale.
//
// A commit writes all that is new beside the tree, then a record, then makes each
// change by one rename or mkdir and notes how far it got by one more. No more than
// one change is ever in doubt, so a roll-back after a failure, the recovery after a
// kill, and undoing are one piece of code that goes back and forth. A record names
// the directory that it was written in by inode and time of birth: one that a clone
// brings is not believed. It has a hash of itself and of all that it keeps: one that
// isn't what was written is left to a person.
//
// # For contributors
//
// Where a change goes: what a person types or sees goes to cmd/pai, pkg/filter or
// pkg/render; what a model is asked to prompt.md of a phase, and how its answer is
// read beside it; what a provider does to pkg/model, with a manner in modeltest that
// does it; what may be touched to guard; how it is touched to disk and journal.
//
// Beside the commands, scripts has what is built on them or measures them, each with its
// manual at its head: conform and examples for stages of others; manual, release.sh, sbom and
// package for what is installed; fleet, git-pai and pai.lua, and .github/actions/pai, which
// run the commands elsewhere; eval, bench and bench-peers; demo, picture and stats.
//
// What tests it: behaviour of commands is a script, cmd/*/testdata/script/*.txtar,
// which asserts standard output, standard error and the exit code; a pure function is
// a table whose rows seed its fuzz target; a manner of replies is a file in
// engine/testdata/replies, one a kind; a promise that takes long to break is behind
// the build tag soak.
//
//	go test ./cmd/pai -run TestScripts/undo           one script; -update rewrites what it compares
//	go test ./cmd/pai-exec/internal/engine -run 'TestReplies/twice$'
//	go test ./pkg/turn -fuzz FuzzRead -fuzztime 1m
//	make test lint race cover soak bench              see make
package pkg
