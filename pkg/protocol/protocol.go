// Package protocol is the line protocol in which Pai asks models: a question a
// line, answered by any number of deltas and notices, and then by one text or
// error. pai-model speaks it, and so does every program that takes its place:
// a generator of pai-exec's, or a model named cmd:PROGRAM.
package protocol

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"paicode/pkg/turn"
)

// Question is what is asked. Of its members only the prompt must be there.
type Question struct {
	// a number or a string, repeated in each line of the answer
	ID              json.RawMessage `json:"id,omitempty"`
	Model           string          `json:"model,omitempty"`       // as --model takes it; empty: pai-model's own
	Temperature     *float64        `json:"temperature,omitempty"` // 0 to 2; nil: pai-model's own
	Thinking        string          `json:"thinking,omitempty"`    // as --thinking takes it; empty: pai-model's own
	Stage           string          `json:"stage"`
	System          string          `json:"system"`
	Prompt          string          `json:"prompt"`
	Schema          json.RawMessage `json:"schema,omitempty"`      // JSON Schema of the answer; absent: text
	MaxOutputTokens int             `json:"max_output_tokens"`     // 0: the model's own limit
	TokensLeft      int             `json:"tokens_left,omitempty"` // that all tries together may send; 0: any
	Known           []Lack          `json:"known,omitempty"`       // what earlier questions found out about servers
}

// Lack is what a model at a server was found not to take.
type Lack struct {
	Server string   `json:"server,omitempty"` // empty: the provider's own
	Model  string   `json:"model"`
	Lacks  []string `json:"lacks"` // names of members, as turn.Usage has them
}

// Lacks are what the questions of a document found out about servers.
func Lacks(usage []turn.Usage) (all []Lack) {
	for _, u := range usage {
		if len(u.Lacks) > 0 {
			all = append(all, Lack{u.Server, u.Model, u.Lacks})
		}
	}
	return all
}

// Answer is one line of an answer: Delta is a piece of it as it comes, Notice
// what a person should know while they wait, Text all of it, Error why there is
// none. Exactly one of these is set. After a notice the deltas begin again.
type Answer struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Delta  *string         `json:"delta,omitempty"`
	Notice string          `json:"notice,omitempty"`
	Text   *string         `json:"text,omitempty"`
	Error  *turn.Error     `json:"error,omitempty"`
	Usage  *turn.Usage     `json:"usage,omitempty"`
	Finish string          `json:"finish,omitempty"` // of Text: Stop or Length
}

// MaxPhases is how often a generator is asked for one document at most.
const MaxPhases = 3

// How a text ends.
const (
	Stop   = "stop"
	Length = "length" // it reached the limit of tokens
)

// Read reads a line of an answer. One without any of the members is
// something that later versions may know.
func Read(line []byte) (a Answer, err error) {
	if !utf8.Valid(line) {
		return a, errors.New("it is not UTF-8")
	}
	return a, json.Unmarshal(line, &a)
}

// The errors of Await.
var (
	ErrEnded  = errors.New("it ended without an answer")
	ErrNoLine = errors.New("its answer is not a line of JSON in UTF-8")
)

// Await reads lines up to the one that ends an answer, with a text or an error,
// and returns that. Each delta goes to delta and each notice to notice; either
// may be nil. Errors are ErrEnded and ErrNoLine.
func Await(in *bufio.Reader, delta, notice func(string)) (Answer, error) {
	for {
		line, err := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) == 0 {
			if err != nil {
				return Answer{}, ErrEnded
			}
			continue
		}
		a, err := Read(line)
		switch {
		case err != nil:
			return Answer{}, ErrNoLine
		case a.Error != nil || a.Text != nil:
			return a, nil
		case a.Delta != nil && delta != nil:
			delta(*a.Delta)
		case a.Notice != "" && notice != nil:
			notice(a.Notice)
		}
	}
}

// Put writes a question as a line.
func Put(out io.Writer, q Question) error {
	line, err := json.Marshal(q)
	if err != nil {
		return err
	}
	_, err = out.Write(append(line, '\n'))
	return err
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
