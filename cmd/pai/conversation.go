package main

import (
	"fmt"
	"io"

	"paicode/pkg/logbook"
	"paicode/pkg/turn"
)

// conversation is what was said in the project so far.
type conversation struct {
	memory  *memory
	log     *logbook.Book  // nil: nothing is logged
	last    *turn.Document // the turn before; nil: there was none
	subject string         // the words by which files are looked for, if not the request
	place   turn.Place
	home    string // the person's own directory for the project; empty: there is none
}

// openLog begins the session's log.
func (p *conversation) openLog(root string, errs io.Writer) {
	var err error
	if p.log, err = logbook.Open(root); err != nil {
		fmt.Fprintf(errs, "pai: no session log: %s\n", turn.Printable(err.Error()))
		p.log = nil
	}
}

// asked reports whether the last plan asks something.
func (p *conversation) asked() bool {
	return p.last != nil && p.last.Plan() != nil && p.last.Plan().Question != ""
}
