package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"paicode/pkg/turn"
)

// command asks a program of the person's own: one process for each question.
// It speaks the line protocol of pai-exec's generators, or gets and gives plain
// text.
type command struct {
	program string
	raw     bool
}

func openCommand(o Options, program string) (*command, error) {
	if strings.TrimSpace(program) == "" {
		return nil, turn.Errorf(turn.CodeUsage, "unknown model %s", turn.Quote(o.Name)).WithHint("cmd:PROGRAM names a shell command")
	}
	return &command{program, o.Raw}, nil
}

// commandQuestion and commandLine are lines of the protocol.
type commandQuestion struct {
	Stage           string          `json:"stage"`
	System          string          `json:"system"`
	Prompt          string          `json:"prompt"`
	Schema          json.RawMessage `json:"schema,omitempty"`
	MaxOutputTokens int             `json:"max_output_tokens"`
}

type commandLine struct {
	Delta  *string     `json:"delta"`
	Text   *string     `json:"text"`
	Usage  turn.Usage  `json:"usage"`
	Finish string      `json:"finish"`
	Error  *turn.Error `json:"error"`
}

func (c *command) ask(t *try, r Request) *failure {
	question := plainQuestion(r)
	if !c.raw {
		line, err := json.Marshal(commandQuestion{Stage: r.Stage, System: r.System, Prompt: r.Prompt, Schema: r.Schema, MaxOutputTokens: r.MaxOutputTokens})
		if err != nil {
			return &failure{err: turn.AsError(err)}
		}
		question = string(line) + "\n"
	}
	cmd := exec.CommandContext(t.ctx, "/bin/sh", "-c", c.program)
	cmd.Stdin, cmd.Stderr = strings.NewReader(question), os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // what it started may hold its pipes
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	context.AfterFunc(t.ctx, func() { out.Close() })
	if err != nil {
		return &failure{err: turn.Errorf(turn.CodeModel, "%s can't be started: %s", turn.Quote(c.program), err)}
	}
	var f *failure
	if c.raw {
		f = readRaw(t, out)
	} else {
		f = readLines(t, out)
	}
	answered := f == nil && !c.raw
	if answered {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it has said all
	}
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && !answered && t.ctx.Err() == nil && (f == nil || f.cause == noAnswer) {
		return c.exited(exit.ExitCode())
	}
	return f
}

// plainQuestion is a question without protocol.
func plainQuestion(r Request) string {
	var b strings.Builder
	if r.System != "" {
		fmt.Fprintf(&b, "%s\n\n", r.System)
	}
	b.WriteString(r.Prompt)
	if r.Schema != nil {
		fmt.Fprintf(&b, "\nAnswer with one JSON object, and nothing else, by this JSON Schema:\n%s\n", r.Schema)
	}
	return b.String()
}

// noAnswer is the cause of a program that ended without one.
const noAnswer = "no answer"

func ended() *failure {
	return &failure{cause: noAnswer, err: turn.Errorf(turn.CodeModel, "the program ended without an answer").
		WithHint("what it has to say stands above")}
}

// exited says what a program's exit code means: Pai's own codes are understood.
func (c *command) exited(code int) *failure {
	e := turn.Errorf(turn.CodeModel, "%s ended with exit code %d", turn.Quote(c.program), code).
		WithHint("what it has to say stands above")
	switch turn.Code(code) {
	case turn.CodeQuota, turn.CodeInterrupted:
		e.Code = turn.Code(code)
	}
	return &failure{err: e}
}

// readRaw takes everything as the answer.
func readRaw(t *try, out io.Reader) *failure {
	buffer := make([]byte, 32<<10)
	for {
		n, err := out.Read(buffer)
		if n > 0 {
			t.piece(string(buffer[:n]))
		}
		if t.ctx.Err() != nil {
			return &failure{err: turn.Errorf(turn.CodeModel, "the question was called off")}
		}
		if err != nil {
			break
		}
	}
	switch text := t.text.String(); {
	case strings.TrimSpace(text) == "":
		return ended()
	case !utf8.ValidString(text):
		return &failure{err: turn.Errorf(turn.CodeModel, "the program's answer is not UTF-8")}
	}
	return nil
}

// readLines reads the protocol's lines up to the answer.
func readLines(t *try, out io.Reader) *failure {
	in := bufio.NewReader(io.LimitReader(out, 4*maxAnswerBytes))
	streamed := 0
	for {
		line, err := in.ReadBytes('\n')
		if t.ctx.Err() != nil {
			return &failure{err: turn.Errorf(turn.CodeModel, "the question was called off")}
		}
		if err != nil && len(bytes.TrimSpace(line)) == 0 {
			return ended()
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var a commandLine
		if err := json.Unmarshal(line, &a); err != nil {
			return &failure{err: turn.Errorf(turn.CodeModel, "the program's answer is not a line of JSON").
				WithHint("--raw takes its output as the answer")}
		}
		switch {
		case a.Error != nil:
			return &failure{err: &turn.Error{Code: modelCode(a.Error.Code), Message: a.Error.Message, Hint: a.Error.Hint}}
		case a.Text == nil:
			if a.Delta != nil {
				streamed += len(*a.Delta)
				t.piece(*a.Delta)
			}
			continue
		}
		t.usage.Input, t.usage.Cached = t.usage.Input+a.Usage.Input, t.usage.Cached+a.Usage.Cached
		t.usage.Thinking, t.usage.Output = t.usage.Thinking+a.Usage.Thinking, t.usage.Output+a.Usage.Output
		t.text.Reset() // the whole counts, not its pieces
		t.text.WriteString(*a.Text)
		if streamed == 0 && t.delta != nil {
			t.delta(*a.Text)
		}
		switch {
		case a.Finish == "length":
			return truncated()
		case a.Finish != "stop":
			return &failure{err: turn.Errorf(turn.CodeModel, "the program's answer is incomplete (%s)", turn.Quote(a.Finish))}
		case strings.TrimSpace(*a.Text) == "":
			return &failure{err: turn.Errorf(turn.CodeModel, "the model's answer is empty")}
		}
		return nil
	}
}

// modelCode is a code that an error of a model may have.
func modelCode(code turn.Code) turn.Code {
	if code == turn.CodeQuota || code == turn.CodeInterrupted {
		return code
	}
	return turn.CodeModel
}

func (c *command) secret() string { return "" }

// validate finds nothing to ask.
func (c *command) validate(context.Context) *failure { return nil }
