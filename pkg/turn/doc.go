// Package turn is the document that travels through the pipe: one JSON object a
// turn, to which each stage adds its member. This page is its specification, also
// for those who write stages of their own; schema.json, which "pai schema" prints,
// says the same to programs.
//
// # Format
//
// A document is an object with the member "pai", its version, and any of the
// members below. Members whose names begin with x_ may stand in every object; they
// are anybody's. What a stage doesn't set is written as it was read, number for
// number and in its place. An object with "execution_plan" and without "pai" is a
// bare plan: the plan of a document that has nothing else.
//
// # Members, and what they decide
//
//	request       what the person asks. It steers the questions to models and
//	              which files are looked for, never what may be touched. A path in
//	              it that the guard denies is listed in workspace.denied.
//	context       what was piped in beside it, sent to models as data.
//	history       earlier turns, sent to models.
//	workspace     what the models see of the files. Cutting it cuts what is sent; adding
//	              to it shows the models more, and opens no file to a step. Of denied,
//	              a plan that does nothing ends with code 4.
//	intent        kind "chat" ends the turn: its reply is the answer. Kind
//	              "task" decides nothing.
//	plan          its steps are what is done, and nothing else is. Content and edits
//	              are taken as they stand; what a step lacks is asked of the
//	              generator. A question ends the turn with code 3. Analysis, notes,
//	              and a step's description, purpose, validation_criteria and
//	              expected_outcome are shown and sent to models. Check is shown, and never
//	              run. Risk, caution, matched and added_by are results: pai-exec
//	              works them out anew.
//	seal          what stands at every path before and after. It can only refuse: a
//	              tree or an outcome that differs is stale, code 6. Nothing is allowed by it,
//	              and steps that were changed since make it hold for the
//	              tree before only. Its sums are of bytes, not of who wrote them: sign
//	              the document to know that.
//	exec          what pai-exec did. The next pai-exec writes its own; suggestions
//	              and logs are made of it. A failed check in it is what a later
//	              dry run goes on from.
//	suggestion    what to do next, shown.
//	usage         a question to a model each. Limits of calls and tokens count it.
//	error         a stage failed. Every later stage passes the document on, and exits
//	              with its code; only pai-suggest proposes a way out, and pai-plan
//	              plans anew. Taking it out takes the failure back, nothing else.
//
// Whatever a document says, pai-exec judges each path by its guard, each change
// by its limits, and each removal by a person's yes: no member agrees to anything.
//
// # Stages of your own
//
// A stage reads one document from standard input and writes one to standard output,
// nothing else, and exits with 0; messages go to standard error. It keeps what it doesn't
// know. It passes a document with "error" on as it is and exits with the error's
// code. To refuse, it adds an error, {"stage", "code", "message", "hint"}, and exits with
// its code, 3 for example: nothing is applied behind it, with pipefail or without. What
// it can't read it answers with a code that isn't 0. With jq this is all:
//
//	#!/bin/sh
//	doc=$(cat)
//	code=$(printf %s "$doc" | jq .error.code) || exit 2
//	[ "$code" = null ] || { printf '%s\n' "$doc"; exit "${code:-2}"; }
//	printf %s "$doc" | jq -c '.x_paths = [.plan.execution_plan.steps[]?.target // empty]'
//
// scripts/examples has this one, one in Python, and a generator in shell, and
//
//	go run ./scripts/conform stage COMMAND
//	go run ./scripts/conform generator COMMAND
//
// check others: the first with the documents in testdata/golden, the second with the
// questions of package protocol.
//
// # Promise
//
// What a release wrote as turn/1 every later one reads, with the same meaning: no
// member changes its meaning or its type, or goes. A new member or a new value of
// one raises the version, to turn/1.1, and what reads only older ones refuses it and
// says so, rather than doing half of it. Pai never gives a meaning to x_ members. Exit
// codes keep theirs; one that you don't know is a failure. testdata holds documents and
// the members of each version, and tests hold Pai to them.
//
// # Goals
//
// One codec: whatever reads or writes a document goes through Read and
// MarshalJSON, so that no two readers can disagree about it. It is strict, since
// the document may come from anybody: one object, valid UTF-8, no member twice by
// any spelling, no unknown member, integers below 2^53, a depth of 100 at most,
// 32 MB. What it lets through survives jq. Errors have codes, which are the exit
// codes of the commands, and texts that are safe on a terminal.
//
// # Non-goals
//
// It judges no plan, opens no file and asks nobody: a document that can be read
// may still ask for anything. It is no stream: a document is read whole. It
// imports nothing of Pai.
package turn
