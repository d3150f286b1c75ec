package find

import (
	"path"
	"slices"
	"strings"
)

// Kind is what a file is for, by its path.
type Kind int

// The kinds of files.
const (
	Source Kind = iota
	Other       // configuration and the like
	Test
	Docs
	Generated // or vendored
)

// KindOf judges a path.
func KindOf(p string) Kind {
	low := strings.ToLower(p)
	parts := strings.Split(low, "/")
	name := parts[len(parts)-1]
	ext := path.Ext(name)
	in := func(dirs ...string) bool {
		return slices.ContainsFunc(parts[:len(parts)-1], func(d string) bool { return slices.Contains(dirs, d) })
	}
	switch {
	case in("vendor", "third_party", "thirdparty", "dist", "node_modules", "deps", "external", "__snapshots__",
		"snapshots", "fixtures", "testdata", "generated"),
		strings.HasSuffix(name, ".min.js"), strings.HasSuffix(name, ".min.css"), strings.Contains(name, ".pb."),
		strings.Contains(name, "_generated"), strings.Contains(name, ".generated."),
		slices.Contains([]string{".lock", ".sum", ".snap", ".svg", ".map", ".csv", ".po", ".pot"}, ext),
		name == "package-lock.json", name == "pnpm-lock.yaml", name == "composer.lock", versioned(name):
		return Generated
	case isTest(in, p, name, ext):
		return Test
	case slices.Contains([]string{".md", ".rst", ".txt", ".adoc", ".markdown", ".html", ".xhtml"}, ext) && ext != ".html",
		in("docs", "doc", "documentation", "examples", "example"), strings.HasPrefix(name, "changelog"),
		strings.HasPrefix(name, "changes"),
		name == "license", name == "authors", name == "contributing":
		return Docs
	}
	if _, ok := languageOf(name); ok ||
		slices.Contains([]string{".sql", ".css", ".scss", ".less", ".html", ".erb", ".proto", ".ex", ".exs", ".erl", ".hs",
			".ml", ".clj", ".dart", ".pl", ".pm", ".r", ".jl", ".zig", ".nim", ".s", ".asm", ".tcl", ".vim"}, ext) {
		return Source
	}
	return Other
}

// versioned tells of a library that was copied in: "jquery-1.7.2.js".
func versioned(name string) bool {
	ext := path.Ext(name)
	if ext != ".js" && ext != ".css" {
		return false
	}
	stem := strings.TrimSuffix(name, ext)
	version := stem[strings.LastIndexByte(stem, '-')+1:]
	return version != stem && version != "" && isDigit(version[0]) && strings.Contains(version, ".")
}

func isTest(in func(...string) bool, p, name, ext string) bool {
	base := path.Base(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	return in("test", "tests", "__tests__", "spec", "specs", "testing", "e2e", "test-d", "benches", "bench") ||
		strings.HasPrefix(name, "test_") || strings.HasSuffix(strings.ToLower(stem), "_test") ||
		strings.HasSuffix(strings.ToLower(stem), "_spec") ||
		strings.HasSuffix(name, ".test"+ext) || strings.HasSuffix(name, ".spec"+ext) || strings.HasSuffix(stem, "Test") ||
		strings.HasSuffix(stem, "Tests") || strings.HasSuffix(stem, "IT")
}
