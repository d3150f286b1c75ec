// Package credentials keeps the keys of model providers in a file of the
// person's own, outside every project, and finds the one that belongs to a host.
// A key goes to no other host than its own.
package credentials

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"paicode/pkg/history"
	"paicode/pkg/turn"
)

const version = 2

// Store is the file's content: Gemini's key as "api_key", those of other
// providers by the provider's name, those of other servers by host and port.
type Store struct {
	Version int
	keys    map[string]string // by Provider.Name
	hosts   map[string]string // by host, with the port if one was named

	others map[string]json.RawMessage // what the file holds beside, and this version doesn't know
}

// The members of the file that are no provider's.
const (
	memberVersion = "version"
	memberHosts   = "hosts"
)

// Key is the key stored for a provider's name, or for a host; empty if none is.
func (s *Store) Key(name string) string {
	if p, err := Named(name); err == nil && p.Name == name && p.member != "" {
		return s.keys[name]
	}
	return s.hosts[name]
}

// SetKey stores a key for a provider's name, or for a host; an empty one takes
// it away.
func (s *Store) SetKey(name, key string) {
	keys := s.hosts
	if p, err := Named(name); err == nil && p.member != "" {
		keys = s.keys
	}
	if keys[name] = key; key == "" {
		delete(keys, name)
	}
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
// is an empty Store; one that can't be understood, or that others can read, is an error of
// CodeModel.
func Load() (Store, error) {
	empty := newStore()
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
	if err := checkMode(path); err != nil {
		return empty, err
	}
	var old storeV1
	if err := json.Unmarshal(data, &old); err != nil {
		return empty, unreadable(path, "it is not the JSON that pai writes")
	}
	switch old.Version {
	case 1:
		s := newStore()
		s.keys[gemini] = old.Keys[old.Default]
		delete(old.Keys, old.Default)
		if len(old.Keys) > 0 {
			rest, err := json.Marshal(old.Keys)
			s.others = map[string]json.RawMessage{"keys": rest}
			return s, err
		}
		return s, nil
	case version:
		s := newStore()
		if s.decode(data) != nil {
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
		return noPlace("the key").WithHint("set GEMINI_API_KEY instead")
	}
	if err := s.save(path); err != nil {
		return turn.Errorf(turn.CodeInternal, "the credentials file can't be written: %s", err)
	}
	return nil
}

func noPlace(what string) *turn.Error {
	return turn.Errorf(turn.CodeInternal, "there is no place for %s: neither HOME nor XDG_CONFIG_HOME is set", what)
}

func newStore() Store {
	return Store{Version: version, keys: make(map[string]string), hosts: make(map[string]string)}
}

// decode reads the second form of the file.
func (s *Store) decode(data []byte) error {
	if err := json.Unmarshal(data, &s.others); err != nil {
		return err
	}
	take := func(member string, into any) error {
		raw, ok := s.others[member]
		delete(s.others, member)
		if !ok {
			return nil
		}
		return json.Unmarshal(raw, into)
	}
	err := errors.Join(take(memberVersion, &s.Version), take(memberHosts, &s.hosts))
	for _, p := range Providers() {
		var key string
		if err = errors.Join(err, take(p.member, &key)); key != "" {
			s.keys[p.Name] = key
		}
	}
	if s.hosts == nil { // the file says null
		s.hosts = make(map[string]string)
	}
	return err
}

// encode writes the keys, and what else the file held.
func (s Store) encode() ([]byte, error) {
	all := make(map[string]any)
	for name, raw := range s.others {
		all[name] = raw
	}
	all[memberVersion] = s.Version
	for _, p := range Providers() {
		if key := s.keys[p.Name]; key != "" {
			all[p.member] = key
		}
	}
	if len(s.hosts) > 0 {
		all[memberHosts] = s.hosts
	}
	return json.Marshal(all)
}

func (s Store) save(path string) error {
	data, err := s.encode()
	if err != nil {
		return err
	}
	return history.ReplaceFile(path, append(data, '\n'))
}

// checkMode refuses a file that others can read.
func checkMode(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return unreadable(path, errors.Unwrap(err).Error())
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return turn.Errorf(turn.CodeModel, "the credentials file %s can be read by others (mode %04o)", turn.Quote(path),
			mode).
			WithHint("chmod 600 %s", turn.Shown(path))
	}
	return nil
}

// Remove deletes the file and reports whether there was one.
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
