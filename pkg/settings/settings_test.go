package settings

import (
	"os"
	"path/filepath"
	"testing"
)

// place makes a file of settings for a test.
func place(t testing.TB, content string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	if err := os.MkdirAll(filepath.Join(dir, "pai-code"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(Path(), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLoad(t *testing.T) {
	for content, ok := range map[string]bool{
		`{}`: true,
		`{"model": "m", "base_url": "http://localhost:1/v1", "context_tokens": 8000, "price_in": 0, "price_out": 2.5, "check_may_write": true, "checks": {"/a": "true"}}`: true,
		``:                             false,
		`[]`:                           false,
		`{"modle": "m"}`:               false,
		`{"model": 3}`:                 false,
		`{"model": "a\nb"}`:            false,
		`{"base_url": "ftp://x"}`:      false,
		`{"context_tokens": -1}`:       false,
		`{"price_in": -1}`:             false,
		`{"checks": {"here": "true"}}`: false,
		`{"model": "m"} {}`:            false,
	} {
		place(t, content)
		if _, err := Load(); (err == nil) != ok {
			t.Errorf("%s: %v", content, err)
		}
	}
}

// TestShare has variables go before the file.
func TestShare(t *testing.T) {
	place(t, `{"model": "m", "price_in": 0.5}`)
	t.Setenv("PAI_MODEL", "mine")
	t.Setenv("PAI_PRICE_IN", "")
	s, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Share(); err != nil {
		t.Fatal(err)
	}
	if m, p := os.Getenv("PAI_MODEL"), os.Getenv("PAI_PRICE_IN"); m != "mine" || p != "0.5" {
		t.Errorf("%q, %q", m, p)
	}
}

// FuzzLoad has what was read be written and read again as it was.
func FuzzLoad(f *testing.F) {
	f.Add(`{"model": "m", "checks": {"/a": "true"}}`)
	f.Add(`{"price_in": 1e300, "context_tokens": 9}`)
	f.Fuzz(func(t *testing.T, content string) {
		place(t, content)
		s, err := Load()
		if err != nil {
			return
		}
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
		again, err := Load()
		if err != nil {
			t.Fatalf("%s: %v", content, err)
		}
		for _, setting := range All() {
			if s.Get(setting) != again.Get(setting) {
				t.Fatalf("%s: %s became %s", content, s.Get(setting), again.Get(setting))
			}
		}
	})
}
