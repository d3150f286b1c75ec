package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"paicode/pkg/scripttest"
)

// user is as whom pai-exec runs: as whoever runs the tests, or as somebody whom modes hold back.
type user struct{ other bool }

const nobody = 65534

// users are all of them that there can be.
func users() []user {
	if os.Geteuid() != 0 {
		return []user{{}}
	}
	return []user{{}, {other: true}}
}

func (u user) String() string {
	if u.other {
		return "another user"
	}
	return "whoever runs this"
}

// tempDir makes a directory of the user's.
func (u user) tempDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	u.open(dir)
	u.own(t, dir)
	return dir
}

// open lets others through to a path.
func (u user) open(p string) {
	for u.other && p != os.TempDir() && p != "/" {
		os.Chmod(p, 0o755)
		p = filepath.Dir(p)
	}
}

// binary is pai-exec, where the user can run it.
func (u user) binary(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(scripttest.Build(t), "pai-exec")
	u.open(bin)
	return bin
}

// own gives everything under a directory to the user.
func (u user) own(t *testing.T, dir string) {
	t.Helper()
	if !u.other {
		return
	}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(p, nobody, nobody)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// command is a command of the user's, in a directory.
func (u user) command(dir string, command ...string) *exec.Cmd {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir+"-state")
	if u.other {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	return cmd
}
