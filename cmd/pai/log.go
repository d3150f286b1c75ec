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

// sessionLog is the session's log, for people, and the documents of its turns,
// one a line. A nil sessionLog keeps nothing.
type sessionLog struct{ log, turns *os.File }

// openLog opens both beneath the root. Where that can't be, a warning is
// all: a turn is worth more than its log.
func openLog(root string) *sessionLog {
	if root == "" {
		root = "."
	}
	l, err := tryLog(root)
	if err != nil {
		fmt.Fprintf(os.Stderr, "pai: no session log: %s\n", err)
		return nil
	}
	wd, err := filepath.Abs(root)
	if err != nil {
		wd = root
	}
	l.line("SESSION STARTED")
	l.line("Working Directory: %s", turn.Shown(wd))
	l.line("Session ID: %s", strings.TrimSuffix(strings.TrimPrefix(l.log.Name(), "session_"), ".log"))
	return l
}

func tryLog(root string) (*sessionLog, error) {
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
	return &sessionLog{log, turns}, nil
}

func (l *sessionLog) close() {
	if l != nil {
		l.log.Close()
		l.turns.Close()
	}
}

// line writes one line, whatever the text holds.
func (l *sessionLog) line(format string, args ...any) {
	if l == nil {
		return
	}
	text := strings.ReplaceAll(strings.TrimRight(turn.Printable(fmt.Sprintf(format, args...)), "\n"), "\n", `\n`)
	fmt.Fprintf(l.log, "[%s] %s\n", time.Now().Format("2006-01-02 15:04:05"), text)
}

func (l *sessionLog) user(request string) { l.line("USER: %s", request) }

func (l *sessionLog) planning(doc *turn.Document) {
	l.line("AI PLANNING START: %s", doc.Intent().Acknowledgment)
}

func (l *sessionLog) planned(doc *turn.Document) {
	p := doc.Plan()
	if l == nil || p == nil || p.Analysis == nil || p.ExecutionPlan == nil {
		return
	}
	var files []string
	for _, list := range [][]string{p.Analysis.FilesToRead, p.Analysis.FilesToCreate, p.Analysis.FilesToModify} {
		files = append(files, list...)
	}
	l.line("AI PLANNING END: %s; files: %s", p.Analysis.UserIntent, strings.Join(files, ", "))
	l.line("EXECUTION PLAN (%d steps)", len(p.ExecutionPlan.Steps))
	for _, s := range p.ExecutionPlan.Steps {
		l.line("  %d. %s %s %s", s.Number, s.Action, s.Target, s.Description)
	}
}

// turn writes what came of a turn, and its document.
func (l *sessionLog) turn(doc *turn.Document) {
	if l == nil || doc == nil {
		return
	}
	l.execution(doc)
	result := "done"
	if e := doc.Error(); e != nil {
		result = "failed: " + e.Message
	} else if doc.Chat() {
		result = doc.Intent().Reply
	} else if exec := doc.Exec(); exec != nil && !exec.Applied {
		result = "not applied"
	}
	l.line("AI FINAL RESULT: %s", result)
	if s := doc.Suggestion(); s != nil {
		l.line("AI SUGGESTION: %s", s.Text)
	}
	if line, err := doc.MarshalJSON(); err == nil {
		_, _ = l.turns.Write(append(line, '\n'))
	}
}

func (l *sessionLog) execution(doc *turn.Document) {
	exec := doc.Exec()
	if exec == nil {
		return
	}
	l.line("AI EXECUTION START")
	for _, s := range exec.Steps {
		word := "FAILED"
		if s.Status == turn.StatusOK || s.Status == turn.StatusUnchanged {
			word = "SUCCESS"
		}
		l.line("  %d. %s: %s %s", s.Number, word, s.Status, s.Message)
		if s.Output != "" {
			l.line("OUTPUT: %s", s.Output)
		}
	}
	l.line("AI EXECUTION END: %d of %d steps", exec.Summary.OK, exec.Summary.Total)
}
