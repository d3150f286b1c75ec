package journal

import (
	"context"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/pkg/turn"
)

// Found is what a check did to the paths of a commit.
type Found struct {
	Changed []string // what was put back, since it was not what the commit wrote any more; sorted
	Aside   []string // where what was there lies, from the root; sorted
	Written []Over   // what stays as the check wrote it, by path
}

// Over is a file that a check wrote over: as the commit wrote it, and as it is.
type Over struct {
	Path    string
	Was, Is []byte
}

func (o Options) found(f Found) {
	if o.Found != nil && len(f.Changed)+len(f.Aside)+len(f.Written) > 0 {
		o.Found(f)
	}
}

const asideSuffix = "-aside"

// aside are the places in the transaction's directory where lies what was in the tree in the
// place of a change, sorted.
func (t *transaction) aside() (places []string) {
	all, _ := names(t.fd) // of what can't be read nothing can be told
	for _, name := range all {
		if strings.HasSuffix(name, displacedSuffix) || strings.HasSuffix(name, asideSuffix) {
			places = append(places, path.Join(t.path(), name))
		}
	}
	slices.Sort(places)
	return places
}

// dropLeft removes what is set aside and holds only what checks left.
func (t *transaction) dropLeft() {
	for i, o := range t.Ops {
		if o.Kind == disk.OpMkdir && there(t.fd, displaced(i)) && t.left(t.fd, displaced(i), o.Path) {
			removeAll(t.fd, displaced(i))
		}
	}
}

// left reports whether what is at a name in an open directory, and has or had a path in the
// tree, is what checks left there: caches of tools, which make them again, or what it was when the
// checks had passed.
func (t *transaction) left(dir int, name, p string) bool {
	err := disk.Visit(dir, name, "", func(at int, name, rel string, st disk.Info) error {
		if st.Kind == disk.Directory || inCache(path.Join(p, rel)) {
			return nil
		}
		if sum, known := t.Left[path.Join(p, rel)]; known {
			if _, is, err := t.fingerprint(at, name); err == nil && is == sum {
				return nil
			}
		}
		return errChanged
	})
	return err == nil
}

// mostLeft is of how many files it is noted that checks left them.
const mostLeft = 10_000

// noteLeft notes what checks left in the directories that the commit made.
func (c *commit) noteLeft() error {
	for p, s := range c.Paths {
		if s.After == nil || s.After.Type != "dir" || s.Before != nil {
			continue
		}
		inside, _, err := c.root.List(p)
		if err != nil {
			continue // it is moved away, or the checks removed it
		}
		for _, p := range c.foreignIn(p, inside) {
			if err := c.noteLeftIn(p); err != nil {
				return err
			}
		}
	}
	if len(c.Left) == 0 {
		return nil
	}
	return c.write(c.sync)
}

func (c *commit) noteLeftIn(p string) error {
	dir, name, err := c.root.Parent(p)
	if err != nil {
		return unlessAbsent(err)
	}
	defer unix.Close(dir)
	return disk.Visit(dir, name, "", func(at int, name, rel string, st disk.Info) error {
		p := path.Join(p, rel)
		if st.Kind != disk.Regular || inCache(p) || len(c.Left) == mostLeft {
			return nil
		}
		_, sum, err := c.fingerprint(at, name)
		if err != nil {
			return unlessAbsent(err)
		}
		if c.Left == nil {
			c.Left = make(map[string]string)
		}
		c.Left[p] = sum
		return nil
	})
}

func inCache(p string) bool { return slices.ContainsFunc(strings.Split(p, "/"), disk.IsCache) }

// settleWritten keeps what a check that passed wrote over the commit's files, or puts back what was
// reviewed.
func (c *commit) settleWritten(o Options, copies *Keep) error {
	changed, err := c.overwritten()
	if err == nil && len(changed) > 0 && o.MayWrite != nil && o.MayWrite(changed) {
		err = c.takeOver(changed, o)
	}
	if err != nil {
		return c.takeBackFailing(unchangedBy(err), o, copies)
	}
	return c.putBackReviewed(o)
}

// takeOver has the commit be what a check made of its text files, so that an undo finds them.
func (c *commit) takeOver(changed []string, o Options) (err error) {
	var written []Over
	for _, p := range changed {
		op := c.wroteOnly(p)
		if op == nil {
			continue
		}
		data, st, readErr := c.root.Read(p, int64(growth*len(op.Data)+growth))
		if readErr != nil || st.Kind != disk.Regular || !utf8.Valid(data) {
			continue // it is put back
		}
		written = append(written, Over{p, op.Data, data})
		op.Data, op.Sum, op.Ino, op.Perm = data, disk.Hash(data), st.Ino, st.Perm
		s := c.Paths[p]
		if s.After, err = c.root.State(p); err != nil {
			return err
		}
		c.Paths[p] = s
	}
	if len(written) == 0 {
		return nil
	}
	o.found(Found{Written: written})
	return c.write(c.sync)
}

// growth is how many times a file may grow in a check that may write.
const growth = 64

// wroteOnly is the change that wrote a path; nil if another one is of it too.
func (c *commit) wroteOnly(p string) (op *disk.Op) {
	for i := range c.Ops {
		o := &c.Ops[i]
		switch {
		case o.Path != p && o.To != p:
		case op != nil || o.Kind != disk.OpPut && o.Kind != disk.OpReplace:
			return nil
		default:
			op = o
		}
	}
	return op
}

