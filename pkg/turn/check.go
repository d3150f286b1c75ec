package turn

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// extraPrefix begins the names of members that are carried along unseen.
const extraPrefix = "x_"

// checker compares values with the Go types they will be decoded into, so
// that decoding can neither fail nor drop anything.
type checker struct {
	data   []byte
	fields map[reflect.Type][]field
}

func newChecker(data []byte) checker { return checker{data, make(map[reflect.Type][]field)} }

// value checks one value; path is how errors name it. A null counts as
// absent everywhere.
func (c checker) value(n node, t reflect.Type, path string) *Error {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n.kind == 'n' {
		return nil
	}
	want, kinds := describe(t)
	if strings.IndexByte(kinds, n.kind) < 0 {
		return c.fail(n, "%s: %s was expected, not %s", path, want, kindName(n.kind))
	}
	switch t.Kind() {
	case reflect.Struct:
		return c.object(n, t, path)
	case reflect.Slice:
		for i, kid := range n.kids {
			if err := c.value(kid, t.Elem(), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		for i, kid := range n.kids {
			if err := c.value(kid, t.Elem(), path+"["+Quote(n.names[i])+"]"); err != nil {
				return err
			}
		}
	case reflect.Int, reflect.Int64:
		if strings.ContainsAny(string(c.data[n.start:n.end]), ".eE") {
			return c.fail(n, "%s: a whole number was expected", path)
		}
	}
	return nil
}

// twins refuses names that differ only in case, in a value that is carried
// along: some reader would take them for the same.
func (c checker) twins(n node) *Error {
	if n.twin > 0 {
		return c.fail(n.kids[n.twin], "member %s stands twice, in another case", Quote(n.names[n.twin]))
	}
	for _, kid := range n.kids {
		if err := c.twins(kid); err != nil {
			return err
		}
	}
	return nil
}

func (c checker) object(n node, t reflect.Type, path string) *Error {
	if n.twin > 0 {
		return c.twins(n)
	}
	fields, ok := c.fields[t]
	if !ok {
		fields = fieldsOf(t)
		c.fields[t] = fields
	}
	for i, name := range n.names {
		if strings.HasPrefix(name, extraPrefix) {
			if err := c.twins(n.kids[i]); err != nil {
				return err
			}
			continue
		}
		at := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		if at < 0 {
			return c.unknown(n.kids[i], name, path, fields)
		}
		if err := c.value(n.kids[i], fields[at].typ, join(path, name)); err != nil {
			return err
		}
	}
	return nil
}

func (c checker) unknown(n node, name, path string, fields []field) *Error {
	where := ""
	if path != "" {
		where = " in " + path
	}
	err := c.fail(n, "unknown member %s%s", Quote(name), where)
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	if nearest := Nearest(name, names); nearest != "" {
		return err.WithHint("did you mean %q?", nearest)
	}
	return err.WithHint("names that begin with %q are kept", extraPrefix)
}

func (c checker) fail(n node, format string, args ...any) *Error {
	return Errorf(CodeUsage, "%s at %s", fmt.Sprintf(format, args...), position(c.data, n.start))
}

type field struct {
	name string
	typ  reflect.Type
}

// fieldsOf lists a struct's members by their JSON names.
func fieldsOf(t reflect.Type) []field {
	var out []field
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, field{name, f.Type})
	}
	return out
}

// describe names the JSON that a Go type takes, and the node kinds of it.
func describe(t reflect.Type) (want, kinds string) {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object", "{"
	case reflect.Slice:
		return "an array", "["
	case reflect.String:
		return "a string", `"`
	case reflect.Bool:
		return "true or false", "t"
	default:
		return "a number", "0"
	}
}

func kindName(kind byte) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't':
		return "true or false"
	default:
		return "a number"
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
