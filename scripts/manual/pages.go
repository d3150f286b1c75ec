package main

import (
	"embed"
	"fmt"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

// markdown has the pages of sections 5 and 7.
//
//go:embed *.md
var markdown embed.FS

// pages adds the pages of sections 5 and 7, by name. It runs in the module's top directory or in
// scripts.
func pages(files map[string]string) error {
	entries, err := fs.ReadDir(markdown, ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := markdown.ReadFile(e.Name())
		if err != nil {
			return err
		}
		files[strings.TrimSuffix(e.Name(), ".md")] = page(string(text))
	}
	spec, err := specification("pkg/turn/doc.go")
	if err != nil {
		spec, err = specification("../pkg/turn/doc.go")
	}
	files["pai-document.5"] = page(spec)
	return err
}

// page is Markdown as a manual page. Its first line is "# NAME SECTION "" Pai "TITLE"".
func page(text string) string {
	roff := string(md2man.Render([]byte(text)))
	before, title, _ := strings.Cut(roff, ".TH") // what names the preprocessor must come first
	return before + ".\\\" Written by go run ./scripts/manual from Markdown.\n.TH" + strings.NewReplacer("--", `\-\-`, "\n\n.EX", "\n.PP\n.EX", "\n\n.", "\n.").Replace(title)
}

// specification is the doc comment of the package turn in Markdown.
func specification(file string) (string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return "", err
	}
	doc := new(comment.Parser).Parse(f.Doc.Text())
	for _, block := range doc.Content {
		if heading, ok := block.(*comment.Heading); ok {
			heading.Text = []comment.Text{comment.Plain(strings.ToUpper(fmt.Sprint(heading.Text[0])))}
		}
	}
	printer := comment.Printer{HeadingLevel: 1, HeadingID: func(*comment.Heading) string { return "" }}
	return fmt.Sprintf("# PAI-DOCUMENT 5 \"\" Pai \"File Formats\"\n\n# NAME\n\npai-document - the JSON document that Pai's commands pass on\n\n# DESCRIPTION\n\n%s",
		strings.Replace(string(printer.Markdown(doc)), "Package turn is the document that", "A document is what", 1)), nil
}
