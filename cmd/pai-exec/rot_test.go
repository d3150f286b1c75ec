package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"paicode/pkg/scripttest"
)

// rot has a pending journal of ten operations read with one byte changed, or
// cut, at every so many places of its files, and with files of its directory missing: what
// follows is the tree before, or a refusal that names the transaction and leaves everything as it is.
func rot(t *testing.T, who user, every, place int, undo bool) (refused, mended int) {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("no strace")
	}
	bin := who.binary(t)
	dir := who.tempDir(t)
	plan := []byte(`{"execution_plan": {"steps": [{"action": "WRITE", "target": "n/a", "content": "new\n"}, {"action": "MODIFY", "target": "m", "content": "changed\n"},
		{"action": "RM", "target": "x"}, {"action": "MV", "target": "y", "destination": "z"}, {"action": "RM", "target": "tree"}, {"action": "WRITE", "target": "n/b", "content": "b\n"},
		{"action": "MODIFY", "target": "o", "content": "O\n"}, {"action": "MV", "target": "p", "destination": "q"}, {"action": "MODIFY", "target": "r", "content": "R\n"}]}}`)
	run := func(command ...string) (string, int) {
		cmd := who.command(dir, command...)
		cmd.Stdin = bytes.NewReader(plan)
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	undoWrite(t, dir, map[string]string{"m": "m\n", "x": "x\n", "y": "y\n", "tree/1/f": "f\n", "tree/g": "g\n", "o": "o\n", "p": "p\n", "r": "r\n"})
	who.own(t, dir)
	before := hashTree(t, dir)
	cut := func() (transaction string) {
		if !undo {
			return cutShort(t, dir, place, run, bin, "--yes")
		}
		if out, code := run(bin, "--yes"); code != 0 {
			t.Fatal(out)
		}
		return cutShort(t, dir, place, run, bin, "--undo")
	}
	transaction := cut()
	id, _, _ := strings.Cut(filepath.Base(transaction), ".")
	// try has the next start read what change left, and puts that back.
	try := func(what string, change, restore func() error) {
		t.Helper()
		if err := change(); err != nil {
			t.Fatal(what, err)
		}
		all, err := scripttest.HashTree(filepath.Join(dir, ".pai_history/transactions"))
		if err != nil {
			t.Fatal(err)
		}
		out, code := run(bin, "--log")
		switch {
		case code == 0 && hashTree(t, dir) == before:
			mended++
			transaction = cut()
			id, _, _ = strings.Cut(filepath.Base(transaction), ".")
		case code == 1 && strings.Contains(out, "the transaction "+id+", which was interrupted, can't be rolled back: "):
			refused++
			if now, err := scripttest.HashTree(filepath.Join(dir, ".pai_history/transactions")); err != nil || now != all {
				t.Fatalf("%s: a refusal changed something", what)
			}
			if err := restore(); err != nil {
				t.Fatal(what, err)
			}
		default:
			t.Fatalf("%s: exit code %d\n%s", what, code, out)
		}
	}
	for _, name := range []string{"journal", "2", "3", "5/g"} { // the last three keep what was there before
		whole, err := os.ReadFile(filepath.Join(transaction, name))
		for at := 0; err == nil && at < len(whole); at += every {
			write := func(data []byte) func() error {
				return func() error { return os.WriteFile(filepath.Join(transaction, name), data, 0o600) }
			}
			for _, mask := range []byte{1, 0x80} {
				flipped := bytes.Clone(whole)
				flipped[at] ^= mask
				try(fmt.Sprintf("%s: byte %d ^ %#x", name, at, mask), write(flipped), write(whole))
			}
			try(fmt.Sprintf("%s: cut at %d", name, at), write(whole[:at]), write(whole))
			if refused == 0 {
				t.Fatal("a damaged journal was believed")
			}
			whole, err = os.ReadFile(filepath.Join(transaction, name))
		}
		if err != nil && (name == "journal" || !errors.Is(err, fs.ErrNotExist)) { // an undo that got further has put it back
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(transaction)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		from, to := filepath.Join(transaction, e.Name()), filepath.Join(dir, ".pai_history", "aside")
		rename := func(from, to string) func() error { return func() error { return os.Rename(from, to) } }
		if next := e.Name(); next[0] == '+' || next[0] == '-' {
			for n := range 12 {
				other := filepath.Join(transaction, fmt.Sprintf("%c%d%s", next[0], n, next[strings.Index(next, "."):]))
				if other != from {
					try(next+" says "+filepath.Base(other), rename(from, other), rename(other, from))
				}
			}
		}
		if _, err := os.Lstat(from); err == nil {
			try("without "+e.Name(), rename(from, to), rename(to, from))
		}
	}
	return refused, mended
}

// rotten are the ways in which a transaction is interrupted to rot: between a change and the
// next, between a change and its note, and the same in an undo, at renames counted from the first.
func rotten() map[string]struct {
	place int
	undo  bool
} {
	return map[string]struct {
		place int
		undo  bool
	}{"between changes": {18, false}, "before a note": {13, false}, "in an undo": {9, true}, "before a note of an undo": {8, true}}
}

func TestRot(t *testing.T) {
	for name, at := range rotten() {
		refused, mended := rot(t, user{}, 701, at.place, at.undo)
		t.Logf("%s: %d changed journals refused, %d taken back", name, refused, mended)
	}
}
