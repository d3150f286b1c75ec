package turn

import (
	"slices"
	"strings"
)

// The members of a document. A pointer or an absent member means "not known
// yet"; members whose names begin with x_ may be in every object and are
// carried along unseen.

// Kinds of an Intent.
const (
	KindTask = "task"
	KindChat = "chat"
)

// Intent says what the request is.
type Intent struct {
	Kind           string `json:"kind"`                     // KindTask or KindChat
	Acknowledgment string `json:"acknowledgment,omitempty"` // of a task, one sentence
	Reply          string `json:"reply,omitempty"`          // to a chat, the full answer
}

// Interaction is one earlier turn of a session.
type Interaction struct {
	Request string `json:"request"`
	Outcome string `json:"outcome"` // what Pai answered or did, in a few words
	// Changed are the paths that changed, each with how: "a.py changed +5 −1".
	Changed []string `json:"changed,omitempty"`
	// Planned are the steps of a plan that was shown and not applied, a line each.
	Planned []string `json:"planned,omitempty"`
}

// Workspace is what pai-exec observed of the files under the root: what fits the
// request, best first, within a budget of tokens.
type Workspace struct {
	Files    []File    `json:"files"`              // named; not every file that there is
	Excerpts []Excerpt `json:"excerpts,omitempty"` // texts, or parts of them
	Outlines []Outline `json:"outlines,omitempty"` // definitions in files that are not shown whole
	Hits     []Hit     `json:"hits,omitempty"`     // where quoted texts and rare names stand
	// Instructions are what the project asks of who works on it, the nearest first.
	// They can't widen what the guard allows.
	Instructions []Excerpt   `json:"instructions,omitempty"`
	Directories  []Directory `json:"directories,omitempty"` // of the files that are not named
	Mounts       []string    `json:"mounts,omitempty"`      // what is on other file systems: nothing of it is listed
	Looks        []Look      `json:"looks,omitempty"`       // what the planner asked to see
	Targets      []Target    `json:"targets,omitempty"`     // what is at paths, where that was asked
	Ignored      []string    `json:"ignored,omitempty"`     // names in the request that are ignored
	Denied       []Denial    `json:"denied,omitempty"`      // names in the request that the guard denies
	Withheld     []Withheld  `json:"withheld,omitempty"`    // secrets, which placeholders stand for
	LeftOut      *LeftOut    `json:"left_out,omitempty"`
}

// File is one file that may be planned with.
type File struct {
	Path  string `json:"path"`
	Size  int64  `json:"size"`            // bytes
	Lines *int   `json:"lines,omitempty"` // absent where it was not read, or is not text
}

// Excerpt is the text of a file, or a run of its lines.
type Excerpt struct {
	Path  string `json:"path"`
	Lines string `json:"lines"`           // "1-20", counted from one; "0-0" for an empty file
	Whole bool   `json:"whole,omitempty"` // they are all lines of the file
	Text  string `json:"text"`
	// SHA256 is that of Text, in hex; older documents have it.
	SHA256 string `json:"sha256,omitempty"`
}

// Outline lists definitions in a file.
type Outline struct {
	Path    string   `json:"path"`
	Symbols []string `json:"symbols"` // "12 func f()": the line's number, counted from one, and the line
}

// Hit is a line in which a text of the request stands.
type Hit struct {
	Path string `json:"path"`
	Line int    `json:"line"` // counted from one
	Text string `json:"text"`
}

// Look is one thing that the planner asked to see.
type Look struct {
	Asked    string    `json:"asked"`
	Excerpts []Excerpt `json:"excerpts,omitempty"`
	Message  string    `json:"message,omitempty"` // why there are none, and what comes nearest
}

// Target is what is at a path.
type Target struct {
	Path string `json:"path"`
	Kind string `json:"kind"` // TargetFile, TargetDir, TargetNone or TargetDenied
}

// What is at a path.
const (
	TargetFile   = "file"
	TargetDir    = "directory"
	TargetNone   = "nothing"
	TargetDenied = "denied"
)

// Directory counts files that are not named.
type Directory struct {
	Path  string `json:"path"`
	Files int    `json:"files"` // in it and under
}

// Denial is a name that the guard refuses, and by which rule.
type Denial struct {
	Name string `json:"name"`
	Rule string `json:"rule"`
}

// Withheld is a secret in a file that is not shown.
type Withheld struct {
	Placeholder string `json:"placeholder"` // "[WITHHELD-1]", what is shown in its place
	Kind        string `json:"kind"`        // "AWS access key"
	Path        string `json:"path"`
	Line        int    `json:"line"` // counted from one
}

// LeftOut says what a listing does not hold.
type LeftOut struct {
	Files  int    `json:"files"` // how many
	Reason string `json:"reason"`
}

// Plan is what is to be done.
type Plan struct {
	Analysis      *Analysis      `json:"analysis,omitempty"`
	ExecutionPlan *ExecutionPlan `json:"execution_plan"`
	Notes         *Notes         `json:"intelligence_notes,omitempty"`
	Question      string         `json:"question,omitempty"` // a person must answer; there are no steps then
	// a command worth running afterwards; shown, never run from here
	Check string `json:"check,omitempty"`
}

