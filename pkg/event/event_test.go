package event

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pipe is a pipe's two ends, the second by its number.
func pipe(t *testing.T) (r *os.File, w int) {
	t.Helper()
	var fds [2]int
	if err := unix.Pipe2(fds[:], 0); err != nil {
		t.Fatal(err)
	}
	unix.CloseOnExec(fds[0])
	r = os.NewFile(uintptr(fds[0]), "events")
	t.Cleanup(func() { r.Close() })
	return r, fds[1]
}

func TestSend(t *testing.T) {
	r, fd := pipe(t)
	w, err := Open("pai-plan", strconv.Itoa(fd))
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("é\x1b", 1000)
	w.Send(Event{Event: Began})
	w.Send(Event{Event: Delta, Text: long})
	w.Forward(`{"event":"step","stage":"other"}`)
	unix.Close(fd)
	var text strings.Builder
	var kinds []string
	for in := bufio.NewScanner(r); in.Scan(); {
		if len(in.Bytes()) >= maxLine || strings.ContainsRune(in.Text(), 0x1b) {
			t.Errorf("a line of %d bytes: %q", len(in.Bytes()), in.Text())
		}
		e, ok := Parse(in.Bytes())
		if !ok {
			t.Fatalf("%q is no event", in.Text())
		}
		kinds = append(kinds, e.Event)
		text.WriteString(e.Text)
	}
	if text.String() != long {
		t.Error("the text came changed")
	}
	if kinds[0] != Began || kinds[len(kinds)-1] != Step {
		t.Errorf("%q", kinds)
	}
}

// TestFull has nobody read: nothing waits, and what was sent whole stays whole.
func TestFull(t *testing.T) {
	for name, open := range map[string]func() (r, w int){
		"pipe": func() (int, int) {
			var fds [2]int
			if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
				t.Fatal(err)
			}
			return fds[0], fds[1]
		},
		"socket": func() (int, int) {
			fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			return fds[0], fds[1]
		},
	} {
		r, fd := open()
		w, err := Open("pai-plan", strconv.Itoa(fd))
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 20_000 {
				w.Send(Event{Event: Delta, Text: strings.Repeat("x", 300)})
			}
		}()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: a full one is waited for", name)
		}
		unix.Close(fd)
		in, lines := bufio.NewScanner(os.NewFile(uintptr(r), "events")), 0
		for ; in.Scan(); lines++ {
			if _, ok := Parse(in.Bytes()); !ok && in.Scan() {
				t.Fatalf("%s: line %d is torn: %q", name, lines, in.Text())
			}
		}
		if lines == 0 {
			t.Errorf("%s: nothing came", name)
		}
	}
}

// TestClosed has the reader gone.
func TestClosed(t *testing.T) {
	r, fd := pipe(t)
	w, err := Open("pai-plan", strconv.Itoa(fd))
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	w.Send(Event{Event: Began})
	unix.Close(fd)
}

func TestOpen(t *testing.T) {
	r, fd := pipe(t)
	file, err := os.Create(t.TempDir() + "/f")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for value, want := range map[string]string{
		"":                                 "",
		"x":                                `"x" is not a descriptor of 3 or more`,
		"1":                                `"1" is not a descriptor of 3 or more`,
		"-3":                               `"-3" is not a descriptor`,
		"999":                              "descriptor 999 is not open",
		strconv.Itoa(int(file.Fd())):       "neither a pipe nor a socket",
		strconv.Itoa(int(r.Fd())):          "can't be written",
		strconv.Itoa(fd):                   "",
		"99999999999999999999999999999999": "is not a descriptor",
	} {
		t.Setenv(Variable, value)
		_, err := Open("pai-plan", value)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", value, err, want)
		}
		if _, is := os.LookupEnv(Variable); is {
			t.Error("the variable is still there")
		}
	}
	out, err := exec.Command("sh", "-c", "ls -l /proc/self/fd").Output()
	if err != nil || strings.Contains(string(out), "pipe:") && strings.Contains(string(out), " "+strconv.Itoa(fd)+" ->") {
		t.Errorf("another program inherits it: %v\n%s", err, out)
	}
}
