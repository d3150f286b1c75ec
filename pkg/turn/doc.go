// Package turn is the document that Pai's commands pass on: one JSON object per turn, to
// which each stage adds its member. This page is its specification, also for those who
// write stages of their own. The JSON Schema, which "pai schema" prints, says the same
// to programs.
//
// # Format
//
// A document is an object with the member "pai", its version, and any of the members
// below. Every object may have members whose names begin with x_; those are yours. A
// stage writes what it does not set as it was read: the same numbers, in the same order.
// An object with "execution_plan" and without "pai" is a bare plan: the plan of a
// document that has nothing else.
//
// # Members
//
// This is what each member decides:
//
//	request       What the person asks. It steers the questions to models and the search
//	              for files, never what may be changed. A path in it that the guard denies
//	              is listed in workspace.denied.
//	context       What was piped in with the request. Models get it as data.
//	history       Earlier turns. Models get them.
//	workspace     What models see of the files. If you cut it, less is sent. If you add to
//	              it, models see more, but no step may do more. If "denied" is not empty,
//	              a plan that does nothing ends with code 4.
//	intent        Kind "chat" ends the turn: its reply is the answer. Kind "task" decides
//	              nothing.
//	plan          Its steps are what is done, and nothing else is. Content and edits are
//	              used as they are; the generator writes what a step lacks. A question ends
//	              the turn with code 3. Analysis, notes, and a step's description, purpose,
//	              validation_criteria and expected_outcome are shown and sent to models.
//	              Check is shown, and never run. Risk, caution, matched and added_by are
//	              results, which pai-exec computes again.
//	seal          The state of each path before and after. It can only refuse: another
//	              tree or another outcome is stale, code 6. It allows nothing. If steps
//	              were edited after sealing, only the state before is compared. Its sums
//	              are of bytes and don't say who wrote them: sign the document for that.
//	exec          What pai-exec did. The next pai-exec replaces it. Suggestions and logs
//	              use it, and a later dry run continues after a failed check in it.
//	suggestion    The next step, which is only shown.
//	usage         One entry per question to a model. Limits of calls and tokens count it.
//	error         A stage failed. Each later stage passes the document on and exits with
//	              the code; only pai-suggest suggests a way out, and pai-plan plans again.
//	              If you delete it, the failure is forgotten, and nothing else changes.
//
// Whatever a document says, pai-exec judges each path by its guard, each change by its
// limits, and each deletion by a person's yes. No member can agree to anything.
//
// # Actions
//
// A step has "action" and, but for FINISH, "target". These are the actions, what else
// a step of each may have, and what it does:
//
//	READ, TREE, LIST_PATH           looks at a file or a directory
//	WRITE   content, executable     creates a file, and the directories above it
//	MODIFY  edits or content        changes a text file
//	MKDIR, TOUCH                    creates a directory or an empty file
//	RM                              deletes a file, a link or a directory; needs a yes
//	MV      destination             renames; onto an existing path it needs a yes
//	FINISH  content                 ends the plan; content is the answer to the person
//
// Each of edits is {"search", "replace"}. The text must match exactly one place, or with
// "all": true every place that is not inside a longer identifier.
//
// # Stages of your own
//
// A stage reads one document from standard input, writes one to standard output, nothing
// else, and exits with 0. Messages go to standard error. It keeps members that it doesn't
// know. It passes on a document with "error" unchanged, and exits with the error's code.
// To reject a document, it adds an error, {"stage", "code", "message", "hint"}, and exits
// with its code, 3 for example; later stages then apply nothing, with or without
// pipefail. If it can't read its input, it exits with a code other than 0. A stage in
// jq:
//
//	#!/bin/sh
//	doc=$(cat)
//	code=$(printf %s "$doc" | jq .error.code) || exit 2
//	[ "$code" = null ] || { printf '%s\n' "$doc"; exit "${code:-2}"; }
//	printf %s "$doc" | jq -c '.x_paths = [.plan.execution_plan.steps[]?.target // empty]'
//
// The directory scripts/examples has this one, one in Python, and a generator in shell.
// These commands test yours, with the documents in testdata/golden and the questions of
// package protocol:
//
//	go run ./scripts/conform stage COMMAND
//	go run ./scripts/conform generator COMMAND
//
// # Compatibility
//
// Every later release reads what a release wrote as turn/1, with the same meaning: no
// member changes its meaning or type, and none is removed. A new member, or a new value,
// raises the version to turn/1.1; an older reader then refuses the document and says so.
// Pai never gives a meaning to x_ members. Exit codes keep their meaning; treat an
// unknown one as a failure.
//
// # Strictness
//
// A document may come from anybody. So it must be one object in valid UTF-8, with no
// unknown member, no member twice in any spelling, integers below 2^53, at most 100
// levels and 32 MB. What passes survives jq. Errors have codes, which are the exit codes
// of the commands, and texts that are safe on a terminal.
//
// Reading a document does not judge its plan: a document that can be read may still ask
// for anything.
package turn
