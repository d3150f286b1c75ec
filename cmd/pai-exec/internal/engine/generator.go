package engine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"unicode/utf8"

	"paicode/pkg/generate"
	"paicode/pkg/sibling"
	"paicode/pkg/turn"
)

// maxReplyBytes bounds what a generator may answer.
const maxReplyBytes = 16 << 20

// generator is the child process that answers questions, one JSON object a
// line. It is started before the process locks itself in.
type generator struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startGenerator starts a shell command, or pai generate for an empty one.
// It is told what was asked for the document before, so that it can keep to a
// budget.
func startGenerator(ctx context.Context, command string, before []turn.Usage) (*generator, error) {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	if command == "" {
		pai, err := sibling.Find("pai")
		if err != nil {
			return nil, err
		}
		cmd = exec.CommandContext(ctx, pai, "generate")
	}
	tokens := 0
	for _, u := range before {
		tokens += u.Input
	}
	cmd.Env = append(os.Environ(), fmt.Sprintf("PAI_USED_CALLS=%d", len(before)), fmt.Sprintf("PAI_USED_TOKENS_IN=%d", tokens))
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	in, out, err := startPiped(cmd)
	if err != nil {
		return nil, turn.Errorf(turn.CodeModel, "the generator can't be started: %s", err)
	}
	// What it started may hold the pipe open longer than it lives.
	context.AfterFunc(ctx, func() { out.Close() })
	return &generator{cmd, in, bufio.NewReader(io.LimitReader(out, maxReplyBytes))}, nil
}

// startPiped starts a command that is told things and answers.
func startPiped(cmd *exec.Cmd) (in io.WriteCloser, out io.ReadCloser, err error) {
	if in, err = cmd.StdinPipe(); err != nil {
		return nil, nil, err
	}
	if out, err = cmd.StdoutPipe(); err != nil {
		return nil, nil, err
	}
	return in, out, cmd.Start()
}

// stop ends the generator and all that it started.
func (g *generator) stop() {
	if g == nil {
		return
	}
	g.in.Close()
	syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
	g.cmd.Wait()
}

// question and answer are the lines of the protocol.
type question struct {
	Stage           string `json:"stage"`
	System          string `json:"system"`
	Prompt          string `json:"prompt"`
	MaxOutputTokens int    `json:"max_output_tokens"` // 0: the model's own limit
}

type answer struct {
	Delta  *string     `json:"delta"`
	Text   *string     `json:"text"`
	Usage  turn.Usage  `json:"usage"`
	Finish string      `json:"finish"` // stop, length or blocked
	Error  *turn.Error `json:"error"`
}

// code is the exit code of a generator's error: it knows of models only.
func (a answer) code() turn.Code {
	switch a.Error.Code {
	case turn.CodeQuota, turn.CodeInterrupted:
		return a.Error.Code
	}
	return turn.CodeModel
}

// errEnded tells of a generator that answers no more questions.
var errEnded = turn.Errorf(turn.CodeModel, "the generator ended without an answer").
	WithHint("what it has to say stands above")

// ask puts a question and waits for the answer, of which each piece goes to
// delta as it comes. cut tells that it reached the limit of tokens. Errors are
// the generator's own, errEnded, or of CodeModel.
func (g *generator) ask(q generate.Question, delta func(string)) (reply string, cut bool, usage turn.Usage, err error) {
	line, err := json.Marshal(question{Stage: "pai-exec", System: q.System, Prompt: q.Prompt})
	if err != nil {
		return "", false, usage, err
	}
	g.in.Write(append(line, '\n')) // one that ends without reading may have said why
	for {
		line, err := g.out.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) == 0 && err != nil {
			return "", false, usage, errEnded
		} else if len(line) == 0 {
			continue
		}
		var a answer
		if err := json.Unmarshal(line, &a); err != nil || !utf8.Valid(line) {
			return "", false, usage, turn.Errorf(turn.CodeModel, "the generator's answer is not a line of JSON in UTF-8")
		}
		switch {
		case a.Error != nil:
			return "", false, a.Usage, &turn.Error{Code: a.code(), Message: a.Error.Message, Hint: a.Error.Hint}
		case a.Text == nil && a.Delta != nil:
			delta(*a.Delta)
			continue
		case a.Text == nil:
			continue // a line that later versions may know
		case a.Finish != "stop" && a.Finish != "length":
			return "", false, a.Usage, turn.Errorf(turn.CodeModel, "the generator's answer is incomplete (%s)", turn.Quote(a.Finish))
		}
		return *a.Text, a.Finish == "length", a.Usage, nil
	}
}
