package turn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"paicode/pkg/lazyregexp"
)

// Version is the version of the documents written here.
const Version = "turn/1"

// The names of the document's members.
const (
	memberVersion    = "pai"
	memberRequest    = "request"
	memberContext    = "context"
	memberHistory    = "history"
	memberWorkspace  = "workspace"
	memberIntent     = "intent"
	memberPlan       = "plan"
	memberSeal       = "seal"
	memberExec       = "exec"
	memberSuggestion = "suggestion"
	memberUsage      = "usage"
	memberError      = "error"
)

// members gives every member its Go type. It is what the codec checks
// against; Document keeps the members as they were read.
type members struct {
	Version    string        `json:"pai"`
	Request    string        `json:"request"`
	Context    string        `json:"context"`
	History    []Interaction `json:"history"`
	Workspace  Workspace     `json:"workspace"`
	Intent     Intent        `json:"intent"`
	Plan       Plan          `json:"plan"`
	Seal       Seal          `json:"seal"`
	Exec       Exec          `json:"exec"`
	Suggestion Suggestion    `json:"suggestion"`
	Usage      []Usage       `json:"usage"`
	Error      Error         `json:"error"`
}

// Document is one turn on its way through the pipe. A member that nobody
// sets is written as it was read, number for number and in its place.
type Document struct {
	members object
	place   Place
}

// Clone is a document of its own, with what this one holds.
func (d *Document) Clone() *Document { return &Document{slices.Clone(d.members), d.place} }

// Place is where a document's project lies. It is in no document: what a model sees
// has paths under the root made relative by it, and no name of the person's home.
type Place struct {
	Roots []string // absolute, by each of its names; none: not known
	Home  string   // empty: there is none
}

// Place is what SetPlace said.
func (d *Document) Place() Place { return d.place }

// SetPlace says where the project lies.
func (d *Document) SetPlace(p Place) { d.place = p }

// Empty makes a document that holds nothing yet.
func Empty() *Document {
	d := &Document{}
	d.set(memberVersion, Version)
	return d
}

// New makes a document of a request in plain words.
func New(request string) *Document {
	d := Empty()
	d.set(memberRequest, request)
	return d
}

// Read reads a document strictly. A bare plan, which is an object with
// "execution_plan" and without "pai", becomes a document that holds it.
// Errors are of CodeUsage and say where.
func Read(data []byte) (*Document, error) {
	if len(data) > MaxBytes {
		return nil, Errorf(CodeUsage, "the document is larger than %d MB", MaxBytes>>20)
	}
	root, err := parse(data)
	if err != nil {
		return nil, err
	}
	if root.kind != '{' {
		return nil, Errorf(CodeUsage, "not a document: an object was expected")
	}
	c, whole := newChecker(data), objectOf(data, root)
	d := &Document{members: whole}
	switch {
	case slices.Contains(root.names, memberVersion):
		if err := d.checkVersion(); err != nil {
			return nil, err
		}
		err = c.value(root, reflect.TypeFor[members](), "")
	case slices.Contains(root.names, "execution_plan"):
		err = c.value(root, reflect.TypeFor[Plan](), memberPlan)
		d = Empty()
		d.set(memberPlan, whole)
	default:
		return nil, Errorf(CodeUsage, "not a document: it has no %q and no %q", memberVersion, "execution_plan").
			WithHint(`a document begins {"pai": %q, …}; --text takes it as plain text`, Version)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

var versionForm = lazyregexp.New(`^turn/([0-9]{1,4})(\.[0-9]{1,4})?$`)

// checkVersion accepts what this program knows.
func (d *Document) checkVersion() error {
	var version string
	if err := json.Unmarshal(d.members.get(memberVersion), &version); err != nil {
		return Errorf(CodeUsage, "not a document: %q is not a version", memberVersion)
	}
	m := versionForm().FindStringSubmatch(version)
	if m == nil || m[1] == "0" {
		return Errorf(CodeUsage, "not a document: unknown version %s", Quote(version))
	}
	if major, _ := strconv.Atoi(m[1]); major > 1 || m[2] != "" && m[2] != ".0" {
		return Errorf(CodeUsage, "document version %s is newer than this program's %q", Quote(version), Version).
			WithHint("upgrade pai")
	}
	return nil
}

// MarshalJSON writes the document on one line, without anything that could steer a
// terminal: such characters are escaped.
func (d *Document) MarshalJSON() ([]byte, error) {
	line, err := d.members.MarshalJSON()
	return SafeJSON(line), err
}

// Size is how many bytes the document takes, nearly: blanks that MarshalJSON
// leaves out count too.
func (d *Document) Size() int { return d.members.size() }

// Indented writes the document over several lines, else as MarshalJSON does.
func (d *Document) Indented() ([]byte, error) {
	line, err := d.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, line, "", "  "); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// set writes a member in its place, or a new one where it belongs among the
// others.
func (d *Document) set(name string, value any) {
	raw := encode(value)
	if d.members.get(name) != nil {
		d.members.set(name, raw)
		return
	}
	order := fieldsOf(reflect.TypeFor[members]())
	rank := func(name string) int {
		return slices.IndexFunc(order, func(f field) bool { return f.name == name })
	}
	at := slices.IndexFunc(d.members, func(m member) bool { return rank(m.name) > rank(name) })
	if at < 0 {
		at = len(d.members)
	}
	d.members = slices.Insert(d.members, at, member{name, raw})
}

// load decodes a member that the codec has checked; an absent one leaves
// into as it is.
func (d *Document) load(name string, into any) bool {
	raw := d.members.get(name)
	if raw == nil || string(raw) == "null" {
		return false
	}
	if err := json.Unmarshal(raw, into); err != nil {
		panic(fmt.Sprintf("turn: member %q passed the check and doesn't decode: %v", name, err))
	}
	return true
}

// encode turns one of this package's types into JSON on one line.
func encode(value any) json.RawMessage {
	switch v := value.(type) {
	case object:
		return v.raw()
	case []json.RawMessage:
		return rawList(v)
	}
	return bytes.TrimRight(Line(value), "\n")
}

// Line is a value of plain data as JSON on a line of its own, as documents are written: <, >
// and & stand for themselves.
func Line(value any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(fmt.Sprintf("turn: %T doesn't encode: %v", value, err))
	}
	return SafeJSON(out.Bytes())
}

// CleanText makes text from outside fit for a document: what is not UTF-8
// becomes U+FFFD.
func CleanText(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	return string(bytes.ToValidUTF8(data, []byte("\uFFFD")))
}
