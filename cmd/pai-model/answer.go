package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-model/internal/provider"
	"paicode/pkg/filter"
	"paicode/pkg/model"
	"paicode/pkg/protocol"
	"paicode/pkg/turn"
)

// maxQuestionBytes bounds one line of questions.
const maxQuestionBytes = 64 << 20

// door answers askers, each on a connection of its own.
type door struct {
	options provider.Options // for questions that don't say otherwise
	keep    keep
	closed  error // why no question can be answered; nil: they can

	mu     sync.Mutex
	learnt []protocol.Lack // by the questions so far, of all askers
}

// asker is who asks on one connection, a question at a time.
type asker struct {
	door   *door
	in     *bufio.Reader
	out    io.Writer
	notice func(string)              // nil: notices are lines of the answer
	models map[string]provider.Model // by what questions say of them
	id     json.RawMessage           // of the question that is being answered
}

// answerStdin answers the questions on standard input until it ends. Notices go to standard
// error there: people read it.
func (d *door) answerStdin(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go hungUp(int(os.Stdout.Fd()), cancel)
	return d.answer(ctx, &asker{in: bufio.NewReader(in), out: out, notice: d.options.Notice})
}

// answer answers an asker until there are no more questions. Errors are of CodeUsage, for a
// line that is no question, and of CodeInternal, where an answer can't be written.
func (d *door) answer(ctx context.Context, a *asker) error {
	a.door, a.models = d, make(map[string]provider.Model)
	for {
		line, err := readLine(a.in)
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
		if err := a.respond(ctx, q); err != nil {
			return err
		}
	}
}

// hungUp waits until nobody reads any more what is written to a pipe or a socket, and calls
// gone then. To other files it never happens.
func hungUp(fd int, gone func()) {
	fds := []unix.PollFd{{Fd: int32(fd)}} // no events: only errors and hang-ups
	for {
		n, err := unix.Poll(fds, -1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		if n > 0 {
			gone()
			return
		}
	}
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
		case err == io.EOF && len(bytes.TrimSpace(line)) > 0:
			return line, nil
		case err == nil && len(bytes.TrimSpace(line)) == 0:
			line = nil
			continue
		}
		return line, err
	}
}

// respond answers one question; the error is that of writing.
func (a *asker) respond(ctx context.Context, q protocol.Question) error {
	a.id = q.ID
	m, err := a.model(q)
	if err = cmp.Or(a.door.closed, err); err != nil {
		return a.write(protocol.Answer{Error: turn.AsError(err)})
	}
	r := model.Request{Stage: q.Stage, System: q.System, Prompt: q.Prompt, Schema: q.Schema,
		MaxOutputTokens: q.MaxOutputTokens, TokensLeft: q.TokensLeft}
	var delta func(string)
	if q.ID != nil {
		delta = func(text string) { _ = a.write(protocol.Answer{Delta: &text}) }
	}
	reply, err := m.Ask(ctx, r, delta)
	a.door.learn(reply.Usage)
	switch {
	case reply.Cut:
		return a.write(protocol.Answer{Text: &reply.Text, Usage: &reply.Usage, Finish: protocol.Length})
	case err != nil:
		return a.write(protocol.Answer{Error: turn.AsError(err), Usage: &reply.Usage})
	}
	return a.write(protocol.Answer{Text: &reply.Text, Usage: &reply.Usage, Finish: protocol.Stop})
}

func (a *asker) write(answer protocol.Answer) error {
	answer.ID = a.id
	return filter.Unwritten(a.out.Write(turn.Line(answer)))
}

// model is the one that a question is for. It is opened once for all questions of the asker
// that say the same of it.
func (a *asker) model(q protocol.Question) (provider.Model, error) {
	key := string(turn.Line(protocol.Question{Model: q.Model, Temperature: q.Temperature, Thinking: q.Thinking}))
	if m := a.models[key]; m != nil {
		return m, nil
	}
	o := a.door.options
	o.Name, o.Thinking, o.Temperature = cmp.Or(q.Model, o.Name), cmp.Or(q.Thinking, o.Thinking),
		cmp.Or(q.Temperature, o.Temperature)
	o.Known = append(a.door.known(), q.Known...)
	if o.Notice = a.notice; o.Notice == nil {
		o.Notice = func(text string) { _ = a.write(protocol.Answer{Notice: text}) }
	}
	if model.RunsProgram(o.Name) && !model.RunsProgram(a.door.options.Name) {
		return nil, turn.Errorf(turn.CodeUsage, "the model %s is a program, and this pai-model may start no program",
			turn.Quote(o.Name)).
			WithHint("--model or PAI_MODEL names it from the beginning")
	}
	m, err := a.door.keep.open(o)
	if err == nil {
		a.models[key] = m
	}
	return m, err
}

// learn keeps what a question found out about its server.
func (d *door) learn(u turn.Usage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.learnt = append(d.learnt, protocol.Lacks([]turn.Usage{u})...)
}

func (d *door) known() []protocol.Lack {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]protocol.Lack(nil), d.learnt...)
}
