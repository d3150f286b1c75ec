package provider

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

	"paicode/pkg/model"
	"paicode/pkg/protocol"
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
		return nil, turn.Errorf(turn.CodeUsage, "unknown model %s", turn.Quote(o.Name)).
			WithHint("cmd:PROGRAM names a shell command")
	}
	return &command{program, o.Raw}, nil
}

func (c *command) ask(t *attempt, r model.Request) *failure {
	question := plainQuestion(r)
	if !c.raw {
		line, err := json.Marshal(protocol.Question{Stage: r.Stage, System: r.System, Prompt: r.Prompt, Schema: r.Schema,
			MaxOutputTokens: r.MaxOutputTokens})
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
	if err != nil {
		return &failure{err: turn.Errorf(turn.CodeModel, "%s can't be started: %s", turn.Quote(c.program), err)}
	}
	context.AfterFunc(t.ctx, func() { out.Close() })
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
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && !answered && t.ctx.Err() == nil &&
		(f == nil || f.cause == noAnswer) {
		return c.exited(exit.ExitCode())
	}
	return f
}

// plainQuestion is a question without protocol.
func plainQuestion(r model.Request) string {
	var b strings.Builder
	if r.System != "" {
		fmt.Fprintf(&b, "%s\n\n", r.System)
	}
	b.WriteString(r.Prompt)
	if r.Schema != nil {
		b.WriteString(schemaWords(r.Schema))
	}
	return b.String()
}

// noAnswer is the cause of a program that ended without one.
const noAnswer = "no answer"

func ended() *failure {
	return &failure{cause: noAnswer, err: turn.Errorf(turn.CodeModel, "the program ended without an answer").
		WithHint("its message is above")}
}

// exited says what a program's exit code means: Pai's own codes are understood.
func (c *command) exited(code int) *failure {
	return &failure{err: turn.Errorf(protocol.Code(turn.Code(code)), "%s ended with exit code %d", turn.Quote(c.program),
		code).
		WithHint("its message is above")}
}

// readRaw takes everything as the answer.
func readRaw(t *attempt, out io.Reader) *failure {
	buffer := make([]byte, 32<<10)
	for {
		n, err := out.Read(buffer)
		if n > 0 {
			t.piece(string(buffer[:n]))
		}
		if t.ctx.Err() != nil {
			return &failure{err: turn.Errorf(turn.CodeModel, "the question was cancelled")}
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
func readLines(t *attempt, out io.Reader) *failure {
	in := bufio.NewReader(io.LimitReader(out, 4*maxAnswerBytes))
	streamed := 0
	for {
		line, err := in.ReadBytes('\n')
		if t.ctx.Err() != nil {
			return &failure{err: turn.Errorf(turn.CodeModel, "the question was cancelled")}
		}
		if err != nil && len(bytes.TrimSpace(line)) == 0 {
			return ended()
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		a, err := protocol.Read(line)
		if err != nil {
			return &failure{err: turn.Errorf(turn.CodeModel, "the program's answer is not a line of JSON").
				WithHint("--raw takes its output as the answer")}
		}
		switch {
		case a.Error != nil:
			return &failure{err: a.Failure()}
		case a.Text == nil:
			if a.Delta != nil {
				streamed += len(*a.Delta)
				t.piece(*a.Delta)
			}
			continue
		}
		return t.complete(a, streamed > 0)
	}
}

// complete takes the last line of an answer.
func (t *attempt) complete(a protocol.Answer, streamed bool) *failure {
	if u := a.Usage; u != nil {
		count(t.usage, u.Input, u.Cached, u.Thinking, u.Output)
	}
	t.text.Reset() // the whole counts, not its pieces
	t.text.WriteString(*a.Text)
	if !streamed && t.delta != nil {
		t.delta(*a.Text)
	}
	switch {
	case a.Finish == protocol.Length:
		return truncated()
	case a.Finish != protocol.Stop:
		return &failure{err: turn.Errorf(turn.CodeModel, "the program's answer is incomplete (%s)", turn.Quote(a.Finish))}
	case strings.TrimSpace(*a.Text) == "":
		return &failure{err: emptied().err} // a program says the same again
	}
	return nil
}

func (c *command) secret() string { return "" }

// list finds nothing to ask for: a program is one model.
func (c *command) list(context.Context) ([]Listed, *failure) { return nil, nil }
