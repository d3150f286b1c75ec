package reply

import (
	"path"
	"slices"
	"strings"
)

// pick is the fence that holds a file: the only one, but for those of commands and of
// output; or the only one in the file's language, or that begins as a script.
func pick(all []part, file string, modifies bool) (f part, problem Problem) {
	ext := strings.TrimPrefix(strings.ToLower(path.Ext(file)), ".")
	var left, own, scripts []part
	for _, p := range all {
		if !mayHold(p, file, ext, len(all) > 1) || !modifies && otherLanguage(p.info, file) {
			continue
		}
		left = append(left, p)
		if slices.Contains(languages(ext), strings.ToLower(p.info)) && ext != "" {
			own = append(own, p)
		}
		if strings.HasPrefix(p.text(), "#!") {
			scripts = append(scripts, p)
		}
	}
	switch {
	case len(all) == 0:
		return f, "the reply holds no fence for it"
	case len(left) == 0:
		return all[0], "its fence holds something else: commands, output, an example, or another language"
	case len(left) == 1:
		return left[0], ""
	case isScript(file, ext) && len(scripts) == 1:
		return scripts[0], ""
	case len(own) == 1 && !slices.ContainsFunc(left, func(p part) bool { return p.info == "" }):
		return own[0], ""
	}
	return left[1], "the reply holds several fences for one file"
}

// mayHold reports whether a fence can hold a file, or else commands, output, or in Markdown
// an example; several says that there are others.
func mayHold(p part, file, ext string, several bool) bool {
	text := strings.TrimSpace(p.text())
	prose := proseFile(file) && !strings.HasPrefix(path.Base(file), "requirements")
	commands := isShell(p.info) || strings.HasPrefix(text, "$ ") && !prose
	example := ext == "md" && p.info != "" &&
		!slices.Contains([]string{"md", "markdown", "mdx", "text", "txt"}, strings.ToLower(p.info))
	output := isOutput(p.info) || p.talk != "" || strings.Contains(text, "├── ") ||
		strings.Contains(text, "└── ")
	switch {
	case commands && !isScript(file, ext) && (!prose || several), several && (output || text == ""),
		strings.Contains(p.talk, "usage") && !prose, strings.HasPrefix(p.info, "tool_"), example:
		return false
	}
	return true
}

// isScript reports whether a file may be a shell's, by its name.
func isScript(file, ext string) bool {
	return slices.Contains([]string{"sh", "bash", "zsh", "bats", "ps1", "ksh", "fish"}, ext) || ext == "" &&
		strings.ToLower(file) == file
}

func isOutput(info string) bool {
	return slices.Contains([]string{"output", "out", "log", "stdout", "tree", "mermaid", "dot", "plantuml", "tool_code",
		"tool_call"}, strings.ToLower(info))
}

// languages are the names of a file's language behind a fence, by its extension.
func languages(ext string) []string {
	for _, names := range families() {
		if slices.Contains(names, ext) {
			return names
		}
	}
	return []string{ext}
}

// families are languages by all their names and extensions, those together that are
// written for each other.
func families() [][]string {
	return [][]string{
		{"py", "python", "python3", "pyi"},
		{"js", "javascript", "jsx", "mjs", "cjs", "node", "ts", "typescript", "tsx", "mts", "cts"}, {"go", "golang"},
		{"rs", "rust"}, {"rb", "ruby", "rake", "gemspec"}, {"sh", "bash", "shell", "zsh"}, {"yml", "yaml"},
		{"md", "markdown"},
		{"html", "htm", "xml", "vue", "svelte", "xhtml", "svg"},
		{"c", "h", "cpp", "cc", "hpp", "cxx", "c++", "hh", "objc", "m"}, {"cs", "csharp", "c#"},
		{"kt", "kotlin", "kts"}, {"json", "jsonc", "json5"}, {"java"}, {"css", "scss", "less", "sass"}, {"sql"}, {"php"},
		{"toml"}, {"lua"}, {"swift"},
		{"hs", "haskell"}, {"ex", "exs", "elixir"}, {"tf", "hcl", "terraform"}, {"dockerfile", "docker"},
		{"make", "makefile", "mk"}, {"r"},
		{"pl", "perl"}, {"scala", "sbt"}, {"dart"}, {"clj", "clojure"}, {"text", "txt", "plaintext"}, {"csv", "tsv"},
		{"jl", "julia"}, {"groovy", "gradle"}, {"cmake"}, {"proto", "protobuf"}, {"graphql", "gql"}, {"fs", "fsharp"},
		{"erl", "erlang"}, {"ml", "ocaml"}, {"tex", "latex"},
		{"sol", "solidity"}, {"zig"}, {"nim"}, {"elm"}, {"nix"},
	}
}

// otherLanguage reports whether a fence names another language than the file's, both known.
func otherLanguage(info, file string) bool {
	info, _, _ = strings.Cut(strings.ToLower(info), " ")
	info, _, _ = strings.Cut(info, ":")
	ext := strings.TrimPrefix(strings.ToLower(path.Ext(file)), ".")
	if ext == "" {
		ext = strings.ToLower(path.Base(file))
	}
	known := func(name string) bool {
		return slices.ContainsFunc(families(), func(names []string) bool { return slices.Contains(names, name) })
	}
	plain := []string{"text", "txt"}
	if slices.Contains(plain, ext) || ext == "md" && slices.Contains(plain, info) {
		return false
	}
	return known(info) && known(ext) && !slices.Contains(languages(ext), info)
}

// proseFile reports whether a file is text in which fences and markers may stand.
func proseFile(file string) bool {
	return slices.Contains([]string{".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc"}, strings.ToLower(path.Ext(file)))
}

func isShell(info string) bool {
	return slices.Contains([]string{"sh", "bash", "shell", "zsh", "console", "terminal", "shell-session", "sh-session",
		"cmd", "powershell"}, strings.ToLower(info))
}
