package journal

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// prune forgets transactions that are too old or take too much, but never
// the newest, and what was left of ones that never began.
func (h *heldJournal) prune(newest string, age time.Duration, limit int64) {
	var total int64
	forgotten := func(name string) bool {
		total += sizeOf(name)
		return name != newest && (isPending(name) || strings.HasSuffix(name, gone) || total > limit || time.Since(timeOf(name)) > age)
	}
	for t, err := range h.each(h.list, newestFirst, forgotten) {
		if err != nil || t.transaction == nil {
			continue
		}
		unbegun := isPending(t.name)
		switch {
		case !t.foreign && !unbegun || t.foreign && unbegun && !exists(t.fd, recordFile):
			t.remove()
		case strings.HasSuffix(t.name, gone): // its journal went last
			_ = unix.Unlinkat(h.list, t.name, unix.AT_REMOVEDIR)
		}
	}
}

// newID names a transaction by its time, chance, and how much of the tree
// before it keeps, in KiB, so that pruning needs no more than names.
func newID(bytes int64) string {
	var random [2]byte
	rand.Read(random[:])
	now := time.Now().UTC().Format("20060102T150405.000000")
	return fmt.Sprintf("%s-%x-%dk", strings.Replace(now, ".", "-", 1), random, bytes>>10+4) // the journal takes some too
}

// sizeOf and timeOf read a transaction's name; 0 where it is no such name.
func sizeOf(name string) int64 {
	name, _, _ = strings.Cut(name, ".")
	kib, err := strconv.ParseInt(strings.TrimSuffix(name[strings.LastIndex(name, "-")+1:], "k"), 10, 64)
	if err != nil || kib < 0 {
		return 0
	}
	return kib << 10
}

func timeOf(name string) time.Time {
	const form = "20060102T150405"
	when, err := time.Parse(form, name[:min(len(name), len(form))])
	if err != nil {
		return time.Time{}
	}
	return when
}
