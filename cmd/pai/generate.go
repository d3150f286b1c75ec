package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/urfave/cli/v2"

	"paicode/pkg/model"
	"paicode/pkg/talk"
	"paicode/pkg/turn"
)

// maxQuestionBytes bounds one line of questions.
const maxQuestionBytes = 64 << 20

// question is a line of standard input.
type question struct {
	Stage           string          `json:"stage"`
	System          string          `json:"system"`
	Prompt          string          `json:"prompt"`
	Schema          json.RawMessage `json:"schema"`
	MaxOutputTokens int             `json:"max_output_tokens"`
}

// piece is a part of an answer as it comes.
type piece struct {
	Delta string `json:"delta"`
}

// answer is the last line of a complete answer.
type answer struct {
	Text   string     `json:"text"`
	Usage  turn.Usage `json:"usage"`
	Finish string     `json:"finish"`
}

// failure is the last line where there is none.
type failure struct {
	Error *turn.Error `json:"error"`
	Usage turn.Usage  `json:"usage"`
}

// generate answers questions until standard input ends.
func generate(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	talk.Quiet()
	notice := func(message string) { fmt.Fprintf(os.Stderr, "pai generate: %s\n", message) }
	options, err := talk.Options(c, notice)
	if err != nil {
		return err
	}
	m, openErr := talk.Open(c, options, spentBefore(usedCalls), spentBefore(usedTokensIn))
	talk.Lock(c)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := readLine(in)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		q, err := readQuestion(line)
		if err != nil {
			return err
		}
		if err := respond(c, out, m, openErr, q); err != nil {
			return turn.Errorf(turn.CodeInternal, "standard output can't be written: %s", err)
		}
	}
}

// What was asked for a document before reaches the generator by environment.
const (
	usedCalls    = "PAI_USED_CALLS"
	usedTokensIn = "PAI_USED_TOKENS_IN"
)

func spentBefore(name string) int {
	n, _ := strconv.Atoi(os.Getenv(name))
	return max(0, n)
}

// readQuestion reads a line strictly: what is misspelt would be missing from
// the question.
func readQuestion(line []byte) (q question, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return q, turn.Errorf(turn.CodeUsage, "a line of standard input is not a question: %s", turn.Printable(err.Error()))
	}
	if q.Prompt == "" {
		return q, turn.Errorf(turn.CodeUsage, "a question has no prompt")
	}
	return q, nil
}

// readLine reads a line of bounded length.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxQuestionBytes:
			return nil, turn.Errorf(turn.CodeUsage, "a question is larger than %d MB", maxQuestionBytes>>20)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(line) > 0:
			return line, nil
		}
		return line, err
	}
}

// respond answers one question; the error is that of writing.
func respond(c *cli.Context, out *json.Encoder, m model.Model, openErr error, q question) error {
	if openErr != nil {
		return out.Encode(failure{Error: turn.AsError(openErr)})
	}
	r := model.Request{Stage: q.Stage, System: q.System, Prompt: q.Prompt, Schema: q.Schema, MaxOutputTokens: q.MaxOutputTokens}
	reply, err := m.Ask(c.Context, r, func(delta string) { out.Encode(piece{delta}) })
	switch {
	case reply.Cut:
		return out.Encode(answer{reply.Text, reply.Usage, "length"})
	case err != nil:
		return out.Encode(failure{turn.AsError(err), reply.Usage})
	}
	return out.Encode(answer{reply.Text, reply.Usage, "stop"})
}
