package reply

import (
	"slices"
	"strings"
	"testing"

	"paicode/pkg/prompt"
	"paicode/pkg/turn"
)

const block = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"

var steps = []Wanted{
	{Number: 1, Action: turn.ActionModify, Path: "a.py", Do: "change it"},
	{Number: 2, Action: turn.ActionWrite, Path: "b.md", Do: "write it"},
	{Number: 3, Action: turn.ActionFinish},
}

// readTests are replies, and what is read of the steps 1 to 3: edits as
// "search→replace", content in quotes, or the problem after "!".
var readTests = []struct {
	name, reply      string
	one, two, finish string
}{
	{"plain", "## 1 MODIFY a.py\n````python\n" + block + "````\n## 2 WRITE b.md\n````\n# Title\n````\n## 3 FINISH\nDone so far.\n",
		"old\n→new\n", "# Title\n", "Done so far."},
	{"prose around", "Sure!\n\n## 1 MODIFY a.py — change it\nHere:\n```python\n" + block + "```\nThat was it.\n\n## 2 WRITE b.md\n~~~\nx\n~~~\n",
		"old\n→new\n", "x\n", "!the reply doesn't answer it"},
	{"other headings", "### 1. MODIFY `a.py`\n```\n" + block + "```\n# Step 2 WRITE b.md\n```\nx\n```\n#### 3) FINISH\nok",
		"old\n→new\n", "x\n", "ok"},
	{"CRLF", "## 1 MODIFY a.py\r\n```\r\n" + strings.ReplaceAll(block, "\n", "\r\n") + "```\r\n",
		"old\n→new\n", "!the reply doesn't answer it", "!the reply doesn't answer it"},
	{"thinking", "<think>## 1 MODIFY a.py\nhm</think>\n## 1 MODIFY a.py\n```\n" + block + "```\n",
		"old\n→new\n", "!the reply doesn't answer it", "!the reply doesn't answer it"},
	{"another order", "## 3 FINISH\nok\n## 2 WRITE b.md\n```\nx\n```\n## 1 MODIFY a.py\n```\n" + block + "```\n",
		"old\n→new\n", "x\n", "ok"},
	{"whole file for MODIFY", "## 1 MODIFY a.py\n```\nall\n```\n", "all\n", "!the reply doesn't answer it", "!the reply doesn't answer it"},
	{"several blocks", "## 1 MODIFY a.py\n```\n" + block + "\n" + block + "```\n```\n" + strings.Replace(block, "old", "older", 1) + "```\n",
		"old\n→new\n|older\n→new\n", "!the reply doesn't answer it", "!the reply doesn't answer it"},
	{"all", "## 1 MODIFY a.py\n```\n<<<<<<< SEARCH ALL\nadd\n=======\nsum\n>>>>>>> REPLACE\n```\n",
		"add→sum (all)", "!the reply doesn't answer it", "!the reply doesn't answer it"},
	{"a longer fence around a shorter one", "## 2 WRITE b.md\n````\n```sh\nls\n```\n````\n", "!the reply doesn't answer it", "```sh\nls\n```\n", "!the reply doesn't answer it"},
	{"a heading inside a fence", "## 2 WRITE b.md\n````\n## 3 FINISH\n````\n", "!the reply doesn't answer it", "!a heading stands inside its fence", "!the reply says nothing"},
	{"a heading inside a fence, and again", "## 2 WRITE b.md\n````\n## 3 FINISH\n````\n## 3 FINISH\nok\n", "!the reply doesn't answer it", "## 3 FINISH\n", "ok"},
	{"an empty file", "## 2 WRITE b.md\n```\n```\n", "!the reply doesn't answer it", "", "!the reply doesn't answer it"},
	{"no fence", "## 2 WRITE b.md\nhello\n", "!the reply doesn't answer it", "!the reply holds no fence for it", "!the reply doesn't answer it"},
	{"two fences for a file", "## 2 WRITE b.md\n```\nx\n```\n```\ny\n```\n", "!the reply doesn't answer it", "!a fence stands inside a fence of the same length", "!the reply doesn't answer it"},
	{"no last fence", "## 2 WRITE b.md\n```\nx\n", "!the reply doesn't answer it", "x\n", "!the reply doesn't answer it"},
	{"cut in a block", "## 1 MODIFY a.py\n```\n<<<<<<< SEARCH\nold\n=======\nnew\n```\n", "!a search/replace block doesn't end", "!the reply doesn't answer it", "!the reply doesn't answer it"},
	{"a marker astray", "## 1 MODIFY a.py\n```\n<<<<<<< SEARCH\nold\n=======\nnew\n=======\n>>>>>>> REPLACE\n```\n", "!a marker stands in the wrong place: \"=======\"", "!the reply doesn't answer it", "!the reply doesn't answer it"},
	{"text between blocks", "## 1 MODIFY a.py\n```\n" + block + "x = 1\n```\n", "!text stands between the search/replace blocks", "!the reply doesn't answer it", "!the reply doesn't answer it"},
	{"words twice", "## 3 FINISH\na\n## 3 FINISH\nb\n", "!the reply doesn't answer it", "!the reply doesn't answer it", "b"},
	{"twice", "## 2 WRITE b.md\n```\na\n```\n## 2 WRITE b.md\n```\nb\n```\n", "!the reply doesn't answer it", "!the reply answers it twice", "!the reply doesn't answer it"},
	{"no change", "## 1 MODIFY a.py\nNOCHANGE: it is so already\n", "=it is so already", "!the reply doesn't answer it", "!the reply doesn't answer it"},
	{"can't", "## 1 MODIFY a.py\nCANNOT: no such thing\nreally\n", "-no such thing", "!the reply doesn't answer it", "!the reply doesn't answer it"},
	{"read", "## 1 MODIFY a.py\nREAD: c.py\n", "?c.py", "!the reply doesn't answer it", "!the reply doesn't answer it"},
	{"another action under the number", "## 1 RM a.py\n```\nx\n```\n", "!the heading says RM, the step is MODIFY", "!the reply doesn't answer it", "!the reply doesn't answer it"},
	{"no change, no reason", "## 1 MODIFY a.py\nNOCHANGE:\n", "=no reason given", "!the reply doesn't answer it", "!the reply doesn't answer it"},
	{"markers of six", "## 1 MODIFY a.py\n```\n<<<<<< SEARCH\nold\n======\nnew\n>>>>>> REPLACE\n```\n", "old\n→new\n", "!the reply doesn't answer it", "!the reply doesn't answer it"},
	{"markers of four", "## 1 MODIFY a.py\n```\n<<<< SEARCH\nold\n====\nnew\n>>>> REPLACE\n```\n", "!its markers are not SEARCH and REPLACE, as long as was asked for", "!the reply doesn't answer it", "!the reply doesn't answer it"},
	{"a fence in a fence", "## 2 WRITE b.md\n```markdown\n# T\n```bash\nrun\n```\nmore\n", "!the reply doesn't answer it", "!a fence stands inside a fence of the same length", "!the reply doesn't answer it"},
	{"a block outside", "## 1 MODIFY a.py\n```\n" + block + "```\n" + strings.Replace(block, "old", "older", 1), "old\n→new\n|older\n→new\n", "!the reply doesn't answer it", "!the reply doesn't answer it"},
	{"nothing", "", "!the reply doesn't answer it", "!the reply doesn't answer it", "!the reply doesn't answer it"},
}