// Analysis is how the request was understood.
type Analysis struct {
	UserIntent      string   `json:"user_intent"`
	FilesToRead     []string `json:"files_to_read,omitempty"`
	FilesToCreate   []string `json:"files_to_create,omitempty"`
	FilesToModify   []string `json:"files_to_modify,omitempty"`
	RiskAssessment  string   `json:"risk_assessment,omitempty"`
	SuccessCriteria []string `json:"success_criteria,omitempty"`
}

// ExecutionPlan holds the steps, in the order in which they are done.
type ExecutionPlan struct {
	Steps []Step `json:"steps"`
}

// Notes are remarks on the plan; nothing depends on them.
type Notes struct {
	Complexity      string   `json:"complexity_assessment,omitempty"` // simple, moderate or complex
	KeyChallenges   []string `json:"key_challenges,omitempty"`
	Recommendations []string `json:"recommendations,omitempty"`
}

// The ten actions.
const (
	ActionRead   = "READ"
	ActionWrite  = "WRITE"
	ActionModify = "MODIFY"
	ActionTree   = "TREE"
	ActionList   = "LIST_PATH"
	ActionMkdir  = "MKDIR"
	ActionTouch  = "TOUCH"
	ActionRemove = "RM"
	ActionMove   = "MV"
	ActionFinish = "FINISH"
)

// Actions returns the ten actions in the order of the manual.
func Actions() []string {
	return []string{ActionRead, ActionWrite, ActionModify, ActionTree, ActionList,
		ActionMkdir, ActionTouch, ActionRemove, ActionMove, ActionFinish}
}

// ActionOf is the action that a word stands for, as models write it, such as MODIFY for
// "edit"; empty if it stands for none.
func ActionOf(word string) string {
	word = strings.ToUpper(strings.TrimSpace(word))
	switch word {
	case "EDIT", "UPDATE", "CHANGE", "PATCH", "REPLACE", "FIX", "REWRITE":
		return ActionModify
	case "CREATE", "ADD", "NEW":
		return ActionWrite
	case "DELETE", "REMOVE":
		return ActionRemove
	case "RENAME", "MOVE":
		return ActionMove
	}
	if slices.Contains(Actions(), word) {
		return word
	}
	return ""
}

// Step is one action on one path.
type Step struct {
	Number             int      `json:"step_number"`
	Action             string   `json:"action"`
	Target             string   `json:"target,omitempty"`      // relative to the root; none for FINISH
	Destination        string   `json:"destination,omitempty"` // of MV
	Description        string   `json:"description"`
	Purpose            string   `json:"purpose,omitempty"`
	ValidationCriteria []string `json:"validation_criteria,omitempty"`
	ExpectedOutcome    string   `json:"expected_outcome,omitempty"`
	Executable         bool     `json:"executable,omitempty"` // of WRITE: mode 0777 less umask, not 0666
	Content            *string  `json:"content,omitempty"`    // the whole file, or FINISH's words; absent: not known yet
	Edits              []Edit   `json:"edits,omitempty"`      // of MODIFY
	// why it needs a yes of its own: what it changes runs by itself
	Risk    string `json:"risk,omitempty"`
	Caution string `json:"caution,omitempty"` // what of a build or a test runs what it changes
	// how the edits were found: "exact", "line-endings", "trailing-blanks" or "indentation"
	Matched string `json:"matched,omitempty"`
	AddedBy string `json:"added_by,omitempty"` // the phase that added the step
}

// Edit replaces text that is in exactly one place, or with All every
// place that is not inside a longer identifier.
type Edit struct {
	Search  string `json:"search"`
	Replace string `json:"replace"`
	All     bool   `json:"all,omitempty"`
}

// Seal binds a plan to the tree that it was resolved against.
type Seal struct {
	Steps string                `json:"steps"` // "sha256:…" of what the steps say
	Paths map[string]SealedPath `json:"paths"` // every path that changes, directories' contents too, up to 10,000 in each
}

// SealedPath is what a path is before the first step and after the last; nil
// where nothing is there.
type SealedPath struct {
	Before *State `json:"before"`
	After  *State `json:"after"`
}

// State is what is at a path.
type State struct {
	Type   string `json:"type"`             // "file", "dir" or "link"
	Mode   string `json:"mode"`             // permission bits in octal, "0644"
	SHA256 string `json:"sha256,omitempty"` // of a file's bytes or a link's target, in hex
	// Paths is how many paths under a directory go or come with it, where they are too many
	// to be listed, and Under is the digest that stands for them, "sha256:…".
	Paths   int    `json:"paths,omitempty"`
	Beneath string `json:"beneath,omitempty"`
}

// EmptySHA256 is the sum of no bytes.
const EmptySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// What became of a step.
const (
	StatusOK        = "ok"
	StatusUnchanged = "unchanged"
	StatusDenied    = "denied"
	StatusRejected  = "rejected"
	StatusStale     = "stale"
	StatusFailed    = "failed"
	StatusSkipped   = "skipped"
)

