package journal

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"golang.org/x/sys/unix"

	"paicode/pkg/history"
)

// Key tells journals that this person's pai-exec wrote from all others, wherever they stand: a
// secret that is outside of every tree, with which they are authenticated (HMAC-SHA256, RFC 2104).
type Key struct{ secret []byte }

const keyBytes = 32

// OpenKey reads the person's key from the state directory, and makes it if there is none and so it
// must be; nil is none. It comes before the process is locked in.
func OpenKey(make bool) *Key {
	state, err := history.StatePath()
	if err == nil && make {
		state, err = history.State()
	}
	if err != nil {
		return nil
	}
	dir, err := unix.Open(state, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(dir)
	if !make {
		f, err := history.ReadFile(dir, "key")
		if err != nil {
			return nil
		}
		defer f.Close()
		secret, err := io.ReadAll(io.LimitReader(f, keyBytes))
		return keyOf(secret, err)
	}
	f, err := history.OpenFile(dir, "key", 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return nil
	}
	secret, err := io.ReadAll(io.LimitReader(f, keyBytes))
	if err == nil && len(secret) == 0 {
		secret = []byte(rand.Text() + rand.Text())[:keyBytes]
		_, err = f.Write(secret)
	}
	return keyOf(secret, err)
}

func keyOf(secret []byte, err error) *Key {
	if err != nil || len(secret) < keyBytes {
		return nil
	}
	return &Key{secret}
}

// sum authenticates data; that of no key is empty.
func (k *Key) sum(data []byte) string {
	if k == nil {
		return ""
	}
	h := hmac.New(sha256.New, k.secret)
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// signed reports whether a sum is that of data.
func (k *Key) signed(data []byte, sum string) bool {
	return k != nil && sum != "" && hmac.Equal([]byte(k.sum(data)), []byte(sum))
}
