package turn

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const fullDocument = `{"pai":"turn/1","x_first":[1.50,{"b":1,"a":2}],"request":"add \u00e9","context":"c","history":[{"request":"a","outcome":"b"}],
"workspace":{"files":[{"path":"a.py","size":3,"lines":1}],"excerpts":[{"path":"a.py","lines":"1-1","text":"a\n"}],"ignored":["x"],"denied":[{"name":".env","rule":"r"}],"withheld":[{"placeholder":"[WITHHELD-1]","kind":"JWT","path":"a.py","line":1}],"left_out":{"files":2,"reason":"many"}},
"intent":{"kind":"task","acknowledgment":"ok"},
"plan":{"analysis":{"user_intent":"i","files_to_read":["a"],"files_to_create":["a"],"files_to_modify":["a"],"risk_assessment":"low","success_criteria":["s"]},
"execution_plan":{"x_in":1,"steps":[{"step_number":1,"x_s":"é","action":"WRITE","target":"b.py","description":"d","purpose":"p","validation_criteria":["v"],"expected_outcome":"e","executable":true,"content":"x\n"},
{"step_number":2,"action":"MODIFY","target":"a.py","description":"","edits":[{"search":"a","replace":"b","all":true}],"matched":"exact","risk":"r","caution":"c","added_by":"phase 2"},
{"step_number":3,"action":"MV","target":"b.py","destination":"c.py","description":""}]},
"intelligence_notes":{"complexity_assessment":"simple","key_challenges":["k"],"recommendations":["r"]},"question":"","check":"make"},
"seal":{"steps":"sha256:0","paths":{"b.py":{"before":null,"after":{"type":"file","mode":"0644","sha256":"00"}}}},
"exec":{"dry_run":true,"applied":false,"needs_yes":[3],"steps":[{"step_number":1,"status":"ok","message":"m","added":1,"removed":0,"diff":"d","output":"o"}],"phases":[{"phase":1,"steps":[1]}],"check":{"run":false,"passed":false,"message":"m"},"landlock":"enforced","summary":{"ok":1,"total":1,"success_rate":1},"transaction":"t"},
"suggestion":{"text":"s"},"usage":[{"stage":"s","model":"m","input":1,"cached":0,"thinking":0,"output":1,"milliseconds":1,"tries":1}],
"error":{"stage":"pai-exec","code":4,"message":"m","hint":"h"}}`

