package author

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"

	"paicode/cmd/pai-exec/internal/reply"
	"paicode/pkg/model"
	"paicode/pkg/protocol"
	"paicode/pkg/sibling"
	"paicode/pkg/turn"
)

// generator answers questions. It is started before the process locks itself in.
type generator interface {
	// ask puts a question. The reply comes with an error where it is cut. Errors are
	// errEnded, or of CodeModel, CodeQuota or CodeInterrupted.
	ask(ctx context.Context, r model.Request, hear model.Hear) (model.Reply, error)
	// stop ends it, and all that it started.
	stop()
}

// errEnded tells of a generator that answers no more questions.
var errEnded = errors.New("the generator ended without an answer")

// door is the generator if no other is named: pai-model.
type door struct {
	conn   *model.Conn
	own    *model.Door // nil: the connection was inherited
	choice model.Choice
}

// openDoor asks on a connection that was inherited, or for nil starts pai-model.
func openDoor(inherited *os.File, before []turn.Usage) (*door, error) {
	choice := model.Choice{Known: protocol.Lacks(before)}
	if inherited != nil {
		return &door{model.NewConn(inherited), nil, choice}, nil
	}
	own, err := model.Start(os.Stderr)
	if err != nil {
		return nil, err
	}
	f, err := own.Connect()
	if err != nil {
		own.Close()
		return nil, err
	}
	return &door{model.NewConn(f), own, choice}, nil
}

func (d *door) ask(ctx context.Context, r model.Request, hear model.Hear) (model.Reply, error) {
	reply, err := d.conn.Ask(ctx, d.choice, r, hear)
	if e := turn.AsError(err); e != nil {
		e.Code = protocol.Code(e.Code)
	}
	return reply, err
}

func (d *door) stop() {
	d.conn.Close()
	d.own.Close()
}

// maxReplyBytes bounds what a program may answer.
const maxReplyBytes = 16 << 20

// program is a generator of the person's own: a child process.
type program struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startProgram starts a shell command.
func startProgram(ctx context.Context, command string) (*program, error) {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	in, out, err := sibling.StartPiped(cmd)
	if err != nil {
		return nil, turn.Errorf(turn.CodeModel, "the generator can't be started: %s", err)
	}
	// What it started may hold the pipe open longer than it lives.
	context.AfterFunc(ctx, func() { out.Close() })
	return &program{cmd, in, bufio.NewReader(io.LimitReader(out, maxReplyBytes))}, nil
}

func (p *program) stop() {
	p.in.Close()
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // it may have ended
	_ = p.cmd.Wait()
}

func (p *program) ask(_ context.Context, r model.Request, hear model.Hear) (reply model.Reply, err error) {
	// one that ends without reading may have said why
	_ = protocol.Put(p.in, protocol.Question{Stage: r.Stage, System: r.System, Prompt: r.Prompt})
	a, err := protocol.Await(p.out, hear.Delta, hear.Notice)
	if a.Usage != nil {
		reply.Usage = *a.Usage
	}
	switch {
	case errors.Is(err, protocol.ErrEnded):
		return reply, errEnded
	case err != nil:
		return reply, turn.Errorf(turn.CodeModel, "the generator's answer is not a line of JSON in UTF-8")
	case a.Error != nil:
		return reply, a.Failure()
	case a.Finish != protocol.Stop && a.Finish != protocol.Length:
		return reply, turn.Errorf(turn.CodeModel, "the generator's answer is incomplete (%s)", turn.Quote(a.Finish))
	}
	reply.Text, reply.Cut = *a.Text, a.Finish == protocol.Length
	if reply.Cut {
		return reply, model.Truncated()
	}
	return reply, nil
}

// put puts a question to the generator, within the budget.
func (a *Author) put(ctx context.Context, q reply.Question, hear model.Hear) (model.Reply, error) {
	ask := func(ctx context.Context, r model.Request) (model.Reply, error) { return a.gen.ask(ctx, r, hear) }
	calls, tokens := turn.Spent(a.doc.Usage())
	budget := a.o.Budget
	budget.Calls, budget.TokensIn = calls, tokens
	return model.Limited(ask, budget)(ctx, model.Request{Stage: "pai-exec", System: q.System, Prompt: q.Prompt})
}
