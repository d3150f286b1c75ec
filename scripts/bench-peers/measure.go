package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// row is what an agent took, a figure for each task.
type row struct {
	agent
	figures []figures
}

// figures are of one run, or the medians of several.
type figures struct {
	first     time.Duration // until its first question came
	wall      time.Duration
	memory    int // bytes of all its processes at once, at their peak; shared ones count in parts
	questions int
	size      int // of the first question, in bytes; one without tools, for a title, doesn't count where others have them
	bytes     int // of all
}

// measure does both tasks several times. A task that isn't done is an error.
func (a agent) measure(s *server, home string, rounds int) (row, error) {
	r := row{agent: a}
	for name, text := range a.files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return r, err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return r, err
		}
	}
	for _, t := range tasks() {
		var runs []figures
		for i := range rounds + 1 {
			f, err := a.once(s, home, t)
			if err != nil {
				return r, fmt.Errorf("%s: %w", t.name, err)
			}
			if i > 0 { // the first run makes caches
				runs = append(runs, f)
			}
		}
		r.figures = append(r.figures, figures{
			median(runs, func(f figures) time.Duration { return f.first }),
			median(runs, func(f figures) time.Duration { return f.wall }),
			median(runs, func(f figures) int { return f.memory }), median(runs, func(f figures) int { return f.questions }),
			median(runs, func(f figures) int { return f.size }), median(runs, func(f figures) int { return f.bytes })})
	}
	return r, nil
}

func median[T cmp.Ordered](runs []figures, of func(figures) T) T {
	var values []T
	for _, f := range runs {
		values = append(values, of(f))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// once does a task in a fresh project.
func (a agent) once(s *server, home string, t task) (f figures, err error) {
	if err := errors.Join(os.RemoveAll(root), os.MkdirAll(root, 0o755)); err != nil {
		return f, err
	}
	defer os.RemoveAll(root)
	file := filepath.Join(root, "calculator.py")
	if t.before != "" {
		if err := os.WriteFile(file, []byte(t.before), 0o644); err != nil {
			return f, err
		}
	}
	command := a.command(t.request)
	cmd := exec.Command(command[0], command[1:]...)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, &out, &out
	cmd.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=dumb", "NO_COLOR=1", "LANG=C.UTF-8"},
		a.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.taken()
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return f, err
	}
	limit := time.AfterFunc(2*time.Minute, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer limit.Stop()
	stop, peak := make(chan struct{}), make(chan int)
	go func() { peak <- watch(cmd.Process.Pid, stop) }()
	err = cmd.Wait()
	f.wall = time.Since(began)
	close(stop)
	f.memory = <-peak
	got, _ := os.ReadFile(file)
	if strings.TrimSpace(string(got)) != strings.TrimSpace(t.after) {
		return f, fmt.Errorf("not done: %v\n%s\n%s", err, got, out.Bytes())
	}
	questions := s.taken()
	if len(questions) == 0 {
		return f, errors.New("it asked nothing")
	}
	work := max(0, slices.IndexFunc(questions, func(q question) bool { return q.tools }))
	f.first, f.size, f.questions = questions[0].at.Sub(began), questions[work].bytes, len(questions)
	for _, q := range questions {
		f.bytes += q.bytes
	}
	return f, nil
}

// watch is the peak of the memory of a process and all under it, until stop.
func watch(pid int, stop chan struct{}) (peak int) {
	for {
		select {
		case <-stop:
			return peak
		case <-time.After(10 * time.Millisecond):
			peak = max(peak, memory(pid))
		}
	}
}

// memory is the proportional set size of a process and all under it, in bytes.
func memory(pid int) (sum int) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err == nil {
		if _, rest, ok := strings.Cut(string(data), "\nPss:"); ok {
			kb, _ := strconv.Atoi(strings.Fields(rest)[0]) // 0 for what the kernel doesn't tell
			sum = kb << 10
		}
	}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		data, _ := os.ReadFile(list) // it may have ended
		for _, field := range strings.Fields(string(data)) {
			if child, err := strconv.Atoi(field); err == nil {
				sum += memory(child)
			}
		}
	}
	return sum
}

// print prints a table in Markdown: both tasks in a cell.
func print(out io.Writer, rows []row) error {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| agent\t| version\t| to its first question\t| whole task\t| memory\t| questions\t| first question, tokens\t| all, tokens\t|")
	fmt.Fprintln(w, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	for _, r := range rows {
		both := func(of func(figures) string) string { return of(r.figures[0]) + " / " + of(r.figures[1]) }
		fmt.Fprintf(w, "| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t|\n", r.name, r.version,
			both(func(f figures) string { return fmt.Sprintf("%d ms", f.first.Milliseconds()) }),
			both(func(f figures) string { return fmt.Sprintf("%d ms", f.wall.Milliseconds()) }),
			both(func(f figures) string { return fmt.Sprintf("%d MB", f.memory>>20) }),
			both(func(f figures) string { return strconv.Itoa(f.questions) }),
			both(func(f figures) string { return strconv.Itoa(f.size / 4) }),
			both(func(f figures) string { return strconv.Itoa(f.bytes / 4) }))
	}
	return w.Flush()
}
