// Package logbook keeps what was done in a project, in Pai's own directory there: a log for
// people, and the documents of the turns, one a line. What is read from it is not trusted: a
// clone may have brought it along.
package logbook

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"paicode/pkg/history"
	"paicode/pkg/turn"
)

// Variable tells pai-exec that whoever runs it keeps the log.
const Variable = "PAI_LOGGED"

const (
	turnsFile = "turns.jsonl"
	// olderFile is where the documents go when there are too many of them.
	olderFile = "turns.old.jsonl"
	// maxTurnsBytes is when that is.
	maxTurnsBytes = 32 << 20
)

// Book is the log of one session, and the documents of its turns. A nil Book keeps nothing.
type Book struct {
	log, turns *os.File
	id         string
}

// Open begins a session's log under a root. Where that can't be, the error says why; a turn is
// worth more than its log.
func Open(root string) (*Book, error) {
	dir, err := openDir(root, history.Open)
	if err != nil {
		return nil, err
	}
	defer unix.Close(dir)
	b := &Book{id: time.Now().Format("20060102_150405")}
	if b.log, err = history.Append(dir, "session_"+b.id+".log"); err != nil {
		return nil, err
	}
	if b.turns, err = openTurns(dir); err != nil {
		b.log.Close()
		return nil, err
	}
	wd, err := filepath.Abs(root)
	if err != nil {
		wd = root
	}
	b.line("SESSION STARTED")
	b.line("Working Directory: %s", turn.Shown(wd))
	b.line("Session ID: %s", b.id)
	return b, nil
}

