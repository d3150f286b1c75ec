package guard

import (
	"strings"

	"paicode/pkg/lazyregexp"
)

// Setting is one of a configuration file of git's: its name in small letters but for what stands
// between the first and the last dot, and its value.
type Setting struct{ Name, Value string }

var sectionForm = lazyregexp.New(`^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$`)

// GitConfig reads a configuration file of git's, as git-config(1) describes the syntax, and runs
// nothing. What isn't well formed is left out.
func GitConfig(text string) (all []Setting) {
	section := ""
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\\\n", "")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if m := sectionForm().FindStringSubmatch(line); m != nil {
			section = strings.ToLower(m[1])
			if m[2] != "" {
				section += "." + strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(m[2])
			}
			line = strings.TrimSpace(m[3])
		}
		if line == "" || line[0] == '#' || line[0] == ';' || line[0] == '[' {
			continue
		}
		name, value, _ := strings.Cut(line, "=")
		all = append(all, Setting{section + "." + strings.ToLower(strings.TrimSpace(name)), gitValue(value)})
	}
	return all
}

// gitValue is a value without quotes, comments and the blanks around it.
func gitValue(text string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteString(strings.NewReplacer("n", "\n", "t", "\t", "b", "\b").Replace(text[i : i+1]))
		case !quoted && (c == '#' || c == ';'):
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimSpace(b.String())
}

var runsForm = lazyregexp.New(`(command|cmd|textconv|driver|clean|smudge|process|program|helper|editor|pager)$|` +
	`(askpass|external|fsmonitor|hook|filter)$|^(alias|pager)\.|^submodule\..*\.update$`)

// Includes reports whether the value is the path of another configuration file.
func (s Setting) Includes() bool {
	return strings.HasPrefix(s.Name, "include") && strings.HasSuffix(s.Name, ".path")
}

// Runs are the paths of which a setting has git run something: a folder of hooks, or the words of
// a command, of which any may be a path.
func (s Setting) Runs() []string {
	switch {
	case s.Name == "core.hookspath":
		return []string{s.Value}
	case strings.HasPrefix(s.Name, "alias.") && !strings.HasPrefix(s.Value, "!"):
		return nil // another command of git's
	case runsForm().MatchString(s.Name):
		return strings.FieldsFunc(s.Value, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`;|&()<>$!=", r) })
	}
	return nil
}
