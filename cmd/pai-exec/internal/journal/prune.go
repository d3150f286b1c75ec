package journal

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// prune forgets transactions of our own that are too old or take too much, but never
// the newest, and what was left of ones that never began.
func (h *heldJournal) prune(newest string, age time.Duration, limit int64) {
	var total int64
	for t, err := range h.each(h.list, newestFirst, onlyHeaders, func(name string) bool { return !isPending(name) }) {
		if err != nil || t.transaction == nil {
			continue
		}
		if strings.HasSuffix(t.name, gone) || strings.HasSuffix(t.name, unready) {
			if t.is == foreign { // an empty one is nobody's loss
				_ = unix.Unlinkat(h.list, t.name, unix.AT_REMOVEDIR)
			} else {
				t.remove()
			}
			continue
		}
		if t.is == foreign || t.is == damaged {
			continue
		}
		if total += t.keepsBytes(); t.name != newest && (total > limit || time.Since(t.made()) > age) {
			t.remove()
		}
	}
}

// keepsBytes is how much of the tree before it keeps, with its journal.
func (t *transaction) keepsBytes() int64 {
	const journal = 4 << 10
	if t.Version == recordVersion {
		return t.Keeps + journal
	}
	id := t.id() // of the version before: it ends with it, in KiB
	kib, err := strconv.ParseInt(strings.TrimSuffix(id[strings.LastIndex(id, "-")+1:], "k"), 10, 64)
	if err != nil || kib < 0 {
		return 0
	}
	return kib << 10
}

// made is when it was made, by the clock of then.
func (t *transaction) made() time.Time {
	const form = "20060102T150405"
	if t.Version == recordVersion {
		return t.Made
	}
	name := t.name
	if sequenceOf(name) > 0 {
		_, name, _ = strings.Cut(name, "-")
	}
	when, err := time.Parse(form, name[:min(len(name), len(form))])
	if err != nil {
		return time.Time{}
	}
	return when
}
