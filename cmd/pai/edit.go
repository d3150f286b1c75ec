package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"paicode/pkg/history"
	"paicode/pkg/turn"
)

// editText has the person edit a text in their own editor.
func (p *asker) editText(ctx context.Context, text string) (string, error) {
	return p.editFile(ctx, "request.md", text, 0)
}

// editFile has the person edit a text, as a file of that name, in $VISUAL or $EDITOR; the
// cursor begins in a line, if that is above 0 and the editor is one that is known to be told so.
func (p *asker) editFile(ctx context.Context, name, text string, at int) (string, error) {
	editor := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"))
	if strings.TrimSpace(editor) == "" {
		return "", turn.Errorf(turn.CodeUsage, "no editor: VISUAL and EDITOR are not set")
	}
	dir, err := os.MkdirTemp("", "pai-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", err
	}
	args := []string{file}
	if program := filepath.Base(strings.Fields(editor)[0]); at > 0 && knowsLines(program) {
		args = []string{fmt.Sprintf("+%d", at), file}
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", editor + ` "$@"`, "sh"}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.In, p.Out, p.Err
	if err := cmd.Run(); err != nil {
		return "", turn.Errorf(turn.CodeInternal, "the editor %s failed: %s", turn.Quote(editor), err)
	}
	edited, err := history.ReadLimited(file, turn.MaxBytes)
	return turn.CleanText(edited), err
}

// knowsLines tells of an editor that takes +N before a file.
func knowsLines(program string) bool {
	switch program {
	case "vi", "vim", "nvim", "view", "nano", "emacs", "emacsclient", "micro", "kak", "joe", "pico", "mg", "jed":
		return true
	}
	return false
}

// runPager shows a text in $PAGER, or in less; false if there is none.
func (p *asker) runPager(ctx context.Context, text string) bool {
	pager := os.Getenv("PAGER")
	if pager == "" {
		if _, err := exec.LookPath("less"); err != nil {
			return false
		}
		pager = "less"
	}
	p.release()
	defer p.hold()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", pager)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), p.Out, p.Err
	cmd.Env = os.Environ()
	if os.Getenv("LESS") == "" {
		cmd.Env = append(cmd.Env, "LESS=FRX") // colours, and no longer than needed: as git does
	}
	return cmd.Run() == nil
}
