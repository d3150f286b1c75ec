package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const golden = "../../pkg/turn/testdata/golden"

func conform(args ...string) (string, error) {
	var out strings.Builder
	err := run(args, &out)
	return out.String(), err
}

// few is a directory with three of the golden documents.
func few(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"denied.json", "extra.json", "request.json"} {
		data, err := os.ReadFile(filepath.Join(golden, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestExamples holds what others will copy.
func TestExamples(t *testing.T) {
	for _, args := range [][]string{
		{"stage", "../examples/paths.sh"},
		{"stage", "../examples/scope.py src"},
		{"-documents", few(t), "stage", "../examples/scope.py calculator.py main.py"},
		{"-owns", "suggestion", "stage", shell(`.suggestion = {text: "rest"}`)},
		{"generator", "ASK='cat >/dev/null; echo ok' ../examples/generator.sh"},
		{"generator", "ASK='exit 1' ../examples/generator.sh"},
	} {
		t.Run(args[len(args)-1], func(t *testing.T) {
			t.Parallel()
			if out, err := conform(append([]string{"-documents", golden}, args...)...); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestPage compares the stage in the documentation of package turn with the one that is tested.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../pkg/turn/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../examples/paths.sh")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(example)) {
		if !strings.HasPrefix(line, "# ") && !strings.Contains(string(page), "//\t"+line) {
			t.Errorf("doc.go lacks %q", line)
		}
	}
}

// shell is the stage of the documentation with another filter of jq's.
func shell(filter string) string {
	return `doc=$(cat); code=$(printf %s "$doc" | jq .error.code) || exit 2
[ "$code" = null ] || { printf '%s\n' "$doc"; exit "${code:-2}"; }
printf %s "$doc" | jq -c '` + filter + `'`
}

// TestFaults is one fault a row; the first case that fails must name it.
func TestFaults(t *testing.T) {
	few := few(t)
	const say = `while read -r _; do echo '`
	for _, tt := range []struct{ kind, command, want string }{
		{"stage", "cat", "exit code 0, but the error's code is 4"},
		{"stage", "jq -c 'del(.error)'", "isn't passed on"},
		{"stage", shell(`del(.x_ticket)`), `"x_ticket" is gone`},
		{"stage", shell(`.x_ticket.id? |= 1`), `"x_ticket" isn't what it was`},
		{"stage", shell(`del(.plan.execution_plan?.steps[0].x_note)`), `"plan" isn't what it was`},
		{"stage", shell(`.suggestion = {text: "rest"}`), `"suggestion" is new`},
		{"stage", shell(`if .plan then .plan |= (to_entries | reverse | from_entries) else . end`), `"plan" isn't what it was`},
		{"stage", `doc=$(cat); code=$(printf %s "$doc" | jq .error.code) || { echo sorry; exit 2; }
[ "${code:-null}" = null ] || { printf '%s\n' "$doc"; exit "${code:-2}"; }; printf %s "$doc" | jq -c .`, `no document with an error`},
		{"stage", `doc=$(cat); printf %s "$doc" | jq -c '.x_a = 1'; exit $(printf %s "$doc" | jq '.error.code // 0')`, `"x_a" is new in a document with an error`},
		{"stage", shell(`to_entries | reverse | from_entries`), `isn't where it was`},
		{"stage", shell(`.foo = 1`), `unknown member "foo"`},
		{"stage", shell(`., .`), `more data after the document`},
		{"stage", shell(`.`) + "; exit 3", `exit code 3, and no error`},
		{"stage", shell(`.error = {code: 3, message: "m"}`) + "; exit 3", `lacks stage`},
		{"stage", shell(`.`) + "; echo done", `can't be read`},
		{"stage", `d=$(head -c 1000000); printf %s "$d" | jq -c .`, `several megabytes: `},
		{"stage", "jq -Rsc 'try fromjson catch {pai: \"turn/1\", request: \"?\"}'", `text is refused: it exits with 0`},
		{"stage", "/nowhere/stage", `can't run`},
		{"stage", "sleep 9", `didn't end in time`},
		{"generator", "true", "a question is answered: "},
		{"generator", `read -r _; echo '{"text":"ok","finish":"stop"}'`, "a second one"},
		{"generator", say + `ok'; done`, "invalid character"},
		{"generator", say + `{"text":"ok","delta":"ok","finish":"stop"}'; done`, "one of delta"},
		{"generator", say + `{"text":"ok"}'; done`, "finish is"},
		{"generator", say + `{"text":" ","finish":"stop"}'; done`, "empty text"},
		{"generator", say + `{"error":{"stage":"","code":7}}'; done`, "has a message"},
		{"generator", say + `{"error":{"stage":"","code":5,"message":"m"}}'; done`, "code is 7"},
		{"generator", say + `{"text":"ok","finish":"stop"}'; done; echo bye`, "after its answers"},
		{"generator", say + `{"text":"ok","finish":"stop"}'; done; exit 1`, "exit status 1"},
		{"generator", "sleep 9", "no whole line"},
		{"generator", "setsid sleep 9 & sleep 9", "no whole line"},
	} {
		t.Run(tt.command, func(t *testing.T) {
			t.Parallel()
			wait := "20s"
			if strings.Contains(tt.command, "sleep") {
				wait = "1s"
			}
			out, err := conform("-documents", few, "-timeout", wait, tt.kind, tt.command)
			if err == nil || !strings.Contains(out+err.Error(), tt.want) {
				t.Errorf("%v, want %q\n%s", err, tt.want, out)
			}
		})
	}
}
