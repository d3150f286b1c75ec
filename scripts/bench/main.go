// Bench measures Pai against reference programs in one run and prints ratios
// of medians.
//
//	go run ./scripts/bench BINDIR
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const rounds = 51

func main() {
	if len(os.Args) > 2 && os.Args[1] == memoryOf {
		if err := printMemory(os.Args[2:]); err != nil {
			os.Exit(1)
		}
		return
	}
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: bench BINDIR")
		os.Exit(2)
	}
	if err := bench(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(bin string) error {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "pai-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := start(bin, dir); err != nil {
		return err
	}
	if err := turn(bin, dir); err != nil {
		return err
	}
	if err := apply(bin, dir); err != nil {
		return err
	}
	if err := observe(bin, dir); err != nil {
		return err
	}
	if err := diffs(bin, dir); err != nil {
		return err
	}
	return prefix(bin, filepath.Join(dir, "prompts"))
}

// start compares the start of pai-exec with that of an empty Go program.
func start(bin, dir string) error {
	empty := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(empty, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return err
	}
	program := filepath.Join(dir, "empty")
	if out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", program, empty).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	ours, reference, err := alternate(
		func() (time.Duration, error) { return clock(dir, nil, filepath.Join(bin, "pai-exec"), "--version") },
		func() (time.Duration, error) { return clock(dir, nil, program) })
	report("pai-exec start / empty Go program", ours, reference)
	return err
}

// apply compares applying a sealed document of 200 files with git apply of
// the same patch.
func apply(bin, dir string) error {
	const files = 200
	tree := filepath.Join(dir, "tree")
	pai := filepath.Join(bin, "pai-exec")
	var steps []map[string]any
	for i := range files {
		name := fmt.Sprintf("d%d/f%d.txt", i%10, i)
		if err := os.MkdirAll(filepath.Join(tree, filepath.Dir(name)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(tree, name), []byte(strings.Repeat("a line of text\n", 50)+"last\n"),
			0o644); err != nil {
			return err
		}
		steps = append(steps, map[string]any{"step_number": i + 1, "action": "MODIFY", "target": name,
			"edits": []any{map[string]any{"search": "last\n", "replace": "the last\n"}}})
	}
	plan, err := json.Marshal(map[string]any{"execution_plan": map[string]any{"steps": steps}})
	if err != nil {
		return err
	}
	sealed, err := output(tree, plan, pai, "--dry-run")
	if err != nil {
		return err
	}
	patch, err := output(tree, plan, pai, "--dry-run", "--output", "diff")
	if err != nil {
		return err
	}
	restore := func() error {
		_, err := output(tree, patch, "git", "apply", "-R")
		return err
	}
	once := func(input []byte, command ...string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			took, err := clock(tree, input, command...)
			if err != nil {
				return 0, err
			}
			return took, restore()
		}
	}
	for _, mode := range []struct {
		name    string
		command []string
	}{{"synced", []string{pai}}, {"not synced", []string{pai, "--no-sync"}}} {
		ours, reference, err := alternate(once(sealed, mode.command...), once(patch, "git", "apply"))
		if err != nil {
			return err
		}
		report(fmt.Sprintf("apply a sealed document of %d files, %s / git apply", files, mode.name), ours, reference)
	}
	return nil
}