// openDir opens Pai's own directory under a root.
func openDir(root string, open func(root int) (int, error)) (int, error) {
	if root == "" {
		root = "."
	}
	fd, err := unix.Open(root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(fd)
	return open(fd)
}

// openTurns opens the documents to write at their end; too many are put aside.
func openTurns(dir int) (*os.File, error) {
	f, err := history.Append(dir, turnsFile)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.Size() < maxTurnsBytes {
		return f, err
	}
	f.Close()
	if err := unix.Renameat(dir, turnsFile, dir, olderFile); err != nil {
		return nil, err
	}
	return history.Append(dir, turnsFile)
}

// Close ends it.
func (b *Book) Close() {
	if b != nil {
		b.log.Close()
		b.turns.Close()
	}
}

// line writes one line, whatever the text holds.
func (b *Book) line(format string, args ...any) {
	if b == nil {
		return
	}
	text := strings.ReplaceAll(strings.TrimRight(turn.Printable(fmt.Sprintf(format, args...)), "\n"), "\n", `\n`)
	fmt.Fprintf(b.log, "[%s] %s\n", time.Now().Format("2006-01-02 15:04:05"), text)
}

// User notes what a person asked for.
func (b *Book) User(request string) { b.line("USER: %s", request) }

// Planning notes that a plan is being made.
func (b *Book) Planning(doc *turn.Document) {
	b.line("AI PLANNING START: %s", doc.Intent().Acknowledgment)
}

// Planned notes the plan.
func (b *Book) Planned(doc *turn.Document) {
	p := doc.Plan()
	if b == nil || p == nil || p.Analysis == nil || p.ExecutionPlan == nil {
		return
	}
	var files []string
	for _, list := range [][]string{p.Analysis.FilesToRead, p.Analysis.FilesToCreate, p.Analysis.FilesToModify} {
		files = append(files, list...)
	}
	b.line("AI PLANNING END: %s; files: %s", p.Analysis.UserIntent, strings.Join(files, ", "))
	b.line("EXECUTION PLAN (%d steps)", len(p.ExecutionPlan.Steps))
	for _, s := range p.ExecutionPlan.Steps {
		b.line("  %d. %s %s", s.Number, action(s), s.Description)
	}
}

// action is a step's action on its target.
func action(s turn.Step) string {
	text := strings.TrimSpace(s.Action + " " + s.Target)
	if s.Destination != "" {
		text += " to " + s.Destination
	}
	return text
}

// Turn notes what came of a turn, and keeps its document.
func (b *Book) Turn(doc *turn.Document) {
	if b == nil || doc == nil {
		return
	}
	b.execution(doc)
	b.line("AI FINAL RESULT: %s", Result(doc))
	if s := doc.Suggestion(); s != nil {
		b.line("AI SUGGESTION: %s", s.Text)
	}
	line, err := doc.MarshalJSON()
	if err == nil {
		line = fmt.Appendf(bytes.TrimSuffix(line, []byte("}")), `,"%s":%q,"%s":%q}`+"\n", timeMember, time.Now().UTC().
			Format(time.RFC3339), sessionMember, b.id)
		_, _ = b.turns.Write(line) // a full disk keeps no log
	}
}

// The members that a document has in the log beside its own.
const (
	timeMember    = "x_time"
	sessionMember = "x_session"
)

// Result is how a turn ended, in a few words.
func Result(doc *turn.Document) string {
	exec, made := doc.Exec(), doc.Plan()
	switch e := doc.Error(); {
	case e != nil:
		return "failed: " + e.Message
	case doc.Chat():
		return doc.Intent().Reply
	case made != nil && made.Question != "":
		return "asked: " + made.Question
	case exec != nil && !exec.Applied:
		return "not applied"
	case exec != nil && exec.Check != nil && exec.Check.Run && exec.Check.Passed:
		return "applied, checked"
	case exec != nil:
		return "applied"
	}
	return "done"
}

// execution notes what became of each step.
func (b *Book) execution(doc *turn.Document) {
	exec, made := doc.Exec(), doc.Plan()
	if exec == nil {
		return
	}
	b.line("AI EXECUTION START")
	for i, s := range exec.Steps {
		word := "FAILED"
		if s.Status == turn.StatusOK || s.Status == turn.StatusUnchanged {
			word = "SUCCESS"
		}
		what := ""
		if made != nil && made.ExecutionPlan != nil && i < len(made.ExecutionPlan.Steps) {
			what = action(made.ExecutionPlan.Steps[i]) + ": "
		}
		text := fmt.Sprintf("  %d. %s: %s%s", s.Number, word, what, s.Status)
		if s.Added+s.Removed > 0 {
			text += fmt.Sprintf(" +%d −%d", s.Added, s.Removed)
		}
		b.line("%s", strings.TrimRight(text+" "+s.Message, " "))
		if s.Output != "" {
			b.line("OUTPUT: %s", s.Output)
		}
	}
	b.line("AI EXECUTION END: %d of %d steps", exec.Summary.OK, exec.Summary.Total)
}

// Changes are the documents of the turns that were applied, by their transaction; the last one
// counts. What isn't there, or can't be read, is left out.
func Changes(root string) map[string]*turn.Document {
	found := make(map[string]*turn.Document)
	dir, err := openDir(root, history.Find)
	if err != nil {
		return found
	}
	defer unix.Close(dir)
	for _, name := range []string{olderFile, turnsFile} {
		f, err := history.ReadFile(dir, name)
		if err != nil {
			continue
		}
		each(f, func(doc *turn.Document) {
			if exec := doc.Exec(); exec != nil && exec.Applied && exec.Transaction != "" {
				found[exec.Transaction] = doc
			}
		})
		f.Close()
	}
	return found
}

// each reads documents, one a line. Most lines are no change, and are told by a look.
func each(f *os.File, yield func(*turn.Document)) {
	in := bufio.NewReaderSize(f, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if bytes.Contains(line, []byte(`"transaction":"`)) && len(line) <= turn.MaxBytes {
			if doc, readErr := turn.Read(bytes.TrimSpace(line)); readErr == nil {
				yield(doc)
			}
		}
		if err != nil {
			return
		}
	}
}

// Forget removes logs of sessions that began longer ago than so.
func Forget(root string, keep time.Duration) {
	dir, err := openDir(root, history.Find)
	if err != nil {
		return
	}
	defer unix.Close(dir)
	dup, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	f := os.NewFile(uintptr(dup), history.Dir)
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return
	}
	oldest := "session_" + time.Now().Add(-keep).Format("20060102_150405") + ".log"
	for _, name := range names {
		if strings.HasPrefix(name, "session_") && strings.HasSuffix(name, ".log") && len(name) == len(oldest) &&
			name < oldest {
			_ = unix.Unlinkat(dir, name, 0) // it is forgotten later else
		}
	}
}