// Exec is what pai-exec did.
type Exec struct {
	DryRun      bool         `json:"dry_run"`
	Applied     bool         `json:"applied"`
	NeedsYes    []int        `json:"needs_yes,omitempty"` // steps that a person must agree to
	Steps       []StepResult `json:"steps"`
	Phases      []Phase      `json:"phases,omitempty"`
	Check       *Check       `json:"check,omitempty"`
	Landlock    string       `json:"landlock"` // "enforced", "unavailable" or "off"
	Summary     Summary      `json:"summary"`
	Transaction string       `json:"transaction,omitempty"` // names what --undo rolls back
}

// StepResult is what became of one step. Added, Removed and Diff speak of the
// whole plan's change to the step's path and are at the last step on it, so
// that the diffs one after the other are the patch.
type StepResult struct {
	Number  int    `json:"step_number"`
	Status  string `json:"status"`
	Message string `json:"message,omitempty"`
	Added   int    `json:"added"`   // lines
	Removed int    `json:"removed"` // lines
	Diff    string `json:"diff,omitempty"`
	Output  string `json:"output,omitempty"` // what READ, TREE, LIST_PATH and FINISH say
}

// Phase is one question to the generator.
type Phase struct {
	Phase    int        `json:"phase"`              // counted from one
	Steps    []int      `json:"steps"`              // the steps that it was asked for
	Sent     []SentFile `json:"sent,omitempty"`     // what went to the generator of files
	Problems []Problem  `json:"problems,omitempty"` // what could not be used
	Diff     string     `json:"diff,omitempty"`     // what a check saw that failed
	Check    *Check     `json:"check,omitempty"`    // how it failed
}

// SentFile is a file, or some of its lines, that went to a generator.
type SentFile struct {
	Path   string `json:"path"`
	Lines  string `json:"lines,omitempty"` // "3-9 of 120"; absent: all
	SHA256 string `json:"sha256"`          // of the text that was sent, in hex
}

// Problem is why an answer could not be used.
type Problem struct {
	Number  int    `json:"step_number,omitempty"` // absent: the whole answer
	Message string `json:"message"`
}

// Check says whether the checks ran, and how they ended.
type Check struct {
	Run     bool          `json:"run"`
	Passed  bool          `json:"passed"`
	Message string        `json:"message,omitempty"`
	Results []CheckResult `json:"results,omitempty"` // in the order of the commands, up to the first that failed
}

// otherBytes begins the message of a check that passed on what was not the change any more.
const otherBytes = "it passed on other bytes"

// Add adds words to the message.
func (c *Check) Add(words string) {
	if c.Message != "" {
		words = c.Message + "; " + words
	}
	c.Message = words
}

// Wrote says that the check wrote over paths of the change and passed, and that they hold again
// what was reviewed.
func (c *Check) Wrote(paths []string) {
	words := c.Message
	c.Message = otherBytes + ": it changed " + QuoteFew(paths) + "; the reviewed bytes are back"
	if words != "" {
		c.Add(words)
	}
}

// Held reports whether the check passed on the very change that is there.
func (c *Check) Held() bool { return c.Run && c.Passed && !strings.HasPrefix(c.Message, otherBytes) }

// CheckResult is how one command ended.
type CheckResult struct {
	Command  string `json:"command"`
	ExitCode int    `json:"exit_code"` // 128 and the signal's number if one ended it
	TimedOut bool   `json:"timed_out"`
	Output   string `json:"output,omitempty"` // of both streams, its beginning and its end if it is long
}

// Summary counts the steps.
type Summary struct {
	OK          int     `json:"ok"` // ok or unchanged
	Total       int     `json:"total"`
	SuccessRate float64 `json:"success_rate"` // OK of Total, 0 to 1; 1 for no steps
}

// Suggestion proposes what to do next.
type Suggestion struct {
	Text string `json:"text"`
}

// Spent sums up what questions cost: those that a cache answered cost nothing.
func Spent(usage []Usage) (calls, tokensIn int) {
	for _, u := range usage {
		if u.Input+u.Output > 0 {
			calls++
		}
		tokensIn += u.Input
	}
	return calls, tokensIn
}

// Usage is one question to a model. Retries are summed up.
type Usage struct {
	Stage        string `json:"stage"`
	Model        string `json:"model"`
	Input        int    `json:"input"`    // tokens sent, cached ones included
	Cached       int    `json:"cached"`   // tokens
	Thinking     int    `json:"thinking"` // tokens
	Output       int    `json:"output"`   // tokens, without thinking
	Milliseconds int64  `json:"milliseconds"`
	Tries        int    `json:"tries"`
	// Lacks are the members of a question that the model at Server was found not
	// to take; later stages leave them out. Absent if there are none.
	Lacks []string `json:"lacks,omitempty"`
	// Server is the address that was asked, without its query; absent where
	// Lacks is, and where it is the provider's own.
	Server string `json:"server,omitempty"`
}

// StepIndex is the index of the step with a number; -1 if there is none.
func StepIndex(steps []Step, number int) int {
	return slices.IndexFunc(steps, func(s Step) bool { return s.Number == number })
}

// HistoryDir is the name of Pai's own directory in a project.
const HistoryDir = ".pai_history"
