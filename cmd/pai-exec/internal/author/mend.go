package author

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"paicode/cmd/pai-exec/internal/change"
	"paicode/cmd/pai-exec/internal/overlay"
	"paicode/cmd/pai-exec/internal/reply"
	"paicode/pkg/lazyregexp"
	"paicode/pkg/prompt"
	"paicode/pkg/turn"
)

// resumedRoom is for a mending question whose first question is not known, in bytes.
const resumedRoom = 32_000

// detail is how much a mending question shows.
type detail struct {
	around int // lines before and after each place; negative: whole files
	output int // bytes of a check's output
}

func details() []detail {
	return []detail{{-1, 8000}, {60, 6000}, {30, 4000}, {15, 2000}, {8, 1200}, {4, 800}, {2, 500}}
}

// Question is the next one to ask: the first, the same with more to see where that is all
// the generator wants, or one that carries no more than what is to be mended.
func (a *Author) Question() (reply.Question, error) {
	if len(a.phases) == 0 || a.onlyReads() {
		in, err := a.input(a.tree())
		q := a.ask(in)
		if a.o.Tokens > 0 {
			q = a.cutTo(turn.TokenBytes(a.o.Tokens), q, &in)
		}
		a.files = sentFiles(in.Files)
		if len(a.phases) == 0 {
			a.first, a.beside = q, in
		}
		return q, err
	}
	material, err := a.mending()
	if err != nil {
		return reply.Question{}, err
	}
	room := a.room() + material.asked
	if a.o.Tokens > 0 {
		room = min(room, turn.TokenBytes(a.o.Tokens))
	}
	var q reply.Question
	var in reply.Input
	for _, d := range details() {
		in = a.at(material, d)
		if q = a.ask(in); len(q.System)+len(q.Prompt) <= room {
			break
		}
	}
	q = a.cutTo(room, q, &in)
	a.files = sentFiles(in.Files)
	return q, nil
}

// cutTo cuts the longest texts of a question until it has so many bytes.
func (a *Author) cutTo(room int, q reply.Question, in *reply.Input) reply.Question {
	for len(q.System)+len(q.Prompt) > room && halveLongest(in) {
		q = a.ask(*in)
	}
	return q
}

// ask makes a question that holds no secret.
func (a *Author) ask(in reply.Input) reply.Question {
	q := reply.Ask(in)
	q.Prompt = a.hide.Text(q.Prompt)
	return q
}

// onlyReads reports whether all that the last reply lacks is something to see.
func (a *Author) onlyReads() bool {
	return a.failed == nil && a.first.Prompt != "" && len(a.problems) > 0 &&
		!slices.ContainsFunc(a.problems, func(p Problem) bool { return p.reads == nil })
}

// room is how long a mending question may be, in bytes: as long as the first and what of
// the reply can't be used, with what is said about it.
func (a *Author) room() int {
	if a.first.Prompt == "" {
		return resumedRoom
	}
	room := len(a.first.System) + len(a.first.Prompt)
	for _, p := range a.problems {
		room += len(p.wrote) + len(p.shown) + len(p.Message)
	}
	return room
}

// halveLongest cuts the longest text that a question shows; false if all are
// short.
func halveLongest(in *reply.Input) bool {
	const short = 120 // bytes
	longest, file := &in.Request, -1
	consider := func(text *string, i int) {
		if len(*text) > len(*longest) {
			longest, file = text, i
		}
	}
	for i := range in.Files {
		consider(&in.Files[i].Text, i)
	}
	for i := range in.Outputs {
		consider(&in.Outputs[i].Text, -1)
	}
	for i := range in.Wanted {
		consider(&in.Wanted[i].Shown, -1)
		consider(&in.Wanted[i].Wrote, -1)
		consider(&in.Wanted[i].Problem, -1)
	}
	if len(*longest) <= short {
		return false
	}
	*longest = strings.ToValidUTF8((*longest)[:len(*longest)/2], "")
	if file >= 0 {
		in.Files[file].Lines = strings.TrimSuffix(in.Files[file].Lines, ", cut") + ", cut"
		in.Files[file].Lines = strings.TrimPrefix(in.Files[file].Lines, ", ")
	}
	return true
}

// sentFiles lists what a question holds of files.
func sentFiles(files []prompt.File) (out []turn.SentFile) {
	for _, f := range files {
		sum := sha256.Sum256([]byte(f.Text))
		out = append(out, turn.SentFile{Path: f.Path, Lines: f.Lines, SHA256: hex.EncodeToString(sum[:])})
	}
	return out
}

