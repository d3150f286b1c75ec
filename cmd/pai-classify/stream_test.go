package main

import (
	"strings"
	"testing"
)

func TestPartial(t *testing.T) {
	const whole = `{"kind": "chat", "reply": "A \"closure\" is\n日本 \ud83d\ude00 \u00e9 done"}`
	const want = "A \"closure\" is\n日本 😀 é done"
	for i := range whole {
		got := partial(whole[:i])
		if !strings.HasPrefix(want, got) {
			t.Fatalf("%q gives %q", whole[:i], got)
		}
	}
	for answer, want := range map[string]string{
		whole:                                            want,
		`{"kind": "task", "reply": "no"}`:                "",
		`{"reply": "not yet"`:                            "",
		`{"kind": "chat", "other": "reply"`:              "",
		"```json\n{\"kind\":\"chat\",\"reply\":\"x":      "x",
		`{"kind":"chat","acknowledgment":"","reply":" y`: "y",
		``:                                      "",
		"{\"kind\":\"chat\",\"reply\":\"a\x01b": "a",
		`{"kind":"chat","reply":"a\xb`:          "a",
		`{"kind":"chat","reply":"a\ud83dbcdefghijkl`: "a",
	} {
		if got := partial(answer); got != want {
			t.Errorf("%q gives %q, want %q", answer, got, want)
		}
	}
}

func FuzzPartial(f *testing.F) {
	f.Add(`{"kind": "chat", "reply": "a\u00`)
	f.Add(`{"kind": "chat", "reply": "\ud83d\ud8`)
	f.Add("{\"kind\":\"chat\",\"reply\":\"a\x01b")
	f.Fuzz(func(t *testing.T, answer string) {
		last := ""
		for i := range answer {
			got := partial(answer[:i])
			if !strings.HasPrefix(got, last) && strings.ToValidUTF8(answer, "") == answer {
				t.Fatalf("%q gives %q after %q", answer[:i], got, last)
			}
			last = got
		}
	})
}
