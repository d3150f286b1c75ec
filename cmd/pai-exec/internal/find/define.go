package find

import (
	"path"
	"slices"
	"strings"
)

// Definition is a line that defines a name.
type Definition struct {
	Line int    // counted from one
	Name string // without its qualifiers
	Text string // the line, without blanks at its ends
}

// language says how a language's definitions look, line by line. It is no parser:
// what it misses is found by the words, and what it takes too much costs a line.
type language struct {
	keywords  []string               // that a name follows
	modifies  func(word string) bool // words that may be before them; nil: none
	functions shape                  // how functions look without a keyword
}

// shape is that of functions that no keyword begins.
type shape int

const (
	none     shape = iota
	atMargin       // C: a name before a parenthesis, in a line that begins at the margin and ends no statement
	inClass        // Java: the same, with a brace at the end, indented or not
	arrows         // JavaScript: that, and names that become functions
)

// Definitions lists the definitions in a file, by the file's ending.
func Definitions(file, text string) (all []Definition) {
	l, ok := languageOf(file)
	if !ok {
		return nil
	}
	n, fenced := 0, false
	for line := range strings.Lines(text) {
		n++
		if len(line) > 400 {
			continue
		}
		line = strings.TrimRight(line, " \t\r\n")
		if l.keywords == nil { // Markdown
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if name := strings.TrimLeft(line, "#"); !fenced && name != line && strings.HasPrefix(name, " ") {
				all = append(all, Definition{n, strings.TrimSpace(name), line})
			}
			continue
		}
		if name := l.define(line); name != "" {
			all = append(all, Definition{n, name, strings.TrimSpace(line)})
		}
	}
	return all
}

// languageOf knows a language by the ending of a file's name.
func languageOf(file string) (language, bool) {
	switch strings.ToLower(path.Ext(file)) {
	case ".go":
		return language{[]string{"func", "type"}, nil, none}, true
	case ".py", ".pyi":
		return language{[]string{"def", "class"}, async, none}, true
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte":
		return language{[]string{"function", "function*", "class", "interface", "type", "enum", "namespace"}, visible,
			arrows}, true
	case ".java", ".scala", ".groovy":
		return language{[]string{"class", "interface", "enum", "record", "@interface", "object", "trait", "def"}, visible,
			inClass}, true
	case ".kt", ".kts":
		return language{[]string{"fun", "class", "interface", "object", "enum class", "typealias"}, visible, none}, true
	case ".cs":
		return language{[]string{"class", "interface", "enum", "struct", "record", "namespace", "delegate"}, visible,
			inClass}, true
	case ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".m", ".mm":
		return language{[]string{"struct", "class", "enum", "union", "namespace", "#define", "typedef struct"}, storage,
			atMargin}, true
	case ".rs":
		return language{[]string{"fn", "struct", "enum", "trait", "impl", "mod", "type", "union", "macro_rules!", "static"},
			visible, none}, true
	case ".rb", ".rake":
		return language{[]string{"def", "class", "module"}, nil, none}, true
	case ".php":
		return language{[]string{"function", "class", "interface", "trait", "enum"}, visible, none}, true
	case ".sh", ".bash", ".zsh", ".ksh":
		return language{[]string{"function"}, nil, atMargin}, true
	case ".swift":
		return language{[]string{"func", "class", "struct", "enum", "protocol", "extension"}, visible, none}, true
	case ".lua":
		return language{[]string{"function", "local function"}, nil, none}, true
	case ".md", ".markdown":
		return language{}, true
	}
	return language{}, false
}

// visible tells of the modifiers of languages with classes.
func visible(word string) bool {
	switch word {
	case "public", "private", "protected", "internal", "static", "final", "abstract", "sealed", "async", "override",
		"virtual", "default", "export",
		"synchronized", "native", "partial", "readonly", "open", "data", "inline", "suspend", "unsafe", "extern", "const",
		"declare", "pub", "pub(crate)", "pub(super)",
		"crate", "companion", "inner", "strictfp", "non-sealed":
		return true
	}
	return false
}

// storage tells of C's.
func storage(word string) bool {
	switch word {
	case "static", "inline", "extern", "const", "typedef":
		return true
	}
	return false
}

func async(word string) bool { return word == "async" }