// refusals are inputs that must be refused, and what the refusal says.
var refusals = []struct{ name, in, want string }{
	{"half", `{"pai":"turn/1","request":"a`, "it ends inside a string at line 1, column 29"},
	{"half object", `{"pai":"turn/1"`, "it ends too early at line 1, column 16"},
	{"two documents", "{\"pai\":\"turn/1\"}\n{\"pai\":\"turn/1\"}", "more data after the document at line 2, column 1"},
	{"duplicate", `{"pai":"turn/1","request":"a","request":"b"}`, `member "request" stands twice`},
	{"duplicate in another case", `{"pai":"turn/1","x_a":{"target":1,"TARGET":2}}`, `member "TARGET" stands twice`},
	{"duplicate by Unicode folding", `{"pai":"turn/1","x_a":{"steps":1,"\u017fteps":2}}`, `stands twice`},
	{"duplicate in another case, deeper", `{"pai":"turn/1","plan":{"execution_plan":{"steps":[{"x_a":[{"a":1,"A":2}]}]}}}`, `member "A" stands twice`},
	{"duplicate path", `{"pai":"turn/1","seal":{"steps":"","paths":{"a":{},"a":{}}}}`, `member "a" stands twice`},
	{"duplicate by escape", `{"pai":"turn/1","x_a":{"a":1,"\u0061":2}}`, `member "a" stands twice`},
	{"bad UTF-8", "{\"pai\":\"turn/1\",\"request\":\"\xff\"}", "invalid UTF-8 at line 1, column 28"},
	{"lone surrogate", `{"pai":"turn/1","request":"\ud800"}`, "a lone surrogate"},
	{"swapped surrogates", `{"pai":"turn/1","request":"\udc00\ud800"}`, "a lone surrogate"},
	{"too deep", `{"pai":"turn/1","x_a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, "nested deeper than 100"},
	{"large integer", `{"pai":"turn/1","x_a":9007199254740993}`, "a number too large"},
	{"large float", `{"pai":"turn/1","x_a":1e999}`, "a number too large"},
	{"leading zero", `{"pai":"turn/1","x_a":01}`, "',' or '}' was expected"},
	{"trailing comma", `{"pai":"turn/1",}`, "a name in quotes was expected"},
	{"control character", "{\"pai\":\"turn/1\",\"request\":\"a\nb\"}", "a control character"},
	{"bad escape", `{"pai":"turn/1","request":"\x"}`, "an escape that JSON doesn't have"},
	{"bare word", `{"pai":turn}`, "a value was expected"},
	{"unknown member", `{"pai":"turn/1","reqeust":"a"}`, `unknown member "reqeust"`},
	{"unknown member in another case", `{"pai":"turn/1","Plan":{}}`, `unknown member "Plan"`},
	{"unknown member in a step", `{"pai":"turn/1","plan":{"execution_plan":{"steps":[{"action":"RM","tagret":"a"}]}}}`, `unknown member "tagret" in plan.execution_plan.steps[0]`},
	{"wrong type", `{"pai":"turn/1","request":1}`, "request: a string was expected, not a number"},
	{"fraction for a count", `{"pai":"turn/1","plan":{"execution_plan":{"steps":[{"step_number":1.5}]}}}`, "a whole number was expected"},
	{"neither document nor plan", `{"a":1}`, `it has no "pai" and no "execution_plan"`},
	{"newer", `{"pai":"turn/1.1"}`, `document version "turn/1.1" is newer`},
	{"much newer", `{"pai":"turn/2"}`, `document version "turn/2" is newer`},
	{"no version", `{"pai":7}`, "is not a version"},
	{"unknown version", `{"pai":"1"}`, `unknown version "1"`},
	{"array", `[]`, "an object was expected"},
}

func TestReadRefuses(t *testing.T) {
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read([]byte(tt.in))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Read(%s) = %v, want %q", tt.in, err, tt.want)
			}
			if e := AsError(err); e.Code != CodeUsage {
				t.Errorf("code %d, want %d", e.Code, CodeUsage)
			}
		})
	}
	if _, err := Read(make([]byte, MaxBytes+1)); err == nil {
		t.Error("a document over the limit was read")
	}
}

// TestPathsMayDifferInCase has what a seal must be able to say.
func TestPathsMayDifferInCase(t *testing.T) {
	d, err := Read([]byte(`{"pai":"turn/1","seal":{"steps":"","paths":{"README":{"before":null,"after":null},"readme":{"before":null,"after":null}}}}`))
	if err != nil || len(d.Seal().Paths) != 2 {
		t.Errorf("read %v, %v", d, err)
	}
}

func TestHints(t *testing.T) {
	_, err := Read([]byte(`{"pai":"turn/1","reqeust":"a"}`))
	if got, want := AsError(err).Hint, `did you mean "request"?`; got != want {
		t.Errorf("hint %q, want %q", got, want)
	}
}

func TestMembersKeepOrderAndWords(t *testing.T) {
	d, err := Read([]byte(fullDocument))
	if err != nil {
		t.Fatal(err)
	}
	d.SetIntent(&Intent{Kind: KindChat, Reply: "<b>"})
	steps := d.Plan().ExecutionPlan.Steps
	content := "y\n"
	steps[1].Matched, steps[2].Content = "line-endings", &content
	d.FillSteps(steps, nil)
	out, err := d.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("\n", "",
		`{"kind":"task","acknowledgment":"ok"}`, `{"kind":"chat","reply":"<b>"}`,
		`"matched":"exact"`, `"matched":"line-endings"`,
		`"destination":"c.py","description":""`, `"destination":"c.py","description":"","content":"y\n"`).Replace(fullDocument)
	if string(out) != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
}

func TestBarePlan(t *testing.T) {
	d, err := Read([]byte(`{"x_note":1,"execution_plan":{"steps":[]}}`))
	if err != nil {
		t.Fatal(err)
	}
	out, _ := d.MarshalJSON()
	if want := `{"pai":"turn/1","plan":{"x_note":1,"execution_plan":{"steps":[]}}}`; string(out) != want {
		t.Errorf("got %s, want %s", out, want)
	}
}

func TestReadInput(t *testing.T) {
	for _, tt := range []struct {
		in     string
		asText bool
		want   string // the request, or the error after "!"
	}{
		{" add a power function\n", false, "add a power function"},
		{"[1]", false, "[1]"},
		{`{"a": 1}`, true, `{"a": 1}`},
		{"caf\xe9", false, "caf\uFFFD"},
		{`{"pai":"turn/1","request":"x"}`, false, "x"},
		{" \n", false, "!nothing on standard input"},
		{`{"a":`, false, "!not a document: it ends too early at line 1, column 6"},
	} {
		d, err := ReadInput([]byte(tt.in), tt.asText)
		got := ""
		if err != nil {
			got = "!" + err.Error()
		} else {
			got = d.Request()
		}
		if got != tt.want {
			t.Errorf("ReadInput(%q, %v) = %q, want %q", tt.in, tt.asText, got, tt.want)
		}
	}
}

func TestQuoteAndPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b[31m":              `"a\x1b[31m"`,
		"a\u202eb":               `"a\u202eb"`,
		strings.Repeat("x", 200): `"` + strings.Repeat("x", 60) + "…" + strings.Repeat("x", 60) + `"`,
	} {
		if got := Quote(in); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
	if got, want := Printable("é\t\n\x1b]0;\u009b\u202e\xff\r"), `é`+"\t\n"+`\x1b]0;\x9b\u202e\xff\x0d`; got != want {
		t.Errorf("Printable = %q, want %q", got, want)
	}
}

func TestIndentedIsSafeAndTheSame(t *testing.T) {
	d := New("a\u009b\u202eb\x1b[0m")
	out, err := d.Indented()
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(string(out), "\u009b\u202e\x1b") {
		t.Errorf("controls reach the terminal: %q", out)
	}
	back, err := Read(out)
	if err != nil || back.Request() != d.Request() {
		t.Errorf("read back %q, %v", back.Request(), err)
	}
}

// TestSchema holds the published schema and the Go types together.
func TestSchema(t *testing.T) {
	compiled := compiledSchema(t)
	full, _ := jsonschema.UnmarshalJSON(strings.NewReader(fullDocument))
	if err := compiled.Validate(full); err != nil {
		t.Errorf("the full document: %v", err)
	}
	sameNames(t, compiled, reflect.TypeFor[members](), "document")
}

func compiledSchema(t *testing.T) *jsonschema.Schema {
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("turn.json", parsed); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("turn.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func sameNames(t *testing.T, s *jsonschema.Schema, typ reflect.Type, path string) {
	for s.Ref != nil {
		s = s.Ref
	}
	for _, alternative := range s.AnyOf {
		if alternative.Ref != nil {
			s = alternative.Ref
		}
	}
	switch typ.Kind() {
	case reflect.Pointer:
		sameNames(t, s, typ.Elem(), path)
	case reflect.Slice:
		items := s.Items2020
		if items == nil {
			t.Errorf("%s: the schema has no items", path)
			return
		}
		sameNames(t, items, typ.Elem(), path+"[]")
	case reflect.Map:
		sameNames(t, s.AdditionalProperties.(*jsonschema.Schema), typ.Elem(), path+"{}")
	case reflect.Struct:
		var inSchema, inGo []string
		for name := range s.Properties {
			inSchema = append(inSchema, name)
		}
		for _, f := range fieldsOf(typ) {
			inGo = append(inGo, f.name)
			if p := s.Properties[f.name]; p != nil {
				sameNames(t, p, f.typ, path+"."+f.name)
			}
		}
		slices.Sort(inSchema)
		slices.Sort(inGo)
		if !slices.Equal(inSchema, inGo) {
			t.Errorf("%s: schema has %v, Go has %v", path, inSchema, inGo)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(fullDocument))
	f.Add([]byte(`{"execution_plan":{"steps":[null,{"content":null}]}}`))
	for _, tt := range refusals {
		f.Add([]byte(tt.in))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Read(data)
		if err != nil {
			return
		}
		if !json.Valid(data) {
			t.Fatalf("read what is not JSON: %q", data)
		}
		d.Request()
		d.Context()
		d.History()
		d.Workspace()
		d.Intent()
		d.Seal()
		d.Exec()
		d.Suggestion()
		d.Usage()
		d.Error()
		if p := d.Plan(); p != nil && p.ExecutionPlan != nil && len(p.ExecutionPlan.Steps) > 0 {
			d.FillSteps(p.ExecutionPlan.Steps, nil)
		}
		out, err := d.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read(out)
		if err != nil {
			t.Fatalf("wrote what it doesn't read: %v\n%s", err, out)
		}
		if twice, _ := again.MarshalJSON(); string(twice) != string(out) {
			t.Fatalf("not stable:\n%s\n%s", out, twice)
		}
	})
}

func TestSafeJSON(t *testing.T) {
	in := "{\"a\u200e\": [\"\u0085\u007f\u2028\", \"é\t\u200d\"],\n\t\"b\": \"😀\"}"
	out := string(SafeJSON([]byte(in)))
	if want := "{\"a\\u200e\": [\"\\u0085\\u007f\\u2028\", \"é\t\u200d\"],\n\t\"b\": \"😀\"}"; out != want {
		t.Errorf("%q, want %q", out, want)
	}
}

func TestHiddenCharacters(t *testing.T) {
	for in, want := range map[string]string{
		"admin\u200b": `admin\u200b`, "a\u00adb": `a\xadb`, "a\u3164b\uffa0\u2800": `a\u3164b\uffa0\u2800`,
		"a\ufe0fb": `a\ufe0fb`, "tag\U000e0041": `tag\U000e0041`, "a\u2028b": `a\u2028b`, "x\U000e0100": `x\U000e0100`, "a\u200db": `a\u200db`,
		"é, e\u0301, 日本語, “x”, a\u00a0b":                   "é, e\u0301, 日本語, “x”, a\u00a0b",
		"👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3 🏳\ufe0f\u200d🌈 👍🏽": "👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3 🏳\ufe0f\u200d🌈 👍🏽",
		"می\u200cخواهم क्\u200dष 葛\U000e0100":              "می\u200cخواهم क्\u200dष 葛\U000e0100",
		"❤\ufe0f\ufe0f": "❤\ufe0f" + `\ufe0f`, "\u200d💻": `\u200d` + "💻", "\u0600١": "\u0600١",
	} {
		if got := Printable(in); got != want {
			t.Errorf("Printable(%+q) = %s, want %s", in, got, want)
		}
	}
	if got, want := OneLine("a\nb\tc\r\nd"), `a\nb\tc\r\nd`; got != want {
		t.Errorf("OneLine = %s, want %s", got, want)
	}
	for in, want := range map[string]string{"admin\u200b": `"admin\u200b"`, "👩\u200d💻.md": `"👩\u200d💻.md"`, "a\u3164.py": `"a\u3164.py"`, "日本.py": "日本.py"} {
		if got := Shown(in); got != want {
			t.Errorf("Shown(%+q) = %s, want %s", in, got, want)
		}
	}
}

// FuzzPrintable holds that nothing which steers a terminal is printed, and nothing on more
// lines than one.
func FuzzPrintable(f *testing.F) {
	f.Add("a\x1b[2J\r\n\u202e❤\ufe0f\xff")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range Printable(text) {
			if steers(r) && !strings.ContainsRune("\n\t\r", r) {
				t.Fatalf("%q holds %U", text, r)
			}
		}
		if got := OneLine(text) + Shown(text); strings.ContainsFunc(got, steers) {
			t.Fatalf("%q: %q", text, got)
		}
	})
}