// material is what a mending question is made of.
type material struct {
	reply.Input             // without files and the check's output
	files       []shownFile // of which excerpts are shown
	asked       int         // bytes of what the generator asked to see
	failed      *turn.Check // nil if no check failed
}

// shownFile is a file, and the lines of it that matter.
type shownFile struct {
	path, text string
	lines      []int
}

// mending gathers what a mending question may show.
func (a *Author) mending() (m material, err error) {
	m.Input = reply.Input{Request: a.said.Request, Context: a.said.Context, Instructions: a.beside.Instructions,
		Mending: true, Optional: a.failed != nil, Marker: a.marker, Tokens: a.o.Tokens, Plan: a.planned()}
	m.failed = a.failed
	if plan := a.plan.Analysis; plan != nil {
		m.Goal = a.said.Words(plan.UserIntent)
	}
	tree := a.tree()
	for i, s := range a.steps {
		if _, err := tree.Do(i, s, true); err != nil {
			return m, stepError(i, err)
		}
		if !slices.Contains(a.wanted, s.Number) {
			continue
		}
		m.Wanted = append(m.Wanted, a.wantedAgain(s))
		if text, ok := a.textNow(tree, s); ok {
			m.files = append(m.files, shownFile{s.Target, text, a.interest(s, text)})
		}
	}
	for _, p := range a.problems {
		if p.Step == 0 && p.Code != turn.CodeCheckFailed {
			m.Problems = append(m.Problems, p.Message)
		}
	}
	m.Done = a.done()
	var files shownFiles
	paths := a.showReads(tree, func(p, text, do string) {
		if i := slices.IndexFunc(m.files, func(f shownFile) bool { return f.path == p }); i >= 0 {
			m.files[i].lines = append(m.files[i].lines, a.linesRead(p, m.files[i].text)...)
			return
		}
		files.add(p, text, do, a.parts)
	}, &m.Input)
	room, _ := a.roomIn(m.Input)
	files.fit(room, a.window)
	m.Files, m.asked = files.prompts(a.hide, false), files.total()
	a.offer(paths, &m.Input)
	return m, nil
}

// at is the material in some detail.
func (a *Author) at(m material, d detail) reply.Input {
	in := m.Input
	in.Wanted, in.Outputs, in.Files = slices.Clone(in.Wanted), slices.Clone(in.Outputs), slices.Clone(in.Files)
	in.Files = append(a.read(m), in.Files...)
	for _, f := range m.files {
		in.Files = append(in.Files, f.excerpts(a.hide, d.around)...)
	}
	if m.failed != nil {
		in.Outputs = append(in.Outputs, a.checkOutputs("fails", m.failed, d.output)...)
	}
	return in
}

// read are the files of the first question that no step of the plan writes, and that the
// question doesn't show for another reason: what they tell is needed again.
func (a *Author) read(m material) (files []prompt.File) {
	for _, f := range a.beside.Files {
		written := slices.ContainsFunc(a.steps, func(s turn.Step) bool { return writes(s.Action) && s.Target == f.Path })
		asked := slices.ContainsFunc(m.Files, func(g prompt.File) bool { return g.Path == f.Path })
		if !written && !asked {
			files = append(files, f)
		}
	}
	return files
}

// done are the headings of the steps that are written.
func (a *Author) done() (headings []string) {
	for _, s := range a.steps {
		if writes(s.Action) && !slices.Contains(a.wanted, s.Number) {
			headings = append(headings, fmt.Sprintf("%d %s %s", s.Number, s.Action, s.Target))
		}
	}
	return headings
}

func writes(action string) bool { return action == turn.ActionWrite || action == turn.ActionModify }

// wantedAgain names a step for the next phase. A file that is written already
// is changed further, not written again.
func (a *Author) wantedAgain(s turn.Step) reply.Wanted {
	w := reply.Wanted{Number: s.Number, Action: s.Action, Path: s.Target, Do: a.said.Words(s.Description)}
	if d := a.drafts[s.Number]; d != nil && d.text != "" {
		w.Action = turn.ActionModify
	}
	for _, p := range a.problems {
		if p.Step != s.Number || p.reads != nil {
			continue
		}
		w.Problem += strings.TrimPrefix(p.Message, turn.Shown(s.Target)+": ") + "\n"
		w.Shown += p.shown
		w.Wrote += p.wrote
	}
	w.Problem, w.Shown, w.Wrote = a.said.Words(strings.TrimSuffix(w.Problem, "\n")), a.said.Words(w.Shown),
		a.said.Words(w.Wrote)
	return w
}

