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

// agree shows the steps that take something away and asks for a yes. Without
// a terminal, which is nil then, the answer is no.
func agree(tty *os.File, steps []turn.Step, numbers []int) bool {
	if tty == nil {
		return false
	}
	for _, s := range steps {
		if slices.Contains(numbers, s.Number) {
			fmt.Fprintf(tty, "%3d  %s %s %s\n", s.Number, s.Action, turn.Shown(s.Target), destination(s))
		}
	}
	fmt.Fprint(tty, "Apply? [y]es [n]o: ")
	line, _ := bufio.NewReader(tty).ReadString('\n')
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y")
}

// numbers writes step numbers for people: "1, 2".
func numbers(of []int) string {
	var words []string
	for _, n := range of {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ", ")
}

func destination(s turn.Step) string {
	if s.Destination == "" {
		return ""
	}
	return "→ " + turn.Shown(s.Destination)
}
