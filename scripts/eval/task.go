package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// task is one as its directory has it.
type task struct {
	name, dir string
	requests  []string
	options   []string
	keeps     []string
	code      int
}

// load reads all tasks in a directory.
func load(dir string) (all []task, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		t, err := loadOne(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", e.Name(), err)
		}
		all = append(all, t)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no tasks in %s", dir)
	}
	return all, nil
}

func loadOne(dir string) (t task, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return t, err
	}
	t = task{name: filepath.Base(dir), dir: dir}
	request, err := os.ReadFile(filepath.Join(dir, "request"))
	if err != nil {
		return t, err
	}
	for _, r := range strings.Split(string(request), "\n---\n") {
		t.requests = append(t.requests, strings.TrimSpace(r))
	}
	if _, err := os.Stat(filepath.Join(dir, "check")); err != nil {
		return t, err
	}
	if t.options, err = lines(filepath.Join(dir, "options")); err != nil {
		return t, err
	}
	if t.keeps, err = lines(filepath.Join(dir, "keeps")); err != nil {
		return t, err
	}
	code, err := lines(filepath.Join(dir, "code"))
	if err == nil && len(code) > 0 {
		t.code, err = strconv.Atoi(code[0])
	}
	return t, err
}

// lines are those of a file that may be missing, without empty ones.
func lines(path string) (out []string, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			out = append(out, line)
		}
	}
	return out, err
}
