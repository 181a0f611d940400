package conf

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns the compiled expr. It panics if expr is no regular
// expression (https://golang.org/s/re2syntax).
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