func (a Answer) summary() string {
	switch {
	case a.Problem != "":
		return "!" + string(a.Problem)
	case a.NoChange != "":
		return "=" + a.NoChange
	case a.Content != nil:
		return *a.Content
	case a.Cannot != "":
		return "-" + a.Cannot
	case a.Read != nil:
		return "?" + strings.Join(a.Read, "?")
	}
	var parts []string
	for _, e := range a.Edits {
		part := e.Search + "→" + e.Replace
		if e.All {
			part += " (all)"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "|")
}

func TestRead(t *testing.T) {
	q := Ask(Input{Wanted: steps})
	for _, tt := range readTests {
		t.Run(tt.name, func(t *testing.T) {
			got := q.Read(tt.reply, false).Answers
			for number, want := range map[int]string{1: tt.one, 2: tt.two, 3: tt.finish} {
				if have := got[number].summary(); have != want {
					t.Errorf("step %d: got %q, want %q", number, have, want)
				}
			}
		})
	}
}

// TestMarkersOutgrowTheFiles proves that files which hold markers, or fences,
// can be changed all the same.
func TestMarkersOutgrowTheFiles(t *testing.T) {
	text := "<<<<<<< SEARCH\n=======\n>>>>>>>>> REPLACE\n`````\n"
	q := Ask(Input{Wanted: steps[:1], Files: []prompt.File{{Path: "a.py", Text: text}}})
	if !strings.Contains(q.Prompt, "<<<<<<<<<< SEARCH\n") || !strings.Contains(q.Prompt, "\n``````\n") {
		t.Fatalf("markers or fences are too short:\n%s", q.Prompt)
	}
	reply := "## 1 MODIFY a.py\n``````\n<<<<<<<<<< SEARCH\n" + text + "==========\nx\n>>>>>>>>>> REPLACE\n``````\n"
	if got, want := q.Read(reply, false).Answers[1].summary(), text+"→x\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzRead proves that every reply is read without a panic, and that nothing
// comes of a step whose fence doesn't end.
func FuzzRead(f *testing.F) {
	for _, tt := range readTests {
		f.Add(tt.reply)
	}
	f.Add("``` ")
	f.Add("\n```# 0FINISH")
	f.Add("NOCHANGE")
	q := Ask(Input{Wanted: steps})
	f.Fuzz(func(t *testing.T, reply string) {
		answers := q.Read(reply, false).Answers
		if len(answers) != len(steps) {
			t.Fatalf("%d answers for %d steps", len(answers), len(steps))
		}
		if slices.ContainsFunc(unglued(q, splitLines(reply)), func(line string) bool { _, ok := q.headingOf(line); return ok }) {
			return // a heading ends it
		}
		cut := q.Read("## 2 WRITE b.md\n``````````\n"+strings.ReplaceAll(reply, "``````````", ""), true).Answers
		if a := cut[2]; a.Content != nil || a.Edits != nil {
			t.Fatalf("content came of a fence that doesn't end: %q", a.summary())
		}
	})
}

// FuzzBlock proves that a block is read to the letter, and
// that nothing comes of one that is cut anywhere.
func FuzzBlock(f *testing.F) {
	f.Add("old", "new", uint(40))
	f.Add("a\n```\nb", "```` x\n## 2 WRITE b.md\n", uint(3))
	f.Add("", "READ: x", uint(60))
	f.Add("0", "#2WRITE b.md", uint(69))
	f.Add("0", "```# 2WRITE b.md", uint(57))
	f.Add("A\n```\nA", "```# 2 WRITE b.md ", uint(0))
	q := Ask(Input{Wanted: steps})
	f.Fuzz(func(t *testing.T, search, replace string, at uint) {
		for line := range strings.Lines(search + "\n" + replace) {
			if markerOf(line, minMarker).c != 0 || strings.ContainsAny(line, "\r") {
				return
			}
		}
		search, replace = search+"\n", replace+"\n"
		head := "## 1 MODIFY a.py\n````\n"
		reply := head + "<<<<<<< SEARCH\n" + search + "=======\n" + replace + ">>>>>>> REPLACE\n"
		want := []turn.Edit{{Search: search, Replace: replace}}
		if got := q.Read(reply+"````\n", false).Answers[1]; !slices.Equal(got.Edits, want) {
			t.Fatalf("%q: read %+v", reply, got)
		}
		if slices.ContainsFunc(unglued(q, splitLines(search+replace)), func(line string) bool { _, ok := q.headingOf(line); return ok }) {
			return // in a block that is cut it may be one
		}
		end := strings.LastIndex(reply, ">>>>>>>") + minMarker - 1 // the marker alone would do
		cut := reply[:min(len(head)+int(at%uint(len(reply))), end)]
		if got := q.Read(cut, false).Answers[1]; got.Edits != nil || got.Content != nil {
			t.Fatalf("%q: read %+v", cut, got)
		}
		if got := q.Read(cut, true).Answers[1]; len(got.Edits) > 0 || got.Content != nil || !got.Cut {
			t.Fatalf("%q, cut: read %+v", cut, got)
		}
	})
}
