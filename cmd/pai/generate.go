package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"

	"github.com/urfave/cli/v2"

	"paicode/pkg/filter"
	"paicode/pkg/model"
	"paicode/pkg/protocol"
	"paicode/pkg/talk"
	"paicode/pkg/turn"
)

// maxQuestionBytes bounds one line of questions.
const maxQuestionBytes = 64 << 20

// generate answers questions until standard input ends.
func generate(c *cli.Context) error {
	events, err := filter.Events(c, "pai-exec")
	if err != nil {
		return err
	}
	options, err := alone(c, "pai generate", events)
	if err != nil {
		return err
	}
	m, openErr := talk.Open(c, options, spentBefore(protocol.UsedCalls), spentBefore(protocol.UsedTokensIn))
	talk.Lock(c)
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
		if err := respond(c, m, openErr, q); err != nil {
			return filter.Unwritten(0, err)
		}
	}
}

// spentBefore reads what was asked for the document before.
func spentBefore(name string) int {
	n, _ := strconv.Atoi(os.Getenv(name))
	return max(0, n)
}

// readQuestion reads a line strictly: what is misspelt would be missing from
// the question.
func readQuestion(line []byte) (q protocol.Question, err error) {
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
func respond(c *cli.Context, m model.Model, openErr error, q protocol.Question) error {
	if openErr != nil {
		return answer(protocol.Answer{Error: turn.AsError(openErr)})
	}
	r := model.Request{Stage: q.Stage, System: q.System, Prompt: q.Prompt, Schema: q.Schema, MaxOutputTokens: q.MaxOutputTokens}
	reply, err := m.Ask(c.Context, r, func(delta string) { _ = answer(protocol.Answer{Delta: &delta}) })
	switch {
	case reply.Cut:
		return answer(protocol.Answer{Text: &reply.Text, Usage: &reply.Usage, Finish: protocol.Length})
	case err != nil:
		return answer(protocol.Answer{Error: turn.AsError(err), Usage: &reply.Usage})
	}
	return answer(protocol.Answer{Text: &reply.Text, Usage: &reply.Usage, Finish: protocol.Stop})
}

func answer(a protocol.Answer) error {
	_, err := os.Stdout.Write(turn.Line(a))
	return err
}
