// Stats sums up what turns cost and how they ended, from the logs that Pai keeps in projects:
//
//	go run ./scripts/stats [-html FILE] [DIR ...]
//
// It prints a row for each day and model, and with -html writes one page with charts. Money is
// counted by PAI_PRICE_IN and PAI_PRICE_OUT, for a million tokens.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"paicode/pkg/turn"
)

func main() {
	page := flag.String("html", "", "write a page with charts to `FILE`")
	flag.Parse()
	dirs := flag.Args()
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	if err := run(os.Stdout, dirs, *page); err != nil {
		fmt.Fprintln(os.Stderr, "stats:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, dirs []string, page string) error {
	s := stats{prices: [2]float64{price("PAI_PRICE_IN"), price("PAI_PRICE_OUT")}, rows: make(map[key]*row)}
	for _, dir := range dirs {
		if err := s.read(dir); err != nil {
			return err
		}
	}
	all := s.sorted()
	if err := table(w, all); err != nil {
		return err
	}
	if page == "" {
		return nil
	}
	return os.WriteFile(page, []byte(html(all)), 0o644)
}

func price(name string) float64 {
	f, err := strconv.ParseFloat(os.Getenv(name), 64)
	if err != nil {
		return 0
	}
	return f
}

// undated is the day of turns that versions before logged; it comes first.
const undated = "(before)"

type key struct{ day, model string }

// row is what turns of a day with a model were.
type row struct {
	key
	turns, applied, failed  int
	calls, tokensIn, tokens int // tokens are those out
	phases                  int
	seconds                 float64 // that questions took
	money                   float64
}

type stats struct {
	prices [2]float64
	rows   map[key]*row
}

// read takes the turns of a project.
func (s *stats) read(dir string) error {
	found := false
	for _, name := range []string{"turns.old.jsonl", "turns.jsonl"} {
		f, err := os.Open(filepath.Join(dir, turn.HistoryDir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		found = true
		err = s.lines(f)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	if !found {
		return fmt.Errorf("%s: no turn was logged there", dir)
	}
	return nil
}

func (s *stats) lines(r io.Reader) error {
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if doc, readErr := turn.Read(line); readErr == nil {
			var when struct {
				Time time.Time `json:"x_time"`
			}
			_ = json.Unmarshal(line, &when) // logs of versions before have no time
			s.add(doc, when.Time)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// add counts a turn.
func (s *stats) add(doc *turn.Document, when time.Time) {
	day, model := undated, "none"
	if !when.IsZero() {
		day = when.Local().Format("2006-01-02")
	}
	usage := doc.Usage()
	if len(usage) > 0 {
		model = turn.OneLine(usage[len(usage)-1].Model)
	}
	k := key{day, model}
	r := s.rows[k]
	if r == nil {
		r = &row{key: k}
		s.rows[k] = r
	}
	r.turns++
	if e := doc.Exec(); e != nil {
		r.phases += len(e.Phases)
		if e.Applied {
			r.applied++
		}
	}
	if doc.Error() != nil {
		r.failed++
	}
	for _, u := range usage {
		r.calls++
		r.tokensIn += u.Input
		r.tokens += u.Output + u.Thinking
		r.seconds += float64(u.Milliseconds) / 1000
		r.money += (float64(u.Input)*s.prices[0] + float64(u.Output+u.Thinking)*s.prices[1]) / 1e6
	}
}

func (s *stats) sorted() (all []row) {
	for _, r := range s.rows {
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b row) int { return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.model, b.model)) })
	return all
}

// success is the share of turns that didn't fail, in percent.
func (r row) success() float64 { return 100 * float64(r.turns-r.failed) / float64(max(1, r.turns)) }

func table(w io.Writer, all []row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "day\tmodel\tturns\tapplied\tsuccess\tcalls\ttokens in\tout\tphases\tseconds\tmoney")
	for _, r := range all {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%.0f%%\t%d\t%d\t%d\t%d\t%.1f\t%.4f\n", r.day, r.model, r.turns, r.applied,
			r.success(), r.calls, r.tokensIn, r.tokens, r.phases, r.seconds, r.money)
	}
	return t.Flush()
}

// days sums rows up by day.
func days(all []row) (out []row) {
	for _, r := range all {
		if len(out) == 0 || out[len(out)-1].day != r.day {
			out = append(out, row{key: key{day: r.day}})
		}
		d := &out[len(out)-1]
		d.turns, d.applied, d.failed = d.turns+r.turns, d.applied+r.applied, d.failed+r.failed
		d.calls, d.tokensIn, d.tokens = d.calls+r.calls, d.tokensIn+r.tokensIn, d.tokens+r.tokens
		d.phases, d.seconds, d.money = d.phases+r.phases, d.seconds+r.seconds, d.money+r.money
	}
	return out
}

// escape makes a text fit for a page.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(text)
}