// observe compares looking at 100,000 files with git's listing of them, and with reading them by
// two threads that know their names.
func observe(bin, dir string) error {
	const files = 100_000
	tree := filepath.Join(dir, "many")
	var names []string
	for i := range files {
		name := filepath.Join(tree, fmt.Sprintf("d%d", i%300), fmt.Sprintf("f%d.py", i))
		if i < 300 {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(name, []byte("x\n"), 0o644); err != nil {
			return err
		}
		names = append(names, name)
	}
	if _, err := output(tree, nil, "git", "init", "-q"); err != nil {
		return err
	}
	look := func() (time.Duration, error) {
		return clock(tree, []byte("change f77.py"), filepath.Join(bin, "pai-exec"), "--observe")
	}
	ours, reference, err := alternate(look, func() (time.Duration, error) {
		return clock(tree, nil, "git", "ls-files", "-co", "--exclude-standard")
	})
	report("observe 100,000 files / git ls-files -co --exclude-standard", ours, reference)
	if err != nil {
		return err
	}
	ours, reference, err = alternate(look, func() (time.Duration, error) { return read(names) })
	report("observe 100,000 files / open, fstat and read by two threads", ours, reference)
	return err
}

// read opens, stats and reads files, half of them in each of two threads.
func read(names []string) (time.Duration, error) {
	began := time.Now()
	halves := slices.Collect(slices.Chunk(names, (len(names)+1)/2))
	errs := make([]error, len(halves))
	var threads sync.WaitGroup
	for i, half := range halves {
		threads.Go(func() {
			buffer := make([]byte, 1<<16)
			for _, name := range half {
				if errs[i] = readFile(name, buffer); errs[i] != nil {
					return
				}
			}
		})
	}
	threads.Wait()
	return time.Since(began), errors.Join(errs...)
}

func readFile(name string, buffer []byte) error {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	_, err = unix.Read(fd, buffer)
	return err
}

// diffs compares showing a change of a large file with diff -u and git diff.
func diffs(bin, dir string) error {
	text := func(lines int, seed string) []string {
		out := make([]string, lines)
		for i := range out {
			out[i] = fmt.Sprintf("%s line %d of a text\n", seed, i)
		}
		return out
	}
	percent, one := text(100_000, "a"), text(1_000_000, "a")
	var percentEdits []any
	for i := 50; i < len(percent); i += 100 {
		percentEdits = append(percentEdits, map[string]any{"search": percent[i], "replace": "changed " + percent[i]})
	}
	for _, c := range []struct {
		name string
		old  []string
		step map[string]any
	}{
		{"100,000 lines with 1% edited", percent, map[string]any{"edits": percentEdits}},
		{"1,000,000 lines with one edited", one,
			map[string]any{"edits": []any{map[string]any{"search": one[500_000], "replace": "x\n"}}}},
		{"two different files of 50,000 lines", text(50_000, "a"),
			map[string]any{"content": strings.Join(text(50_000, "b"), "")}},
	} {
		if err := diffOf(bin, filepath.Join(dir, "diff"), c.name, strings.Join(c.old, ""), c.step); err != nil {
			return err
		}
	}
	return nil
}

func diffOf(bin, dir, name, old string, step map[string]any) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "old"), []byte(old), 0o644); err != nil {
		return err
	}
	step["action"], step["target"] = "MODIFY", "old"
	plan, err := json.Marshal(map[string]any{"execution_plan": map[string]any{"steps": []any{step}}})
	if err != nil {
		return err
	}
	pai := []string{filepath.Join(bin, "pai-exec"), "--dry-run", "--output", "diff", "--max-ratio", "9", "--max-shrink",
		"1", "--max-file-bytes", "100000000"}
	if err := os.WriteFile(filepath.Join(dir, "new"), []byte(edited(old, step)), 0o644); err != nil {
		return err
	}
	ours := func() (time.Duration, error) { return clock(dir, plan, pai...) }
	for _, tool := range [][]string{{"diff", "-u", "old", "new"}, {"git", "diff", "--no-index", "old", "new"}} {
		a, b, err := alternate(ours, func() (time.Duration, error) {
			start := time.Now()
			cmd := exec.Command(tool[0], tool[1:]...)
			cmd.Dir = dir
			if err := cmd.Run(); cmd.ProcessState.ExitCode() != 1 {
				return 0, fmt.Errorf("%v: %w", tool, err)
			}
			return time.Since(start), nil
		})
		if err != nil {
			return err
		}
		report("diff of "+name+" / "+strings.Join(tool[:2], " "), a, b)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	used, err := output(dir, plan, append([]string{self, memoryOf}, pai...)...)
	if err != nil {
		return err
	}
	bytes, err := strconv.Atoi(string(used))
	input := float64(len(old) + len(plan))
	fmt.Printf("%-60s %5.1f  (%.0f MB / %.1f MB)\n", "  memory / file and plan", float64(bytes)/input, float64(bytes)/1e6,
		input/1e6)
	return err
}

