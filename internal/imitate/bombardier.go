package imitate

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"text/template"
	"time"

	"dyno/internal/load"
)

// bombardier is bombardier 1.2: github.com/codesenberg/bombardier.
var bombardier = &Tool{
	Name:     "bombardier",
	verifies: true, encrypted: true,
	Examples: []string{"-c 125 -n 100000 -l http://127.0.0.1:8080/", "-c 10 -d 30s -r 500 127.0.0.1:8080",
		"-m POST -f body.json -p r -o json http://127.0.0.1:8080/ >out.json"},
	defaults: func(o *Order) {
		o.Connections, o.Timeout, o.Method = 125, 2*time.Second, http.MethodGet
		o.printed, o.client = "ipr", "fasthttp"
	},
	flags:    bombardierFlags,
	complete: bombardierComplete,
	intro: func(o *Order) string {
		switch {
		case !o.prints("i"):
			return ""
		case o.Requests > 0:
			return fmt.Sprintf("Bombarding %s with %d request(s) using %d connection(s)\n", o.URL, o.Requests, o.asked)
		}
		return fmt.Sprintf("Bombarding %s for %s using %d connection(s)\n", o.URL, goTime(o.Duration), o.asked)
	},
	progress: bombardierProgress,
	print: func(w io.Writer, f *figures) error {
		switch {
		case !f.prints("r"):
			return nil
		case f.json:
			return bombardierJSON(w, f)
		}
		return bombardierFill(w, f)
	},
	notes: []note{
		always("Stdev of the latency is of all requests; bombardier's is of the different latencies"),
		func(f *figures) string {
			if !f.Open {
				return ""
			}
			return "Latency counts from when the rate made a request due; bombardier's from when it sent it"
		},
		func(f *figures) string {
			if !f.Open {
				return ""
			}
			return "Reqs/sec is of samples of 20 ms; bombardier's are longer at a low rate, and its last one shorter"
		},
		func(f *figures) string {
			if f.Errors(load.Closed, load.Reset) == 0 {
				return ""
			}
			return "a request whose connection was closed is an error; bombardier's default client sends it again"
		},
		func(f *figures) string {
			if f.Load.Errored() == 0 {
				return ""
			}
			return "Reqs/sec counts responses; bombardier counts requests without a response, too"
		},
		func(f *figures) string {
			if !f.dropped {
				return ""
			}
			return "as bombardier's default client, a GET carries no body; --http1 sends it"
		},
	},
}

// bombardierFlags are the options of bombardier, in the order of its help.
var bombardierFlags = []flag{
	{"c", "connections", "N", "connections (default 125)", func(o *Order, s string) (err error) {
		o.Connections, err = bombardierNumber(s, 1_000_000)
		return err
	}},
	{"t", "timeout", "TIME", "give up a request after this time (default 2s)", func(o *Order, s string) (err error) {
		o.Timeout, err = bombardierTime(s, 1)
		return err
	}},
	{"l", "latencies", "", "print percentiles of the latency", on(func(o *Order) { o.latency = true })},
	{"m", "method", "METHOD", "method (default GET)", text(func(o *Order, s string) { o.Method = s })},
	{"b", "body", "TEXT", "body", text(func(o *Order, s string) { o.body = s })},
	{"f", "body-file", "FILE", "file with the body", text(func(o *Order, s string) { o.BodyFile = s })},
	{"s", "stream", "", "send the body in chunks", on(func(o *Order) { o.stream = true })},
	{"", "cert", "FILE", "certificate of the client", text(func(o *Order, s string) { o.secure.Cert = s })},
	{"", "key", "FILE", "its key", text(func(o *Order, s string) { o.secure.Key = s })},
	{"k", "insecure", "", "accept any certificate", on(func(o *Order) { o.secure.Insecure = true })},
	{"a", "disableKeepAlives", "", "open a connection for each request",
		on(func(o *Order) { o.NoKeepalive = true })},
	{"H", "header", "HEADER", "a header, \"Name: value\"; may be repeated", func(o *Order, s string) error {
		name, value, ok := strings.Cut(s, ":")
		if !ok {
			return errors.New("want \"Name: value\"")
		}
		o.headers = append(o.headers, bombardierHeader{name, strings.Trim(value, " ")})
		o.Headers = append(o.Headers, name+": "+strings.Trim(value, " "))
		return nil
	}},
	{"n", "requests", "N", "requests", func(o *Order, s string) (err error) {
		o.Requests, err = bombardierNumber(s, 1<<53)
		return err
	}},
	{"d", "duration", "TIME", "length of the load, unless -n is given (default 10s)",
		func(o *Order, s string) (err error) {
			o.Duration, err = bombardierTime(s, time.Second)
			return err
		}},
	{"r", "rate", "N", "requests per second", func(o *Order, s string) error {
		n, err := bombardierNumber(s, 1_000_000_000)
		o.Rate = float64(n)
		return err
	}},
	{"", "fasthttp", "", "headers as of bombardier's default client",
		on(func(o *Order) { o.client = "fasthttp" })},
	{"", "http1", "", "headers as of Go's client", on(func(o *Order) { o.client = "net/http.v1" })},
	{"", "http2", "", "HTTP/2 over TLS, of an https:// URL; of others as --http1",
		on(func(o *Order) { o.client = "net/http.v2" })},
	{"p", "print", "PARTS", "what to print: intro, progress and result, or i, p and r, with commas between",
		func(o *Order, s string) error {
			o.printed = ""
			for part := range strings.SplitSeq(s, ",") {
				letter, ok := map[string]string{"i": "i", "intro": "i", "p": "p", "progress": "p", "r": "r",
					"result": "r"}[part]
				if !ok {
					return fmt.Errorf("%q is none of intro, progress and result", part)
				}
				o.printed += letter
			}
			return nil
		}},
	{"q", "no-print", "", "print nothing", on(func(o *Order) { o.silent = true })},
	{"o", "format", "FORMAT", "plain-text or json, or pt or j", func(o *Order, s string) error {
		switch {
		case strings.HasPrefix(s, "path:"):
			return errors.New("not supported: templates of bombardier; -o json prints its figures")
		case s != "pt" && s != "plain-text" && s != "j" && s != "json":
			return errors.New("want plain-text or json, or pt or j")
		}
		o.json = s[0] == 'j'
		return nil
	}},
}

