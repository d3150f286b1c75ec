package secret

import (
	"strings"
	"testing"

	"paicode/pkg/turn"
)

// key is a private key as tools write it, made for this test.
const key = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIBxnJEk0Ztf4u0Vd2hJ4nN4Yc3y8m0n9d2cQh1g2J1oPoAoGCCqGSM49
AwEHoUQDQgAE1o2p3q4r5s6t7u8v9w0xMHcCAQEEIBxnJEk0Ztf4u0Vd2hJ4nN4Y
-----END EC PRIVATE KEY-----
`

// TestWithheld says of one line each what a model sees of it; no arrow: all of it.
func TestWithheld(t *testing.T) {
	for _, test := range []struct{ line, shown string }{
		{`id = "AKIAIOSFODNN7EXAMPLE"`, `id = "[WITHHELD-1]"`},
		{`aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY`, `aws_secret_access_key = [WITHHELD-1]`},
		{`"SecretAccessKey": "abcdefghij0123456789abcdefghij0123456789",`, `"SecretAccessKey": "[WITHHELD-1]",`},
		{`token: ghp_` + strings.Repeat("a1", 18), `token: [WITHHELD-1]`},
		{`glpat-aaaaaaaaaaaaaaaaaaaa`, `[WITHHELD-1]`},
		{`SLACK=xoxb-123456789012-abcdefghij`, `SLACK=[WITHHELD-1]`},
		{`u = "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"`, `u = "https://hooks.slack.com/services/[WITHHELD-1]"`},
		{`key=AIza` + strings.Repeat("b", 35), `key=[WITHHELD-1]`},
		{`OPENAI_API_KEY=sk-proj-abcdefghijklmnopqrstuvwx`, `OPENAI_API_KEY=[WITHHELD-1]`},
		{`k = 'sk-ant-api03-abcdefghijklmnopqrstuvwx-yz'`, `k = '[WITHHELD-1]'`},
		{`sk_live_abcdefghijkl`, `[WITHHELD-1]`},
		{`//registry.npmjs.org/:_authToken=0a1b2c3d-0000`, `//registry.npmjs.org/:_authToken=[WITHHELD-1]`},
		{`//registry.npmjs.org/:_authToken=${NPM_TOKEN}`, ``},
		{"registry=https://r\n_auth=dXNlcjpwYXNzd29yZA==\n", "registry=https://r\n_auth=[WITHHELD-1]\n"},
		{"  _authToken = commenttoken9999\n", "  _authToken = [WITHHELD-1]\n"},
		{"_auth = YWRtaW46YWRtaW4xMjM0NTY3OA==\n", "_auth = [WITHHELD-1]\n"},
		{"//r/:_auth=dTpw\n", "//r/:_auth=[WITHHELD-1]\n"},
		{"npmAuthToken: \"abcdef123456\"\n", "npmAuthToken: \"[WITHHELD-1]\"\n"},
		{"_password = hash_of(word)\n_auth=${TOKEN}\n", ``},
		{`jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P end`, `jwt [WITHHELD-1] end`},
		{`DATABASE_URL=postgres://ann:hunter2@db.example.com/shop`, `DATABASE_URL=postgres://ann:[WITHHELD-1]@db.example.com/shop`},
		{`redis://:p@ss@cache:6379/0`, `redis://:[WITHHELD-1]@cache:6379/0`},
		{`postgres://ann:${PASSWORD}@db/shop`, ``},
		{`https://example.com:8080/a@b`, ``},
		{`see https://example.com/x and ann@example.com`, ``},
		{`-H "Authorization: Bearer abcdefghijklmnop1234"`, `-H "Authorization: Bearer [WITHHELD-1]"`},
		{`a AKIAIOSFODNN7EXAMPLE b AKIAIOSFODNN7EXAMPLE c ASIAIOSFODNN7EXAMPLE`, `a [WITHHELD-1] b [WITHHELD-1] c [WITHHELD-2]`},
		{`sum = "d41d8cd98f00b204e9800998ecf8427e"`, ``},
		{`class="sk-fading-circle task-list-item-checkbox"`, ``},
		{`password = "hunter2"`, ``},
		{`x = "[WITHHELD-7]"`, `x = "[WITHHELD-1]"`},
		{`"key": "-----BEGIN PRIVATE KEY-----\nMIIEvQ\nAAAA\n-----END PRIVATE KEY-----\n"`, `"key": "-----BEGIN PRIVATE KEY-----[WITHHELD-1]-----END PRIVATE KEY-----\n"`},
	} {
		v := NewVault(nil)
		got := v.Lines("f", test.line, test.line, 1)
		if test.shown == "" {
			test.shown = test.line
		}
		if got != test.shown {
			t.Errorf("%s\n got %s\nwant %s", test.line, got, test.shown)
		}
		if again := v.Text(got); again != got {
			t.Errorf("%s, withheld from again, is %s", got, again)
		}
		if back, err := v.Restore(got); err != nil || back != test.line {
			t.Errorf("%s comes back as %s, %v", test.line, back, err)
		}
	}
}

