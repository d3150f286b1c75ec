// Package sibling runs Pai's other commands.
package sibling

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"paicode/pkg/turn"
)

// Find returns the path of another command of Pai: the one that is
// beside this program, else the one on PATH. It fails with CodeInternal where
// there is neither.
func Find(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return beside, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", turn.Errorf(turn.CodeInternal, "the command %q is missing", name).
			WithHint("install it beside this program or in PATH; make install puts all six there")
	}
	return path, nil
}

// Project is what pai-exec looks at.
type Project struct {
	Root string   // empty: the current directory
	Send []string // files whose secrets a model may see
	Room int      // tokens that the workspace may have with all looks; 0: pai-exec's own measure
}

// observedTokens is what an observation has by itself, however much room there is.
const observedTokens = 8_000

// Args are pai-exec's options for it, before others.
func (p Project) Args(others ...string) (args []string) {
	for _, path := range p.Send {
		args = append(args, "--send="+path)
	}
	return RootArgs(p.Root, append(args, others...)...)
}

// Observe has pai-exec put what is to be seen for a document's request into it.
func (p Project) Observe(ctx context.Context, doc *turn.Document) error {
	p.Room = min(p.Room, observedTokens)
	w, err := p.observe(ctx, turn.New(doc.Request()), "", nil)
	if err == nil {
		doc.SetWorkspace(w)
	}
	return err
}

// Stands says what is at paths: one of the kinds of turn.Target each.
func (p Project) Stands(ctx context.Context, paths []string) (map[string]string, error) {
	w, err := p.observe(ctx, turn.New("what stands there"), "--stat", paths)
	if err != nil {
		return nil, err
	}
	kinds := make(map[string]string)
	for _, t := range w.Targets {
		kinds[t.Path] = t.Kind
	}
	return kinds, nil
}

// Look has what entries name put into the document's workspace.
func (p Project) Look(ctx context.Context, doc *turn.Document, entries []string) error {
	asked := turn.New(doc.Request())
	if w := doc.Workspace(); w != nil {
		asked.SetWorkspace(w)
	}
	w, err := p.observe(ctx, asked, "--look", entries)
	if err == nil {
		doc.SetWorkspace(w)
	}
	return err
}

// observe runs pai-exec --observe with one option for each value.
func (p Project) observe(ctx context.Context, doc *turn.Document, option string, values []string) (*turn.Workspace,
	error) {
	args := []string{"--observe"}
	for _, v := range values {
		args = append(args, option+"="+v)
	}
	if p.Room > 0 {
		args = append(args, fmt.Sprint("--context-tokens=", p.Room))
	}
	out, err := Runner{}.Run(ctx, doc, "pai-exec", p.Args(args...)...)
	switch {
	case err != nil:
		return nil, err
	case out.Error() != nil:
		return nil, out.Error()
	case out.Workspace() == nil:
		return nil, turn.Errorf(turn.CodeInternal, "pai-exec observed nothing")
	}
	return out.Workspace(), nil
}

// RootArgs puts --root before other arguments where one is named.
func RootArgs(root string, args ...string) []string {
	if root == "" {
		return args
	}
	return append([]string{"--root", root}, args...)
}

// Runner says how other commands are run. The zero Runner discards what they say.
type Runner struct {
	Stderr io.Writer // what they say on standard error; nil: nowhere
	Env    []string  // variables beside the process's own
	Files  []File    // that they inherit
}

// File is one that another command inherits, and the variable that names its descriptor there.
type File struct {
	Variable string
	File     *os.File
}

// Run pipes a document through another command and returns what comes out,
// whatever the exit code: a failure is in the document. The error tells
// that the command could not be run or printed no document.
func (r Runner) Run(ctx context.Context, doc *turn.Document, name string, args ...string) (*turn.Document, error) {
	path, err := Find(name)
	if err != nil {
		return nil, err
	}
	line, err := doc.MarshalJSON()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, append([]string{"--output", "json"}, args...)...)
	cmd.Stdin = bytes.NewReader(line)
	cmd.Stderr = r.Stderr
	cmd.Env = append(os.Environ(), r.Env...)
	const first = 3 // of the extra files
	for i, f := range r.Files {
		cmd.ExtraFiles = append(cmd.ExtraFiles, f.File)
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", f.Variable, first+i))
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = killDelay
	out, runErr := cmd.Output()
	result, err := turn.Read(out)
	if err == nil {
		return result, nil
	}
	if ctx.Err() != nil {
		return nil, turn.Errorf(turn.CodeInterrupted, "interrupted")
	}
	if runErr != nil {
		err = runErr
	}
	return nil, turn.Errorf(turn.CodeInternal, "%s printed no document: %s", name, err)
}

// Output runs another command on a document, or for nil with no standard input, and returns what it
// prints on standard output, and its exit code, which is above 0 if it failed and has said why on
// stderr.
func Output(ctx context.Context, doc *turn.Document, stderr io.Writer, name string, args ...string) (string, int,
	error) {
	path, err := Find(name)
	if err != nil {
		return "", 0, err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stderr = stderr
	if doc != nil {
		line, err := doc.MarshalJSON()
		if err != nil {
			return "", 0, err
		}
		cmd.Stdin = bytes.NewReader(line)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = killDelay
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(out), exit.ExitCode(), nil
	}
	return string(out), 0, err
}

// killDelay is how long an interrupted command may take to end.
const killDelay = 10 * time.Second

// Streams are a command's standard streams.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Passthrough runs another command with these streams and returns its exit
// code, which is above 0 if it failed and has said why.
func Passthrough(ctx context.Context, s Streams, name string, args ...string) (int, error) {
	path, err := Find(name)
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.In, s.Out, s.Err
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = killDelay
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// StartPiped starts a command that is told things and answers.
func StartPiped(cmd *exec.Cmd) (in io.WriteCloser, out io.ReadCloser, err error) {
	if in, err = cmd.StdinPipe(); err != nil {
		return nil, nil, err
	}
	if out, err = cmd.StdoutPipe(); err != nil {
		return nil, nil, err
	}
	return in, out, cmd.Start()
}
