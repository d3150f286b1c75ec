package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"paicode/pkg/protocol"
	"paicode/pkg/sibling"
	"paicode/pkg/turn"
)

// generator is a program that answers questions.
type generator struct {
	command string
	wait    time.Duration
}

// check asks one process three questions, as pai-exec does with phases, and ends it.
func (g generator) check(r *report) {
	cmd := exec.Command("/bin/sh", "-c", g.command)
	cmd.Stderr, cmd.SysProcAttr = os.Stderr, &syscall.SysProcAttr{Setpgid: true}
	in, stdout, err := sibling.StartPiped(cmd)
	r.note("it starts", err)
	if err != nil {
		return
	}
	timer := time.AfterFunc(g.wait, func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		stdout.Close() // somebody else may hold the other end
	})
	defer timer.Stop()
	defer func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }()
	out := bufio.NewReader(stdout)
	for _, q := range []struct{ name, question string }{
		{"a question is answered", question("Say ok.")},
		{"a second one in the same process, of 1 MB",
			question("Say ok.\n日本 e\u0301 \" \\ </script>" + strings.Repeat("\nx = 1", 170_000))},
		{"a third one, with a member that is new", strings.Replace(question("Say ok."), "{", `{"x_later":{"a":[1]},`, 1)},
	} {
		timer.Reset(g.wait)
		_, err := io.WriteString(in, q.question+"\n")
		if err == nil {
			err = answer(out)
		}
		r.note(q.name, err)
		if err != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			break
		}
	}
	if err := in.Close(); err != nil {
		r.note("its standard input is closed", err)
	}
	timer.Reset(g.wait)
	rest, _ := io.ReadAll(out) // what was read before an error counts
	err = cmd.Wait()
	if len(bytes.TrimSpace(rest)) > 0 {
		err = fmt.Errorf("it writes %s after its answers", turn.Quote(string(rest)))
	}
	r.note("it ends with its questions, with exit code 0", err)
}

func question(prompt string) string {
	line, err := json.Marshal(protocol.Question{Stage: "pai-exec", System: "You are asked by a conformance check.",
		Prompt: prompt})
	if err != nil {
		panic(err) // plain data always encodes
	}
	return string(line)
}

// answer reads deltas up to a text or an error, and checks each line.
func answer(out *bufio.Reader) error {
	for {
		line, err := out.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("no whole line of an answer came: %w", err)
		}
		done, err := lineOf(line)
		if err != nil {
			return fmt.Errorf("%w: %s", err, turn.Quote(string(line)))
		}
		if done {
			return nil
		}
	}
}

// lineOf checks one line; done is that the answer ends with it.
func lineOf(line []byte) (done bool, err error) {
	a, err := protocol.Read(line)
	if err != nil {
		return false, err
	}
	kinds := 0
	for _, there := range []bool{a.Delta != nil, a.Text != nil, a.Error != nil} {
		if there {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return false, errors.New("a line has one of delta, text and error")
	case a.Text != nil && !slices.Contains([]string{protocol.Stop, protocol.Length, "blocked"}, a.Finish):
		return false, errors.New("finish is stop, length or blocked")
	case a.Text != nil && a.Finish == protocol.Stop && strings.TrimSpace(*a.Text) == "":
		return false, errors.New("an empty text is an error, not an answer")
	case a.Error != nil && a.Error.Message == "":
		return false, errors.New("an error has a message")
	case a.Error != nil && protocol.Code(a.Error.Code) != a.Error.Code:
		return false, fmt.Errorf("an error's code is %d, %d or %d", turn.CodeModel, turn.CodeQuota, turn.CodeInterrupted)
	}
	return a.Delta == nil, nil
}