// bombardierNumber reads a whole number.
func bombardierNumber(s string, most uint64) (int64, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("want a whole number from 1 to %d", most)
	}
	return int64(n), nil
}

// bombardierTime reads a duration with its unit.
func bombardierTime(s string, least time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < least || d > 1000*time.Hour {
		return 0, fmt.Errorf("want a time with a unit, such as 10s or 1m30s, and at least %s", goTime(least))
	}
	return d, nil
}

// goTime writes a duration as Go does: "1m30s".
func goTime(d time.Duration) string { return d.String() }

// prints reports whether a part is to be printed.
func (o *Order) prints(part string) bool { return !o.silent && strings.Contains(o.printed, part) }

func bombardierComplete(o *Order) error {
	if !strings.Contains(o.URL, "://") {
		o.URL = "http://" + o.URL
	}
	o.asked = o.Connections
	switch {
	case o.body != "" && o.BodyFile != "":
		return o.usagef("--body and --body-file both define the body; omit one")
	case o.Method == http.MethodHead && o.body+o.BodyFile != "":
		return o.usagef("a HEAD request has no body; omit it or -m HEAD")
	case o.Requests > 0:
		o.Duration, o.Connections = 0, min(o.Connections, o.Requests) // the others would have nothing to do
	case o.Duration == 0:
		o.Duration = 10 * time.Second
	}
	if o.client == "net/http.v2" && strings.HasPrefix(strings.ToLower(o.URL), "https://") {
		if o.HTTP2 = true; !o.NoKeepalive { // Go's client has one connection, with a stream for each request
			o.Connections, o.Streams = 1, o.Connections
		}
		o.sends("User-Agent: Go-http-client/2.0", "Accept-Encoding: gzip")
	} else if o.client != "fasthttp" {
		o.sends("User-Agent: Go-http-client/1.1", "Accept-Encoding: gzip")
	} else {
		if o.Method == http.MethodGet && o.body+o.BodyFile != "" {
			o.body, o.BodyFile, o.dropped = "", "", true
		}
		o.sends("User-Agent: fasthttp")
		if o.body+o.BodyFile != "" {
			o.sends("Content-Type: application/octet-stream")
		}
	}
	if o.body != "" {
		o.Body = &o.body
	}
	if o.stream && o.body+o.BodyFile != "" {
		o.sends("Transfer-Encoding: chunked")
	}
	return nil
}

