package turn

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write the members of this version")

// TestGolden reads what the commands wrote at every stage, when the version was new: it must
// be read for ever, and be written as it was. The model's answers in it were written by hand.
func TestGolden(t *testing.T) {
	paths, _ := filepath.Glob("testdata/golden/*.json")
	if len(paths) < 10 {
		t.Fatalf("only %d documents", len(paths))
	}
	schema := compiledSchema(t)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := Read(data)
			if err != nil {
				t.Fatal(err)
			}
			if out, err := doc.MarshalJSON(); strings.HasPrefix(string(data), `{"pai"`) && (err != nil || string(out)+"\n" != string(data)) {
				t.Errorf("written as %s, %v", out, err)
			}
			out, _ := doc.Indented()
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPromise compares the members with those of the version: what is added raises it, and
// gets a list of its own; what an older list has stays.
func TestPromise(t *testing.T) {
	path := "testdata/members/" + strings.ReplaceAll(Version, "/", "-") + ".txt"
	now := strings.Join(memberNames(reflect.TypeFor[members](), ""), "\n") + "\n"
	if *update {
		if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	was, err := os.ReadFile(path)
	if err != nil || string(was) != now {
		t.Errorf("%s, %v, isn't what %s has: a new member raises the version\n%s", path, err, Version, now)
	}
	var schema struct {
		ID    string `json:"$id"`
		Title string `json:"title"`
	}
	if err := json.Unmarshal([]byte(Schema()), &schema); err != nil || schema.Title != "Pai "+Version ||
		schema.ID != "urn:pai:"+strings.ReplaceAll(Version, "/", ":") {
		t.Errorf("the schema is %+v, %v", schema, err)
	}
}

// memberNames lists the members of a type and their kinds.
func memberNames(typ reflect.Type, path string) (out []string) {
	switch typ.Kind() {
	case reflect.Pointer:
		return memberNames(typ.Elem(), path)
	case reflect.Slice:
		return memberNames(typ.Elem(), path+"[]")
	case reflect.Map:
		return memberNames(typ.Elem(), path+"{}")
	case reflect.Struct:
		for _, f := range fieldsOf(typ) {
			out = append(out, memberNames(f.typ, path+"."+f.name)...)
		}
		slices.Sort(out)
		return out
	}
	return []string{fmt.Sprintf("%s %s", path, typ.Kind())}
}
