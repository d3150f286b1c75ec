package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// exercism makes tasks of exercises as Exercism's tracks have them (exercises/practice of a
// track): .docs/instructions.md, and .meta/config.json that lists the files of the solution
// and of the tests. Each run gets the stub and the instructions. With -hidden the tests
// come only when the run is over, otherwise they are in the tree, must stay as they are, and
// are pai's --check: what they print is what the model mends.
func exercism(args []string) error {
	flags := flag.NewFlagSet("eval exercism", flag.ContinueOnError)
	test := flags.String("test", "", "the shell command that runs an exercise's tests, such as 'python3 -m pytest -q'")
	hidden := flags.Bool("hidden", false, "don't show the tests")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *test == "" || flags.NArg() != 2 {
		return errors.New("usage: eval exercism -test CMD [-hidden] EXERCISES DIR")
	}
	from, to := flags.Arg(0), flags.Arg(1)
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		x := exercise{from: filepath.Join(from, e.Name()), to: filepath.Join(to, e.Name()), test: *test, hidden: *hidden}
		if err := x.convert(); err != nil {
			return fmt.Errorf("%s: %w", e.Name(), err)
		}
	}
	return nil
}

type exercise struct {
	from, to, test string
	hidden         bool
}

func (x exercise) convert() error {
	var config struct {
		Files struct{ Solution, Test, Editor []string }
	}
	data, err := os.ReadFile(filepath.Join(x.from, ".meta/config.json"))
	if err == nil {
		err = json.Unmarshal(data, &config)
	}
	if err != nil {
		return err
	}
	files := config.Files
	if len(files.Solution) == 0 || len(files.Test) == 0 {
		return errors.New(".meta/config.json names no solution, or no tests")
	}
	request, err := x.request(files.Solution)
	if err != nil {
		return err
	}
	where := "start"
	if x.hidden {
		where = "tests"
	}
	if err := errors.Join(x.copy("start", files.Solution), x.copy("start", files.Editor),
		x.copy(where, files.Test)); err != nil {
		return err
	}
	out := map[string]string{"request": request, "check": "cp -r \"$TASK/" + where + "/.\" . && " + x.test + "\n"}
	if !x.hidden {
		// What the model made of the solution stays.
		out["check"] = x.test + "\n"
		out["options"] = "--check\n" + x.test + "\n"
		out["keeps"] = strings.Join(files.Test, "\n") + "\n"
	}
	for name, text := range out {
		if err := os.WriteFile(filepath.Join(x.to, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// request is what the exercise says, and which files are to be written.
func (x exercise) request(solution []string) (string, error) {
	var text strings.Builder
	for _, name := range []string{"introduction.md", "instructions.md", "instructions.append.md"} {
		data, err := os.ReadFile(filepath.Join(x.from, ".docs", name))
		if err != nil && (name == "instructions.md" || !errors.Is(err, fs.ErrNotExist)) {
			return "", err
		}
		text.Write(data)
		text.WriteString("\n")
	}
	// A rule alone on a line parts requests.
	said := strings.ReplaceAll(text.String(), "\n---\n", "\n----\n")
	return said + "Write the solution in " + strings.Join(solution, ", ") +
		"; keep the names that stand there. Use only the standard library.\n", nil
}

// copy copies files of the exercise, which lie where they lay. The list is from outside: what
// leads out of the exercise is an error.
func (x exercise) copy(where string, names []string) error {
	root, err := os.OpenRoot(x.from)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range names {
		data, err := root.ReadFile(name)
		if err != nil {
			return err
		}
		to := filepath.Join(x.to, where, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
