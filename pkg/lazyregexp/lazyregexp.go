// Package lazyregexp compiles constant regular expressions when they are first
// used: a command that needs few of them starts as if there were no others.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns what returns the compiled expression. One that can't be compiled
// panics at the first call.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
