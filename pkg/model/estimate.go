package model

import "paicode/pkg/turn"

// Cost is that of all questions of a stage.
type Cost struct {
	Calls    int `json:"calls"`
	TokensIn int `json:"tokens_in"`
}

// Estimate is what a stage costs, as --estimate prints it.
type Estimate struct {
	Stage   string   `json:"stage"`
	Likely  Cost     `json:"likely"`            // each question is asked once
	Most    Cost     `json:"most"`              // counted rather too high than too low
	Assumes []string `json:"assumes,omitempty"` // the files of which Likely assumes that they change
}

// NewEstimate bounds a stage whose one question likely has so many bytes, and which asks at
// most so many questions of so many bytes together. Tokens is what a question may have; 0: any.
func NewEstimate(likely, calls, most, tokens int) Estimate {
	if tokens > 0 {
		likely, most = min(likely, turn.TokenBytes(tokens)), min(most, calls*turn.TokenBytes(tokens))
	}
	return Estimate{Likely: Cost{1, turn.Tokens(likely)}, Most: Cost{calls, turn.Tokens(most)}}
}

// Bytes is how long a question is.
func (r Request) Bytes() int { return len(r.System) + len(r.Prompt) + len(r.Schema) }
