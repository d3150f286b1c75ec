package reply

import (
	"path"
	"slices"
	"strings"
)

// syntax is what tells comments from code in a file, by its name.
type syntax struct {
	marks []string // that begin a comment on a line
	prose bool     // the file is text for people: dots are dots
}

func syntaxOf(file string) syntax {
	name := strings.ToLower(path.Base(file))
	ext := path.Ext(name)
	block := []string{"//", "/*", "* ", "*/", "{/*"}
	in := func(all ...string) bool { return slices.Contains(all, ext) }
	switch {
	case in(".tex"):
		return syntax{[]string{"%"}, true}
	case in(".md", ".markdown", ".rst", ".txt", ".adoc"):
		return syntax{[]string{"<!--", "#", "//", "/*"}, true}
	case in(".html", ".xml", ".vue", ".svelte", ".xhtml", ".svg", ".htm"):
		return syntax{append(block, "<!--", "{{!--", "{#"), false}
	case in(".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".m", ".go", ".rs", ".java", ".kt", ".kts", ".scala", ".js",
		".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".cs", ".swift", ".css", ".scss", ".less", ".dart", ".zig", ".groovy",
		".proto"):
		return syntax{block, false}
	case in(".sql", ".lua", ".hs", ".elm", ".adb", ".ads"):
		return syntax{append(block, "--"), false}
	case in(".clj", ".lisp", ".el", ".scm", ".asm", ".ini"):
		return syntax{[]string{";", "#"}, false}
	case in(".erl", ".m4"):
		return syntax{[]string{"%", "#"}, false}
	case in(".php"):
		return syntax{append(block, "#"), false}
	case in(".vim"):
		return syntax{[]string{`"`}, false}
	}
	return syntax{[]string{"#", "//", "/*", "<!--", "<#", "(*"}, false}
}

// comment takes the words out of a line that is nothing but a comment.
func (s syntax) comment(line string) (words string, ok bool) {
	line = strings.TrimSpace(line)
	for _, mark := range s.marks {
		if strings.HasPrefix(line, strings.TrimSpace(mark)) && (strings.HasPrefix(line+" ", mark)) {
			return bare(line), true
		}
	}
	return "", false
}

// bare are a line's words without what makes a comment of it.
func bare(line string) string {
	line = strings.TrimSpace(line)
	line = strings.TrimLeft(line, "/#*-<!;%{\"'( \t")
	for _, end := range []string{"*/}", "*/", "--}}", "-->", "#}", "#>", "*)"} {
		line = strings.TrimSuffix(line, end)
	}
	return strings.TrimSpace(line)
}

// bracketed are the words of a line that is nothing but brackets around them.
func bracketed(line string) (words string, ok bool) {
	line = strings.TrimSpace(line)
	if len(line) < 3 {
		return "", false
	}
	for _, pair := range []string{"[]", "()", "<>", "{}"} {
		if line[0] == pair[0] && line[len(line)-1] == pair[1] {
			return strings.TrimSpace(line[1 : len(line)-1]), true
		}
	}
	return "", false
}
