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
//	                              → generator fills in what steps lack
//	                              → all steps on an overlay (workspace.Tree)
//	                              → diffs, counts, limits (change)
//	                              → seal → a yes → commit → checks
//	                              what doesn't fit, and what a check refuses,
//	                              goes back to the generator, three phases at
//	                              most; nothing stays applied in part
//	pai-suggest   suggest.Run     asks a model: what next?
//	pai                           runs the four, asks the person, keeps a log
//
// Between two commands there is nothing but the document. Each stage adds its
// member to it and leaves the others as they came.
//
// # The arrows
//
//	cmd ──▶ phase ──▶ model ──▶ credentials
//	 │        │         │
//	 ▼        ▼         ▼
//	filter ─▶ prompt ─▶ turn
//
//	turn         the document: types, codec, schema, errors with codes
//	render       documents for people
//	filter       the frame of a command: flags, streams, exit codes
//	terminal     opens the terminal on which a person is asked
//	sibling      runs the other commands
//	history      opens Pai's own directory in a project
//	prompt       what phases share: data in fences, an answer in a reply
//	classify, plan, generate, suggest
//	             one phase each: its prompt beside the code that fills it in
//	             and the code that reads the reply
//	model        the one door to models; modeltest plays a provider in tests
//	credentials  keys
//	protocol     the lines in which pai-exec and its generator speak
//	talk         what the commands that ask a model share
//	preview      what would be asked, and its cost, before anything is sent
//	scripttest   runs the commands' testscripts
//
// Beneath cmd/pai-exec, where the compiler keeps every other command out:
//
//	engine       carries out a plan
//	workspace    root, guard, overlay, observation, journal, commit, undo
//	change       edits, diffs, counts, limits; pure
//
// # What holds it together
//
// What can talk can't write: the commands that ask models can't import
// workspace, and lock themselves out of writing where the kernel lets them.
// What can write can't talk: pai-exec links neither net nor an SDK. Its
// generator is a child process that gets text and gives text. A test beside
// this page checks both. Checks run in another child, started before pai-exec
// locks itself in, which outlives it for as long as it takes to end them.
//
// The guard sits in one place, workspace.Tree's walk: a path is refused by
// its words, or resolved component by component beneath one open directory,
// with links followed in memory and the file system told to follow none. What
// a step may see and change is decided on this resolved path. Ignore files are
// read with code of our own, since they decide what is sent and what is denied,
// and no library agrees with git on them; a test compares it with git.
//
// Every step happens in memory first. What a dry run shows is sealed with what
// stood at every path before and what will stand there after, so the same
// document gives the same bytes later, or is refused as stale.
//
// A commit writes all that is new beside the tree, then a journal, then makes
// each change by one rename or mkdir and notes how far it got by one more. No
// more than one change is ever in doubt, so a roll-back after a failure, the
// recovery after a kill, and undoing are one piece of code that goes back and
// forth. A journal names the directory that it was written in by inode and time
// of birth: one that a clone brings is not believed.
package pkg
