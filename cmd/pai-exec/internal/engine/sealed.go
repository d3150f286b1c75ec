package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"path"
	"reflect"
	"slices"
	"sort"
	"strings"

	"paicode/cmd/pai-exec/internal/disk"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/pkg/turn"
)

// mostListed is how many paths that go or come with a directory a seal lists: a digest stands
// for more.
const mostListed = 10_000

// digested is what a seal holds of paths: those that go or come with a directory, if they are
// too many, by their digest in the directory's state.
func digested(paths map[string]turn.SealedPath) map[string]turn.SealedPath {
	if len(paths) <= mostListed {
		return paths
	}
	out := maps.Clone(paths)
	sorted := slices.Sorted(maps.Keys(paths))
	for _, dir := range sorted {
		p, listed := out[dir]
		if !listed {
			continue // a digest stands for it
		}
		from, to := sort.SearchStrings(sorted, dir+"/"), sort.SearchStrings(sorted, dir+"0") // 0 is next to /
		p.Before = digest(out, sorted[from:to], p.Before,
			func(k turn.SealedPath) (state, other *turn.State) { return k.Before, k.After })
		p.After = digest(out, sorted[from:to], p.After,
			func(k turn.SealedPath) (state, other *turn.State) { return k.After, k.Before })
		out[dir] = p
	}
	return out
}

// digest puts one for the paths that have a state and not the other into the directory's
// state, if they are too many, and takes them out of the list.
func digest(list map[string]turn.SealedPath, beneath []string, dir *turn.State,
	states func(turn.SealedPath) (state, other *turn.State)) *turn.State {
	if dir == nil || dir.Type != "dir" || len(beneath) <= mostListed {
		return dir
	}
	var along []string
	sum := sha256.New()
	for _, p := range beneath {
		if state, other := states(list[p]); state != nil && other == nil {
			along = append(along, p)
			addState(sum, p, state)
		}
	}
	if len(along) <= mostListed {
		return dir
	}
	for _, p := range along {
		delete(list, p)
	}
	with := *dir
	with.Paths, with.Beneath = len(along), "sha256:"+hex.EncodeToString(sum.Sum(nil))
	return &with
}

// addState adds a path to a digest.
func addState(sum io.Writer, p string, state *turn.State) {
	fmt.Fprintf(sum, "%s\x00%s\x00%t\x00%s\n", p, state.Type, disk.Executable(state), state.SHA256)
}

// holds reports whether what is under a directory is what a digest stands for.
func (r *run) holds(dir string, state *turn.State) bool {
	at, name, err := r.root.Parent(dir)
	if err != nil {
		return false
	}
	defer disk.File(at).Close()
	var all []string
	err = disk.Visit(at, name, "", func(_ int, _, rel string, _ disk.Info) error {
		if rel != "" {
			all = append(all, dir+"/"+rel)
		}
		return nil
	})
	if err != nil || len(all) != state.Paths {
		return false
	}
	slices.Sort(all)
	sum := sha256.New()
	for _, p := range all {
		now, err := r.root.State(p)
		if err != nil || now == nil {
			return false
		}
		addState(sum, p, now)
	}
	return state.Beneath == "sha256:"+hex.EncodeToString(sum.Sum(nil))
}

// seal binds the resolved plan to the tree. A seal that the document brought
// must hold: what was at its paths must be there still, and for the same
// steps the outcome must be the same.
func (r *run) seal(net overlay.Net) error {
	paths := digested(net.Paths)
	if r.sealed != nil {
		if changed := r.differ(paths); len(changed) > 0 {
			return r.stale(changed)
		}
	}
	if !reflect.DeepEqual(r.steps, r.plan.ExecutionPlan.Steps) {
		r.doc.FillSteps(r.steps, r.author.Written())
	}
	if !r.bound {
		r.doc.SetSeal(&turn.Seal{Steps: hashSteps(r.steps), Paths: paths})
	}
	r.doc.SetExec(r.exec)
	if size := r.doc.Size(); size > turn.MaxBytes {
		return turn.Errorf(turn.CodeRejected, "the sealed document would have %d MB, and no command reads more than %d",
			size>>20, turn.MaxBytes>>20).
			WithHint("do it in several plans")
	}
	return nil
}

// differ names the paths at which the seal and the tree disagree: those that are not what
// they were, or else those that would become something else. A folder above a new file may
// be there or not: git keeps no empty ones.
func (r *run) differ(paths map[string]turn.SealedPath) []string {
	var before, after []string
	judge := func(p string, was, now turn.SealedPath) {
		switch {
		case !disk.Alike(was.Before, now.Before):
			before = append(before, p)
		case r.bound && !disk.Alike(was.After, now.After):
			after = append(after, p)
		}
	}
	for p, now := range paths {
		was, known := r.sealed.Paths[p]
		folder := made(now) && (!known || made(was))
		if (known || r.bound) && !folder {
			judge(p, was, now)
		}
	}
	for p, was := range r.sealed.Paths {
		if _, still := paths[p]; !still && r.bound && !made(was) {
			judge(p, was, turn.SealedPath{})
		}
	}
	out := before
	if len(out) == 0 {
		out = after
	}
	return outermost(out, func(p string) bool { return hasDigest(r.sealed.Paths[p]) || hasDigest(paths[p]) })
}

// made reports whether a path becomes a folder that may be there before.
func made(p turn.SealedPath) bool {
	return p.After != nil && p.After.Type == "dir" && p.After.Beneath == "" && (p.Before == nil || p.Before.Type == "dir")
}

func hasDigest(p turn.SealedPath) bool {
	return p.Before != nil && p.Before.Beneath != "" || p.After != nil && p.After.Beneath != ""
}

// sealSpeaksOf reports whether the seal has every path that steps change, and for those whose
// last step tells what is there after it, just that.
func (r *run) sealSpeaksOf(steps []turn.Step) bool {
	last := make(map[string]turn.Step)
	for _, s := range steps {
		switch s.Action {
		case turn.ActionWrite, turn.ActionModify, turn.ActionRemove:
			last[s.Target] = s
		case turn.ActionMove:
			last[s.Target], last[s.Destination] = turn.Step{Action: turn.ActionRemove}, turn.Step{}
		}
	}
	for p, s := range last {
		sealed, known := r.sealed.Paths[path.Clean(p)]
		switch {
		case !known:
			return false
		case s.Action == turn.ActionRemove && sealed.After != nil:
			return false
		case s.Action == turn.ActionWrite && s.Content != nil &&
			(sealed.After == nil || sealed.After.SHA256 != fmt.Sprintf("%x", sha256.Sum256([]byte(*s.Content)))):
			return false
		}
	}
	return true
}

// outermost leaves out what is under a directory of some kind.
func outermost(paths []string, kind func(p string) bool) []string {
	slices.Sort(paths)
	dir := ""
	return slices.DeleteFunc(paths, func(p string) bool {
		if dir != "" && strings.HasPrefix(p, dir) {
			return true
		}
		if kind(p) {
			dir = p + "/"
		}
		return false
	})
}

// orStale blames a failure to resolve on changed files, if the document is
// sealed and they did change.
func (r *run) orStale(err error) error {
	if r.sealed == nil {
		return err
	}
	changed, staleErr := overlay.NewTree(r.root, r.Overlay).Stale(r.sealed.Paths)
	if staleErr != nil || len(changed) == 0 {
		return err
	}
	return r.stale(changed)
}

// stale refuses because files changed since the plan was sealed or resolved; where they are
// what the seal says they become, it is errApplied. No diff is shown: nobody reviewed one that
// was made of other files.
func (r *run) stale(paths []string) error {
	r.fail(turn.StatusStale, "")
	for i := range r.exec.Steps {
		r.exec.Steps[i].Diff, r.exec.Steps[i].Added, r.exec.Steps[i].Removed = "", 0, 0
	}
	if r.appliedAlready() {
		r.fail(turn.StatusUnchanged, "applied already")
		return errApplied
	}
	return turn.Errorf(turn.CodeStale, "stale: %s changed since the plan was made", turn.QuoteFew(paths)).
		WithHint("plan again, or restore the file")
}

// appliedAlready reports whether the tree is what the seal says it becomes, and the seal speaks
// of what the steps change: whoever wrote it may have written anything.
func (r *run) appliedAlready() bool {
	if !r.bound || !r.doc.Changes() || !r.sealSpeaksOf(r.steps) {
		return false
	}
	after := make(map[string]turn.SealedPath)
	for p, s := range r.sealed.Paths {
		after[p] = turn.SealedPath{Before: s.After}
		if s.After != nil && s.After.Beneath != "" && !r.holds(p, s.After) {
			return false
		}
	}
	changed, err := overlay.NewTree(r.root, r.Overlay).Stale(after)
	return err == nil && len(changed) == 0
}
