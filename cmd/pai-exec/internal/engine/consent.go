package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"paicode/pkg/render"
	"paicode/pkg/turn"
)

// agreed gets the yes that some steps want: those that take something away, and those that
// change what runs code by itself. One question is for all of them.
func (r *run) agreed(ctx context.Context) bool {
	var removing, risky []string
	for _, s := range r.steps {
		if slices.Contains(r.removing, s.Number) && !r.Yes {
			removing = append(removing, strconv.Itoa(s.Number))
		}
		if s.Risk != "" && !r.AllowRisky {
			risky = append(risky, strconv.Itoa(s.Number))
		}
	}
	switch {
	case len(removing)+len(risky) == 0:
		return true
	case r.tty == nil && len(removing) > 0:
		return r.unagreed(removing, "need a person's yes", "--yes allows them")
	case r.tty == nil:
		return r.unagreed(risky, "change what runs code by itself", "--allow-risky allows them")
	}
	r.progress.Done()
	width, _ := r.tty.Size()
	fmt.Fprint(r.tty, render.Style{Terminal: true, Width: width}.Will(r.doc, r.Checks))
	return r.tty.Agree(ctx, "Apply? [y]es [n]o: ")
}

// unagreed says why nothing is applied where nobody can be asked.
func (r *run) unagreed(steps []string, why, hint string) bool {
	r.progress.Error(turn.Errorf(turn.CodeNotApplied, "not applied: these steps %s: %s", why, strings.Join(steps, ", ")).
		WithHint("%s", hint))
	return false
}
