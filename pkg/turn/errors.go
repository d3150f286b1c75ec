package turn

import (
	"errors"
	"fmt"
)

// Code is the exit code of a stage and the code of an error that travels in
// the document. Callers must treat codes they don't know as failures.
type Code int

// The exit codes, the same for every command.
const (
	CodeOK          Code = 0   // done as asked, or nothing to change
	CodeInternal    Code = 1   // internal failure, I/O
	CodeUsage       Code = 2   // usage, or a document that can't be read
	CodeNotApplied  Code = 3   // a person's yes or answer is missing, or it was refused
	CodeDenied      Code = 4   // denied by the guard
	CodeRejected    Code = 5   // rejected by a limit, or an edit that doesn't fit
	CodeStale       Code = 6   // a file changed since the plan was sealed
	CodeModel       Code = 7   // no key, refused key, blocked, truncated, no answer
	CodeQuota       Code = 8   // rate limit, quota or budget
	CodeCheckFailed Code = 9   // the check failed
	CodeInterrupted Code = 130 // interrupted
)

// Error is an error as a person reads it and as the document carries it.
type Error struct {
	// Stage is the command that failed, "pai-exec" for example; empty until
	// the frame of the command fills it in.
	Stage string `json:"stage"`
	// Code is never CodeOK.
	Code Code `json:"code"`
	// Message has no program name before it, no capital and no full stop.
	Message string `json:"message"`
	// Hint says what the person can do; empty if nothing helps.
	Hint string `json:"hint,omitempty"`
}

// Error returns the message alone; the stage and the hint are printed around
// it by the command's frame.
func (e *Error) Error() string { return e.Message }

// Errorf makes an error with a code; the arguments are those of fmt.Sprintf.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// WithHint sets the hint and returns the error; the arguments are those of
// fmt.Sprintf.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// AsError gives any error the shape that travels: an *Error in the chain as
// it is, anything else as CodeInternal. It returns nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Errorf(CodeInternal, "%s", err)
}

// Exit returns the exit code of an error. A code that no process could exit
// with, or that would say success, counts as CodeInternal.
func (e *Error) Exit() Code {
	if e.Code <= 0 || e.Code > 255 {
		return CodeInternal
	}
	return e.Code
}
