// Sbom writes a bill of materials of binaries, in CycloneDX 1.5 (ECMA-424), from
// what the Go linker noted in them: what "go version -m" prints.
//
//	go run ./scripts/sbom VERSION BINARY… > pai.cdx.json
package main

import (
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
)

// bill is the part of the format that is used.
type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom VERSION BINARY…")
		os.Exit(2)
	}
	b, err := read(os.Args[1], os.Args[2:])
	if err == nil {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		out.SetEscapeHTML(false)
		err = out.Encode(b)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// read gathers the modules of all binaries, and Go's own library, each once.
func read(version string, binaries []string) (bill, error) {
	found := make(map[string]component)
	for _, path := range binaries {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return bill{}, err
		}
		std := component{Type: "library", Name: "std", Version: info.GoVersion, PURL: "pkg:golang/std@" + info.GoVersion[len("go"):]}
		found[std.PURL] = std
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			purl := "pkg:golang/" + m.Path + "@" + m.Version
			// The sum is of the module's tree, as go.sum has it, and no hash of a file.
			found[purl] = component{Type: "library", Name: m.Path, Version: m.Version, PURL: purl, Properties: []property{{"go:sum", m.Sum}}}
		}
	}
	components := slices.SortedFunc(maps.Values(found), func(a, b component) int { return cmp.Compare(a.PURL, b.PURL) })
	return bill{"CycloneDX", "1.5", 1, metadata{component{Type: "application", Name: "pai", Version: version}}, components}, nil
}
