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
	if c.examples != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.EX\n%s\n.EE\n", lines(c.examples))
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
	if len(c.commands) > 0 {
		b.WriteString(".SH COMMANDS\n")
	}
	for _, sub := range c.flat()[1:] {
		fmt.Fprintf(&b, ".SS %s\n%s.\n.PP\n%s\n", roff(sub.name), sentence(sub.does), roff(sub.usage))
		for _, o := range sub.options {
			if !strings.HasPrefix(o.name, "help") && !slices.Contains(c.options, o) {
				writeOption(&b, o)
			}
		}
	}
	exitStatus(&b, c.exits)
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
