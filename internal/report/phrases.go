package report

import (
	"fmt"
	"slices"
	"strings"
)

// And joins the items of a list with commas and "and".
func And[T any](parts []T) string { return joined(parts, " and ") }

// joined joins the items of a list with commas, and the last with a word.
func joined[T any](parts []T, word string) string {
	var list []string
	for _, p := range parts {
		list = append(list, fmt.Sprint(p))
	}
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + word + list[len(list)-1]
}

// NonEmpty returns the parts that are not empty.
func NonEmpty(parts ...string) (list []string) {
	for _, p := range parts {
		if p != "" {
			list = append(list, p)
		}
	}
	return list
}

// AddNew adds x to a list that lacks it.
func AddNew[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

// Lower changes the beginning of a sentence for use in the middle of one. Abbreviations such as CPU
// are kept.
func Lower(s string) string {
	if len(s) > 1 && s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// Led puts lead before s, unless s is empty.
func Led(lead, s string) string {
	if s == "" {
		return ""
	}
	return lead + s
}
