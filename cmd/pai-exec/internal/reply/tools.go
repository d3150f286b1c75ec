package reply

import (
	"html"
	"strings"

	"github.com/tidwall/gjson"

	"paicode/pkg/lazyregexp"
	"paicode/pkg/turn"
)

var openForm = lazyregexp.New(`(?is)^\s*<(\w+)\b([^>]*)>`)

// readTags reads whole files in tags: <file path="p">…</file>, or <path>p</path> and
// <content>…</content> in one.
func readTags(text string) (out []foreignFile) {
	open := openForm()
	for strings.TrimSpace(text) != "" {
		m := open.FindStringSubmatch(text)
		if m == nil {
			return append(out, foreignFile{problem: "text stands outside of its tags"})
		}
		rest := text[len(m[0]):]
		end := tagEnd(rest, m[1])
		if end < 0 {
			return append(out, foreignFile{problem: "its tag " + m[1] + " doesn't end"})
		}
		if strings.HasPrefix(strings.TrimSpace(rest[:end]), "<"+m[1]) {
			return append(out, foreignFile{problem: "its tag " + m[1] + " begins twice"})
		}
		if strings.HasSuffix(strings.TrimSpace(rest[:end]), "/"+m[1]+">") && !strings.Contains(rest[:end], "<"+m[1]) {
			return append(out, foreignFile{problem: "its tag " + m[1] + " ends twice"})
		}
		if body := rest[:end]; strings.Contains(strings.TrimSpace(body), "\n") &&
			strings.TrimRight(body, " \t") != strings.TrimRight(body, " \t\n")+"\n" &&
			!strings.HasSuffix(strings.TrimSpace(body), ">") {
			return append(out, foreignFile{problem: "its tag " + m[1] + " ends in a line"})
		}
		out = append(out, readTag(m[2], rest[:end])...)
		text = rest[end+len("</"+m[1]+">"):]
	}
	return out
}

// tagEnd is where a tag ends: before the next one of its name, or else the last end, since
// what it holds may have such tags too; -1 if nothing ends it.
func tagEnd(rest, name string) int {
	end := strings.Index(rest, "</"+name+">")
	if end < 0 || strings.Contains(rest, "\n<"+name+" ") {
		return end
	}
	return strings.LastIndex(rest, "</"+name+">")
}

var (
	attributeForm = lazyregexp.New(`(?i)\b(?:path|name|filename|file|src|filePath)\s*=\s*["']([^"']+)["']`)
	childForm     = lazyregexp.New(`(?is)^\s*<(?:path|file_path|filename|name)>\s*([^<]+?)\s*</\w+>`)
	contentForm   = lazyregexp.New(`(?is)^\s*<(?:content|contents|file_content|text|code|file_text)>(.*)</(?:content|contents|file_content|text|code|file_text)>\s*$`)
	oldTagForm    = lazyregexp.New(`(?i)^\s*<(old_str|old_string|search|original|diff)>`)
)

// readTag reads one file's tag.
func readTag(attributes, body string) []foreignFile {
	attribute := attributeForm()
	child := childForm()
	content := contentForm()
	f := foreignFile{}
	if a := attribute.FindStringSubmatch(attributes); a != nil {
		f.path = strings.TrimPrefix(html.UnescapeString(a[1]), "./")
	} else if c := child.FindStringSubmatch(body); c != nil {
		f.path, body = strings.TrimPrefix(c[1], "./"), body[len(c[0]):]
	}
	if c := content.FindStringSubmatch(body); c != nil {
		body = c[1]
	}
	if oldTagForm().MatchString(body) {
		inner := readStrings(body)
		for i := range inner {
			inner[i].path = f.path
		}
		return inner
	}
	body = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(body)+"\n", "<![CDATA["), "]]>\n")) +
		"\n"
	if inner := splitLines(body); len(inner) > 1 {
		if run, _ := fenceRun(inner[0]); run != "" && strings.TrimSpace(inner[len(inner)-1]) == run {
			body = strings.Join(inner[1:len(inner)-1], "")
		}
	}
	f.content = &body
	return []foreignFile{f}
}

var (
	pairForm     = lazyregexp.New(`(?is)<(old_str|old_string|search|old|original)>(?:[ \t]*\n)?(.*?)</(?:old_str|old_string|search|old|original)>\s*<(new_str|new_string|replace|new|updated|replacement)>(?:[ \t]*\n)?(.*?)</(?:new_str|new_string|replace|new|updated|replacement)>`)
	pathTagForm  = lazyregexp.New(`(?is)<(?:path|file_path|filename|file)>\s*([^<]+?)\s*</\w+>`)
	leftTagsForm = lazyregexp.New(`(?i)</?(str_replace|edit|replace_in_file|edits|command)>|\bstr_replace\b`)
)

