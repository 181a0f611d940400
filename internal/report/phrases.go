package report

import (
	"fmt"
	"strings"
)

// list formats CPU numbers, with runs of three or more as from-to: "0-3, 8".
func list(cpus []int) string {
	var parts []string
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		if j-i >= 2 {
			parts = append(parts, fmt.Sprintf("%d-%d", cpus[i], cpus[j]))
			i = j + 1
			continue
		}
		parts = append(parts, fmt.Sprint(cpus[i]))
		i++
	}
	return orElse(strings.Join(parts, ", "), "none")
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

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
