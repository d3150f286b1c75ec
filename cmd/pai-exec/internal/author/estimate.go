package author

import (
	"paicode/cmd/pai-exec/internal/reply"
	"paicode/pkg/model"
	"paicode/pkg/prompt"
	"paicode/pkg/protocol"
	"paicode/pkg/turn"
)

// What the estimate is made of, beside the question's words, in bytes.
const (
	perFileBytes = 512     // a file's heading, and its step's
	checkBytes   = 8 << 10 // of what checks print
	mendingBytes = 1 << 10 // by which a mending question may be longer than the first
	windowBytes  = 10_000  // of a long file, 240 lines
	likelyFiles  = 2       // that are changed
)

// Estimate bounds what the generator costs for a document that may have no plan yet, with no
// more than so many tokens a question if that is not 0. Likely, the best files of the workspace
// are changed; at most, it is asked for every file that is listed there. Files that the workspace
// leaves out are not counted.
func Estimate(doc *turn.Document, tokens int) model.Estimate {
	empty := emptyQuestion(doc)
	files, assumed := likelyBytes(doc)
	first := empty + checkBytes + mostBytes(doc)
	most := first + (protocol.MaxPhases-1)*(first+mendingBytes)
	e := model.NewEstimate(empty+files, protocol.MaxPhases, most, tokens)
	e.Stage, e.Assumes = "pai-exec", assumed
	return e
}

// emptyQuestion is how long the first question is without files, in bytes.
func emptyQuestion(doc *turn.Document) int {
	q := reply.Ask(reply.Input{Request: doc.Request(), Context: doc.Context(), Goal: prompt.Cut(doc.Request(), 200),
		Wanted: []reply.Wanted{
			{Number: 1, Action: turn.ActionModify}, {Number: 2, Action: turn.ActionWrite},
			{Number: 3, Action: turn.ActionFinish}}})
	return len(q.System) + len(q.Prompt)
}

// likelyBytes is what a generator is shown if the best files are changed: windows of
// them, and a quarter of what else the planner sees.
func likelyBytes(doc *turn.Document) (bytes int, assumed []string) {
	w := doc.Workspace()
	if w == nil {
		return 0, nil
	}
	for _, f := range w.Files[:min(likelyFiles, len(w.Files))] {
		bytes += int(min(f.Size, windowBytes)) + perFileBytes
		assumed = append(assumed, f.Path)
	}
	others := 0
	for _, e := range w.Excerpts {
		others += len(e.Text)
	}
	for _, e := range w.Instructions {
		bytes += len(e.Text)
	}
	return bytes + others/4, assumed
}

// mostBytes is what a generator may be shown of files.
func mostBytes(doc *turn.Document) (total int) {
	w := doc.Workspace()
	if w == nil {
		return 0
	}
	texts := 0
	for _, f := range w.Files {
		total += 2*len(f.Path) + perFileBytes // in headings, and where folders are listed
		if f.Lines != nil {
			texts += int(min(f.Size, reply.ContextBytes)) + len(prompt.Fence(""))
		}
	}
	for _, e := range w.Instructions {
		total += len(e.Text)
	}
	if w.LeftOut != nil {
		texts = reply.ContextBytes // a file that isn't named may be written
	}
	return total + min(texts, reply.ContextBytes)
}
