package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"paicode/pkg/turn"
)

// eval runs tasks with options of pai's.
type eval struct {
	options, env []string
	wait         time.Duration // for pai, a setup and a check each
}

// result is one run. Kept is that what had to stay did; it and Formed are nil where there was
// nothing to keep, and nothing to write.
type result struct {
	Task      string          `json:"task"`
	Request   string          `json:"request"`
	Done      bool            `json:"done"`
	Code      int             `json:"code"`
	Seconds   float64         `json:"seconds"` // of pai, the model's time included
	Steps     int             `json:"steps"`
	Questions int             `json:"questions"`
	TokensIn  int             `json:"tokens_in"`
	TokensOut int             `json:"tokens_out"` // with those of thinking
	Formed    *bool           `json:"formed,omitempty"`
	Kept      *bool           `json:"kept,omitempty"`
	Message   string          `json:"message,omitempty"` // of the error, or what the check printed
	Document  json.RawMessage `json:"document,omitempty"`
}

// all does each task so many times, some at once, and returns the runs in order.
func (e eval) all(tasks []task, runs, jobs int) ([]result, error) {
	results, errs := make([]result, len(tasks)*runs), make([]error, len(tasks)*runs)
	var wait sync.WaitGroup
	free := make(chan struct{}, max(jobs, 1))
	for i := range results {
		free <- struct{}{}
		wait.Go(func() {
			results[i], errs[i] = e.one(tasks[i/runs], i%runs)
			<-free
		})
	}
	wait.Wait()
	return results, errors.Join(errs...)
}

// one does a task in a directory of its own.
func (e eval) one(t task, number int) (r result, err error) {
	above, err := os.MkdirTemp("", "pai-eval-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(above)
	root, document := filepath.Join(above, "project"), filepath.Join(above, "document.json")
	if err := os.Mkdir(root, 0o755); err != nil {
		return r, err
	}
	if err := os.CopyFS(root, os.DirFS(filepath.Join(t.dir, "start"))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	if out, err := e.shell(t, root, "setup"); err != nil {
		return r, fmt.Errorf("setup of %s: %w\n%s", t.name, err, out)
	}
	before, err := hashes(root, t.keeps)
	if err != nil {
		return r, err
	}
	r = result{Task: t.name, Request: t.requests[number%len(t.requests)]}
	if err := e.pai(t, &r, root, document); err != nil {
		return r, err
	}
	after, err := hashes(root, t.keeps)
	if err != nil {
		return r, err
	}
	if len(t.keeps) > 0 {
		kept := slices.Equal(before, after)
		r.Kept = &kept
	}
	out, err := e.shell(t, root, "check", "REQUEST="+r.Request, fmt.Sprintf("CODE=%d", r.Code), "DOCUMENT="+document)
	if err != nil && r.Message == "" {
		r.Message = turn.Printable(string(bytes.TrimSpace(out)))
	}
	r.Done = err == nil && r.Code == t.code && r.Document != nil && (r.Kept == nil || *r.Kept)
	return r, nil
}

// pai does the request, and counts.
func (e eval) pai(t task, r *result, root, document string) error {
	args := append(append([]string{"--root", root, "--yes", "--output", "json"}, t.options...), e.options...)
	cmd, cancel := e.command("pai", append(args, "--", r.Request)...)
	defer cancel()
	began := time.Now()
	out, err := cmd.Output()
	r.Seconds = time.Since(began).Seconds()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return err
	}
	r.Code = cmd.ProcessState.ExitCode()
	if err := os.WriteFile(document, out, 0o600); err != nil {
		return err
	}
	doc, err := turn.Read(out)
	if err != nil {
		r.Message = err.Error()
		return nil
	}
	r.Document = bytes.TrimSpace(out)
	if e := doc.Error(); e != nil {
		r.Message = e.Message
	}
	if p := doc.Plan(); p != nil && p.ExecutionPlan != nil {
		r.Steps = len(p.ExecutionPlan.Steps)
	}
	for _, u := range doc.Usage() {
		r.Questions++
		r.TokensIn += u.Input
		r.TokensOut += u.Output + u.Thinking
	}
	if exec := doc.Exec(); exec != nil && len(exec.Phases) > 0 {
		formed := len(exec.Phases[0].Problems) == 0
		r.Formed = &formed
	}
	return nil
}

// shell runs a script of a task in the tree; one that it lacks succeeds.
func (e eval) shell(t task, root, name string, env ...string) ([]byte, error) {
	script := filepath.Join(t.dir, name)
	if _, err := os.Stat(script); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	cmd, cancel := e.command("/bin/sh", script)
	defer cancel()
	cmd.Dir, cmd.Env = root, slices.Concat(e.env, []string{"TASK=" + t.dir}, env)
	return cmd.CombinedOutput()
}

// command ends with all that it began when its time is over.
func (e eval) command(name string, args ...string) (*exec.Cmd, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), e.wait)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env, cmd.WaitDelay, cmd.SysProcAttr = e.env, time.Second, &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd, cancel
}

// hashes are those of all that some paths hold, Pai's own directory aside.
func hashes(root string, paths []string) (out []string, err error) {
	for _, p := range paths {
		err = errors.Join(err, filepath.WalkDir(filepath.Join(root, p), func(path string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				out = append(out, path+" is gone")
				return nil
			case err != nil:
				return err
			case d.IsDir() && d.Name() == turn.HistoryDir:
				return filepath.SkipDir
			case d.IsDir():
				out = append(out, path)
				return nil
			}
			data, err := os.ReadFile(path)
			out = append(out, fmt.Sprintf("%s %x", path, sha256.Sum256(data)))
			return err
		}))
	}
	return out, err
}

// writeAll keeps the runs, a JSON object a line.
func writeAll(path string, results []result) error {
	var b bytes.Buffer
	for _, r := range results {
		b.Write(turn.Line(r))
	}
	return os.WriteFile(path, b.Bytes(), 0o600)
}
