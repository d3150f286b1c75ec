// Package settings keeps what a person chose for all projects, and the check of each, in a
// file of their own: pai-code/config.json in their configuration. No file of a project sets any
// of it.
package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"paicode/pkg/history"
	"paicode/pkg/turn"
)

// Settings are the file's content. Empty values are not set.
type Settings struct {
	Model         string            `json:"model,omitempty"`          // as --model takes it
	BaseURL       string            `json:"base_url,omitempty"`       // as --base-url
	ContextTokens int               `json:"context_tokens,omitempty"` // as --context-tokens
	PriceIn       *float64          `json:"price_in,omitempty"`       // money for a million tokens
	PriceOut      *float64          `json:"price_out,omitempty"`
	CheckMayWrite bool              `json:"check_may_write,omitempty"` // as --check-may-write
	Checks        map[string]string `json:"checks,omitempty"`          // a shell command by a root's absolute path
}

// Setting is one value that has a name and a variable.
type Setting struct {
	Name     string // "base-url"
	Variable string // that goes before the file
	get      func(*Settings) string
	set      func(*Settings, string) error // an empty value takes it away
}

// Check is the name of the one setting that a project has for itself.
const Check = "check"

// All are the settings with a variable, in the order in which they are listed.
func All() []Setting {
	return []Setting{
		{"model", "PAI_MODEL",
			func(s *Settings) string { return s.Model },
			func(s *Settings, v string) error { s.Model = v; return checkModel(v) }},
		{"base-url", "PAI_BASE_URL",
			func(s *Settings) string { return s.BaseURL },
			func(s *Settings, v string) error { s.BaseURL = v; return checkURL(v) }},
		{"context-tokens", "PAI_CONTEXT_TOKENS",
			func(s *Settings) string { return number(s.ContextTokens) },
			func(s *Settings, v string) (err error) { s.ContextTokens, err = count(v); return err }},
		{"price-in", "PAI_PRICE_IN",
			func(s *Settings) string { return money(s.PriceIn) },
			func(s *Settings, v string) (err error) { s.PriceIn, err = price(v); return err }},
		{"price-out", "PAI_PRICE_OUT",
			func(s *Settings) string { return money(s.PriceOut) },
			func(s *Settings, v string) (err error) { s.PriceOut, err = price(v); return err }},
		{"check-may-write", "PAI_CHECK_MAY_WRITE",
			func(s *Settings) string { return yes(s.CheckMayWrite) },
			func(s *Settings, v string) (err error) { s.CheckMayWrite, err = truth(v); return err }},
	}
}

func checkModel(v string) error {
	if turn.OneLine(v) != v {
		return turn.Errorf(turn.CodeUsage, "%s is not a model name", turn.Quote(v))
	}
	return nil
}

func checkURL(v string) error {
	if v != "" && !strings.HasPrefix(v, "http://") && !strings.HasPrefix(v, "https://") || turn.OneLine(v) != v {
		return turn.Errorf(turn.CodeUsage, "%s is not a server's address", turn.Quote(v)).
			WithHint("such as http://localhost:11434/v1")
	}
	return nil
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func count(v string) (int, error) {
	if v == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n <= 0 {
		return 0, turn.Errorf(turn.CodeUsage, "%s is not a number of tokens", turn.Quote(v))
	}
	return n, nil
}

func yes(b bool) string {
	if !b {
		return ""
	}
	return strconv.FormatBool(b)
}

func truth(v string) (bool, error) {
	if v == "" {
		return false, nil
	}
	b, err := strconv.ParseBool(v)
	if err != nil {
		return false, turn.Errorf(turn.CodeUsage, "%s is neither true nor false", turn.Quote(v))
	}
	return b, nil
}

func money(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'f', -1, 64)
}

func price(v string) (*float64, error) {
	if v == "" {
		return nil, nil
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || !(f >= 0) || math.IsInf(f, 0) {
		return nil, turn.Errorf(turn.CodeUsage, "%s is not a price", turn.Quote(v)).
			WithHint("money for a million tokens, such as 0.30")
	}
	return &f, nil
}

// Named is the setting with a name; ok is false if there is none.
func Named(name string) (s Setting, ok bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return s, false
}

// Get is a setting's value in the file; empty if it isn't set there.
func (s *Settings) Get(setting Setting) string { return setting.get(s) }

// Set sets a value; an empty one takes it away. Errors are of CodeUsage.
func (s *Settings) Set(setting Setting, value string) error { return setting.set(s, value) }

// Path is where the file is; empty where there is no place for it.
func Path() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "pai-code", "config.json")
}

// maxBytes bounds the file.
const maxBytes = 1 << 20

// older is the file in which the version before kept the model's name alone.
func older() string { return filepath.Join(filepath.Dir(Path()), "model") }

// Load reads the file; one that isn't there is empty Settings. One that can't be understood, or
// that others could have written, is an error of CodeUsage: it says which server gets a question.
func Load() (s Settings, err error) {
	path := Path()
	if path == "" {
		return s, nil
	}
	data, err := history.ReadLimited(path, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		name, _ := history.ReadLimited(older(), maxBytes) // none is no setting
		s.Model = strings.TrimRight(string(name), "\r\n")
		return s, nil
	}
	if err != nil {
		return s, wrong(errors.Unwrap(err).Error())
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o022 != 0 {
		return s, turn.Errorf(turn.CodeUsage, "the settings in %s can be written by others", turn.Quote(path)).
			WithHint("chmod 600 %s", turn.Shown(path))
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Settings{}, wrong(err.Error())
	}
	if d.More() {
		return Settings{}, wrong("there is something behind the object")
	}
	for _, setting := range All() {
		if err := s.Set(setting, s.Get(setting)); err != nil {
			return Settings{}, wrong(setting.Name + ": " + err.Error())
		}
	}
	for root := range s.Checks {
		if !filepath.IsAbs(root) {
			return Settings{}, wrong("checks: " + turn.Quote(root) + " is no absolute path")
		}
	}
	return s, nil
}

func wrong(why string) error {
	return turn.Errorf(turn.CodeUsage, "the settings in %s can't be read: %s", turn.Quote(Path()), turn.Printable(why)).
		WithHint("pai config set writes the file; without it nothing is set")
}

// Save writes the file as a whole. Errors are of CodeInternal.
func (s *Settings) Save() error {
	path := Path()
	if path == "" {
		return turn.Errorf(turn.CodeInternal, "there is no place for settings: neither XDG_CONFIG_HOME nor HOME is set").
			WithHint("set variables instead, such as PAI_MODEL")
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		err = history.ReplaceFile(path, append(data, '\n'))
	}
	if err == nil {
		if err = os.Remove(older()); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		return turn.Errorf(turn.CodeInternal, "the settings can't be kept: %s", err)
	}
	return nil
}

// Share puts the settings with variables into the environment, where none of them stands: so
// every command finds them there, and options and variables go before them.
func (s *Settings) Share() error {
	for _, setting := range All() {
		if value := s.Get(setting); value != "" && os.Getenv(setting.Variable) == "" {
			if err := os.Setenv(setting.Variable, value); err != nil {
				return err
			}
		}
	}
	return nil
}