// TestPrivateKey shows parts of a file: no line of the key is in any of them, and the
// lines stay where they are.
func TestPrivateKey(t *testing.T) {
	whole := "a\n" + key + "b\n"
	lines := strings.SplitAfter(whole, "\n")
	v := NewVault(nil)
	for from := 1; from <= 6; from++ {
		for to := from; to <= 6; to++ {
			part := strings.Join(lines[from-1:to], "")
			got := v.Lines("key.txt", whole, part, from)
			if strings.Contains(got, "MHc") || strings.Contains(got, "AwE") || strings.Count(got, "\n") != to-from+1 {
				t.Errorf("lines %d to %d are shown as\n%s", from, to, got)
			}
			if back, err := v.Restore(got); err != nil || back != part {
				t.Errorf("lines %d to %d come back as\n%s%v", from, to, back, err)
			}
		}
	}
	if found := v.Found(); len(found) != 2 || found[0].Line != 3 || found[0].Kind != "private key" {
		t.Errorf("found %+v", found)
	}
	cut := "x\n" + key[:100] + "\n\nplain words follow\n"
	if got := NewVault(nil).Lines("f", cut, cut, 1); strings.Contains(got, "MHc") || !strings.Contains(got, "plain words") {
		t.Errorf("a key without an end is shown as\n%s", got)
	}
}

// TestNumbers holds numbers across commands: a second one that reads the files again
// gives the same.
func TestNumbers(t *testing.T) {
	files := map[string]string{"a": "one AKIAIOSFODNN7EXAMPLE\n", "b": "x\nASIAIOSFODNN7EXAMPLE AKIAIOSFODNN7EXAMPLE\n"}
	first := NewVault(nil)
	first.Lines("b", files["b"], files["b"], 1)
	first.Lines("a", files["a"], files["a"], 1)
	w := &turn.Workspace{Withheld: first.Found()}
	second := NewVault(w)
	for _, path := range []string{"a", "b"} {
		second.Number(files[path], withheldIn(w, path))
	}
	for path, text := range files {
		if a, b := first.Lines(path, text, text, 1), second.Lines(path, text, text, 1); a != b {
			t.Errorf("%s is %s, then %s", path, a, b)
		}
	}
	if got := second.Said("ghp_" + strings.Repeat("a", 36)); got != "[WITHHELD-3]" {
		t.Errorf("a new one is %s", got)
	}
}

func withheldIn(w *turn.Workspace, path string) (all []turn.Withheld) {
	for _, f := range w.Withheld {
		if f.Path == path {
			all = append(all, f)
		}
	}
	return all
}

// TestBalance says what a change may do with placeholders.
func TestBalance(t *testing.T) {
	for _, test := range []struct{ old, new, problem string }{
		{"a [WITHHELD-1]", "b [WITHHELD-1]", ""},
		{"a [WITHHELD-1]", "b", "[WITHHELD-1], which stands for a secret, is lost"},
		{"a", "[WITHHELD-1]", "[WITHHELD-1], which stands for a secret, comes more often than before"},
		{"[WITHHELD-1]", "[WITHHELD-1][WITHHELD-1]", "[WITHHELD-1], which stands for a secret, comes more often than before"},
		{"", "[WITHHELD-2]", ""},
	} {
		v := NewVault(nil)
		v.Lines("f", "AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE", 1)
		v.Said("ASIAIOSFODNN7EXAMPLE")
		b := Balance{}
		b.Add(test.old, -1)
		b.Add(test.new, 1)
		if got := v.Problem(b); got != test.problem {
			t.Errorf("%s to %s: %q", test.old, test.new, got)
		}
	}
	if _, err := NewVault(nil).Restore("x [WITHHELD-9]"); err == nil {
		t.Error("an invented placeholder is taken")
	}
}

// FuzzVault holds that what is withheld comes back to the byte, in as many lines.
func FuzzVault(f *testing.F) {
	f.Add("id AKIAIOSFODNN7EXAMPLE\n" + key + "postgres://a:b@c [WITHHELD-1]")
	f.Add("-----BEGIN PRIVATE KEY-----\nAAAA\n\n-----BEGIN PRIVATE KEY-----")
	f.Fuzz(func(t *testing.T, text string) {
		v := NewVault(nil)
		shown := v.Lines("f", text, text, 1)
		if back, err := v.Restore(shown); err != nil || back != text {
			t.Fatalf("%q is shown as %q and comes back as %q, %v", text, shown, back, err)
		}
		if strings.Count(shown, "\n") != strings.Count(text, "\n") {
			t.Fatalf("%q is shown as %q", text, shown)
		}
		for _, s := range v.secrets {
			if v.numbers[s] == 0 {
				t.Fatalf("%q has no number", s)
			}
		}
	})
}

