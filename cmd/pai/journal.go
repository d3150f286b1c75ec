package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"paicode/pkg/history"
	"paicode/pkg/turn"
)

// journal is the session's log, for people, and the documents of its turns,
// one a line. A nil journal keeps nothing.
type journal struct{ log, turns *os.File }

// openJournal opens both beneath the root. Where that can't be, a warning is
// all: a turn is worth more than its log.
func openJournal(root string) *journal {
	if root == "" {
		root = "."
	}
	j, err := tryJournal(root)
	if err != nil {
		fmt.Fprintf(os.Stderr, "pai: no session log: %s\n", err)
		return nil
	}
	wd, err := filepath.Abs(root)
	if err != nil {
		wd = root
	}
	j.line("SESSION STARTED")
	j.line("Working Directory: %s", turn.Shown(wd))
	j.line("Session ID: %s", strings.TrimSuffix(strings.TrimPrefix(j.log.Name(), "session_"), ".log"))
	return j
}

func tryJournal(root string) (*journal, error) {
	fd, err := unix.Open(root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	dir, err := history.Open(fd)
	if err != nil {
		return nil, err
	}
	defer unix.Close(dir)
	log, err := history.Append(dir, time.Now().Format("session_20060102_150405.log"))
	if err != nil {
		return nil, err
	}
	turns, err := history.Append(dir, "turns.jsonl")
	if err != nil {
		log.Close()
		return nil, err
	}
	return &journal{log, turns}, nil
}

func (j *journal) close() {
	if j != nil {
		j.log.Close()
		j.turns.Close()
	}
}

// line writes one line, whatever the text holds.
func (j *journal) line(format string, args ...any) {
	if j == nil {
		return
	}
	text := strings.ReplaceAll(strings.TrimRight(turn.Printable(fmt.Sprintf(format, args...)), "\n"), "\n", `\n`)
	fmt.Fprintf(j.log, "[%s] %s\n", time.Now().Format("2006-01-02 15:04:05"), text)
}

func (j *journal) user(request string) { j.line("USER: %s", request) }

func (j *journal) planning(doc *turn.Document) {
	j.line("AI PLANNING START: %s", doc.Intent().Acknowledgment)
}

func (j *journal) planned(doc *turn.Document) {
	p := doc.Plan()
	if j == nil || p == nil || p.Analysis == nil {
		return
	}
	var files []string
	for _, list := range [][]string{p.Analysis.FilesToRead, p.Analysis.FilesToCreate, p.Analysis.FilesToModify} {
		files = append(files, list...)
	}
	j.line("AI PLANNING END: %s; files: %s", p.Analysis.UserIntent, strings.Join(files, ", "))
	j.line("EXECUTION PLAN (%d steps)", len(p.ExecutionPlan.Steps))
	for _, s := range p.ExecutionPlan.Steps {
		j.line("  %d. %s %s %s", s.Number, s.Action, s.Target, s.Description)
	}
}

// turn writes what came of a turn, and its document.
func (j *journal) turn(doc *turn.Document) {
	if j == nil || doc == nil {
		return
	}
	j.execution(doc)
	result := "done"
	if e := doc.Error(); e != nil {
		result = "failed: " + e.Message
	} else if doc.Chat() {
		result = doc.Intent().Reply
	} else if exec := doc.Exec(); exec != nil && !exec.Applied {
		result = "not applied"
	}
	j.line("AI FINAL RESULT: %s", result)
	if s := doc.Suggestion(); s != nil {
		j.line("AI SUGGESTION: %s", s.Text)
	}
	if line, err := doc.MarshalJSON(); err == nil {
		j.turns.Write(append(line, '\n'))
	}
}

func (j *journal) execution(doc *turn.Document) {
	exec := doc.Exec()
	if exec == nil {
		return
	}
	j.line("AI EXECUTION START")
	for _, s := range exec.Steps {
		word := "FAILED"
		if s.Status == turn.StatusOK || s.Status == turn.StatusUnchanged {
			word = "SUCCESS"
		}
		j.line("  %d. %s: %s %s", s.Number, word, s.Status, s.Message)
		if s.Output != "" {
			j.line("OUTPUT: %s", s.Output)
		}
	}
	j.line("AI EXECUTION END: %d of %d steps", exec.Summary.OK, exec.Summary.Total)
}
