// Package credentials keeps the keys of model providers in a file of the
// person's own, outside every project.
package credentials

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"paicode/pkg/turn"
)

const version = 2

// Store is the file's content.
type Store struct {
	Version int    `json:"version"`
	APIKey  string `json:"api_key,omitempty"` // Gemini's
	OpenAI  string `json:"openai,omitempty"`

	others map[string]json.RawMessage // what the file holds beside, such as keys of providers that this version doesn't know
}

// Provider is who a key is for.
type Provider struct {
	Name      string   // as in "pai config set --provider NAME"
	member    string   // of the file
	variables []string // of the environment, which go before the file
	key       func(*Store) *string
}

// Providers are those whose keys are kept, Gemini first.
func Providers() []Provider {
	return []Provider{
		{"gemini", "api_key", []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, func(s *Store) *string { return &s.APIKey }},
		{"openai", "openai", []string{"OPENAI_API_KEY"}, func(s *Store) *string { return &s.OpenAI }},
	}
}

// Named finds a provider. Unknown names are an error of CodeUsage.
func Named(name string) (Provider, error) {
	var names []string
	for _, p := range Providers() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Provider{}, turn.Errorf(turn.CodeUsage, "unknown provider %s", turn.Quote(name)).WithHint("one of %s", strings.Join(names, ", "))
}

// Stored is the provider's key in a store, to be read or set.
func (p Provider) Stored(s *Store) *string { return p.key(s) }

// storeV1 is the form that the first version of the file had.
type storeV1 struct {
	Version int               `json:"version"`
	Keys    map[string]string `json:"keys"`
	Default string            `json:"default"`
}

// Path returns where the file is: pai-code/credentials.json in
// $XDG_CONFIG_HOME, or in ~/.config. It is empty where there is neither that
// variable nor HOME.
func Path() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "pai-code", "credentials.json")
}

// Load reads the file, in the form of version 1 too. A file that isn't there
// is an empty Store; one that can't be understood is an error of CodeModel.
func Load() (Store, error) {
	empty := Store{Version: version}
	path := Path()
	if path == "" {
		return empty, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, unreadable(path, errors.Unwrap(err).Error())
	}
	var old storeV1
	if err := json.Unmarshal(data, &old); err != nil {
		return empty, unreadable(path, "it is not the JSON that pai writes")
	}
	switch old.Version {
	case 1:
		s := Store{Version: version, APIKey: old.Keys[old.Default]}
		delete(old.Keys, old.Default)
		if len(old.Keys) > 0 {
			rest, err := json.Marshal(old.Keys)
			s.others = map[string]json.RawMessage{"keys": rest}
			return s, err
		}
		return s, nil
	case version:
		var s Store
		if json.Unmarshal(data, &s) != nil || json.Unmarshal(data, &s.others) != nil {
			return empty, unreadable(path, "it is not the JSON that pai writes")
		}
		return s, nil
	default:
		return empty, unreadable(path, "its version is unknown")
	}
}

func unreadable(path, why string) error {
	return turn.Errorf(turn.CodeModel, "the credentials file %s can't be used: %s", turn.Quote(path), why).
		WithHint("pai config remove takes it away; then pai config set writes a new one")
}

// Save writes the file as a whole: its directory 0700, the file 0600.
func (s Store) Save() error {
	path := Path()
	if path == "" {
		return turn.Errorf(turn.CodeInternal, "there is no place for the key: neither HOME nor XDG_CONFIG_HOME is set").
			WithHint("set GEMINI_API_KEY instead")
	}
	if err := s.save(path); err != nil {
		return turn.Errorf(turn.CodeInternal, "the credentials file can't be written: %s", err)
	}
	return nil
}

// encode writes the keys, and what else the file held.
func (s Store) encode() ([]byte, error) {
	all := maps.Clone(s.others)
	if all == nil {
		all = make(map[string]json.RawMessage)
	}
	for _, p := range Providers() {
		delete(all, p.member)
	}
	own, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(own, &all)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

func (s Store) save(path string) error {
	data, err := s.encode()
	if err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // the link stays
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".credentials-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(append(data, '\n'))
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// CheckModes finds out whether others can read the file. The error is of
// CodeModel.
func CheckModes() error {
	info, err := os.Stat(Path())
	if err != nil {
		return unreadable(Path(), errors.Unwrap(err).Error())
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return turn.Errorf(turn.CodeModel, "the credentials file %s can be read by others (mode %04o)", turn.Quote(Path()), mode).
			WithHint("chmod 600 %s", turn.Shown(Path()))
	}
	return nil
}

// Remove deletes the file and tells whether there was one.
func Remove() (bool, error) {
	path := Path()
	if path == "" {
		return false, nil
	}
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, turn.Errorf(turn.CodeInternal, "the credentials file can't be removed: %s", err)
	}
	return true, nil
}

// Key is a key and where it was found.
type Key struct{ Value, Source string }

// ErrNoKey is that of a provider for which there is no key.
var ErrNoKey = errors.New("no API key")

// noKey is ErrNoKey with what a person can do.
type noKey struct{ said *turn.Error }

func (e noKey) Error() string   { return e.said.Message }
func (e noKey) Unwrap() []error { return []error{e.said, ErrNoKey} }

// Find finds a provider's key: in the environment, or in the file. Without one
// the error is ErrNoKey, of CodeModel; so is that of one which no header could
// carry. The key never stands in an error.
func (p Provider) Find() (Key, error) {
	for _, name := range p.variables {
		if value := strings.TrimSpace(os.Getenv(name)); value != "" {
			return checked(Key{value, name})
		}
	}
	store, err := Load()
	if err != nil {
		return Key{}, err
	}
	if stored := *p.key(&store); stored != "" {
		return checked(Key{stored, Path()})
	}
	set := "pai config set"
	if p.Name != Providers()[0].Name {
		set += " --provider " + p.Name
	}
	return Key{}, noKey{turn.Errorf(turn.CodeModel, "no API key").WithHint("%s stores one, or set %s", set, p.variables[0])}
}

// Gemini finds the key of Gemini.
func Gemini() (Key, error) { return Providers()[0].Find() }

// OpenAI finds the key of OpenAI.
func OpenAI() (Key, error) { return Providers()[1].Find() }

func checked(k Key) (Key, error) {
	if err := CheckForm(k.Value); err != nil {
		return Key{}, turn.Errorf(turn.CodeModel, "the API key from %s %s", k.Source, err)
	}
	return k, nil
}

// CheckForm tells what makes a text impossible as a key; nil if nothing does.
func CheckForm(key string) error {
	if key == "" {
		return errors.New("is empty")
	}
	for _, r := range key {
		if r <= ' ' || r > '~' {
			return errors.New("holds a blank or a character that is not ASCII")
		}
	}
	return nil
}

// LooksLikeGemini tells whether a key begins as Gemini's usually do.
func LooksLikeGemini(key string) bool { return strings.HasPrefix(key, "AIza") }

// Mask shows enough of a key to recognise it, and no more.
func Mask(key string) string {
	if len(key) < 16 {
		return "****"
	}
	return key[:4] + "…" + key[len(key)-4:]
}
