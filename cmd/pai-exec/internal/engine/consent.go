package engine

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"paicode/pkg/turn"
)

// agreed gets the yes that some steps want: one for what takes something
// away, and one of its own for what runs code by itself.
func (r *run) agreed(tty *os.File) bool {
	var removing, risky []turn.Step
	for _, s := range r.steps {
		if slices.Contains(r.removing, s.Number) && !r.Yes {
			removing = append(removing, s)
		}
		if s.Risk != "" && !r.AllowRisky {
			risky = append(risky, s)
		}
	}
	return r.agree(tty, removing, "want a person's yes", "--yes agrees to them") &&
		r.agree(tty, risky, "change what runs code by itself", "--allow-risky agrees to them")
}

// agree shows steps and asks for a yes; none need one. Without a terminal,
// which is nil then, the answer is no.
func (r *run) agree(tty *os.File, steps []turn.Step, why, hint string) bool {
	if len(steps) == 0 {
		return true
	}
	if tty == nil {
		var numbers []string
		for _, s := range steps {
			numbers = append(numbers, strconv.Itoa(s.Number))
		}
		r.progress.Error(turn.Errorf(turn.CodeNotApplied, "not applied: these steps %s: %s", why, strings.Join(numbers, ", ")).WithHint("%s", hint))
		return false
	}
	for _, s := range steps {
		fmt.Fprintf(tty, "%3d  %s %s %s  %s\n", s.Number, s.Action, turn.Shown(s.Target), destination(s), turn.Printable(s.Risk))
	}
	fmt.Fprint(tty, "Apply? [y]es [n]o: ")
	line, _ := bufio.NewReader(tty).ReadString('\n')
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y")
}

func destination(s turn.Step) string {
	if s.Destination == "" {
		return ""
	}
	return "→ " + turn.Shown(s.Destination)
}
