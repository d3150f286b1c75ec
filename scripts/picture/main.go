// Picture draws a session as it stands on a real terminal, as SVG:
//
//	go run ./scripts/picture [-columns N] [-rows N] [-light] [-no-color] BINDIR FILE
//
// The terminal is tmux, the commands are those in BINDIR, and the model's answers were written
// by hand.
package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"paicode/pkg/model/modeltest"
)

//go:embed model.rules
var rules string

const sample = `def divide(a, b):
    if b == 0:
        raise ValueError("b is zero")
    return a / b
`

// options say what is drawn, and how.
type options struct {
	columns, rows  int
	light, noColor bool
	bin, file      string
}

func main() {
	var o options
	flag.IntVar(&o.columns, "columns", 80, "`N` columns")
	flag.IntVar(&o.rows, "rows", 46, "`N` rows")
	flag.BoolVar(&o.light, "light", false, "dark letters on a light ground")
	flag.BoolVar(&o.noColor, "no-color", false, "with NO_COLOR")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: picture [options] BINDIR FILE")
		os.Exit(2)
	}
	o.bin, o.file = flag.Arg(0), flag.Arg(1)
	if err := draw(o); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func draw(o options) error {
	bin, err := filepath.Abs(o.bin)
	if err != nil {
		return err
	}
	parsed, err := modeltest.ParseRules(rules)
	if err != nil {
		return err
	}
	server := modeltest.New(parsed)
	defer server.Close()
	dir, err := os.MkdirTemp("", "pai-picture-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	project := filepath.Join(dir, "calc")
	if err := os.Mkdir(project, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(project, "calculator.py"), []byte(sample), 0o644); err != nil {
		return err
	}
	env := []string{"HOME=" + dir, "XDG_STATE_HOME=" + dir, "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"GOOGLE_GEMINI_BASE_URL=" + server.URL, "GEMINI_API_KEY=" + modeltest.Key, "LANG=C.UTF-8", "TERM=xterm-256color"}
	if o.noColor {
		env = append(env, "NO_COLOR=1")
	}
	t := tmux{env: env, socket: filepath.Join(dir, "tmux")}
	defer func() { _, _ = t.run("kill-server") }()
	screen, err := t.play(project, o)
	if err != nil {
		return err
	}
	return os.WriteFile(o.file, []byte(svg(screen, o)), 0o644)
}

// play has a person ask for something and come to the question.
func (t tmux) play(project string, o options) (string, error) {
	_, err := t.run("-f", "/dev/null", "new-session", "-d", "-s", "p", "-x", fmt.Sprint(o.columns), "-y", fmt.Sprint(o.rows), "-c", project, "pai")
	for _, step := range []struct{ shows, types string }{{"pai> ", "add a power function to @calculator.py"}, {"@calculator.py", "\r"}, {"or say what to change", ""}} {
		if err == nil {
			err = t.wait(step.shows)
		}
		if err == nil && step.types != "" {
			_, err = t.run("send-keys", "-t", "p", "-l", step.types)
		}
	}
	if err != nil {
		return "", err
	}
	return t.run("capture-pane", "-e", "-p", "-t", "p")
}

// tmux is a server of its own.
type tmux struct {
	env    []string
	socket string
}

func (t tmux) run(args ...string) (string, error) {
	cmd := exec.Command("tmux", append([]string{"-S", t.socket}, args...)...)
	cmd.Env = t.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
	}
	return string(out), err
}

// wait waits until the screen shows a text, wherever it is broken.
func (t tmux) wait(text string) error {
	const longest = 20 * time.Second
	for end := time.Now().Add(longest); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if out, err := t.run("capture-pane", "-p", "-t", "p"); err == nil && strings.Contains(squeeze(out), squeeze(text)) {
			return nil
		}
	}
	return errors.New("the screen doesn't show " + text)
}

func squeeze(text string) string { return strings.Join(strings.Fields(text), "") }
