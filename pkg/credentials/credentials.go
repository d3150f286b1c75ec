// Package credentials keeps the keys of model providers in a file of the
// person's own, outside every project.
package credentials

import (
	"encoding/json"
	"errors"
	"io/fs"
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
}

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
		return Store{Version: version, APIKey: old.Keys[old.Default]}, nil
	case version:
		var s Store
		if err := json.Unmarshal(data, &s); err != nil {
			return empty, unreadable(path, "it is not the JSON that pai writes")
		}
		return s, nil
	default:
		return empty, unreadable(path, "its version is unknown")
	}
}

func unreadable(path, why string) error {
	return turn.Errorf(turn.CodeModel, "the credentials file %s can't be used: %s", turn.Quote(path), why).
		WithHint("pai config remove takes it away, pai config set writes a new one")
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

func (s Store) save(path string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
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

// Gemini finds the key of Gemini: GEMINI_API_KEY, GOOGLE_API_KEY, the file,
// in this order. Without one, or with one that no header could carry, the
// error is of CodeModel. The key never stands in an error.
func Gemini() (Key, error) {
	for _, name := range []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"} {
		if value := strings.TrimSpace(os.Getenv(name)); value != "" {
			return checked(Key{value, name})
		}
	}
	store, err := Load()
	if err != nil {
		return Key{}, err
	}
	if store.APIKey == "" {
		return Key{}, turn.Errorf(turn.CodeModel, "no API key").
			WithHint("pai config set stores one, or set GEMINI_API_KEY")
	}
	return checked(Key{store.APIKey, Path()})
}

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
