package conf

import "fmt"

// UsageError is an error in user input: arguments, flags or environment variables. The command ends
// with exit code 2.
type UsageError struct{ error }

func (u *UsageError) Unwrap() error { return u.error }

// Usage makes err a UsageError.
func Usage(err error) error { return &UsageError{err} }

// Usagef formats a UsageError as fmt.Errorf does.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }
