// Package model is the one door to models: a question in, a text out, with
// retries, usage and errors that have exit codes. Nothing else in Pai talks
// to a network.
package model

import (
	"context"
	"encoding/json"
	"time"

	"paicode/pkg/turn"
)

// DefaultName is the model that is asked if nobody says otherwise.
const DefaultName = "gemini-2.5-flash-lite"

// DefaultTemperature is the reference design's.
const DefaultTemperature = 0.3

// DefaultTimeout bounds one question with all its tries.
const DefaultTimeout = 2 * time.Minute

// Request is one question.
type Request struct {
	Stage           string          // who asks, for the usage
	System          string          // how to answer; may be empty
	Prompt          string          // what is asked
	Schema          json.RawMessage // JSON Schema of the answer; nil for plain text
	MaxOutputTokens int             // 0: the model's own limit
}

// Reply is an answer.
type Reply struct {
	Text  string
	Usage turn.Usage
	Cut   bool // it reached the limit of tokens: Text is what came before, and Ask has an error too
}

// Model answers questions. Ask returns an *turn.Error of CodeModel or
// CodeQuota if there is no complete answer; the usage stands in the Reply
// even then. Each piece of the answer goes to delta as it comes, which may be
// nil; after a retry the pieces begin anew.
type Model interface {
	Ask(ctx context.Context, r Request, delta func(string)) (Reply, error)
}

// Ask puts one question to a model and returns the complete answer. It is
// what the phases see of a model; who makes one of a Model keeps the usage.
type Ask func(context.Context, Request) (string, error)

// Options choose a model and how to ask it.
type Options struct {
	Name        string        // empty: DefaultName
	Temperature float64       // 0 to 2
	Timeout     time.Duration // of one question with all its tries; 0: none
	// Notice is told what a person should know while they wait, such as a
	// retry; nil: nobody.
	Notice func(message string)
}

// Open returns the model that the options name. Errors are of CodeModel
// where the key is wanting, and of CodeUsage where the options are wrong.
func Open(o Options) (Model, error) {
	if o.Name == "" {
		o.Name = DefaultName
	}
	if o.Temperature < 0 || o.Temperature > 2 {
		return nil, turn.Errorf(turn.CodeUsage, "temperature %v is not between 0 and 2", o.Temperature)
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	return openGemini(o)
}
