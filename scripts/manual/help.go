package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// command is what a command says of itself. The name of one under another has both: "pai log".
type command struct {
	name, does, usage, examples, question, exits string
	options                                      []option
	commands                                     []*command
}

// option is one of a command. Value is empty for a switch.
type option struct {
	name, short, value, does string
	group                    string // empty: the short help has it
	repeats                  bool
}

// ask runs a command with --help-all, and those under it.
func ask(program, name string) (*command, error) {
	args := append(strings.Fields(name)[1:], "--help-all")
	run := exec.Command(program, args...)
	run.Env = append(os.Environ(), "NO_COLOR=1", "PAI_MODEL=")
	help, err := run.Output()
	if err != nil {
		return nil, fmt.Errorf("%s --help-all: %w", name, err)
	}
	c, beneath := read(name, string(help))
	for _, b := range beneath {
		sub, err := ask(program, name+" "+b)
		if err != nil {
			return nil, err
		}
		c.commands = append(c.commands, sub)
	}
	return c, nil
}

// columns is a row of the help: what is described, and how.
var columns = regexp.MustCompile(`^   (\S.*?)(?:  +(.*))?$`)

// read takes a help page apart; under are the names of the commands in it.
func read(name, help string) (c *command, beneath []string) {
	c = &command{name: name}
	first, rest, _ := strings.Cut(help, "\n")
	_, c.does, _ = strings.Cut(first, " - ")
	for _, part := range strings.Split(rest, "\n\n") {
		part = strings.Trim(part, "\n")
		heading, body, _ := strings.Cut(part, "\n")
		switch {
		case strings.HasPrefix(heading, "usage: "):
			c.usage = strings.TrimPrefix(part, "usage: ")
		case heading == "examples:":
			c.examples = body
		case heading == "a question:":
			c.question = body
		case heading == "exit codes:":
			c.exits = body
		case heading == "commands:" || strings.HasSuffix(heading, "options:"):
			group := strings.TrimSuffix(strings.TrimSuffix(heading, "options:"), " ")
			for row := range strings.Lines(body) {
				m := columns.FindStringSubmatch(strings.TrimRight(row, "\n"))
				if m == nil {
					continue
				}
				if heading == "commands:" {
					beneath = append(beneath, m[1])
				} else {
					o := optionOf(m[1], m[2])
					o.group = group
					c.options = append(c.options, o)
				}
			}
		}
	}
	return c, beneath
}

// optionOf reads "--check CMD [ --check CMD ]" or "--help, -h".
func optionOf(spec, does string) (o option) {
	spec, _, o.repeats = strings.Cut(spec, " [ ")
	spec, short, _ := strings.Cut(spec, ", -")
	o.name, o.value, _ = strings.Cut(strings.TrimPrefix(spec, "--"), " ")
	o.short, o.does = short, does
	return o
}

// flat are a command and all under it.
func (c *command) flat() []*command {
	out := []*command{c}
	for _, b := range c.commands {
		out = append(out, b.flat()...)
	}
	return out
}

// last is the name without those of the commands above.
func (c *command) last() string { return c.name[strings.LastIndex(c.name, " ")+1:] }

// arguments are what a command takes, where these are few.
func (c *command) arguments() []string {
	return map[string][]string{
		"pai completion": {"bash", "zsh", "fish"},
		"pai man": {"pai", "classify", "plan", "exec", "suggest", "model",
			"document", "config", "session", "context", "security", "recipes"},
	}[c.name]
}

// values are what an option takes, where these are few.
func (o option) values() string {
	return map[string]string{
		"output":   "json text diff answer",
		"thinking": "auto off minimal low medium high",
		"ask":      "auto never",
	}[o.name]
}
