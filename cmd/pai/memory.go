package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"paicode/pkg/history"
	"paicode/pkg/logbook"
	"paicode/pkg/turn"
)

const (
	// keptTurns is how many earlier turns go with a request.
	keptTurns = 5
	// outcomeLimit is how much of an outcome is remembered, in characters.
	outcomeLimit = 300
	// noteLimit is how much is remembered of the turns before those, together.
	noteLimit = 600
	// keptSessions is how many sessions of a project are remembered.
	keptSessions = 50
)

// memory is what later turns know of earlier ones. It is in the person's own directory: what a
// project brings along is never believed.
type memory struct {
	turns []turn.Interaction
	dir   string // of the project's sessions; empty: it lasts as long as the process
	id    string // of the session; empty: a new one, which gets its name with its first turn
}

// add remembers a turn.
func (m *memory) add(t turn.Interaction) {
	m.turns = append(m.turns, t)
	if m.dir == "" {
		return
	}
	if f, err := m.open(); err == nil {
		_, _ = f.Write(turn.Line(t)) // a full disk forgets it with the session
		f.Close()
	}
}

// open opens the session's file to write at its end; that of a new one is made.
func (m *memory) open() (*os.File, error) {
	if m.id != "" {
		return openSession(m.dir, m.id, unix.O_APPEND)
	}
	m.forgetOld()
	id := time.Now().Format("20060102_150405")
	for n := 1; ; n++ {
		m.id = id
		if n > 1 {
			m.id = fmt.Sprintf("%s_%d", id, n)
		}
		f, err := openSession(m.dir, m.id, unix.O_APPEND|unix.O_EXCL)
		if !errors.Is(err, unix.EEXIST) {
			return f, err
		}
	}
}

// forgetOld removes the sessions that are too many.
func (m *memory) forgetOld() {
	all := sessions(m.dir)
	for _, old := range all[:max(0, len(all)-keptSessions)] {
		_ = os.Remove(filepath.Join(m.dir, "session_"+old+".jsonl")) // it is forgotten later else
	}
}

func openSession(dir, id string, flag int) (*os.File, error) {
	at, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	return history.OpenFile(int(at.Fd()), "session_"+id+".jsonl", flag)
}

// forget begins a new conversation.
func (m *memory) forget() { m.turns = nil }

// history is what goes with the next request: the last turns as they were, and a note of those
// before.
func (m *memory) history() []turn.Interaction {
	first := max(0, len(m.turns)-keptTurns)
	recent := slices.Clone(m.turns[first:])
	if first == 0 {
		return recent
	}
	return append([]turn.Interaction{note(m.turns[:first])}, recent...)
}

// note sums up turns, the newest first as far as there is room.
func note(turns []turn.Interaction) turn.Interaction {
	var parts []string
	room := noteLimit
	for _, t := range slices.Backward(turns) {
		part := short(turn.OneLine(t.Request), 60)
		if len(t.Changed) > 0 {
			part += " (" + short(strings.Join(t.Changed, ", "), 100) + ")"
		}
		if room -= len(part); room < 0 {
			break
		}
		parts = append(parts, part)
	}
	slices.Reverse(parts)
	return turn.Interaction{Request: fmt.Sprintf("%d earlier turns", len(turns)), Outcome: strings.Join(parts, "; ")}
}

// short is the beginning of a text.
func short(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// home is the person's own directory for a project; it is made if need be. It is the
// project's by its path and its inode, so that another directory of the same name has another.
// Empty: there is none.
func home(root string) string {
	state, err := history.State()
	if err != nil {
		return ""
	}
	real, err := rootOf(root)
	var st unix.Stat_t
	if err == nil {
		err = unix.Stat(real, &st)
	}
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%d", real, st.Dev, st.Ino))
	dir := filepath.Join(state, "projects", hex.EncodeToString(sum[:10]))
	if os.MkdirAll(dir, 0o700) != nil {
		return ""
	}
	return dir
}

// sessions are the names of those that a project has, the oldest first.
func sessions(dir string) (ids []string) {
	names, _ := filepath.Glob(filepath.Join(dir, "session_*.jsonl"))
	for _, name := range names {
		ids = append(ids, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "session_"), ".jsonl"))
	}
	slices.Sort(ids)
	return ids
}

// remembered is the memory of a session of a project; of an empty name a new one.
func remembered(dir, id string) (*memory, error) {
	m := &memory{dir: dir, id: id}
	if dir == "" || id == "" {
		return m, nil
	}
	f, err := openSession(dir, id, 0)
	if err != nil {
		return m, err
	}
	defer f.Close()
	const longest = 1 << 20 // bytes of a line
	in := bufio.NewScanner(f)
	in.Buffer(nil, longest)
	for in.Scan() {
		var t turn.Interaction
		if json.Unmarshal(in.Bytes(), &t) == nil {
			m.turns = append(m.turns, t)
		}
	}
	return m, in.Err()
}

// resumable is the session that --resume names, or for an empty name the last one. Errors are of
// CodeUsage.
func resumable(dir, id string) (string, error) {
	all := sessions(dir)
	switch {
	case len(all) == 0:
		return "", turn.Errorf(turn.CodeUsage, "no session of this project is remembered here")
	case id == "":
		return all[len(all)-1], nil
	case slices.Contains(all, id):
		return id, nil
	}
	return "", turn.Errorf(turn.CodeUsage, "no session %s of this project is remembered here", turn.Quote(id)).
		WithHint("there are: %s", strings.Join(all[max(0, len(all)-5):], ", "))
}

// interaction is what is remembered of a turn.
func interaction(request string, doc *turn.Document, err error) turn.Interaction {
	return turn.Interaction{Request: request, Outcome: outcome(doc, err), Changed: changed(doc)}
}

// outcome is what the next turns should know of how a turn ended.
func outcome(doc *turn.Document, err error) string {
	text, exec := logbook.Result(doc), doc.Exec()
	switch {
	case doc.Error() != nil:
	case err == nil && exec != nil && len(exec.Steps) > 0: // what FINISH, or the last look, said
		text = exec.Steps[len(exec.Steps)-1].Output
	case err != nil && exec == nil && !doc.Chat() && (doc.Plan() == nil || doc.Plan().Question == ""):
		text = "not applied"
	}
	return short(text, outcomeLimit)
}

// changed names the paths that a turn changed, and how.
func changed(doc *turn.Document) (paths []string) {
	const most = 20
	made, exec := doc.Plan(), doc.Exec()
	if made == nil || made.ExecutionPlan == nil || exec == nil || !exec.Applied {
		return nil
	}
	verbs := map[string]string{turn.ActionWrite: "written", turn.ActionModify: "changed", turn.ActionTouch: "created",
		turn.ActionMkdir:  "folder made",
		turn.ActionRemove: "removed", turn.ActionMove: "moved"}
	for i, s := range made.ExecutionPlan.Steps {
		verb := verbs[s.Action]
		if verb == "" || i >= len(exec.Steps) || exec.Steps[i].Status != turn.StatusOK {
			continue
		}
		text := s.Target + " " + verb
		if s.Destination != "" {
			text += " to " + s.Destination
		}
		if r := exec.Steps[i]; r.Added+r.Removed > 0 {
			text += fmt.Sprintf(" +%d −%d", r.Added, r.Removed)
		}
		paths = append(paths, text)
	}
	if more := len(paths) - most; more > 0 {
		paths = append(paths[:most], fmt.Sprintf("and %d more", more))
	}
	return paths
}
