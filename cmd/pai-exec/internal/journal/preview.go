package journal

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/pkg/turn"
)

// Reversal is what taking a transaction back does.
type Reversal struct {
	Transaction
	Sum   string                     // "sha256:…" of what is taken back, and with force of what stands there now
	Paths map[string]turn.SealedPath // as they are now, and as they will be
	Steps []Back                     // in the order in which they are done
}

// Back is the rolling back of one change.
type Back struct {
	disk.Op
	Now     *[]byte // the file's bytes; nil for what is no file, or too large to be shown
	Then    *[]byte // as it will be
	Removed bool    // what the change took away was a folder
}

// Preview says what Undo would do, and changes nothing. Its errors are Undo's.
func (j *Journal) Preview(ctx context.Context, id string, force bool, most int64, wait time.Duration) (r Reversal,
	err error) {
	err = j.undoable(ctx, id, wait, func(t *transaction) error {
		r.Transaction = t.describe()
		if err := t.ready(force); err != nil {
			return err
		}
		if r.Paths, err = t.reversed(force); err != nil {
			return err
		}
		r.Sum, err = t.sum(r.Paths)
		for i := len(t.Ops) - 1; i >= 0 && err == nil; i-- {
			var b Back
			b, err = t.back(i, most)
			r.Steps = append(r.Steps, b)
		}
		return err
	})
	return r, err
}

// reversed are the transaction's paths as they are now and as they will be; without force they are
// as the transaction left them, which ready has made sure of.
func (t *transaction) reversed(force bool) (paths map[string]turn.SealedPath, err error) {
	paths = make(map[string]turn.SealedPath, len(t.Paths))
	for p, s := range t.Paths {
		now := s.After
		if force {
			if now, err = t.root.State(p); err != nil {
				return nil, unchangedBy(err)
			}
		}
		paths[p] = turn.SealedPath{Before: now, After: s.Before}
	}
	return paths, nil
}

// sum stands for what a reversal does to paths.
func (t *transaction) sum(paths map[string]turn.SealedPath) (string, error) {
	data, err := t.encode(nil)
	if err != nil {
		return "", err
	}
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		now, err := json.Marshal([]any{p, paths[p].Before})
		if err != nil {
			return "", err
		}
		data = append(data, now...)
	}
	return "sha256:" + disk.Hash(data), nil
}

// back is what rolling back one change does, with the bytes of a file of so many at most.
func (t *transaction) back(i int, most int64) (b Back, err error) {
	o := t.Ops[i]
	b.Op = o
	if o.Kind == disk.OpReplace || o.Kind == disk.OpRemove {
		b.Then, b.Removed, err = t.content(t.fd, strconv.Itoa(i), most)
	}
	if err == nil && (o.Kind == disk.OpReplace || o.Kind == disk.OpPut) {
		dir, name, parent := t.root.Parent(o.Path)
		if parent != nil {
			return b, unlessAbsent(parent)
		}
		defer unix.Close(dir)
		b.Now, _, err = t.content(dir, name, most)
	}
	return b, err
}

// content reads a file in an open directory; nil for what is none, or isn't there. folder tells
// of a directory.
func (t *transaction) content(dir int, name string, most int64) (data *[]byte, folder bool, err error) {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENXIO) || errors.Is(err, unix.EACCES) ||
		errors.Is(err, unix.ENOENT) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	f := disk.File(fd)
	defer f.Close()
	st, err := disk.StatFD(fd)
	if err != nil || st.Kind != disk.Regular || st.Size > most {
		return nil, st.Kind == disk.Directory, err
	}
	all, err := io.ReadAll(io.LimitReader(f, most))
	return &all, false, err
}
