// Package lazy has values that are made when they are first asked for, so that a command of dyno pays at
// its start for nothing that only others need.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns expr compiled. It panics if expr is no regular expression
// (https://golang.org/s/re2syntax).
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
