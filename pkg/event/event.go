// Package event tells other programs what a command is doing, while it does it: a JSON object
// a line, on a descriptor that whoever starts the command opened for that.
//
// Events are for what moves on a screen. What was planned, changed or refused is in the
// document, and nothing should be concluded from an event that came or didn't: a reader that is
// slow loses some, and nobody waits for one.
package event

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"paicode/pkg/turn"
)

// Variable is the environment variable that stands for --events.
const Variable = "PAI_EVENTS"

// Kinds of events.
const (
	Began   = "began"   // a stage
	Delta   = "delta"   // Text came from the model
	Reply   = "reply"   // Text of a chat's reply came, words for a person
	Retry   = "retry"   // a question is asked again, or waits: Text says why
	Phase   = "phase"   // pai-exec asks its generator for the Phase-th time
	Written = "written" // a Step's text has come, not yet judged
	Step    = "step"    // a Step was resolved: Status says how
	Check   = "check"   // Command runs, or has ended: with Status "began", "passed" or "failed"
	Applied = "applied" // the change is in place: Transaction names it
	Ended   = "ended"   // a stage, with the exit Code
)

// Event is something that happened. Members that say nothing are left out.
type Event struct {
	Event        string `json:"event"`
	Stage        string `json:"stage"`        // the command, "pai-plan"
	Milliseconds int64  `json:"milliseconds"` // since the command began
	Text         string `json:"text,omitempty"`
	Phase        int    `json:"phase,omitempty"`
	Step         int    `json:"step_number,omitempty"`
	Action       string `json:"action,omitempty"`
	Target       string `json:"target,omitempty"`
	Status       string `json:"status,omitempty"`
	Command      string `json:"command,omitempty"`
	Transaction  string `json:"transaction,omitempty"`
	Code         *int   `json:"code,omitempty"`
}

// Writer sends events. A nil Writer sends nothing.
type Writer struct {
	mu    sync.Mutex
	fd    int
	stage string
	since time.Time
	rest  []byte // of a line that a socket took in part
}

// firstFree is the first descriptor that is not a standard stream.
const firstFree = 3

// Open makes a Writer for a stage on the descriptor that a value names, a number; nil for an
// empty one. It must be called before the process opens anything: a descriptor that wasn't
// given to it is none. The descriptor is closed to programs that the process starts, and the
// variable is taken out of the environment. Errors are of CodeUsage.
func Open(stage, value string) (*Writer, error) {
	_ = os.Unsetenv(Variable) // fails for impossible names only
	if value == "" {
		return nil, nil
	}
	fd, err := strconv.Atoi(value)
	if err != nil || fd < firstFree {
		return nil, turn.Errorf(turn.CodeUsage, "--events: %s is not a descriptor of %d or more", turn.Quote(value),
			firstFree).
			WithHint("%s --events 3 3> events.fifo", stage)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, turn.Errorf(turn.CodeUsage, "--events: descriptor %d is not open", fd)
	}
	if kind := st.Mode & unix.S_IFMT; kind != unix.S_IFIFO && kind != unix.S_IFSOCK {
		return nil, turn.Errorf(turn.CodeUsage, "--events: descriptor %d is neither a pipe nor a socket", fd)
	}
	if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err != nil || flags&unix.O_ACCMODE == unix.O_RDONLY {
		return nil, turn.Errorf(turn.CodeUsage, "--events: descriptor %d can't be written", fd)
	}
	closeOnExec(st)
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, turn.Errorf(turn.CodeUsage, "--events: descriptor %d: %s", fd, err)
	}
	return &Writer{fd: fd, stage: stage, since: time.Now()}, nil
}

// closeOnExec closes a pipe or a socket to programs that the process starts, by whatever
// descriptors it is open.
func closeOnExec(is unix.Stat_t) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, e := range entries {
		var st unix.Stat_t
		fd, err := strconv.Atoi(e.Name())
		if err == nil && fd >= firstFree && unix.Fstat(fd, &st) == nil && st.Dev == is.Dev && st.Ino == is.Ino {
			unix.CloseOnExec(fd)
		}
	}
}

// maxLine is what a pipe takes whole or not at all (PIPE_BUF).
const maxLine = 4096

// Send sends an event, unless its reader is slow or gone. The stage and the time are filled in. A
// text that is too long for a line goes in several.
func (w *Writer) Send(e Event) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	e.Stage, e.Milliseconds = w.stage, time.Since(w.since).Milliseconds()
	const most = maxLine / 8 // an escape has up to six bytes for one
	for text := e.Text; ; {
		e.Text = text[:cut(text, most)]
		text = text[len(e.Text):]
		e.Target, e.Command = e.Target[:cut(e.Target, most)], e.Command[:cut(e.Command, most)]
		w.send(turn.Line(e))
		if text == "" {
			return
		}
	}
}

// cut is the length of the longest beginning of a text that has so many bytes, and whole
// characters.
func cut(text string, most int) int {
	if len(text) <= most {
		return len(text)
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return most
}

func (w *Writer) send(line []byte) {
	if len(w.rest) > 0 {
		n, _ := unix.Write(w.fd, w.rest)
		if w.rest = w.rest[max(0, n):]; len(w.rest) > 0 {
			return
		}
	}
	if n, err := unix.Write(w.fd, line); err == nil && n < len(line) {
		w.rest = line[n:]
	}
}

// Forward sends a line that another command sent, as it is.
func (w *Writer) Forward(line string) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.send([]byte(strings.TrimSuffix(line, "\n") + "\n"))
}

// Parse reads a line; ok is false for what is no event.
func Parse(line []byte) (e Event, ok bool) {
	return e, json.Unmarshal(line, &e) == nil && e.Event != ""
}
