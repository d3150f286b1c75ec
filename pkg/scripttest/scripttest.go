// Package scripttest runs the testscripts of the commands: the real binaries
// in a real shell, with a scripted model on loopback.
//
// A script's archive may hold "model.rules", in the form that
// modeltest.Start reads. Beside testscript's own commands there are:
//
//	exits CODE command...   the command ends with the exit code
//	calls N                 the model was asked N times, and knew every answer
//	tokens MAX              all questions together had at most MAX tokens
//	neversent WORD...       no question held one of the words
//	stopmodel               the model's server goes away
//	snapshot DIR            remember DIR, but for Pai's own directory in it
//	unchanged DIR           DIR is as it was remembered
package scripttest

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"paicode/pkg/model/modeltest"
	"paicode/pkg/turn"
)

// Run runs all scripts of a directory. With -update golden output is
// rewritten.
func Run(t *testing.T, dir string) {
	bin := Build(t)
	update := flag.Lookup("update") != nil && flag.Lookup("update").Value.String() == "true"
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		UpdateScripts:       update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               func(env *testscript.Env) error { return setup(env, bin) },
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"typist":    typist,
			"calls":     calls,
			"tokens":    tokens,
			"neversent": neverSent,
			"stopmodel": stopModel,
			"snapshot":  snapshot,
			"unchanged": unchanged,
		},
	})
}

// condition knows "mounts": a process may mount file systems in a name space of its own.
func condition(name string) (bool, error) {
	if name != "mounts" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	return exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt").Run() == nil, nil
}

// Binaries is the variable that names a directory with the commands, built
// already: make test builds them once for all packages.
const Binaries = "PAI_TEST_BIN"

// Build returns the directory that holds all commands: the one that Binaries
// names, else one that is built once for the test program. Under the race
// detector they are built with it.
func Build(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv(Binaries); dir != "" {
		return dir
	}
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// built builds the commands beside the test program, where go test removes them
// with it.
var built = sync.OnceValues(func() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(filepath.Dir(self), "commands")
	args := []string{"build", "-o", dir + string(filepath.Separator)}
	if raceEnabled {
		args = append(args, "-race")
	}
	for _, name := range []string{"pai", "pai-model", "pai-classify", "pai-plan", "pai-exec", "pai-suggest"} {
		args = append(args, "paicode/cmd/"+name)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return dir, nil
})

// state is what a script keeps between its commands.
type state struct {
	server    *modeltest.Server
	snapshots map[string]string
}

type stateKey struct{}

func setup(env *testscript.Env, bin string) error {
	s := &state{snapshots: make(map[string]string)}
	env.Values[stateKey{}] = s
	env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
	env.Setenv("HOME", filepath.Join(env.WorkDir, "no-home"))
	env.Setenv("XDG_CONFIG_HOME", "")
	own, err := os.MkdirTemp("", "pai-state-")
	if err != nil {
		return err
	}
	env.Defer(func() { _ = os.RemoveAll(own) })
	env.Setenv("XDG_STATE_HOME", own)
	env.Setenv("BIN", bin)
	env.Setenv("NO_COLOR", "1")
	env.Setenv("GORACE", "atexit_sleep_ms=0")
	env.Setenv("GOCOVERDIR", os.Getenv("GOCOVERDIR")) // see make cover
	env.Setenv("GIT_CEILING_DIRECTORIES", env.WorkDir)
	rules, err := os.ReadFile(filepath.Join(env.WorkDir, "model.rules"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if s.server, err = modeltest.Start(string(rules)); err != nil {
		return err
	}
	env.Defer(s.server.Close)
	env.Setenv("GOOGLE_GEMINI_BASE_URL", s.server.URL)
	env.Setenv("GEMINI_API_KEY", modeltest.Key)
	env.Setenv("MODELURL", s.server.URL)
	env.Setenv("GOODKEY", modeltest.Key)
	env.Setenv("NEWKEY", modeltest.NewKey)
	env.Setenv("TOKENKEY", modeltest.TokenKey)
	return nil
}

func stateOf(ts *testscript.TestScript) *state { return ts.Value(stateKey{}).(*state) }

func serverOf(ts *testscript.TestScript) *modeltest.Server {
	s := stateOf(ts).server
	if s == nil {
		ts.Fatalf("the script has no model.rules")
	}
	return s
}

func usage(ts *testscript.TestScript, neg bool, args []string, n int, form string) {
	if neg || len(args) != n {
		ts.Fatalf("usage: %s", form)
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE command...")
	}
	want := number(ts, args[0])
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func number(ts *testscript.TestScript, text string) int {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return n
}

func calls(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 1, "calls N")
	requests := serverOf(ts).Requests()
	for _, r := range requests {
		if !r.Matched {
			ts.Fatalf("no rule fitted:\n%s", r.Text())
		}
	}
	if want := number(ts, args[0]); len(requests) != want {
		ts.Fatalf("the model was asked %d times, want %d", len(requests), want)
	}
}

func tokens(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 1, "tokens MAX")
	in := 0
	for _, r := range serverOf(ts).Requests() {
		in += r.InputTokens
	}
	ts.Logf("%d tokens in", in)
	if limit := number(ts, args[0]); in > limit {
		ts.Fatalf("%d tokens in, at most %d wanted", in, limit)
	}
}

func neverSent(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, len(args), "neversent WORD...")
	for _, r := range serverOf(ts).Requests() {
		for _, word := range args {
			if strings.Contains(r.Text(), word) {
				ts.Fatalf("%q was sent:\n%s", word, r.Text())
			}
		}
	}
}

func stopModel(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 0, "stopmodel")
	serverOf(ts).Close()
}

func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 1, "snapshot DIR")
	sum, err := HashTree(ts.MkAbs(args[0]))
	ts.Check(err)
	stateOf(ts).snapshots[args[0]] = sum
}

func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 1, "unchanged DIR")
	was, ok := stateOf(ts).snapshots[args[0]]
	if !ok {
		ts.Fatalf("no snapshot of %s", args[0])
	}
	sum, err := HashTree(ts.MkAbs(args[0]))
	ts.Check(err)
	if sum != was {
		ts.Fatalf("%s changed", args[0])
	}
}

// HashTree hashes names, kinds, modes, link targets and contents under a
// directory, but for Pai's own directories.
func HashTree(dir string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == turn.HistoryDir {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %v ", rel, info.Mode())
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			fmt.Fprintf(h, "%q\n", target)
			return err
		case info.Mode().IsRegular():
			data, err := os.ReadFile(p)
			fmt.Fprintf(h, "%x\n", sha256.Sum256(data))
			return err
		}
		fmt.Fprintln(h)
		return nil
	})
	return fmt.Sprintf("%x", h.Sum(nil)), err
}