// putBackReviewed makes the changes once more that a check wrote over and passed: what was reviewed
// is what is there afterwards, and what was there is aside.
func (c *commit) putBackReviewed(o Options) error {
	changed, err := c.overwritten()
	if err != nil || len(changed) == 0 {
		return unlessNil(err)
	}
	left, err := c.retreat(context.Background(), true, true, false)
	if err == nil && len(left) > 0 {
		err = &failedOp{left[0], errChanged}
	}
	if err == nil {
		err = c.stageAgain()
	}
	if err == nil {
		err = c.makeAll(context.Background())
	}
	if err == nil && c.sync {
		err = c.syncDirs()
	}
	if err != nil {
		return turn.Errorf(turn.CodeInternal, "%s, and not all changes could be put back: %s", turn.Quote(changed[0]),
			plain(err)).WithHint("the next pai-exec continues with it")
	}
	places := c.aside()
	for i, place := range places { // it is pending no more then
		places[i] = strings.Replace(place, c.name, c.id(), 1)
	}
	o.found(Found{Changed: changed, Aside: places})
	return nil
}

func unlessNil(err error) error {
	if err == nil {
		return nil
	}
	return unchangedBy(err)
}

// judgeMoved is the error of a check that passed and wrote over what the commit only moved: of that
// there is nothing to make once more. Modes are given back first.
func (c *commit) judgeMoved() error {
	changed, err := c.overwritten()
	for i := 0; err == nil && i < len(changed); i++ {
		p := changed[i]
		now, stateErr := c.root.State(p)
		want := c.Paths[p].After
		if stateErr == nil && now != nil && want != nil && now.Mode != want.Mode {
			c.setMode(p, want)
		}
	}
	if err == nil {
		changed, err = c.overwritten()
	}
	if err != nil {
		return unchangedBy(err)
	}
	for _, p := range changed {
		for _, o := range c.Ops {
			if o.Kind == disk.OpRename && (o.To == p || strings.HasPrefix(p, o.To+"/")) && c.Paths[p].After != nil {
				return turn.Errorf(turn.CodeCheckFailed, "the check changed %s, which was only moved: the change was rolled back",
					turn.Quote(p))
			}
		}
	}
	return nil
}

// restoreMoved puts back what was in the tree before a change moved it, where a check wrote over it
// at its new place. What it wrote goes aside.
func (c *commit) restoreMoved(copies *Keep) error {
	if copies == nil {
		return nil
	}
	for _, i := range copies.moved {
		whole, err := c.movedWhole(c.Ops[i].Path)
		if err == nil && !whole {
			err = c.restoreOneMoved(i, copies)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// movedWhole reports whether all that a change moved from a path holds what it held there.
func (c *commit) movedWhole(from string) (bool, error) {
	before := make(map[string]turn.SealedPath)
	for p, s := range c.Paths {
		if s.Before != nil && (p == from || strings.HasPrefix(p, from+"/")) {
			before[p] = s
		}
	}
	changed, err := c.root.Changed(before)
	return len(changed) == 0, err
}

func (c *commit) restoreOneMoved(i int, copies *Keep) error {
	dir, name, err := c.root.Parent(c.Ops[i].Path)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	err = unlessAbsent(unix.Renameat2(dir, name, c.fd, strconv.Itoa(i)+asideSuffix, unix.RENAME_NOREPLACE))
	if err != nil {
		return err
	}
	return copies.restore(i, c.Ops[i].Path, dir, name)
}

// asBefore reports whether a path holds what it held before the commit.
func (c *commit) asBefore(p string) bool {
	changed, err := c.root.Changed(map[string]turn.SealedPath{p: c.Paths[p]})
	return err == nil && len(changed) == 0
}

// overwritten are the paths that don't hold what the commit wrote, sorted. What else is in
// directories that it made is not among them, what is in the place of such a directory is.
func (c *commit) overwritten() ([]string, error) {
	made := make(map[string]bool)
	for _, o := range c.Ops {
		made[o.Path] = made[o.Path] || o.Kind == disk.OpMkdir
	}
	after := make(map[string]turn.SealedPath, len(c.Paths))
	for p, s := range c.Paths {
		if !made[p] || s.After == nil || s.After.Type != "dir" {
			after[p] = turn.SealedPath{Before: s.After}
		}
	}
	changed, err := c.root.Changed(after)
	all := setOf(changed)
	for p, s := range c.Paths {
		if made[p] && s.After != nil && s.After.Type == "dir" {
			if st, err := c.root.Stat(p); err == nil && st.Kind != disk.Directory {
				all[p] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all)), err
}

func setOf(all []string) map[string]bool {
	out := make(map[string]bool, len(all))
	for _, one := range all {
		out[one] = true
	}
	return out
}

// stageAgain writes the new files that are in the tree no more, names again what is aside, and
// notes that nothing is made.
func (c *commit) stageAgain() error {
	c.dropLeft()
	for i := range c.Ops {
		o := &c.Ops[i]
		if there(c.fd, displaced(i)) {
			if err := unix.Renameat(c.fd, displaced(i), c.fd, strconv.Itoa(i)+asideSuffix); err != nil {
				return err
			}
		}
		if o.Kind != disk.OpPut && o.Kind != disk.OpReplace || there(c.fd, strconv.Itoa(i)) {
			continue
		}
		if err := c.stageFile(i, o); err != nil {
			return err
		}
	}
	if err := c.write(c.sync); err != nil {
		return err
	}
	return c.noteProgress(0, false)
}
