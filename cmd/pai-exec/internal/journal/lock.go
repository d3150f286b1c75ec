package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/pkg/history"
	"paicode/pkg/turn"
)

const (
	lockFile = "lock"
	lockPoll = 20 * time.Millisecond
)

// Lock is the root's lock, open and not yet taken: the runner of checks has it too, so that
// nobody takes it before all of its processes have ended.
type Lock struct {
	*os.File
	Runner int // its process; 0: there is none
}

// OpenLock opens the lock of a root, and makes it if need be. Errors are of CodeDenied and
// CodeInternal.
func OpenLock(root *disk.Root) (*Lock, error) {
	dir, err := history.Open(root.FD())
	if err != nil {
		return nil, disk.Explain(history.Dir, err)
	}
	defer unix.Close(dir)
	f, err := openLock(dir)
	if err != nil {
		return nil, err
	}
	return &Lock{File: f}, nil
}

func openLock(dir int) (*os.File, error) {
	f, err := history.OpenFile(dir, lockFile, 0)
	if err != nil {
		return nil, disk.Explain(path.Join(history.Dir, lockFile), err)
	}
	return f, nil
}

// takeLock locks a file of the history's directory and writes into it who
// holds it.
func takeLock(ctx context.Context, f *os.File, runner int, wait time.Duration) error {
	for deadline := time.Now().Add(wait); ; time.Sleep(lockPoll) {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			break
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return disk.Explain(path.Join(history.Dir, lockFile), err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Now().After(deadline) {
			holder := make([]byte, 200)
			n, _ := f.ReadAt(holder, 0)
			return turn.Errorf(turn.CodeInternal, "the root is locked by %s",
				strings.TrimSpace(turn.Printable(string(holder[:n])))).
				WithHint("--lock-timeout waits longer")
		}
	}
	holder := fmt.Sprintf("pai-exec, process %d", os.Getpid())
	if runner != 0 {
		holder += fmt.Sprintf(", or by the runner of its checks, process %d", runner)
	}
	holder += fmt.Sprintf(", since %s\n", time.Now().UTC().Format(time.RFC3339))
	if err := errors.Join(f.Truncate(0), second(f.WriteAt([]byte(holder), 0))); err != nil {
		return disk.Explain(path.Join(history.Dir, lockFile), err)
	}
	return nil
}

func second(_ int, err error) error { return err }
