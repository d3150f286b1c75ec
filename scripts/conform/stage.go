package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"paicode/pkg/turn"
)

// stage is a filter of documents.
type stage struct {
	command string
	owns    []string
	wait    time.Duration
}

// check runs the stage on all documents in a directory, and on what isn't one, until it hangs.
func (s stage) check(dir string, r *report) error {
	documents, err := inputs(dir)
	if err != nil {
		return err
	}
	if _, code, _ := s.run([]byte(documents[0].text)); code == cannotRun || code == notFound {
		return fmt.Errorf("the shell can't run %q", s.command)
	}
	for _, in := range append(documents,
		input{"nothing is refused", "", nil},
		input{"text is refused", "add a power function\n", nil},
		input{"half a document is refused", `{"pai":"turn/1","request":"a`, nil},
		input{"a list is refused", `["turn/1"]`, nil},
	) {
		var err error
		if in.doc == nil {
			err = s.refuses(in.text)
		} else {
			err = s.one(in.doc, []byte(in.text))
		}
		r.note(in.name, err)
		if errors.Is(err, errHangs) {
			break
		}
	}
	return nil
}

// input is what a stage reads in one case; doc is nil where it is no document.
type input struct {
	name, text string
	doc        *turn.Document
}

// inputs are the documents in a directory, on one line and on several, and a large one.
func inputs(dir string) (all []input, err error) {
	paths, _ := filepath.Glob(filepath.Join(dir, "*.json")) // the pattern is sound
	if len(paths) == 0 {
		return nil, fmt.Errorf("no documents in %s", dir)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		doc, err := turn.Read(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if !bytes.HasPrefix(data, []byte(`{"pai"`)) {
			continue // a bare plan
		}
		lines, err := doc.Indented()
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		all = append(all, input{name, string(data), doc}, input{name + ", over several lines", string(lines), doc})
	}
	large := turn.New(strings.Repeat("日本 e\u0301 ", 200_000))
	data, err := large.MarshalJSON()
	return append(all, input{"a document of several megabytes", string(data), large}), err
}

// Exit codes of a shell for a command that isn't there, or can't be run.
const (
	cannotRun = 126
	notFound  = 127
)

// errHangs is of a case that took too long.
var errHangs = errors.New("it didn't end in time")

// run gives the stage an input; code is -1 if it ended otherwise than by exiting.
func (s stage) run(input []byte) (stdout []byte, code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), s.wait)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", s.command)
	cmd.Stdin, cmd.WaitDelay = bytes.NewReader(input), time.Second // Output keeps standard error in the error
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	stdout, err = cmd.Output()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // nothing that it began outlives it
	}
	if ctx.Err() != nil {
		return nil, -1, errHangs
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return nil, -1, err
	}
	return stdout, cmd.ProcessState.ExitCode(), nil
}

// one checks what comes of a document.
func (s stage) one(doc *turn.Document, data []byte) error {
	stdout, code, err := s.run(data)
	if err != nil {
		return err
	}
	out, err := turn.Read(stdout)
	if err != nil {
		return fmt.Errorf("standard output can't be read: %w", err)
	}
	before, after := doc.Error(), out.Error()
	switch {
	case before != nil && (after == nil || after.Code != before.Code):
		return errors.New("a document with an error isn't passed on with it")
	case after != nil && code != int(after.Exit()):
		return fmt.Errorf("exit code %d, but the error's code is %d", code, after.Code)
	case after == nil && code != 0 && code != int(out.Outcome()):
		return fmt.Errorf("exit code %d, and no error in the document", code)
	case after != nil && (after.Stage == "" || after.Message == ""):
		return errors.New("its error lacks stage or message")
	}
	return s.kept(data, stdout, before != nil)
}

// kept checks that what isn't the stage's is what it was, and where it was. An error of an
// earlier stage leaves nothing to be done.
func (s stage) kept(before, after []byte, failed bool) error {
	was, err := membersOf(before)
	if err != nil {
		return err
	}
	now, err := membersOf(after)
	if err != nil {
		return err
	}
	at := -1
	for _, m := range was {
		i := slices.IndexFunc(now, func(n member) bool { return n.name == m.name })
		if !failed && slices.Contains(s.owns, m.name) {
			continue
		}
		switch {
		case i < 0:
			return fmt.Errorf("member %q is gone", m.name)
		case !same(m.value, now[i].value):
			return fmt.Errorf("member %q isn't what it was", m.name)
		case i < at:
			return fmt.Errorf("member %q isn't where it was", m.name)
		}
		at = i
	}
	for _, n := range now {
		if slices.ContainsFunc(was, func(m member) bool { return m.name == n.name }) {
			continue
		}
		its := strings.HasPrefix(n.name, "x_") || n.name == "error" || slices.Contains(s.owns, n.name)
		if failed {
			return fmt.Errorf("member %q is new in a document with an error", n.name)
		}
		if !its {
			return fmt.Errorf("member %q is new: -owns %s says that it is the stage's", n.name, n.name)
		}
	}
	return nil
}

// member is one of a document, in its order.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf reads the members of an object.
func membersOf(data []byte) (out []member, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		out = append(out, member{fmt.Sprint(name), value})
	}
	return out, nil
}

// same compares JSON values with the order of their members; numbers by what they are, not by
// how they are spelled.
func same(a, b json.RawMessage) bool {
	x, y := json.NewDecoder(bytes.NewReader(a)), json.NewDecoder(bytes.NewReader(b))
	x.UseNumber()
	y.UseNumber()
	for {
		s, errS := x.Token()
		t, errT := y.Token()
		if errS != nil || errT != nil {
			return errS == io.EOF && errT == io.EOF
		}
		m, isM := s.(json.Number)
		n, isN := t.(json.Number)
		if isM && isN {
			p, okP := new(big.Rat).SetString(m.String())
			q, okQ := new(big.Rat).SetString(n.String())
			if !okP || !okQ || p.Cmp(q) != 0 {
				return false
			}
		} else if s != t {
			return false
		}
	}
}

// refuses checks that what is no document doesn't become one that could be applied.
func (s stage) refuses(input string) error {
	stdout, code, err := s.run([]byte(input))
	if err != nil {
		return err
	}
	if code == 0 {
		return errors.New("it exits with 0")
	}
	if len(bytes.TrimSpace(stdout)) == 0 {
		return nil
	}
	if doc, err := turn.Read(stdout); err != nil || doc.Error() == nil {
		return errors.New("it writes what is no document with an error")
	}
	return nil
}
