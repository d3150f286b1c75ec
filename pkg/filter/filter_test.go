package filter

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"paicode/pkg/turn"
)

// echo is a stage that does nothing but say how it was called.
func echo() Stage {
	return Stage{Name: "echo", Usage: "say", Flags: []cli.Flag{&cli.BoolFlag{Name: "dry-run"}, &cli.StringFlag{Name: "word"}},
		Run: func(_ context.Context, call *Call) error {
			switch call.Doc.Request() {
			case "fail":
				return turn.Errorf(turn.CodeStale, "it failed\nbadly").WithHint("try\nagain")
			case "exit":
				return Exit(turn.CodeNotApplied)
			}
			if call.Bool("dry-run") {
				call.Doc.SetContext("dry " + call.String("word"))
			}
			return nil
		}}
}

func TestRun(t *testing.T) {
	for _, tt := range []struct {
		name, args, in    string
		code              int
		stdout, stderrHas string
	}{
		{"an argument", "hello", "", 0, `{"pai":"turn/1","request":"hello"}`, ""},
		{"standard input", "", "hello\n", 0, `{"pai":"turn/1","request":"hello"}`, ""},
		{"options behind the request", "hello --dry-run --word x", "", 0, `{"pai":"turn/1","request":"hello","context":"dry x"}`, ""},
		{"what only looks like an option", "--dry-run -- --word", "", 0, `{"pai":"turn/1","request":"--word","context":"dry "}`, ""},
		{"context", "hello -", "look", 0, `{"pai":"turn/1","request":"hello","context":"look"}`, ""},
		{"nothing", "", "", 2, "", "hint: give the request as an argument"},
		{"two requests", "a b", "", 2, "", "echo: unexpected argument \"b\"\nhint: put the request in quotes\n"},
		{"an unknown option", "--wrong x", "", 2, "", "echo: unknown option --wrong\nhint: echo --help lists the options\n"},
		{"no value", "--word", "", 2, "", "echo: --word needs a value\n"},
		{"an unknown format", "--output xml x", "", 2, "", "echo: unknown output format \"xml\"\nhint: json, text, diff or answer\n"},
		{"a failure", "fail", "", 6, `{"pai":"turn/1","request":"fail","error":{"stage":"echo","code":6,"message":"it failed\nbadly","hint":"try\nagain"}}`, "echo: it failed\n  badly\nhint: try\n  again\n"},
		{"an outcome", "exit", "", 3, `{"pai":"turn/1","request":"exit"}`, ""},
		{"an error that comes in", "", `{"pai":"turn/1","error":{"stage":"x","code":5,"message":"m"}}`, 5, `{"pai":"turn/1","error":{"stage":"x","code":5,"message":"m","x_told":true}}`, "x: m\n"},
		{"a chat", "", `{"pai":"turn/1","request":"fail","intent":{"kind":"chat","reply":"hi"}}`, 0, `{"pai":"turn/1","request":"fail","intent":{"kind":"chat","reply":"hi"}}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs strings.Builder
			code := Run(context.Background(), echo().App(), strings.Fields(tt.args), strings.NewReader(tt.in), &out, &errs)
			stdout, told := strings.TrimSuffix(out.String(), "\n"), strings.Contains(errs.String(), tt.stderrHas) && (tt.stderrHas != "" || errs.Len() == 0)
			if code != tt.code || tt.stdout != "" && stdout != tt.stdout || !told {
				t.Errorf("exit code %d, want %d\nstdout %s\nwant   %s\nstderr %q\nwant   %q", code, tt.code, stdout, tt.stdout, errs.String(), tt.stderrHas)
			}
		})
	}
}

// broken is a stream that can't be written to.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

func TestRunWithoutOutput(t *testing.T) {
	for _, tt := range []struct {
		args   string
		err    error
		code   int
		stderr string
	}{
		{"hello", errors.New("disk full"), 1, "echo: standard output can't be written: disk full\n"},
		{"--help", errors.New("disk full"), 1, "echo: standard output can't be written: disk full\n"},
		{"--help", syscall.EPIPE, 1, ""},
		{"fail", errors.New("disk full"), 6, "echo: it failed\n  badly\nhint: try\n  again\n"},
	} {
		var errs strings.Builder
		code := Run(context.Background(), echo().App(), strings.Fields(tt.args), strings.NewReader(""), broken{tt.err}, &errs)
		if code != tt.code || errs.String() != tt.stderr {
			t.Errorf("%s: exit code %d, want %d; stderr %q, want %q", tt.args, code, tt.code, errs.String(), tt.stderr)
		}
	}
}

// TestInterrupted has an interruption come while a call works on for ever, and while it does
// what must not be left in the middle.
func TestInterrupted(t *testing.T) {
	forever := make(chan struct{})
	defer close(forever)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (&Work{}).do(ctx, func() error { <-forever; return nil }); err != errAbandoned {
		t.Errorf("the error is %v", err)
	}
	work, whole := &Work{}, false
	err := work.do(ctx, func() error {
		end := work.Whole()
		time.Sleep(3 * patience)
		whole = true
		end()
		<-forever
		return nil
	})
	if err != errAbandoned || !whole {
		t.Errorf("the error is %v, whole %v", err, whole)
	}
	failed := errors.New("failed")
	if err := work.do(t.Context(), func() error { return failed }); err != failed {
		t.Errorf("the error is %v", err)
	}
}