// readStrings reads pairs of old and new text in tags.
func readStrings(text string) []foreignFile {
	pair := pairForm()
	f := foreignFile{}
	rest := pair.ReplaceAllString(text, "")
	if path := pathTagForm().
		FindStringSubmatch(rest); path != nil {
		f.path = strings.TrimPrefix(path[1], "./")
		rest = strings.Replace(rest, path[0], "", 1)
	}
	rest = leftTagsForm().
		ReplaceAllString(rest, "")
	if strings.TrimSpace(rest) != "" {
		return []foreignFile{{problem: "text stands outside of its tags"}}
	}
	for _, m := range pair.FindAllStringSubmatch(text, -1) {
		old, new := endLine(m[2]), endLine(m[4])
		if strings.TrimSpace(old) == "" {
			f.fail("it replaces nothing")
		}
		if strings.Contains(old+new, "<"+m[1]+">") || strings.Contains(old+new, "<"+m[3]+">") {
			f.fail("its tags don't pair")
		}
		if strings.HasSuffix(m[2], "<") || strings.HasSuffix(m[4], "<") || strings.Contains(old+new, "/"+m[1]+">") ||
			strings.Contains(old+new, "/"+m[3]+">") {
			f.fail("its tags are broken")
		}
		f.edits = append(f.edits, turn.Edit{Search: old, Replace: new})
	}
	if f.edits == nil {
		return nil
	}
	return []foreignFile{f}
}

// endLine has a text end with a line, if there is any.
func endLine(text string) string {
	if end := strings.TrimRight(text, " \t"); strings.HasSuffix(end, "\n") {
		text = end // the tag behind it is indented
	}
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

var callTagForm = lazyregexp.New(`</?(tool_call|function_call|tool_use)>`)

// readJSON reads files, or changes of one, as the arguments of a tool that writes them.
func readJSON(text string) (out []foreignFile) {
	text = strings.TrimSpace(callTagForm().ReplaceAllString(text, ""))
	if !gjson.Valid(text) {
		return nil
	}
	v := gjson.Parse(text)
	for _, inner := range []string{"files", "arguments", "input", "parameters", "args", "changes"} {
		if in := v.Get(inner); in.Exists() {
			if v = in; in.Type == gjson.String && gjson.Valid(in.String()) {
				v = gjson.Parse(in.String())
			}
		}
	}
	all := []gjson.Result{v}
	if v.IsArray() {
		all = v.Array()
	}
	for _, v := range all {
		get := func(names ...string) (gjson.Result, bool) {
			for _, name := range names {
				if r := v.Get(name); r.Type == gjson.String {
					return r, true
				}
			}
			return gjson.Result{}, false
		}
		name, _ := get("path", "file_path", "filename", "file", "filepath", "target")
		f := foreignFile{path: strings.TrimPrefix(name.String(), "./")}
		old, replaces := get("old_str", "old_string", "search", "old")
		new, renews := get("new_str", "new_string", "replace", "new")
		content, whole := get("content", "contents", "text", "code", "file_text")
		switch {
		case f.path == "":
			return nil
		case replaces && renews && old.String() != "":
			f.edits = []turn.Edit{{Search: endLine(old.String()), Replace: endLine(new.String())}}
		case whole:
			f.content = endLineOf(content.String())
		default:
			f.problem = "its JSON holds no content"
		}
		out = append(out, f)
	}
	return out
}

func endLineOf(text string) *string {
	text = endLine(text)
	return &text
}

var (
	wordForm = lazyregexp.New(`<<-?\s*(['"]?)(\w+)['"]?`)
	nameForm = lazyregexp.New(`(?:>|tee(?: -\w+)*)\s*['"]?([^\s'"<>|]+)`)
)

// readHeredoc reads one heredoc in which a shell would write a file.
func readHeredoc(lines []string) []foreignFile {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	word := wordForm()
	name := nameForm()
	if len(lines) == 0 {
		return nil
	}
	w, n := word.FindStringSubmatch(lines[0]), name.FindStringSubmatch(word.ReplaceAllString(lines[0], " "))
	if w == nil || n == nil || strings.Contains(lines[0], ">>") {
		return []foreignFile{{problem: "its heredoc can't be read"}}
	}
	f := foreignFile{path: strings.TrimPrefix(n[1], "./")}
	for i, line := range lines[1:] {
		if strings.TrimRight(line, "\r\n") != w[2] {
			continue
		}
		content := strings.Join(lines[1:i+1], "")
		switch {
		case !blank(lines[i+2:]):
			f.fail("commands stand behind its heredoc")
		case w[1] == "" && strings.ContainsAny(content, "$`\\"):
			f.fail("a shell would change what stands in its heredoc")
		}
		f.content = &content
		return []foreignFile{f}
	}
	f.fail("its heredoc doesn't end")
	return []foreignFile{f}
}
