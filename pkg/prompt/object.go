package prompt

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"paicode/pkg/lazyregexp"
	"paicode/pkg/turn"
)

// Object finds the JSON object in a reply that has one of the members: past thoughts,
// prose and fences, with the commas, comments, quotes and constants of Python and
// JavaScript, inside another object, or in a list of one. Of several it is the last, since
// models correct themselves. A list is the member "steps" of one, if that is asked for.
// Without one, or where a member has two values, the error is of CodeModel.
func Object(reply string, members ...string) (gjson.Result, error) {
	var found gjson.Result
	var wrong error
	for _, text := range objects(afterThoughts(reply)) {
		if v, ok := having(gjson.Parse(text), members); ok {
			found, wrong = v, twice(v.Raw)
		}
	}
	if wrong != nil {
		return gjson.Result{}, wrong
	}
	if !found.Exists() {
		return found, turn.Errorf(turn.CodeModel, "the model's answer is not the JSON that was asked for").
			WithHint("try again, or another model")
	}
	return found, nil
}

var endsForm = lazyregexp.New(`(?:</(?:think|thinking|thought|thoughts|reasoning|analysis)>|<\|channel\|>final<\|message\|>|\bassistantfinal)`)

// afterThoughts is what comes behind the thoughts that some models put before their
// answer, also where only their end is marked.
func afterThoughts(reply string) string {
	ends := endsForm()
	if all := ends.FindAllStringIndex(reply, -1); len(all) > 0 && strings.ContainsAny(reply[all[len(all)-1][1]:], "{[") {
		return reply[all[len(all)-1][1]:]
	}
	return reply
}

// objects are the objects and lists in a text that aren't inside one another, as JSON.
func objects(text string) (out []string) {
	const attempts = 64 // enough for prose; a bound for hostile replies
	for n := 0; n < attempts; n++ {
		at := strings.IndexAny(text, "{[")
		if at < 0 {
			return out
		}
		text = text[at:]
		var raw json.RawMessage
		d := json.NewDecoder(strings.NewReader(text))
		if d.Decode(&raw) == nil {
			out, text = append(out, string(raw)), text[d.InputOffset():]
		} else if plain, size := relaxed(text); size > 0 {
			out, text = append(out, plain), text[size:]
		} else {
			text = text[1:]
		}
	}
	return out
}

// having is the object with one of the members: a value itself, the only one in it, or what
// a list holds.
func having(v gjson.Result, members []string) (gjson.Result, bool) {
	has := func(v gjson.Result) bool {
		for _, name := range members {
			if v.Get(name).Exists() {
				return true
			}
		}
		return len(members) == 0
	}
	switch {
	case v.IsObject() && has(v):
		return v, true
	case v.IsObject():
		var out gjson.Result
		v.ForEach(func(_, inner gjson.Result) bool {
			if inner.IsObject() && has(inner) {
				out = inner
			}
			return !out.Exists()
		})
		return out, out.Exists()
	case v.IsArray():
		all := v.Array()
		if len(all) == 1 && all[0].IsObject() && has(all[0]) {
			return all[0], true
		}
		if len(all) > 0 && all[0].Get("action").Exists() {
			list := gjson.Parse(`{"steps":` + v.Raw + `}`)
			return list, has(list)
		}
	}
	return v, false
}

// twice is the error of an object in which a member has two values.
func twice(text string) error {
	d := json.NewDecoder(strings.NewReader(text))
	type level struct {
		object bool
		name   string
		seen   map[string]bool
	}
	var levels []level
	named := false
	for {
		t, err := d.Token()
		if err != nil {
			return nil
		}
		n := len(levels) - 1
		switch {
		case t == json.Delim('{') || t == json.Delim('['):
			levels, named = append(levels, level{object: t == json.Delim('{'), seen: make(map[string]bool)}), false
			continue
		case t == json.Delim('}') || t == json.Delim(']'):
			levels = levels[:n]
		case n >= 0 && levels[n].object && !named:
			name, _ := t.(string)
			if levels[n].seen[name] {
				return turn.Errorf(turn.CodeModel, "the model's answer has the member %s twice", turn.Quote(name)).
					WithHint("try again, or another model")
			}
			levels[n].seen[name], named = true, true
			continue
		}
		named = false
	}
}

// relaxed reads an object or list that isn't quite JSON at the beginning of a text: with
// commas before its end, comments, single quotes, names without quotes, line feeds in
// strings, and Python's constants. Size is how much of the text it takes; 0 if it can't be
// read.
func relaxed(text string) (plain string, size int) {
	var b bytes.Buffer
	for depth, i := 0, 0; i < len(text); {
		n := token(&b, text[i:])
		if n == 0 {
			return "", 0
		}
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if i += n; depth == 0 {
			if json.Valid(b.Bytes()) {
				return b.String(), i
			}
			return "", 0
		}
	}
	return "", 0
}

// token writes what a text begins with as JSON, and returns how much of the text it takes;
// 0 if it doesn't end.
func token(b *bytes.Buffer, text string) int {
	switch c := text[0]; {
	case c == '}' || c == ']':
		trimComma(b)
	case c == '"' || c == '\'':
		return quoted(b, text)
	case strings.HasPrefix(text, "//") || c == '#':
		return max(0, strings.IndexByte(text, '\n'))
	case strings.HasPrefix(text, "/*"):
		if end := strings.Index(text, "*/"); end > 0 {
			return end + 2
		}
		return 0
	case inWord(c):
		end := 1
		for end < len(text) && (inWord(text[end]) || text[end] >= '0' && text[end] <= '9') {
			end++
		}
		b.WriteString(constant(text[:end]))
		return end
	}
	b.WriteByte(text[0])
	return 1
}

func inWord(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// constant is a word outside of quotes as JSON has it.
func constant(word string) string {
	switch word {
	case "True", "true":
		return "true"
	case "False", "false":
		return "false"
	case "None", "null", "undefined":
		return "null"
	}
	return `"` + word + `"`
}

// trimComma takes a comma from the end of what was written.
func trimComma(b *bytes.Buffer) {
	if kept := bytes.TrimRight(b.Bytes(), " \t\r\n"); bytes.HasSuffix(kept, []byte(",")) {
		b.Truncate(len(kept) - 1)
	}
}

// quoted writes the string that a text begins with as JSON, and returns how much of the
// text it takes; 0 if it doesn't end.
func quoted(b *bytes.Buffer, text string) int {
	quote := text[0]
	b.WriteByte('"')
	for i := 1; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case text[i] == quote:
			b.WriteByte('"')
			return i + 1
		case text[i] == '\\' && i+1 < len(text):
			if text[i+1] == '\'' {
				b.WriteByte('\'')
			} else {
				b.WriteString(text[i : i+2])
			}
			size = 2
		case text[i] == '"':
			b.WriteString(`\"`)
		case r < ' ':
			escaped, _ := json.Marshal(string(r))
			b.Write(escaped[1 : len(escaped)-1])
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return 0
}
