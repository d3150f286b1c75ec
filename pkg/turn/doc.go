// Package turn is the document that travels through the pipe: one JSON object a
// turn, to which each stage adds its member.
//
// # Format
//
// A document is an object with the member "pai", its version, and any of
// request, context, history, workspace, intent, plan, seal, exec, suggestion,
// usage and error; schema.json, which Schema returns, says what each holds.
// Members whose names begin with x_ may stand in every object. What a stage
// doesn't set is written as it was read, number for number and in its place.
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