// TestText withholds what is in logs, diffs and traces, where a key may be cut.
func TestText(t *testing.T) {
	body := strings.SplitAfter(key, "\n")
	long := strings.Repeat("Ab3/", 16) + "\n"
	for _, test := range []struct{ name, text, leak string }{
		{"behind an escaped line end", `{"log":"start\nghp_` + strings.Repeat("a1", 18) + `"}`, "a1a1"},
		{"behind a colour", "\x1b[32mghp_" + strings.Repeat("a1", 18) + "\x1b[m", "a1a1"},
		{"behind letters", "%3Dghp_" + strings.Repeat("a1", 18), "a1a1"},
		{"glued together", "AKIAIOSFODNN7EXAMPLEAKIAIOSFODNN7EXAMPLE", "AKIA"},
		{"an API key behind an escape", `x\nsk-proj-abcdefghijklmnopqrstuvwx`, "abcdefghij"},
		{"the end of a key", body[2] + body[3], "AwEHoUQDQgAE"},
		{"the beginning of a key", body[0] + body[1], "MHcCAQEEIBxnJEk0"},
		{"the middle of a key", "@@ -3 +3 @@\n " + long + "-" + long + "+" + long + " " + long, "Ab3/"},
		{"PuTTY's", "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 2\nAAAAgQCabc\nAAAAQQDdef\nPrivate-MAC: 1\n", "AAAA"},
		{"SSH2's", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nP2/56wAAAi\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\n", "P2/56"},
		{"a password with a slash", "postgres://ann:pa/ss@db/shop", "pa/ss"},
	} {
		for how, hide := range map[string]func(*Vault) string{
			"text": func(v *Vault) string { return v.Text(test.text) },
			"said": func(v *Vault) string { return v.Said(test.text) },
			"file": func(v *Vault) string { return v.Lines("f", test.text, test.text, 1) },
		} {
			v := NewVault(nil)
			got := hide(v)
			if how == "file" && test.name == "the middle of a key" {
				continue // of a file all is known: such lines are no key there
			}
			if strings.Contains(got, test.leak) {
				t.Errorf("%s as %s is shown as %q", test.name, how, got)
			}
			if back, err := v.Restore(got); err != nil || back != test.text {
				t.Errorf("%s as %s comes back as %q", test.name, how, back)
			}
		}
	}
}

// TestBroken says what a change may not do to secrets although it has them all.
func TestBroken(t *testing.T) {
	for _, test := range []struct{ name, old, changed, problem string }{
		{"something else changes", "a\n" + key + `u = "postgres://ann:hunter2@db"`, "b\n" + key + `u = "postgres://ann:hunter2@db:1"`, ""},
		{"a key moves", "a\n" + key + "b\n", "b\n" + key + "a\n", ""},
		{"a key's lines are put apart", key, strings.Replace(key, "AwEH", "#\nAwEH", 1), "a private key would be taken apart"},
		{"a key is indented", key, strings.ReplaceAll(key, "\n", "\n  "), "a private key would be taken apart"},
		{"a key loses its head", key, strings.Replace(key, "-----BEGIN EC PRIVATE KEY-----", "KEY", 1), "a private key would be taken apart"},
		{"a password leaves its URL", `u = "postgres://ann:hunter2@db"`, `pw = "hunter2"`, "[WITHHELD-1] would stand where nobody knows it for a secret"},
		{"a false placeholder", "a", "key = [withheld-1]", "[withheld-1] is not the placeholder of a secret"},
		{"half a placeholder", "a", "key = [WITHHELD-1", "[WITHHELD-1 is not the placeholder of a secret"},
		{"one that was there", "[WITHHELD]", "x [WITHHELD]", ""},
	} {
		v := NewVault(nil)
		v.Lines("f", test.old, test.old, 1)
		if got := v.Broken(test.old, test.changed); got != test.problem {
			t.Errorf("%s: %q, want %q", test.name, got, test.problem)
		}
	}
}

// TestRecurs knows a secret again in other texts, unless it may be a word there.
func TestRecurs(t *testing.T) {
	for password, again := range map[string]bool{"password": false, "postgres": false, "hunter2": false, "hunter2hunter2": true, "correcthorsebatterystaple": true} {
		v := NewVault(nil)
		line := "u = postgres://ann:" + password + "@db"
		if got := v.Lines("f", line, line, 1); strings.Contains(got, ":"+password) {
			t.Errorf("%s is shown: %s", password, got)
		}
		if got := v.Text("my " + password + " is mine"); (got == "my [WITHHELD-1] is mine") != again {
			t.Errorf("%s elsewhere is shown as %q", password, got)
		}
	}
}
