package main

import (
	"github.com/spf13/pflag"

	"dyno/internal/scenario"
)

// askingFlags adds the flags that define requests and their expected responses, and returns their
// names.
func askingFlags(fl *pflag.FlagSet, r *scenario.AdHoc) (names []string) {
	add := func(v pflag.Value, name, short, usage string) {
		fl.VarP(v, name, short, usage)
		names = append(names, name)
	}
	text := func(s string) (string, error) { return s, nil }
	add(flagOf(&r.Method, "", "name", text), "method", "m", "method (default GET, with a body POST)")
	add(&lines{&r.Paths}, "path", "", "path to request instead of the URL's, with its weight: /a=3; may be "+
		"repeated; after a query, put a space before the weight: '/a?b=1 =3'")
	add(&lines{&r.Headers}, "header", "H", "a header, \"Name: value\"; may be repeated")
	add(&login{&r.User}, "user", "", "name and password of basic authentication")
	add(flagOf(&r.Body, "", "string", parseText), "body", "b", "body: text, @FILE, or @- for standard input")
	add(flagOf(&r.BodyFile, "", "string", parseNeeded("want a file name")), "body-file", "f",
		"file with the body")
	fl.BoolVar(&r.Template, "template", false,
		"also fill placeholders in the body and headers: {int:1..1000}, {uuid}, {seq}, {pick:a,b}; those in paths "+
			"are always filled")
	add(flagOf(&r.ExpectStatus, "200-399", "string", scenario.ParseStatuses), "expect-status", "",
		"status codes that count as success, such as 200,2xx,300-399")
	return append(names, "template")
}

// askingNames are the names of the flags that define requests.
var askingNames = []string{"method", "path", "header", "user", "body", "body-file", "template"}
