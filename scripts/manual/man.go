package main

import (
	"fmt"
	"slices"
	"strings"
)

// manual is a page of section 1.
func manual(c *command, all []*command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".\\\" Written by go run ./scripts/manual from --help-all.\n.TH %s 1 \"\" Pai \"User Commands\"\n",
		strings.ToUpper(roff(c.name)))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", roff(c.name), roff(c.does))
	synopsis(&b, c.usage)
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", roff(descriptions()[c.name]))
	if c.question != "" {
		fmt.Fprintf(&b, ".SH QUESTIONS\n.EX\n%s\n.EE\n", lines(c.question))
	}
	if len(c.commands) > 0 {
		b.WriteString(".SH COMMANDS\n")
	}
	for _, sub := range c.flat()[1:] {
		fmt.Fprintf(&b, ".SS %s\n%s.\n.PP\n%s\n", roff(sub.name), sentence(sub.does), roff(sub.usage))
		for _, o := range sub.options {
			if !strings.HasPrefix(o.name, "help") && (len(sub.options) < few || !slices.Contains(c.options, o)) {
				writeOption(&b, o)
			}
		}
	}
	b.WriteString(".SH OPTIONS\n")
	group := ""
	for _, o := range c.options {
		if o.group != group {
			group = o.group
			fmt.Fprintf(&b, ".SS %s\n", sentence(group))
		}
		writeOption(&b, o)
	}
	exitStatus(&b, c.exits)
	b.WriteString(".SH ENVIRONMENT\nAn option's variable is in brackets behind it. See\n.BR pai\\-config (5)\nfor all others, and for keys.\n")
	b.WriteString(".SH FILES\nSee\n.BR pai\\-config (5).\n")
	if c.examples != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.EX\n%s\n.EE\n", lines(c.examples))
	}
	seeAlso(&b, c, all)
	return b.String()
}

func exitStatus(b *strings.Builder, exits string) {
	b.WriteString(".SH EXIT STATUS\n")
	for row := range strings.Lines(exits) {
		if m := columns.FindStringSubmatch(strings.TrimRight(row, "\n")); m != nil {
			fmt.Fprintf(b, ".TP\n.B %s\n%s\n", m[1], roff(m[2]))
		}
	}
}

func seeAlso(b *strings.Builder, c *command, all []*command) {
	b.WriteString(".SH SEE ALSO\n")
	var others []string
	for _, other := range all {
		if other.name != c.name {
			others = append(others, fmt.Sprintf(".BR %s (1)", roff(other.name)))
		}
	}
	for _, page := range []string{"document (5)", "config (5)", "session (7)", "context (7)", "security (7)", "recipes (7)"} {
		others = append(others, ".BR pai\\-"+page)
	}
	b.WriteString(strings.Join(others, " ,\n") + "\n")
}

// few is from how many options on a command repeats none of those of the command above it.
const few = 8

// descriptions are what the commands do, in a few sentences.
func descriptions() map[string]string {
	return map[string]string{
		"pai": "Pai does a request in a project: it has a model plan, shows the plan and the diff, asks, " +
			"and applies the " +
			"change. Without a request it starts a session on a terminal. With - behind the request, " +
			"standard input is shown to " +
			"the model too. Given a document on standard input, it continues where the document stopped: a plan is not " +
			"planned again, and a sealed plan is applied exactly or refused as stale. Without a terminal " +
			"nothing is applied " +
			"unless --yes is given; the sealed document is printed instead. Messages name the stage that " +
			"they come from, " +
			"such as pai-exec.",
		"pai-classify": "Pai-classify reads a request, or a document, and adds the member intent: whether " +
			"the request is a task, " +
			"with an acknowledgment, or a question, with the answer.",
		"pai-plan": "Pai-plan reads a request, or a document, and adds the members workspace and plan. It " +
			"asks pai-exec --observe " +
			"what a model may see of the files, and changes nothing. The plan's steps say what to do; " +
			"pai-exec has a model " +
			"write their content.",
		"pai-exec": "Pai-exec reads a document with a plan, or a bare plan. It checks every path, has a " +
			"generator write what the steps " +
			"lack, computes the whole change, and seals it: the seal says what each path holds before and " +
			"after. It then " +
			"applies all of it, or nothing, and adds the members seal and exec. With --dry-run it stops " +
			"after sealing. A " +
			"sealed document is applied exactly as sealed, or refused as stale. It is the only command that opens the " +
			"files of the project. Without --yes, deletions and overwriting need a confirmation on the terminal.",
		"pai-suggest": "Pai-suggest reads a document after pai-exec and adds the member suggestion: the " +
			"next step, or the way out of " +
			"a failure.",
		"pai-model": "Pai-model reads a question on each line of standard input and writes the answer on " +
			"a line of standard output. It " +
			"is the only command that uses the network, and it opens no file of a project. The answer is an " +
			"object with text, " +
			"finish (stop, or length if it was cut) and usage, or with error. A question with an id is " +
			"answered by objects " +
			"with that id: any number with delta, then one of these.",
	}
}

// synopsis writes each way to call a command on a line, with what it is for behind it.
func synopsis(b *strings.Builder, usage string) {
	for i, way := range strings.Split(usage, "\n") {
		if i > 0 {
			b.WriteString(".br\n")
		}
		way, _, _ = strings.Cut(strings.TrimSpace(way), "    ")
		fmt.Fprintln(b, roff(strings.TrimSpace(way)))
	}
}

func writeOption(b *strings.Builder, o option) {
	text := `\fB\-\-` + roff(o.name) + `\fR`
	if o.short != "" {
		text += `, \fB\-` + roff(o.short) + `\fR`
	}
	if o.value != "" {
		text += ` \fI` + roff(o.value) + `\fR`
	}
	does := roff(o.does)
	if o.repeats {
		does += "; may be given several times"
	}
	fmt.Fprintf(b, ".TP\n%s\n%s\n", text, does)
}

// roff is text that means itself.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

func lines(text string) string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		out = append(out, roff(strings.TrimPrefix(line, "   ")))
	}
	return strings.Join(out, "\n")
}

func sentence(text string) string { return roff(strings.ToUpper(text[:1]) + text[1:]) }
