package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"paicode/cmd/pai-exec/internal/journal"
	"paicode/pkg/filter"
	"paicode/pkg/logbook"
	"paicode/pkg/render"
	"paicode/pkg/turn"
)

// describe lists transactions, with what the log knows of them: a line each, or a JSON object.
func describe(transactions []journal.Transaction, known map[string]*turn.Document, asJSON bool) string {
	var b strings.Builder
	for _, t := range transactions {
		doc := known[t.ID]
		if asJSON {
			b.Write(turn.Line(entryOf(t, doc)))
			continue
		}
		b.WriteString(line(t))
		if doc != nil && doc.Request() != "" { // a plan by hand has none, and cost nothing
			e := entryOf(t, doc)
			fmt.Fprintf(&b, "  %s  %s  %d %s  %d tokens", turn.Quote(e.Request), e.Outcome, len(t.Paths),
				render.Plural(len(t.Paths), "path"), e.TokensIn+e.TokensOut)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// entry is a transaction as --log --json prints it. What the log doesn't know is empty.
type entry struct {
	ID        string   `json:"id"`
	Time      string   `json:"time"` // RFC 3339
	State     string   `json:"state"`
	Paths     []string `json:"paths"`
	Request   string   `json:"request,omitempty"`
	Outcome   string   `json:"outcome,omitempty"`
	Calls     int      `json:"calls"` // questions to a model
	TokensIn  int      `json:"tokens_in"`
	TokensOut int      `json:"tokens_out"`
}

func entryOf(t journal.Transaction, doc *turn.Document) entry {
	e := entry{ID: t.ID, Time: t.Time.Format("2006-01-02T15:04:05Z07:00"), State: t.State, Paths: t.Paths}
	if doc == nil {
		return e
	}
	e.Request, e.Outcome = doc.Request(), logbook.Result(doc)
	for _, u := range doc.Usage() {
		e.Calls++
		e.TokensIn += u.Input
		e.TokensOut += u.Output + u.Thinking
	}
	return e
}

// showChange prints the document of a transaction, as --output says.
func showChange(c *cli.Context, transactions []journal.Transaction) error {
	format := c.String("output")
	if !c.IsSet("output") {
		format = render.Text
	}
	out, err := filter.NewOutput(format)
	if err != nil {
		return err
	}
	id := c.Args().First()
	if id == "" && len(transactions) > 0 {
		id = transactions[0].ID
	}
	known := false
	for _, t := range transactions {
		known = known || t.ID == id
	}
	switch doc := logbook.Changes(c.String("root"))[id]; {
	case id == "":
		return turn.Errorf(turn.CodeUsage, "nothing was changed here")
	case !known:
		return turn.Errorf(turn.CodeUsage, "there is no transaction %s", turn.Quote(id)).WithHint("pai-exec --log lists them")
	case doc == nil:
		return turn.Errorf(turn.CodeUsage, "the log doesn't hold the transaction %s", turn.Quote(id)).
			WithHint("pai-exec --undo --dry-run -- %s shows what undoing it would do", id)
	default:
		return out.Write(os.Stdout, doc)
	}
}

// line is a transaction in one line: its name, its time, and what it changed.
func line(t journal.Transaction) string {
	const most = 4
	var names []string
	for _, p := range t.Paths[:min(len(t.Paths), most)] {
		names = append(names, turn.Shown(p))
	}
	if more := len(t.Paths) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	state := ""
	if t.State != "applied" {
		state = " (" + t.State + ")"
	}
	return fmt.Sprintf("%s  %s%s  %s", t.ID, t.Time.Local().Format("2006-01-02 15:04:05"), state,
		strings.Join(names, ", "))
}
