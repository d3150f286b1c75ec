package engine

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/journal"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/pkg/filter"
	"paicode/pkg/protocol"
	"paicode/pkg/turn"
)

// replyCase is one of testdata/replies: a reply in the manner of some model, and what
// must come of it. There is one file a kind of reply, and more where another
// language takes a branch of its own: by its indentation, or by characters
// outside ASCII. Replies and wanted results were made by a script, class by class,
// the result by other means than Pai's; none was recorded from a model. Its comment
// has lines "step: N ACTION PATH", and "finish: length"
// if it was cut, "refusal: " with how the error begins, or "words: " that
// FINISH says and "matched: " how its edits are found. Names that end in .crlf
// and .nonl stand for texts with such line ends, and without the last one.
type replyCase struct {
	steps         []turn.Step
	finish, text  string
	refusal       string
	words         string
	matched       string
	before, after map[string]string
	request       string // empty: "a request"
}

func readReply(t *testing.T, file string) replyCase {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return replyOf(t, file, archive)
}

func replyOf(t testing.TB, file string, archive *txtar.Archive) replyCase {
	t.Helper()
	r := replyCase{finish: "stop", before: make(map[string]string), after: make(map[string]string)}
	for line := range strings.Lines(string(archive.Comment)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch name {
		case "finish":
			r.finish = value
		case "refusal":
			r.refusal = value
		case "words":
			r.words = value
		case "matched":
			r.matched = value
		case "step":
			var s turn.Step
			words := strings.SplitN(value, " ", 3)
			fmt.Sscan(words[0], &s.Number)
			s.Action = words[1]
			if len(words) > 2 {
				s.Target = words[2]
			}
			if s.Action == turn.ActionMove {
				s.Target, s.Destination, _ = strings.Cut(s.Target, " ")
			}
			r.steps = append(r.steps, s)
		default:
			t.Fatalf("%s: unknown line %q", file, line)
		}
	}
	for _, f := range archive.Files {
		text, name := string(f.Data), f.Name
		if short, ok := strings.CutSuffix(name, ".nonl"); ok {
			text, name = strings.TrimSuffix(text, "\n"), short
		}
		if short, ok := strings.CutSuffix(name, ".crlf"); ok {
			text, name = strings.ReplaceAll(text, "\n", "\r\n"), short
		}
		dir, path, _ := strings.Cut(name, "/")
		switch dir {
		case "before":
			r.before[path] = text
		case "after":
			r.after[path] = text
		case "reply":
			r.text = text
		default:
			t.Fatalf("%s: unknown file %q", file, f.Name)
		}
	}
	return r
}

// run has the reply given to the plan's only question, in a directory of its
// own.
func (r replyCase) run(t *testing.T) (dir string, doc *turn.Document, err error) {
	t.Helper()
	dir = t.TempDir()
	for path, text := range r.before {
		p := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	doc = turn.New(cmp.Or(r.request, "a request"))
	doc.SetPlan(&turn.Plan{ExecutionPlan: &turn.ExecutionPlan{Steps: r.steps}})
	o := Options{Root: dir, Inherited: answering(t, r.text, r.finish), NoLandlock: true, MaxPhases: 1, Yes: true,
		Overlay: overlay.Options{MaxFileBytes: overlay.DefaultMaxFileBytes},
		Limits:  change.Limits{MaxChangedLines: filter.DefaultMaxChangedLines, MaxRatio: filter.DefaultMaxRatio, MaxShrink: filter.DefaultMaxShrink},
		Journal: journal.Options{NoSync: true, KeepBytes: 1 << 20}, AllowRisky: true}
	_, err = Execute(context.Background(), o, doc, filter.NewProgress(os.Stderr, "pai-exec", nil))
	return dir, doc, err
}

// answering is a connection on which each question has the same answer.
func answering(t *testing.T, text, finish string) *os.File {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	t.Cleanup(func() {
		ours.Close()
		theirs.Close()
	})
	answer := turn.Line(protocol.Answer{Text: &text, Finish: finish})
	go func() {
		in := bufio.NewScanner(theirs)
		in.Buffer(nil, 64<<20)
		for in.Scan() {
			_, _ = theirs.Write(answer) // who is gone needs none
		}
	}()
	return ours
}

func TestReplies(t *testing.T) {
	files, err := filepath.Glob("testdata/replies/*.txtar")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d replies, want 100 or more (%v)", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			r := readReply(t, file)
			dir, doc, err := r.run(t)
			want := r.after
			if r.refusal != "" {
				want = r.before
				e, ok := errors.AsType[*turn.Error](err)
				if !ok || !strings.HasPrefix(strings.ReplaceAll(e.Message, `"`, ""), strings.ReplaceAll(r.refusal, `"`, "")) {
					t.Errorf("got %v, want it refused: %s", err, r.refusal)
				}
			} else if err != nil {
				t.Fatalf("refused: %v", err)
			}
			compareTree(t, dir, want)
			steps := doc.Plan().ExecutionPlan.Steps
			if r.matched != "" && steps[0].Matched != r.matched {
				t.Errorf("matched %q, want %q", steps[0].Matched, r.matched)
			}
			if last := steps[len(steps)-1]; r.words != "" && (last.Content == nil || *last.Content != r.words) {
				t.Errorf("FINISH says %v, want %q", last.Content, r.words)
			}
		})
	}
}

func compareTree(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	found := 0
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".pai_history" {
				return filepath.SkipDir
			}
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		data, err := os.ReadFile(p)
		if text, ok := want[rel]; !ok || text != string(data) {
			t.Errorf("%s holds\n%q\nwant\n%q", rel, data, text)
		}
		found++
		return err
	})
	if err != nil || found != len(want) {
		t.Errorf("%d files, want %d (%v)", found, len(want), err)
	}
}
