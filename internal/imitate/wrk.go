package imitate

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"text/template"
	"time"

	"dyno/internal/document"
	"dyno/internal/load"
)

// wrk is wrk 4: github.com/wg/wrk.
var wrk = &Tool{
	Name: "wrk",
	Examples: []string{"-t2 -c100 -d30s http://127.0.0.1:8080/", "-t1 -c10 -d2m --latency http://127.0.0.1:8080/",
		"-c50 -d10s --timeout 5s -H 'Accept: text/html' http://127.0.0.1:8080/"},
	Version: "v",
	defaults: func(o *Order) {
		o.Connections, o.Threads, o.Duration, o.Timeout = 10, 2, 10*time.Second, 2*time.Second
	},
	flags: []flag{
		{"c", "connections", "N", "connections (default 10)", func(o *Order, s string) (err error) {
			o.Connections, err = wrkNumber(s)
			return err
		}},
		{"d", "duration", "TIME", "length of the load: 30, 30s, 2m, 1h (default 10s)", func(o *Order, s string) (err error) {
			o.Duration, err = wrkTime(s)
			return err
		}},
		{"t", "threads", "N", "event loops (default 2)", func(o *Order, s string) (err error) {
			o.Threads, err = wrkNumber(s)
			return err
		}},
		{"s", "script", "FILE", "not supported: dyno runs no Lua", without(
			"dyno runs no Lua; dyno load has flags for methods, bodies and random parts of requests")},
		{"H", "header", "HEADER", "a header, \"Name: value\"; may be repeated",
			text(func(o *Order, s string) { o.Headers = append(o.Headers, s) })},
		{"L", "latency", "", "print percentiles of the latency", on(func(o *Order) { o.latency = true })},
		{"T", "timeout", "TIME", "give up a request after this time (default 2s)", func(o *Order, s string) (err error) {
			o.Timeout, err = wrkTime(s)
			return err
		}},
	},
	complete: func(o *Order) error {
		switch {
		case !strings.Contains(o.URL, "://"):
			return o.usagef("%s: want a URL with its scheme, such as http://127.0.0.1:8080/", o.URL)
		case o.Connections < o.Threads:
			return o.usagef("-c %d -t %d: want at least one connection for each thread", o.Connections, o.Threads)
		}
		return nil
	},
	intro: func(o *Order) string {
		length := units{60, []string{"s", "m"}}.format(o.Duration.Seconds(), 0)
		return fmt.Sprintf("Running %s test @ %s\n  %d threads and %d connections\n", length, o.URL, o.Threads,
			o.Connections)
	},
	progress: func(*Order, moment) (string, string) { return "", "" },
	print:    printer(wrkText, wrkFuncs, wrkFigures),
	notes: []note{
		always("Latency is as measured; wrk adds computed values to it after the load"),
		func(f *figures) string {
			n := f.Load.Errored()
			if n == 0 {
				return ""
			}
			return fmt.Sprintf("Latency holds %s at what they had waited; wrk leaves them out",
				document.Count(n, "request")+" without a response")
		},
		func(f *figures) string {
			if f.Errors(load.Timeout) == 0 {
				return ""
			}
			return "dyno gives up a request after --timeout and connects anew; wrk goes on waiting, and counts a " +
				"response that comes later as a timeout"
		},
		func(f *figures) string {
			if f.Connections%f.Threads == 0 {
				return ""
			}
			return fmt.Sprintf("all %d connections are used; wrk would use %d, as many for each thread", f.Connections,
				f.Connections-f.Connections%f.Threads)
		},
	},
}

// wrkOutput is what wrk prints after the load. Latencies are in µs.
type wrkOutput struct {
	Latency, Rate                 stats
	Percentiles                   []percentile
	Requests                      int64
	Time, Size                    string
	Connect, Read, Write, Timeout int64 // errors
	Wrong                         int64
	PerSec                        float64
	SizePerSec                    string
}

