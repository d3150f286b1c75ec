package provider

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
)

// headerKeeper remembers the headers of the last answer: the SDK's errors
// come without them.
type headerKeeper struct {
	next  http.RoundTripper
	last  http.Header
	alive func() // called at every sign of life; nil: nobody waits
}

func (k *headerKeeper) RoundTrip(r *http.Request) (*http.Response, error) {
	k.last = nil
	resp, err := k.next.RoundTrip(r)
	if err == nil {
		k.last = resp.Header
		in := bufio.NewReader(io.LimitReader(resp.Body, maxBodyBytes))
		resp.Body = &uncommented{Closer: resp.Body, in: in, alive: k.alive,
			plain: resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")}
	}
	return resp, err
}

// maxBodyBytes bounds what a provider may send, of whatever kind.
const maxBodyBytes = 2 * maxAnswerBytes

// uncommented leaves the comments out of a stream of events: gateways send them
// to keep a connection alive, and the SDK takes them for a broken answer.
type uncommented struct {
	io.Closer
	in    *bufio.Reader
	line  []byte // what was read and not taken yet
	after bool   // the last line was a comment
	begun bool
	plain bool // it is no stream of events
	alive func()
}

func (u *uncommented) Read(p []byte) (int, error) {
	if u.plain {
		return u.in.Read(p)
	}
	for len(u.line) == 0 {
		line, err := u.in.ReadBytes('\n')
		if !u.begun {
			line, u.begun = bytes.TrimPrefix(line, []byte("\ufeff")), true
		}
		comment := len(line) > 0 && line[0] == ':'
		if comment && u.alive != nil {
			u.alive()
		}
		if !comment && (!u.after || len(bytes.TrimSpace(line)) > 0) {
			u.line = line
		}
		u.after = comment // the blank line behind it ends no event
		if err != nil && len(u.line) == 0 {
			return 0, err
		}
	}
	n := copy(p, u.line)
	u.line = u.line[n:]
	return n, nil
}
