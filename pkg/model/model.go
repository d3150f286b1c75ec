// Package model asks models through pai-model, the one program of Pai that
// talks to a network: it starts it, hands out connections to it, and puts
// questions on one.
package model

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"

	"paicode/pkg/protocol"
	"paicode/pkg/turn"
)

// Request is one question.
type Request struct {
	Stage           string          // who asks, for the usage
	System          string          // how to answer; may be empty
	Prompt          string          // what is asked
	Schema          json.RawMessage // JSON Schema of the answer; nil for plain text
	MaxOutputTokens int             // 0: the model's own limit
	TokensLeft      int             // that all tries together may send; 0: any
}

// Reply is an answer.
type Reply struct {
	Text  string
	Usage turn.Usage
	Cut   bool // it reached the limit of tokens: Text is what came before, and there is an error too
}

// Ask puts one question to a model and returns the complete answer. It is
// what the phases see of a model; who makes one keeps the usage.
type Ask func(context.Context, Request) (string, error)

// Choice says which model is asked, and how. Empty members leave it to pai-model.
type Choice struct {
	Model       string
	Temperature *float64
	Thinking    string
	Known       []protocol.Lack // what earlier questions found out about servers
}

// Hear is what is told while an answer comes. Members may be nil.
type Hear struct {
	Delta  func(text string) // a piece of the answer; pieces are sent only if there is somebody to hear them
	Notice func(text string) // what a person should know, such as a retry; then the pieces begin again
}

// Conn is a connection to pai-model, on which one question is asked at a time.
type Conn struct {
	in   *bufio.Reader
	out  io.Writer
	file *os.File
}

// NewConn asks on a connection that Door.Connect or Inherited returned.
func NewConn(f *os.File) *Conn {
	return &Conn{in: bufio.NewReader(io.LimitReader(f, maxAnswersBytes)), out: f, file: f}
}

// maxAnswersBytes bounds what all answers on a connection may have: nobody asks that much.
const maxAnswersBytes = 256 << 20

// Close ends the connection. A question that was not answered is dropped.
func (c *Conn) Close() { c.file.Close() }

// Ask puts a question and waits for the answer, or until the context ends, after
// which the connection is of no more use. Errors are turn.Errors as pai-model
// sends them; of CodeModel if it ended, and CodeInterrupted if the context did.
func (c *Conn) Ask(ctx context.Context, choice Choice, r Request, hear Hear) (Reply, error) {
	q := protocol.Question{Model: choice.Model, Temperature: choice.Temperature, Thinking: choice.Thinking,
		Known: choice.Known,
		Stage: r.Stage, System: r.System, Prompt: r.Prompt, Schema: r.Schema, MaxOutputTokens: r.MaxOutputTokens,
		TokensLeft: r.TokensLeft}
	if hear.Delta != nil {
		q.ID = json.RawMessage("1") // asks for deltas; there is one question at a time
	}
	stop := context.AfterFunc(ctx, func() { c.file.Close() })
	defer stop()
	_ = protocol.Put(c.out, q) // who ends without reading may have said why
	a, err := protocol.Await(c.in, hear.Delta, hear.Notice)
	var reply Reply
	if a.Usage != nil {
		reply.Usage = *a.Usage
	}
	switch {
	case ctx.Err() != nil:
		return reply, turn.Errorf(turn.CodeInterrupted, "interrupted")
	case err != nil:
		return reply, turn.Errorf(turn.CodeModel, "pai-model: %s", err)
	case a.Error != nil:
		return reply, a.Error
	}
	reply.Text, reply.Cut = *a.Text, a.Finish == protocol.Length
	switch {
	case reply.Cut:
		return reply, Truncated()
	case a.Finish != protocol.Stop:
		return Reply{Usage: reply.Usage},
			turn.Errorf(turn.CodeModel, "the answer of pai-model is incomplete (%s)", turn.Quote(a.Finish))
	}
	return reply, nil
}

// Truncated is the error of an answer that reached the limit of tokens.
func Truncated() *turn.Error {
	return turn.Errorf(turn.CodeModel, "the model's answer is truncated: it reached the limit of tokens").
		WithHint("ask for less at a time")
}
