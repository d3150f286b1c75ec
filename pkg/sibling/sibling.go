// Package sibling runs Pai's other commands.
package sibling

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"paicode/pkg/turn"
)

// Find returns the path of another command of Pai: the one that lies
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
			WithHint("it belongs beside this program or on PATH; make install puts all five there")
	}
	return path, nil
}

// Observe has pai-exec look at the files beneath a root for a document's
// request; an empty root is the current directory.
func Observe(ctx context.Context, root string, doc *turn.Document) (*turn.Workspace, error) {
	out, err := Run(ctx, turn.New(doc.Request()), "pai-exec", rootArgs(root, "--observe")...)
	if err != nil {
		return nil, err
	}
	if e := out.Error(); e != nil {
		return nil, e
	}
	w := out.Workspace()
	if w == nil {
		return nil, turn.Errorf(turn.CodeInternal, "pai-exec observed nothing")
	}
	return w, nil
}

// rootArgs puts --root before other arguments where one is named.
func rootArgs(root string, args ...string) []string {
	if root == "" {
		return args
	}
	return append([]string{"--root", root}, args...)
}

// Run pipes a document through another command and returns what comes
// out, whatever the exit code: a failure stands in the document. The error
// tells that the command could not be run or printed no document. What it
// says on standard error stays unsaid, since the document says it too.
func Run(ctx context.Context, doc *turn.Document, name string, args ...string) (*turn.Document, error) {
	path, err := Find(name)
	if err != nil {
		return nil, err
	}
	line, err := doc.MarshalJSON()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin = bytes.NewReader(line)
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, runErr := cmd.Output()
	result, err := turn.Read(out)
	if err != nil {
		if runErr == nil {
			runErr = err
		}
		return nil, turn.Errorf(turn.CodeInternal, "%s failed: %s", name, runErr).WithHint("%s", firstLine(said.String()))
	}
	return result, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
