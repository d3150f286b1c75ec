package main

import (
	"fmt"
	"slices"
	"strings"
)

const head = `# Completion of Pai's commands for %s. Written by go run ./scripts/manual from --help.
# What is typed is compared with words, and never run.
`

// bash is a script that needs nothing but bash. What it doesn't know, it leaves to names of
// files.
func bash(all []*command) string {
	var b strings.Builder
	fmt.Fprintf(&b, head, "bash")
	b.WriteString("_pai() {\n\tlocal name=${COMP_WORDS[0]##*/} words='' i\n\tCOMPREPLY=()\n" +
		"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n\t\tcase \"$name ${COMP_WORDS[i]}\" in\n")
	fmt.Fprintf(&b, "\t\t%s) name+=\" ${COMP_WORDS[i]}\" ;;\n\t\tesac\n\tdone\n", quotedNames(all, " | "))
	b.WriteString("\tcase ${COMP_WORDS[COMP_CWORD - 1]} in\n")
	names, takesValue := valued(all)
	for _, o := range names {
		fmt.Fprintf(&b, "\t--%s) words='%s' ;;\n", o.name, o.values())
	}
	fmt.Fprintf(&b, "\t%s) return ;;\n\t*)\n\t\tcase \"$name ${COMP_WORDS[COMP_CWORD]}\" in\n",
		strings.Join(takesValue, " | "))
	for _, c := range slices.Backward(flat(all)) { // "pai config" goes before "pai"
		var options, commands []string
		for _, o := range c.options {
			options = append(options, "--"+o.name)
		}
		for _, sub := range c.commands {
			commands = append(commands, sub.last())
		}
		commands = append(commands, c.arguments()...)
		fmt.Fprintf(&b, "\t\t'%s -'*) words='%s' ;;\n", c.name, strings.Join(options, " "))
		if len(commands) > 0 {
			fmt.Fprintf(&b, "\t\t'%s '*) words='%s' ;;\n", c.name, strings.Join(commands, " "))
		}
	}
	b.WriteString("\t\tesac\n\t\t;;\n\tesac\n\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n}\n")
	fmt.Fprintf(&b, "complete -o default -F _pai %s\n", tops(all))
	return b.String()
}

// zsh is a script for a directory of $fpath, or to be sourced.
func zsh(all []*command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %s\n"+head, tops(all), "zsh")
	b.WriteString("_pai() {\n\tlocal -a flags below # options and commands are zsh's own\n\tlocal name=$service\n\tinteger i\n" +
		"\tfor ((i = 2; i < CURRENT; i++)); do\n\t\tcase \"$name ${words[i]}\" in\n")
	fmt.Fprintf(&b, "\t\t(%s) name+=\" ${words[i]}\" ;;\n\t\tesac\n\tdone\n\tcase ${words[CURRENT-1]} in\n",
		quotedNames(all, "|"))
	names, takesValue := valued(all)
	for _, o := range names {
		fmt.Fprintf(&b, "\t(--%s) compadd -- %s; return ;;\n", o.name, o.values())
	}
	fmt.Fprintf(&b, "\t(%s) _files; return ;;\n\tesac\n\tcase $name in\n", strings.Join(takesValue, "|"))
	for _, c := range flat(all) {
		fmt.Fprintf(&b, "\t('%s')\n\t\tflags=(\n", c.name)
		for _, o := range c.options {
			fmt.Fprintf(&b, "\t\t\t%s\n", quote("--"+o.name+":"+colons(o.does)))
		}
		b.WriteString("\t\t)\n\t\tbelow=(\n")
		for _, sub := range c.commands {
			fmt.Fprintf(&b, "\t\t\t%s\n", quote(sub.last()+":"+colons(sub.does)))
		}
		for _, word := range c.arguments() {
			fmt.Fprintf(&b, "\t\t\t%s\n", quote(word))
		}
		b.WriteString("\t\t)\n\t\t;;\n")
	}
	b.WriteString("\tesac\n\tif [[ $PREFIX == -* ]]; then\n\t\t_describe -o option flags\n\t\treturn\n\tfi\n" +
		"\t(( $#below )) && _describe command below\n\t_files\n}\n")
	fmt.Fprintf(&b, "if [[ ${funcstack[1]} == _pai ]]; then\n\t_pai \"$@\"\nelse\n\tcompdef _pai %s\nfi\n", tops(all))
	return b.String()
}

// fish is a script for a directory of completions, under the name of each command.
func fish(all []*command) string {
	var b strings.Builder
	fmt.Fprintf(&b, head, "fish")
	for _, top := range all {
		for _, c := range top.flat() {
			where := condition(c)
			for _, sub := range c.commands {
				fmt.Fprintf(&b, "complete -c %s%s -a %s -d %s\n", top.name, where, sub.last(), quote(sub.does))
			}
			if words := c.arguments(); len(words) > 0 {
				fmt.Fprintf(&b, "complete -c %s%s -f -a %s\n", top.name, where, quote(strings.Join(words, " ")))
			}
			for _, o := range c.options {
				fmt.Fprintf(&b, "complete -c %s%s -l %s%s -d %s\n", top.name, where, o.name, takes(o), quote(o.does))
			}
		}
	}
	return b.String()
}

// condition is when fish offers what a command has.
func condition(c *command) string {
	names := strings.Fields(c.name)[1:]
	var parts []string
	for _, name := range names {
		parts = append(parts, "__fish_seen_subcommand_from "+name)
	}
	if len(c.commands) > 0 {
		var beneath []string
		for _, sub := range c.commands {
			beneath = append(beneath, sub.last())
		}
		parts = append(parts, "not __fish_seen_subcommand_from "+strings.Join(beneath, " "))
	}
	if len(parts) == 0 {
		return ""
	}
	return " -n " + quote(strings.Join(parts, "; and "))
}

func takes(o option) string {
	switch {
	case o.values() != "":
		return " -x -a " + quote(o.values())
	case o.value == "DIR":
		return " -x -a '(__fish_complete_directories)'"
	case o.value != "":
		return " -r"
	}
	return ""
}

// valued are the options with few values, and the names of the others that take one.
func valued(all []*command) (few []option, others []string) {
	seen := make(map[string]bool)
	for _, c := range flat(all) {
		for _, o := range c.options {
			switch {
			case o.value == "" || seen[o.name]:
			case o.values() != "":
				few = append(few, o)
			default:
				others = append(others, "--"+o.name)
			}
			seen[o.name] = seen[o.name] || o.value != ""
		}
	}
	return few, others
}

func flat(all []*command) (out []*command) {
	for _, c := range all {
		out = append(out, c.flat()...)
	}
	return out
}

// quotedNames are the commands under others.
func quotedNames(all []*command, between string) string {
	var out []string
	for _, c := range flat(all) {
		if strings.Contains(c.name, " ") {
			out = append(out, quote(c.name))
		}
	}
	return strings.Join(out, between)
}

func tops(all []*command) string {
	var out []string
	for _, c := range all {
		out = append(out, c.name)
	}
	return strings.Join(out, " ")
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func colons(text string) string { return strings.ReplaceAll(text, ":", `\:`) }