// define is the name that a line defines; empty if it defines none.
func (l language) define(line string) string {
	rest := strings.TrimLeft(line, " \t")
	indented := len(rest) < len(line)
	for {
		word, after, ok := strings.Cut(rest, " ")
		if !ok || l.modifies == nil || !l.modifies(word) {
			break
		}
		rest = strings.TrimLeft(after, " ")
	}
	for _, keyword := range l.keywords {
		if after, ok := strings.CutPrefix(rest, keyword); ok && after != "" &&
			(after[0] == ' ' || after[0] == '<' || after[0] == '\t') {
			return nameIn(keyword, after, l.functions == atMargin)
		}
	}
	switch l.functions {
	case atMargin:
		if !indented {
			return called(rest, false)
		}
	case inClass:
		return called(rest, true)
	case arrows:
		if name := assigned(rest); name != "" {
			return name
		}
		return called(rest, true)
	}
	return ""
}

// nameIn is the name behind a keyword: past the receiver of a Go method, the type
// parameters of Rust's impl, and qualifiers.
func nameIn(keyword, after string, needsBody bool) string {
	after = strings.TrimLeft(after, " \t")
	if keyword == "func" && strings.HasPrefix(after, "(") {
		if end := strings.IndexByte(after, ')'); end > 0 {
			after = strings.TrimLeft(after[end+1:], " ")
		}
	}
	after = strings.TrimLeft(pastBrackets(after), " ")
	if keyword == "impl" {
		if _, target, ok := strings.Cut(after, " for "); ok {
			after = target
		}
	}
	after = strings.TrimLeft(after, "*&")
	after = strings.TrimPrefix(after, "self.")
	end := nameEnd(after)
	if strings.HasSuffix(keyword, "function") && end+1 < len(after) && (after[end] == '.' || after[end] == ':') &&
		wordByte(after[end+1]) {
		return nameIn(keyword, after[end+1:], needsBody) // Lua's M.name
	}
	name := after[:end]
	if needsBody && slices.Contains([]string{"struct", "enum", "union", "class"}, keyword) {
		if rest := strings.TrimLeft(after[end:], " "); rest != "" && rest[0] != '{' && rest[0] != ':' {
			return "" // a declaration of a variable of the type
		}
	}
	if name == "" || isDigit(name[0]) {
		return ""
	}
	return name
}

// nameEnd is how long the name is that a text begins with.
func nameEnd(text string) int {
	end := 0
	for end < len(text) && (wordByte(text[end]) || strings.IndexByte("$?!", text[end]) >= 0 && end > 0) {
		end++
	}
	return end
}

// pastBrackets leaves out type parameters at the beginning.
func pastBrackets(text string) string {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '<':
			depth++
		case '>':
			depth--
		}
		if depth == 0 {
			return text[i+min(1, strings.Count(text[:i+1], ">")):]
		}
	}
	return text
}

// called is the name before the first parenthesis of a line that may define a
// function: not a statement, and with a brace at the end if one is needed.
func called(line string, brace bool) string {
	open := strings.IndexByte(line, '(')
	if open <= 0 || strings.HasSuffix(line, ";") || strings.HasSuffix(line, ",") || brace &&
		!strings.HasSuffix(line, "{") || strings.ContainsAny(line[:open], "=.'\"#/%!") {
		return ""
	}
	if brace && !closes(line[open:]) {
		return "" // a call, with a function among what it is given
	}
	head := strings.TrimRight(line[:open], " ")
	start := len(head)
	for start > 0 && wordByte(head[start-1]) {
		start--
	}
	name := head[start:]
	first, _, _ := strings.Cut(head, " ")
	for _, statement := range []string{"if", "for", "while", "switch", "return", "else", "catch", "do", "case", "new",
		"throw", "try", "await", "yield", "with", "synchronized", "foreach", "elif", "assert", "goto", "using", "lock", "}"} {
		if first == statement || name == statement {
			return ""
		}
	}
	if name == "" || isDigit(name[0]) {
		return ""
	}
	return name
}

// closes reports whether the first parenthesis of a text is closed in it.
func closes(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return true
			}
		}
	}
	return false
}

// assigned is a name that becomes a function or a class: "const x = (a) =>".
func assigned(line string) string {
	for _, lead := range []string{"const ", "let ", "var "} {
		line = strings.TrimPrefix(line, lead)
	}
	left, right, ok := strings.Cut(line, "=")
	if !ok || strings.HasPrefix(right, "=") {
		return ""
	}
	right = strings.TrimSpace(right)
	if !strings.HasSuffix(right, "=> {") && !strings.HasSuffix(right, "=>") && !strings.HasPrefix(right, "function") &&
		!strings.HasPrefix(right, "async function") && !strings.HasPrefix(right, "class ") {
		return ""
	}
	left, _, _ = strings.Cut(left, ":")
	left = strings.TrimSpace(left)
	left = left[strings.LastIndexByte(left, '.')+1:]
	if left == "" || !wordByte(left[0]) || strings.ContainsAny(left, " ()[]{}") {
		return ""
	}
	return left
}
