package provider

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// format asks for JSON as strictly as the server can: by a strict schema, by
// json_object and words, or by words alone. Words go to the end of the prompt;
// member is the member that is relied on, empty for words alone.
func (u unsupported) format(schema json.RawMessage) (format json.RawMessage, words, member string, err error) {
	switch {
	case u[memberFormat]:
		return nil, schemaWords(schema), "", nil
	case u[memberSchema]:
		return json.RawMessage(`{"type":"json_object"}`), schemaWords(schema), memberFormat, nil
	}
	strict, err := strictSchema(schema)
	if err != nil {
		return nil, "", "", err
	}
	return fmt.Appendf(nil, `{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":%s}}`, strict),
		"", memberSchema, nil
}

// strictSchema rewrites a schema as strict modes want it: no members but those
// named, and all of them required; the empty string or list stands for what is
// absent (platform.openai.com/docs/guides/structured-outputs). Members keep
// their order, in which models answer.
func strictSchema(schema json.RawMessage) (json.RawMessage, error) {
	if !gjson.ValidBytes(schema) {
		return nil, fmt.Errorf("the schema is no JSON")
	}
	var b strings.Builder
	writeStrict(&b, gjson.ParseBytes(schema))
	return json.RawMessage(b.String()), nil
}

func writeStrict(b *strings.Builder, s gjson.Result) {
	b.WriteByte('{')
	comma := ""
	s.ForEach(func(name, value gjson.Result) bool {
		switch name.String() {
		case "required", "additionalProperties":
			return true
		case "items":
			fmt.Fprintf(b, "%s%q:", comma, name.String())
			writeStrict(b, value)
		case "properties":
			fmt.Fprintf(b, "%s%q:{", comma, name.String())
			writeProperties(b, value)
		default:
			fmt.Fprintf(b, "%s%s:%s", comma, name.Raw, value.Raw)
		}
		comma = ","
		return true
	})
	b.WriteByte('}')
}

// writeProperties writes properties and what follows from them.
func writeProperties(b *strings.Builder, properties gjson.Result) {
	var names []string
	properties.ForEach(func(name, value gjson.Result) bool {
		if len(names) > 0 {
			b.WriteByte(',')
		}
		names = append(names, name.Raw)
		fmt.Fprintf(b, "%s:", name.Raw)
		writeStrict(b, value)
		return true
	})
	fmt.Fprintf(b, `},"required":[%s],"additionalProperties":false`, strings.Join(names, ","))
}

// schemaWords asks for a form in words, where nothing else can.
func schemaWords(schema json.RawMessage) string {
	return fmt.Sprintf("\nAnswer with one JSON object, and nothing else, by this JSON Schema:\n%s\n", schema)
}
