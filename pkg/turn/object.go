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
	out.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(encode(m.name))
		out.WriteByte(':')
		if err := json.Compact(&out, m.value); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
