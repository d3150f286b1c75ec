package modeltest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Rule answers the requests that it fits.
type Rule struct {
	When   *regexp.Regexp // on the system text and the prompt
	Times  int            // how often it answers; 0: always
	Status int            // an HTTP status other than 200 makes the answer an error's message
	Header [2]string      // one header more, name and value
	Finish string         // the finish reason; empty: STOP, "none": the stream is cut before it
	Block  string         // a block reason: there is no answer then

	Details  []map[string]any // of an error
	Verbatim string           // the content type of an answer that is sent as it is, without the provider's form
	Delay    time.Duration    // before the headers
	Stall    time.Duration    // after the first piece
	Reset    string           // "before" or in the "middle" of the answer the connection breaks
	Gzip     bool             // the answer is compressed
	Comment  bool             // comments are between the events
	Repeat   int              // how often the answer is in the answer

	Answer string
}

// parseRules reads rules from text. Rules are separated by a line "===". Each
// has lines "name: value" (when, times, status, header, finish, block, details,
// verbatim, delay, stall, reset, gzip, comment, repeat; lines that begin with # are
// remarks), a line "---", and the answer. Line
// feeds at its end are not part of the answer.
func parseRules(text string) ([]Rule, error) {
	var rules []Rule
	for i, block := range strings.Split("\n"+text, "\n===\n") {
		head, answer, found := strings.Cut(block+"\n", "\n---\n")
		if !found {
			return nil, fmt.Errorf("modeltest: rule %d has no line \"---\"", i+1)
		}
		r := Rule{Answer: strings.TrimRight(answer, "\n")}
		for line := range strings.Lines(head) {
			if err := r.set(strings.TrimSpace(line)); err != nil {
				return nil, fmt.Errorf("modeltest: rule %d: %w", i+1, err)
			}
		}
		if r.When == nil {
			return nil, fmt.Errorf("modeltest: rule %d has no \"when\"", i+1)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

func (r *Rule) set(line string) (err error) {
	if line == "" || line[0] == '#' {
		return nil
	}
	name, value, _ := strings.Cut(line, ": ")
	switch name {
	case "when":
		r.When, err = regexp.Compile(value)
	case "times":
		r.Times, err = strconv.Atoi(value)
	case "status":
		r.Status, err = strconv.Atoi(value)
	case "header":
		r.Header[0], r.Header[1], _ = strings.Cut(value, ": ")
	case "finish":
		r.Finish = value
	case "block":
		r.Block = value
	case "details":
		err = json.Unmarshal([]byte(value), &r.Details)
	case "verbatim":
		r.Verbatim = value
	case "delay":
		r.Delay, err = time.ParseDuration(value)
	case "stall":
		r.Stall, err = time.ParseDuration(value)
	case "reset":
		r.Reset = value
	case "gzip":
		r.Gzip, err = strconv.ParseBool(value)
	case "comment":
		r.Comment, err = strconv.ParseBool(value)
	case "repeat":
		r.Repeat, err = strconv.Atoi(value)
	default:
		err = fmt.Errorf("unknown line %q", line)
	}
	return err
}