// bombardierProgress draws the bar on a terminal, once a second and at the end; elsewhere at the end.
func bombardierProgress(o *Order, m moment) (stdout, stderr string) {
	if !o.prints("p") || !m.over && m.columns == 0 {
		return "", ""
	}
	share, left := m.elapsed.Seconds()/max(o.Duration.Seconds(), 1e-9), o.Duration-m.elapsed
	if o.Requests > 0 {
		share = float64(m.done) / float64(o.Requests)
		left = time.Duration(float64(m.elapsed) * (1 - share) / max(share, 1e-9))
	}
	if m.over {
		share, left = 1, max(m.elapsed, o.Duration) // which is what it took
	}
	before, behind := "", " "+max(left, 0).Truncate(time.Second).String()
	if o.Requests > 0 {
		before = fmt.Sprintf(" %d / %d", m.done, o.Requests)
		behind = fmt.Sprintf(" %6.2f%% %.0f/s%s", 100*share, float64(m.done)/max(m.elapsed.Seconds(), 1e-9), behind)
	}
	bar := ""
	if n := min(m.columns, 100) - len(before) - len(behind) - 4; n > 0 {
		full := int(min(share, 1) * float64(n))
		bar = " [" + strings.Repeat("=", full) + strings.Repeat("-", n-full) + "]"
	}
	line := before + bar + behind
	if m.columns > 0 {
		line = "\r" + line
	}
	if m.over {
		line += "\nDone!\n"
	}
	return line, ""
}

// bombardierOutput is what bombardier prints after the load. Latencies are in µs.
type bombardierOutput struct {
	Rate, Latency stats
	Percentiles   []percentile // of the latency, if asked for
	Classes       [5]int64
	Others        int64
	Errors        []bombardierError
	PerSec        string // bytes
}

// bombardierError is a kind of requests without a response.
type bombardierError struct {
	Description string `json:"description"`
	Count       int64  `json:"count"`
}

const bombardierText = `Statistics        Avg      Stdev        Max
{{with .Rate}}{{if .Count}}{{printf "  Reqs/sec   %10.2f %10.2f %10.2f" .Mean .SD .Max}}
{{- else}}  There wasn't enough data to compute statistics for requests.{{end}}{{end}}
{{with .Latency}}{{if .Count}}  Latency    {{time .Mean}} {{time .SD}} {{time .Max}}
{{- else}}  There wasn't enough data to compute statistics for latencies.{{end}}{{end}}
{{- if .Percentiles}}
  Latency Distribution
{{- range .Percentiles}}
{{printf "     %2.0f%% " .Percent}}{{time .Value}}
{{- end}}
{{- end}}
  HTTP codes:
    1xx - {{index .Classes 0}}, 2xx - {{index .Classes 1}}, 3xx - {{index .Classes 2}}, 4xx - {{index .Classes 3}}, ` +
	`5xx - {{index .Classes 4}}
    others - {{.Others}}
{{- if .Errors}}
  Errors:
{{- range .Errors}}
    {{printf "%10s" .Description}} - {{.Count}}
{{- end}}
{{- end}}
  Throughput: {{printf "%10s" .PerSec}}/s
`

var bombardierFuncs = template.FuncMap{
	"time": func(us float64) string { return fmt.Sprintf("%10s", bombardierMicroseconds(us)) },
}

var bombardierFill = printer(bombardierText, bombardierFuncs, bombardierFigures)

// bombardierMicroseconds writes a time in µs.
func bombardierMicroseconds(v float64) string {
	if v >= 1e6 {
		return units{60, []string{"s", "m", "h"}}.format(v/1e6, 2)
	}
	return units{1000, []string{"us", "ms", "s"}}.format(v, 2)
}

func bombardierFigures(f *figures) bombardierOutput {
	latency := f.response()
	o := bombardierOutput{Rate: describe(f.bombardierRates()), Latency: latency.stats(1e3), Others: f.Load.Errored()}
	answered := int64(0)
	for i := range o.Classes {
		o.Classes[i] = f.Class(i + 1)
		answered += o.Classes[i]
	}
	o.Others += f.Answered() - answered
	for kind, n := range f.Load.Errors {
		o.Errors = append(o.Errors, bombardierError{f.why(kind), n})
	}
	bombardierSort(o.Errors)
	o.PerSec = units{1024, []string{"", "KB", "MB", "GB", "TB", "PB"}}.format(
		f.over(f.Load.BytesRead+f.Load.BytesWritten), 2)
	if f.latency {
		o.Percentiles = latency.quantiles(1e3, bombardierPercents...)
	}
	return o
}

var bombardierPercents = []float64{50, 75, 90, 95, 99}
