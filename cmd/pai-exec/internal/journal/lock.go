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

// takeLock locks a file of the history's directory and writes into it who
// holds it.
func takeLock(ctx context.Context, dir int, wait time.Duration) (*os.File, error) {
	f, err := history.OpenFile(dir, lockFile, 0)
	if err != nil {
		return nil, disk.Explain(path.Join(history.Dir, lockFile), err)
	}
	for deadline := time.Now().Add(wait); ; time.Sleep(lockPoll) {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			break
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			f.Close()
			return nil, disk.Explain(path.Join(history.Dir, lockFile), err)
		}
		if ctx.Err() != nil {
			f.Close()
			return nil, ctx.Err()
		}
		if time.Now().After(deadline) {
			holder := make([]byte, 100)
			n, _ := f.ReadAt(holder, 0)
			f.Close()
			return nil, turn.Errorf(turn.CodeInternal, "the root is locked by %s", strings.TrimSpace(turn.Printable(string(holder[:n])))).
				WithHint("--lock-timeout waits longer")
		}
	}
	holder := fmt.Sprintf("pai-exec, process %d, since %s\n", os.Getpid(), time.Now().UTC().Format(time.RFC3339))
	if err := errors.Join(f.Truncate(0), second(f.WriteAt([]byte(holder), 0))); err != nil {
		f.Close()
		return nil, disk.Explain(path.Join(history.Dir, lockFile), err)
	}
	return f, nil
}

func second(_ int, err error) error { return err }
