// Package protocol is the line protocol in which pai-exec asks its generator,
// and Pai a model that is a program: a question a line, answered by any number
// of deltas and then one text or error.
package protocol

import (
	"encoding/json"
	"errors"
	"unicode/utf8"

	"paicode/pkg/turn"
)

// Question is what is asked.
type Question struct {
	Stage           string          `json:"stage"`
	System          string          `json:"system"`
	Prompt          string          `json:"prompt"`
	Schema          json.RawMessage `json:"schema,omitempty"`  // JSON Schema of the answer; absent: text
	MaxOutputTokens int             `json:"max_output_tokens"` // 0: the model's own limit
}

// Answer is one line of an answer: Delta is a piece of it as it comes, Text all
// of it, Error why there is none. Exactly one of them is set.
type Answer struct {
	Delta  *string     `json:"delta,omitempty"`
	Text   *string     `json:"text,omitempty"`
	Error  *turn.Error `json:"error,omitempty"`
	Usage  *turn.Usage `json:"usage,omitempty"`
	Finish string      `json:"finish,omitempty"` // of Text: Stop or Length
}

// MaxPhases is how often a generator is asked for one document at most.
const MaxPhases = 3

// How a text ends.
const (
	Stop   = "stop"
	Length = "length" // it reached the limit of tokens
)

// Variables in which a generator finds what is known from the questions that
// were asked for the document before it: their number and tokens, as counted by
// turn.Spent, and what servers lack, as EncodeLacks writes it.
const (
	UsedCalls    = "PAI_USED_CALLS"
	UsedTokensIn = "PAI_USED_TOKENS_IN"
	KnownLacks   = "PAI_KNOWN_LACKS"
)

// lack is what a model at a server was found not to take.
type lack struct {
	Server string   `json:"server,omitempty"`
	Model  string   `json:"model"`
	Lacks  []string `json:"lacks"`
}

// EncodeLacks writes what the questions found out about servers; empty if
// nothing.
func EncodeLacks(usage []turn.Usage) string {
	var all []lack
	for _, u := range usage {
		if len(u.Lacks) > 0 {
			all = append(all, lack{u.Server, u.Model, u.Lacks})
		}
	}
	if len(all) == 0 {
		return ""
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // plain data always encodes
	}
	return string(text)
}

// DecodeLacks reads what EncodeLacks wrote: the Lacks, Server and Model of
// questions. What it can't read it leaves out, since it only saves questions.
func DecodeLacks(text string) (usage []turn.Usage) {
	var all []lack
	if json.Unmarshal([]byte(text), &all) != nil {
		return nil
	}
	for _, l := range all {
		usage = append(usage, turn.Usage{Server: l.Server, Model: l.Model, Lacks: l.Lacks})
	}
	return usage
}

// Read reads a line of an answer. One without any of the three members is
// something that later versions may know.
func Read(line []byte) (a Answer, err error) {
	if !utf8.Valid(line) {
		return a, errors.New("it is not UTF-8")
	}
	return a, json.Unmarshal(line, &a)
}

// Failure is the answer's error as the asker may pass it on: it knows of models
// only, so no other code counts.
func (a Answer) Failure() *turn.Error {
	return &turn.Error{Code: Code(a.Error.Code), Message: a.Error.Message, Hint: a.Error.Hint}
}

// Code narrows a code to those that a failing model may have.
func Code(code turn.Code) turn.Code {
	if code == turn.CodeQuota || code == turn.CodeInterrupted {
		return code
	}
	return turn.CodeModel
}