// memoryOf makes this program run another and print its peak of memory: a
// process counts that of the one which started it, so that one must be small.
const memoryOf = "memory-of"

func printMemory(command []string) error {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin = os.Stdin
	if err := cmd.Run(); err != nil {
		return err
	}
	fmt.Print(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10)
	return nil
}

// edited does a step's edits by hand.
func edited(text string, step map[string]any) string {
	if content, ok := step["content"].(string); ok {
		return content
	}
	var pairs []string
	for _, e := range step["edits"].([]any) {
		edit := e.(map[string]any)
		pairs = append(pairs, edit["search"].(string), edit["replace"].(string))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// prefix measures how much of the files that planning and generating both
// carry is in their common beginning, which providers' caches keep.
func prefix(bin, dir string) error {
	names := []string{"calculator.py", "report.py", "store.py"}
	size := 0
	var steps []any
	for i, name := range names {
		text := strings.Repeat(fmt.Sprintf("def function_%d(a, b):\n    return a + b\n\n\n", i), 60)
		size += len(text)
		step := map[string]any{"action": "MODIFY", "target": name, "description": "double it"}
		steps = append([]any{step}, steps...) // the planner's order isn't the listing's
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	request := "double the results in " + strings.Join(names, ", ")
	observed, err := output(dir, []byte(request), filepath.Join(bin, "pai-exec"), "--observe")
	if err != nil {
		return err
	}
	var doc map[string]any
	if err := json.Unmarshal(observed, &doc); err != nil {
		return err
	}
	doc["plan"] = map[string]any{"execution_plan": map[string]any{"steps": steps}}
	plan, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	asked, err := output(dir, nil, filepath.Join(bin, "pai"), "--show-egress", request)
	if err != nil {
		return err
	}
	generated, err := output(dir, plan, filepath.Join(bin, "pai-exec"), "--show-egress")
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(asked)), "\n")
	a, b := promptOf(lines[len(lines)-1]), promptOf(string(generated))
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	fmt.Printf("%-60s %5.2f  (%d / %d bytes)\n", "common beginning of plan's and generate's question / files",
		float64(n)/float64(size), n, size)
	return nil
}

// promptOf is what a question in a line of JSON says, the system text first.
func promptOf(line string) string {
	var q struct{ System, Prompt string }
	if json.Unmarshal([]byte(line), &q) != nil {
		return ""
	}
	return q.System + "\n" + q.Prompt
}

// alternate runs two programs by turns, so that both meet the same weather.
func alternate(a, b func() (time.Duration, error)) (ours, reference []time.Duration, err error) {
	for range rounds {
		x, err := a()
		if err != nil {
			return nil, nil, err
		}
		y, err := b()
		if err != nil {
			return nil, nil, err
		}
		ours, reference = append(ours, x), append(reference, y)
	}
	return ours, reference, nil
}

func clock(dir string, input []byte, command ...string) (time.Duration, error) {
	start := time.Now()
	_, err := output(dir, input, command...)
	return time.Since(start), err
}

func output(dir string, input []byte, command ...string) ([]byte, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(input)
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(command, " "), err)
	}
	return out, nil
}

func report(what string, ours, reference []time.Duration) {
	a, b := median(ours), median(reference)
	if b > 0 {
		fmt.Printf("%-60s %5.2f  (%.1f ms / %.1f ms)\n", what, float64(a)/float64(b), ms(a), ms(b))
	}
}

func median(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
