package turn

import (
	"bytes"
	"encoding/json"
	"slices"
)

// object is a JSON object whose members keep their order and whose values
// keep their words.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

// objectOf takes a parsed object apart.
func objectOf(data []byte, n node) object {
	o := make(object, len(n.kids))
	for i, kid := range n.kids {
		o[i] = member{n.names[i], json.RawMessage(data[kid.start:kid.end])}
	}
	return o
}

// get returns a member's value, nil if there is none.
func (o object) get(name string) json.RawMessage {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// set replaces a member where it stands, or adds it at the end.
func (o *object) set(name string, value json.RawMessage) {
	for i := range *o {
		if (*o)[i].name == name {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, member{name, value})
}

func (o *object) remove(name string) {
	*o = slices.DeleteFunc(*o, func(m member) bool { return m.name == name })
}

// MarshalJSON writes the object on one line.
func (o object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.Grow(o.size())
	err := json.Compact(&out, o.raw())
	return out.Bytes(), err
}

// raw is the object with its values as they were read.
func (o object) raw() json.RawMessage {
	out := make([]byte, 0, o.size())
	out = append(out, '{')
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, encode(m.name)...), ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

// size is how many bytes the object takes, nearly.
func (o object) size() int {
	size := 2
	for _, m := range o {
		size += len(m.name) + len(m.value) + 4
	}
	return size
}

// rawList is a list of values as they were read.
func rawList(values []json.RawMessage) json.RawMessage {
	return slices.Concat([]byte{'['}, bytes.Join(rawBytes(values), []byte{','}), []byte{']'})
}

func rawBytes(values []json.RawMessage) [][]byte {
	out := make([][]byte, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}