const wrkText = `  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   {{with .Latency}}{{time 8 .Mean}}{{time 10 .SD}}{{time 9 .Max}}{{template "within" .}}{{end}}
    Req/Sec   {{with .Rate}}{{rate 8 .Mean}}{{rate 10 .SD}}{{rate 9 .Max}}{{template "within" .}}{{end}}
{{- if .Percentiles}}
  Latency Distribution
{{- range .Percentiles}}
{{printf "%7.0f%%" .Percent}}{{time 10 .Value}}
{{- end}}
{{- end}}
  {{.Requests}} requests in {{.Time}}, {{.Size}}B read
{{- if or .Connect .Read .Write .Timeout}}
  Socket errors: connect {{.Connect}}, read {{.Read}}, write {{.Write}}, timeout {{.Timeout}}
{{- end}}
{{- if .Wrong}}
  Non-2xx or 3xx responses: {{.Wrong}}
{{- end}}
Requests/sec: {{printf "%9.2f" .PerSec}}
Transfer/sec: {{printf "%10s" .SizePerSec}}B
{{define "within"}}{{if .Count}}{{printf "%8.2f%%" .Within}}{{else}}    -nan%{{end}}{{end}}`

var wrkFuncs = template.FuncMap{"time": wrkColumn(microseconds), "rate": wrkColumn(wrkRate)}

func wrkFigures(f *figures) wrkOutput {
	latency := f.service()
	bytes := units{1024, []string{"", "K", "M", "G", "T"}}
	out := wrkOutput{
		Latency: latency.stats(1e3), Rate: describe(f.rates(f.loops(), 5, false)),
		Requests: f.Answered(), Time: microseconds(f.Seconds * 1e6), Size: bytes.format(float64(f.Load.BytesRead), 2),
		Connect: f.Errors(load.Dial, load.Handshake), Read: f.Errors(load.Reset, load.Closed, load.Parse),
		Write: f.Errors(load.Write), Timeout: f.Errors(load.Timeout), Wrong: f.Load.Failed,
		PerSec: f.PerSec(), SizePerSec: bytes.format(f.over(f.Load.BytesRead), 2),
	}
	if f.latency {
		out.Percentiles = latency.quantiles(1e3, 50, 75, 90, 99)
	}
	return out
}

// wrkRate writes a rate: "12.27k".
func wrkRate(v float64) string { return units{1000, []string{"", "k", "M", "G", "T"}}.format(v, 2) }

// wrkColumn returns a function that writes a value into a column, so that numbers with units of no,
// one and two letters end alike.
func wrkColumn(format func(float64) string) func(width int, v float64) string {
	return func(width int, v float64) string {
		text := format(v)
		letters := len(text) - len(strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
		behind := 2 - min(letters, 2)
		return fmt.Sprintf("%*s%*s", width-behind, text, behind, "")
	}
}

// wrkNumber reads a whole number with an optional unit: 100, 1k, 1M.
func wrkNumber(s string) (int64, error) {
	n, err := wrkScaled(s, "kMGTP", 1000)
	if err != nil || n == 0 || n > 1_000_000 {
		return 0, errors.New("want a whole number from 1 to 1000000, such as 100 or 1k")
	}
	return n, nil
}

// wrkTime reads whole seconds, minutes or hours: 30, 30s, 2m, 1h.
func wrkTime(s string) (time.Duration, error) {
	number, seconds := strings.CutSuffix(strings.ToLower(s), "s")
	names := "mh"
	if seconds {
		names = ""
	}
	n, err := wrkScaled(number, names, 60)
	if err != nil || n == 0 || n > 1000*3600 {
		return 0, errors.New("want whole seconds, minutes or hours, such as 30, 30s, 2m or 1h")
	}
	return time.Duration(n) * time.Second, nil
}

// wrkScaled reads a whole number and a unit: each is worth scale of the one before. Upper and lower
// case are the same.
func wrkScaled(s, names string, scale float64) (int64, error) {
	factor := 1.
	if i := len(s) - 1; i > 0 {
		if at := strings.Index(strings.ToLower(names), strings.ToLower(s[i:])); at >= 0 {
			factor, s = math.Pow(scale, float64(at+1)), s[:i]
		}
	}
	n, err := strconv.ParseUint(s, 10, 40)
	if float64(n)*factor > 1<<53 {
		return 0, strconv.ErrRange
	}
	return int64(n) * int64(factor), err
}
