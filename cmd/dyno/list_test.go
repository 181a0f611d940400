package main

import (
	"strings"
	"testing"
)

// TestSection: on a narrow terminal a list continues on the next line, and fits.
func TestSection(t *testing.T) {
	rows := [][]string{{"one", "hello"}, {"two", "hello, values"}, {"three", "json-relay-noprocess, values"},
		{"four", "hello, index, values, values-rest"}}
	for columns, want := range map[int]string{
		100: "one    hello\ntwo    hello, values\nthree  json-relay-noprocess, values\n" +
			"four   hello, index, values, values-rest\n",
		22: "one    hello\ntwo    hello, values\nthree  json-relay-noprocess,\n       values\n" +
			"four   hello, index,\n       values,\n       values-rest\n",
	} {
		var b strings.Builder
		section(&b, columns, rows, "NAME", "SCENARIOS")
		_, got, _ := strings.Cut(strings.TrimPrefix(b.String(), "\n"), "\n")
		if got != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", columns, got, want)
		}
	}
}
