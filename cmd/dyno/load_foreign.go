package main

import (
	"errors"
	"fmt"
	"strings"

	"dyno/internal/conf"
)

// disagreed are short flags with different meanings in other tools, which dyno rejects for this
// reason.
var disagreed = map[byte]string{
	't': "-t is the number of threads in wrk and h2load, the timeout in bombardier, hey and oha, and the length of " +
		"the test in ab and fortio: use --threads, --timeout or --duration",
	'q': "-q is a rate per worker in hey and a rate in oha, but means quiet in bombardier and ab: use --rate or " +
		"--quiet",
	'k': "-k turns keep-alive on in ab, where here it is on unless --no-keepalive is given; in bombardier and plow " +
		"it accepts any certificate: use --insecure",
	's': "-s is a script in wrk, a streamed body in bombardier and the timeout in ab: use --scenario, --body or " +
		"--timeout",
	'p': "-p is the body's file in ab, pipelining in autocannon and what to print in bombardier: use --body-file, " +
		"--pipeline or --json",
	'a': "-a turns keep-alive off in bombardier, is a password in hey and oha, and a number of requests in " +
		"autocannon: use --no-keepalive, --user or --requests",
	'o': "-o is a format in bombardier and hey and a file in oha: use --json or --csv FILE",
	'T': "-T is the timeout in wrk, and the Content-Type in ab, hey and oha: use --timeout or -H 'Content-Type: …'",
	'i': "-i sends HEAD in ab, and is the body's file in autocannon: use -m HEAD or --body-file",
	'D': "-D is the length of the test in h2load, the body's file in hey and oha, and requests per connection in " +
		"autocannon: use --duration, --body-file or --no-keepalive",
	'w': "-w is the number of threads in autocannon, and what is done at the end in oha and ab: use --threads",
	'u': "-u is the body's file of a PUT in ab, a name and password in curl, and a list of URLs in others: use " +
		"-m PUT with --body-file, --user or --targets",
	'A': "-A is a name and password in ab, and the Accept header in hey and oha: use --user or -H 'Accept: …'",
}

// taken explains dyno flags that have another meaning in other tools. It is shown if the value
// cannot be read.
var taken = map[string]string{
	"duration": "-d is the length of the load, as in wrk and bombardier; for a body, as in hey and oha, use -b",
	"rate":     "-r is requests per second, as in bombardier; for connections per second, as in h2load, use --ramp-up",
	"method": "-m is the method, as in bombardier, hey and oha; for requests in flight at once, as in h2load, use " +
		"--streams or --pipeline",
}

// elsewhere maps other tools' long flags to dyno's.
var elsewhere = map[string]string{
	"rps": "--rate", "qps": "--rate", "query-per-second": "--rate", "concurrency": "--connections",
	"clients": "--connections", "amount": "--requests", "vus": "--connections", "iterations": "--requests",
	"threshold": "--slo", "thresholds": "--slo", "summary-export": "--json", "out": "--json or --csv",
	"no-connection-reuse": "--no-keepalive", "insecure-skip-tls-verify": "--insecure",
	"number": "--requests", "disableKeepAlives": "--no-keepalive", "pipelining": "--pipeline", "workers": "--threads",
	"script": "--scenario", "urls-from-file": "--targets", "input-file": "--targets",
	"no-tui": "--quiet", "no-print": "--quiet", "connect-to": "--resolve", "unix-socket": "--unix", "socket": "--unix",
	"socketPath": "--unix",
	"host":       "-H 'Host: …', or --resolve", "data": "--body", "output-format": "--json or --csv FILE",
	"format":   "--json",
	"print":    "--json",
	"redirect": "--follow", "max-redirects": "--follow", "location": "--follow",
	"cacert": "--ca", "cafile": "--ca", "root-certs": "--ca",
	"h2": "--http2", "h2c": "--http2", "http2-prior-knowledge": "--http2", "max-concurrent-streams": "--streams",
	"skip-verify": "--insecure", "connect-timeout": "--timeout",
}

// unspoken are other tools' flags for protocols that dyno load does not speak.
var unspoken = map[string]bool{"http3": true, "h3": true}

// loadFlagError explains a flag's error, and what was probably meant. names are the long flags.
func loadFlagError(err error, names []string) error {
	var unknown interface {
		GetSpecifiedName() string
		GetSpecifiedShortnames() string
	}
	var bad interface{ GetValue() string }
	switch {
	case errors.As(err, &bad):
		return badValue(err, bad.GetValue(), names)
	case !errors.As(err, &unknown) || strings.HasPrefix(err.Error(), "flag needs an argument"):
		return usagef("%w; see dyno load --help", err)
	}
	name, group := unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames()
	if group == "" {
		return unknownLong(name, names)
	}
	if long := oneDash(group, names); long != "" {
		return usagef("unknown flag -%s; did you mean --%s, with two dashes?", group, long)
	}
	if text := disagreed[name[0]]; text != "" {
		return usagef("-%c is not accepted, because it means different things in different tools: %s", name[0], text)
	}
	return usagef("unknown flag -%c (dyno load --help shows all)", name[0])
}

func unknownLong(name string, names []string) error {
	switch near := conf.Nearest(name, names); {
	case unspoken[name]:
		return usagef("unknown flag --%s: dyno speaks HTTP/1.1 and HTTP/2", name)
	case elsewhere[name] != "":
		return usagef("unknown flag --%s; in dyno use %s", name, elsewhere[name])
	case near != "":
		return usagef("unknown flag --%s; did you mean --%s? (dyno load --help shows all)", name, near)
	}
	return usagef("unknown flag --%s (dyno load --help shows all)", name)
}

// badValue adds the probably intended flag to an error about a value.
func badValue(err error, text string, names []string) error {
	if long := oneDash(text, names); long != "" && len(text) > 2 {
		return usagef("unknown flag -%s; did you mean --%s, with two dashes?", long, long)
	}
	name, value, why := badFlag(err)
	if note := taken[name]; note != "" {
		why += " (" + note + ")"
	}
	if name != "" {
		return usagef("--%s %s: %s", name, value, why)
	}
	return usage(err)
}

// oneDash returns the long flag that was typed with one dash; "" if there is none. rest is the
// whole flag, or all but its first letter, which pflag read as a short flag.
func oneDash(rest string, names []string) string {
	if len(rest) < 3 {
		return ""
	}
	for _, n := range names {
		if n == rest || len(n) == len(rest)+1 && strings.HasSuffix(n, rest) {
			return n
		}
	}
	return ""
}

// quoted returns a word quoted for a shell.
func quoted(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_=+:/.,@%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return fmt.Sprintf("'%s'", strings.ReplaceAll(s, "'", `'\''`))
}
