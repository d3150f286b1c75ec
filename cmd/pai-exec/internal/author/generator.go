package author

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
	"syscall"

	"paicode/pkg/generate"
	"paicode/pkg/protocol"
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
// budget. The latter may be attached to something of ours, the former inherits nothing.
func startGenerator(ctx context.Context, command string, before []turn.Usage, attach func(*exec.Cmd)) (*generator, error) {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	if command == "" {
		pai, err := sibling.Find("pai")
		if err != nil {
			return nil, err
		}
		cmd = exec.CommandContext(ctx, pai, "generate")
	}
	calls, tokens := turn.Spent(before)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", protocol.UsedCalls, calls), fmt.Sprintf("%s=%d", protocol.UsedTokensIn, tokens))
	if lacks := protocol.EncodeLacks(append(protocol.DecodeLacks(os.Getenv(protocol.KnownLacks)), before...)); lacks != "" {
		cmd.Env = append(cmd.Env, protocol.KnownLacks+"="+lacks)
	}
	if command == "" {
		attach(cmd)
	}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	in, out, err := sibling.StartPiped(cmd)
	if err != nil {
		return nil, turn.Errorf(turn.CodeModel, "the generator can't be started: %s", err)
	}
	// What it started may hold the pipe open longer than it lives.
	context.AfterFunc(ctx, func() { out.Close() })
	return &generator{cmd, in, bufio.NewReader(io.LimitReader(out, maxReplyBytes))}, nil
}

// stop ends the generator and all that it started.
func (g *generator) stop() {
	if g == nil {
		return
	}
	g.in.Close()
	_ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) // it may have ended
	_ = g.cmd.Wait()
}

// errEnded tells of a generator that answers no more questions.
var errEnded = errors.New("the generator ended without an answer")

// ask puts a question and waits for the answer, of which each piece goes to
// delta as it comes. cut tells that it reached the limit of tokens. Errors are
// the generator's own, errEnded, or of CodeModel.
func (g *generator) ask(q generate.Question, delta func(string)) (reply string, cut bool, usage turn.Usage, err error) {
	line, err := json.Marshal(protocol.Question{Stage: "pai-exec", System: q.System, Prompt: q.Prompt})
	if err != nil {
		return "", false, usage, err
	}
	_, _ = g.in.Write(append(line, '\n')) // one that ends without reading may have said why
	for {
		line, err := g.out.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) == 0 && err != nil {
			return "", false, usage, errEnded
		} else if len(line) == 0 {
			continue
		}
		a, err := protocol.Read(line)
		if err != nil {
			return "", false, usage, turn.Errorf(turn.CodeModel, "the generator's answer is not a line of JSON in UTF-8")
		}
		if a.Usage != nil {
			usage = *a.Usage
		}
		switch {
		case a.Error != nil:
			return "", false, usage, a.Failure()
		case a.Text == nil && a.Delta != nil:
			delta(*a.Delta)
			continue
		case a.Text == nil:
			continue // a line that later versions may know
		case a.Finish != protocol.Stop && a.Finish != protocol.Length:
			return "", false, usage, turn.Errorf(turn.CodeModel, "the generator's answer is incomplete (%s)", turn.Quote(a.Finish))
		}
		return *a.Text, a.Finish == protocol.Length, usage, nil
	}
}