// textNow is a step's file as the phases so far leave it.
func (a *Author) textNow(tree *overlay.Tree, s turn.Step) (string, bool) {
	if d := a.drafts[s.Number]; d != nil {
		return d.text, d.text != ""
	}
	if s.Action != turn.ActionModify {
		return "", false
	}
	text, ok, err := tree.Text(s.Target)
	return text, ok && err == nil
}

// interest lists the lines of a step's text that its problems are about: where
// edits come nearest, what a failed check names, what was changed, or else what
// the step speaks of.
func (a *Author) interest(s turn.Step, text string) []int {
	var lines []int
	for _, p := range a.problems {
		if p.Step == s.Number {
			lines = append(lines, p.lines...)
		}
	}
	if a.failed != nil {
		if d := a.drafts[s.Number]; d != nil {
			lines = append(lines, change.Compare(d.base, d.text).NewPlaces()...)
		}
		for _, result := range a.failed.Results {
			lines = append(lines, linesNamed(result.Output, s.Target)...)
		}
	}
	if len(lines) == 0 {
		lines = linesWith(text, words(s.Description+" "+a.doc.Request()))
	}
	return lines
}

// linesNamed finds the numbers that are right behind a file's name.
func linesNamed(output, file string) (lines []int) {
	named := regexp.MustCompile(regexp.QuoteMeta(path.Base(file)) + `[^0-9\n]{1,10}([0-9]{1,7})`)
	for _, m := range named.FindAllStringSubmatch(output, 20) {
		n, _ := strconv.Atoi(m[1])
		lines = append(lines, n)
	}
	return lines
}

var wordsForm = lazyregexp.New(`[\pL_][\pL\pN_]{3,}`)

// words are the names in a text that may be in a program.
func words(text string) []string {
	return wordsForm().FindAllString(text, 40)
}

func linesWith(text string, words []string) (lines []int) {
	const most = 40
	n := 0
	for line := range strings.Lines(text) {
		n++
		if len(lines) < most && slices.ContainsFunc(words, func(w string) bool { return strings.Contains(line, w) }) {
			lines = append(lines, n)
		}
	}
	return lines
}

// excerpts cuts the lines out of a file that stand around those that matter;
// without any it is the beginning.
func (f shownFile) excerpts(hide *overlay.Withholding, around int) []prompt.File {
	lines := strings.SplitAfter(strings.TrimSuffix(f.text, "\n"), "\n")
	if around < 0 || len(lines) <= 2*around {
		return []prompt.File{{Path: f.path, Text: hide.Lines(f.path, f.text, f.text, 1)}}
	}
	matter := f.lines
	if len(matter) == 0 {
		matter = []int{around}
	}
	show := make([]bool, len(lines))
	for _, n := range matter {
		for i := max(0, n-1-around); i < min(len(lines), n+around); i++ {
			show[i] = true
		}
	}
	var out []prompt.File
	for i := 0; i < len(lines); i++ {
		from := i
		for i < len(lines) && show[i] {
			i++
		}
		if i > from {
			out = append(out, prompt.File{Path: f.path,
				Text:  hide.Lines(f.path, f.text, strings.Join(lines[from:i], ""), from+1),
				Lines: fmt.Sprintf("%d-%d of %d", from+1, i, len(lines))})
		}
	}
	return out
}

// checkOutputs tells what the checks printed, the last bytes of each.
func (a *Author) checkOutputs(how string, c *turn.Check, most int) (out []reply.Output) {
	for _, result := range c.Results {
		if result.ExitCode == 0 {
			out = append(out, reply.Output{Title: fmt.Sprintf("The check passes (%s)", turn.Shown(a.said.Words(result.Command))),
				Text: lastBytes(a.said.Words(result.Output), most/8)})
			continue
		}
		out = append(out, reply.Output{Title: fmt.Sprintf("The check %s (%s, exit code %d)", how,
			turn.Shown(a.said.Words(result.Command)), result.ExitCode),
			Text: lastBytes(a.said.Words(result.Output), most)})
	}
	return out
}

func lastBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return "… " + strings.ToValidUTF8(text[len(text)-most:], "")
}
