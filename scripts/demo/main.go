// Demo runs Pai's main job with the real binaries on a copy of a small
// project. The model is a server on loopback whose answers were written by
// hand, so neither a key nor a network is needed.
//
//	go run ./scripts/demo BINDIR
package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"paicode/pkg/model/modeltest"
)

//go:embed sample
var sample embed.FS

//go:embed model.rules
var rules string

func main() {
	if err := demo(); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func demo() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: demo BINDIR")
	}
	fmt.Println("The model's answers in this demonstration were written by hand; no key and no network are used.")
	bin, err := filepath.Abs(os.Args[1])
	if err != nil {
		return err
	}
	server, err := modeltest.Start(rules)
	if err != nil {
		return err
	}
	defer server.Close()
	dir, err := os.MkdirTemp("", "pai-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	env := append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GOOGLE_GEMINI_BASE_URL="+server.URL, "GEMINI_API_KEY="+modeltest.Key)
	if err := scenes(dir, env); err != nil {
		return err
	}
	in := 0
	for _, r := range server.Requests() {
		in += r.InputTokens
	}
	fmt.Printf("\nIn all the model was asked %d times, with %d tokens (a token for four characters).\n",
		len(server.Requests()), in)
	return nil
}

// scenes runs the shell commands, each in its own directory.
func scenes(dir string, env []string) error {
	empty, project, piped := filepath.Join(dir, "new"), filepath.Join(dir, "project"), filepath.Join(dir, "piped")
	if err := os.Mkdir(empty, 0o755); err != nil {
		return err
	}
	for _, to := range []string{project, piped} {
		if err := copySample(to); err != nil {
			return err
		}
	}
	view := "jq ."
	if _, err := exec.LookPath("jq"); err != nil {
		view = "cat"
	}
	for _, scene := range []struct{ title, dir, command string }{
		{"A project is made from nothing", empty,
			`pai --yes --output text "Buatkan struktur proyek Python sederhana untuk aplikasi kalkulator. Sertakan file main.py, requirements.txt, dan folder tests."`},
		{"What is there now", empty, "find . -path ./.pai_history -prune -o -type f -print"},
		{"A function is planned and resolved; off a terminal nothing is applied without --yes", project,
			`pai --output json "Tambahkan fungsi operasi pangkat (power) pada calculator.py" > ../reviewed.json; echo "exit code $?"`},
		{"That document, reviewed, is applied byte for byte, without any model", project,
			`env -u GEMINI_API_KEY pai-exec < ../reviewed.json > ../applied.json; echo "exit code $?"`},
		{"The whole turn, with what to do next", project, "pai-suggest --output text < ../applied.json"},
		{"The same by hand, one filter after the other; nothing is changed", piped,
			`echo "Tambahkan fungsi operasi pangkat (power) pada calculator.py" | pai-plan | ` + view +
				` | pai-exec --dry-run --output diff`},
		{"What leads outside is refused", project,
			`pai --output text "Baca file /etc/passwd" > /dev/null; echo "exit code $?"`},
	} {
		fmt.Printf("\n── %s\n$ %s\n", scene.title, scene.command)
		cmd := exec.Command("/bin/sh", "-c", scene.command)
		cmd.Dir, cmd.Env = scene.dir, env
		out, err := cmd.CombinedOutput()
		_, _ = os.Stdout.Write(out)
		if err != nil {
			return fmt.Errorf("%s: %w", strings.Fields(scene.command)[0], err)
		}
	}
	return nil
}

func copySample(to string) error {
	files, err := fs.Sub(sample, "sample")
	if err != nil {
		return err
	}
	return os.CopyFS(to, files)
}
