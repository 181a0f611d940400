package main

import (
	"github.com/spf13/pflag"

	"dyno/internal/adhoc"
	"dyno/internal/scenario"
)

// askingFlags adds the flags that say what is sent and which answers are right, and returns their
// names.
func askingFlags(fl *pflag.FlagSet, r *adhoc.Request) (names []string) {
	add := func(v pflag.Value, name, short, usage string) {
		fl.VarP(v, name, short, usage)
		names = append(names, name)
	}
	text := func(s string) (string, error) { return s, nil }
	add(flagOf(&r.Method, "", "name", text), "method", "m", "method (default GET, with a body POST)")
	add(&lines{&r.Paths}, "path", "", "path to ask for in place of the URL's, with its weight among others: /a=3; may "+
		"be repeated; behind a query a blank stands before the weight: '/a?b=1 =3'")
	add(&lines{&r.Headers}, "header", "H", "a header, \"Name: value\"; may be repeated")
	add(flagOf(&r.Body, "", "string", parseText), "body", "b", "body: text, @FILE, or @- for standard input")
	add(flagOf(&r.BodyFile, "", "string", parseNeeded("want the name of a file")), "body-file", "f",
		"file that holds the body")
	fl.BoolVar(&r.Template, "template", false,
		"fill placeholders of the body and headers in too: {int:1..1000}, {uuid}, "+
			"{seq}, {pick:a,b}; those of paths always are")
	add(flagOf(&r.ExpectStatus, "200-399", "string", scenario.ParseStatuses), "expect-status", "",
		"status codes that count as success, such as 200,2xx,300-399")
	return append(names, "template")
}

// askingNames are the flags that say what is sent.
var askingNames = []string{"method", "path", "header", "body", "body-file", "template"}
