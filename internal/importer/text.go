package importer

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

// pattern takes figures from one line of a tool's output: each group of form is the figure of that name. A unit stands at the number, or
// is unit. The names connections and planned go to the row; "pct" is a percentile whose value the next group is.
type pattern struct {
	form  *regexp.Regexp
	names []string
	unit  string
}

func line(form, names, unit string) pattern {
	return pattern{regexp.MustCompile(form), strings.Fields(names), unit}
}

// outputs are the lines of each tool that hold figures.
var outputs = map[string][]pattern{
	"wrk": {
		line(`^Running (\S+) test @`, "planned", ""),
		line(`^\s+\d+ threads and (\d+) connections`, "connections", ""),
		line(`^\s+Latency\s+([0-9.]+\w+)\s+([0-9.]+\w+)\s+([0-9.]+\w+)\s+[0-9.]+%`, "latency_mean latency_stdev latency_max", ""),
		line(`^\s+Req/Sec\s+([0-9.]+\w*)\s+([0-9.]+\w*)\s+([0-9.]+\w*)\s+[0-9.]+%`, "rps_thread_mean rps_thread_stdev rps_thread_max", "req/s"),
		line(`^\s+([0-9.]+)%\s+([0-9.]+\w+)\s*$`, "pct p", ""),
		line(`^\s+(\d+) requests in ([0-9.]+\w+), ([0-9.]+\w+) read`, "requests time transferred", ""),
		line(`^\s+Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)`, "connect_errors read_errors write_errors timeouts", ""),
		line(`^\s+Non-2xx or 3xx responses: (\d+)`, "non2xx", ""),
		line(`^Requests/sec:\s+(\S+)`, "rps", "req/s"),
		line(`^Transfer/sec:\s+([0-9.]+\w+)`, "throughput", "/s"),
	},
	"ab": {
		line(`^Document Length:\s+(\d+) bytes`, "document_length", "bytes"),
		line(`^Concurrency Level:\s+(\d+)`, "connections", ""),
		line(`^Time taken for tests:\s+([0-9.]+) seconds`, "time", "s"),
		line(`^Complete requests:\s+(\d+)`, "requests", ""),
		line(`^Failed requests:\s+(\d+)`, "failed", ""),
		line(`^\s+\(Connect: (\d+), Receive: (\d+), Length: (\d+), Exceptions: (\d+)\)`, "connect_errors receive_errors length_errors exceptions", ""),
		line(`^Non-2xx responses:\s+(\d+)`, "non2xx", ""),
		line(`^Keep-Alive requests:\s+(\d+)`, "kept_alive", ""),
		line(`^Total transferred:\s+(\d+) bytes`, "total_transferred", "bytes"),
		line(`^HTML transferred:\s+(\d+) bytes`, "html_transferred", "bytes"),
		line(`^Requests per second:\s+([0-9.]+) `, "rps", "req/s"),
		line(`^Time per request:\s+([0-9.]+) \[ms\] \(mean\)`, "time_per_request", "ms"),
		line(`^Time per request:\s+([0-9.]+) \[ms\] \(mean, across`, "time_per_request_across", "ms"),
		line(`^Transfer rate:\s+([0-9.]+) \[Kbytes/sec\]`, "throughput", "KB/s"),
		line(`^Total:\s+(\d+)\s+(\d+)\s+([0-9.]+)\s+(\d+)\s+(\d+)`, "latency_min latency_mean latency_stdev p50 latency_max", "ms"),
		line(`^\s+(\d+)%\s+(\d+)`, "pct p", "ms"),
	},
	"bombardier": {
		line(`^Bombarding \S+ with (\d+) request\(s\) using (\d+) connection`, "requests connections", ""),
		line(`^Bombarding \S+ for (\S+) using (\d+) connection`, "planned connections", ""),
		line(`^\s+Reqs/sec\s+([0-9.]+)\s+([0-9.]+)\s+([0-9.]+)`, "rps_mean rps_stdev rps_max", "req/s"),
		line(`^\s+Latency\s+([0-9.]+[a-zµ]+)\s+([0-9.]+[a-zµ]+)\s+([0-9.]+[a-zµ]+)`, "latency_mean latency_stdev latency_max", ""),
		line(`^\s+([0-9.]+)%\s+([0-9.]+[a-zµ]+)`, "pct p", ""),
		line(`1xx - (\d+), 2xx - (\d+), 3xx - (\d+), 4xx - (\d+), 5xx - (\d+)`, "http1xx http2xx http3xx http4xx http5xx", ""),
		line(`^\s+others - (\d+)`, "others", ""),
		line(`^\s+Throughput:\s+([0-9.]+\w+/s)`, "throughput_rw", ""),
		line(`(?:^|/s|100\.00%|\])\s+([0-9][0-9hm.]*s)(?:\s*Done!)?\s*$`, "time", ""),
	},
	"oha": append(summary, line(`^\s+Success rate:\s+([0-9.]+)%`, "success", "%")),
	"hey": summary,
	"h2load": {
		line(`^spawning thread #\d+: (\d+) total client`, "connections", ""),
		line(`^finished in ([0-9.]+\w+), ([0-9.]+ req/s), ([0-9.]+\w+/s)`, "time rps throughput", ""),
		line(`^requests: \d+ total, \d+ started, (\d+) done, \d+ succeeded, (\d+) failed, (\d+) errored, (\d+) timeout`, "requests failed errored timeouts", ""),
		line(`^status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx`, "http2xx http3xx http4xx http5xx", ""),
		line(`^traffic: \S+ \((\d+)\) total`, "transferred", "bytes"),
		line(`^time for request:\s+([0-9.]+\w+)\s+([0-9.]+\w+)\s+([0-9.]+\w+)\s+([0-9.]+\w+)`, "latency_min latency_max latency_mean latency_stdev", ""),
		// since 1.69
		line(`^request\s*:`+strings.Repeat(`\s+([0-9.]+\w+)`, 7), "latency_min latency_max p50 p95 p99 latency_mean latency_stdev", ""),
	},
}

// summary is what oha and hey print alike. Their bytes are those of bodies, without headers.
var summary = []pattern{
	line(`^\s+Total:\s+([0-9.]+ \w+)`, "time", ""),
	line(`^\s+Slowest:\s+([0-9.]+ \w+)`, "latency_max", ""),
	line(`^\s+Fastest:\s+([0-9.]+ \w+)`, "latency_min", ""),
	line(`^\s+Average:\s+([0-9.]+ \w+)`, "latency_mean", ""),
	line(`^\s+Requests/sec:\s+([0-9.]+)`, "rps", "req/s"),
	line(`^\s+Total data:\s+([0-9.]+ \w+)`, "body_transferred", ""),
	line(`^\s+Size/sec:\s+([0-9.]+ \w+)`, "body_throughput", "/s"),
	line(`^\s+([0-9.]+)%%? in ([0-9.]+ \w+)`, "pct p", ""),
	line(`^\s+\[([0-9]{3})\]\s+(\d+) responses`, "status responses", ""),
}

// headings begin an output.
var headings = []struct{ prefix, tool string }{
	{"Running ", "wrk"}, {"This is ApacheBench", "ab"}, {"Bombarding ", "bombardier"}, {"starting benchmark...", "h2load"}, {"Summary:", "hey"},
}

// heading says whether a line begins a tool's output, and whose.
func heading(line string) (tool string, ok bool) {
	for _, h := range headings {
		if strings.HasPrefix(line, h.prefix) && (h.tool != "wrk" || strings.Contains(line, " test @ ")) {
			return h.tool, true
		}
	}
	return "", false
}

// text reads outputs that are lines, one after the other. A line such as "$ hey -c 50 …" before one tells what the output does not.
func (r *reader) text() {
	var row *Row
	command, number, pending := "", 0, false
	for raw := range bytes.Lines(r.data) {
		number++
		text := strings.TrimRight(string(raw), "\r\n")
		before := strings.LastIndex(text, "\r") + 1 // a progress bar drawn over itself
		text = text[before:]
		if line, ok := strings.CutPrefix(strings.TrimSpace(text), "$ "); ok {
			command, pending = line, true
			continue
		}
		tool, begins := heading(text)
		if forced := r.doc.Format; forced != "text" {
			begins = begins && (tool == forced || tool == "hey" && forced == "oha") || row == nil && strings.TrimSpace(text) != ""
			tool = forced
		}
		if begins {
			row = r.newRow(tool)
			for _, word := range strings.Fields(text) {
				if strings.HasPrefix(word, "http") {
					row.Contestant = word
				}
			}
			if pending {
				row.Load, pending = command, false
			}
		}
		if row != nil {
			r.outputLine(row, text, number, before)
		}
	}
	r.finish()
}

// outputLine takes what a line of row's output holds; before is how many bytes of the line stand in front of text.
func (r *reader) outputLine(row *Row, text string, number, before int) {
	if row.Tool == "hey" && strings.Contains(text, "Success rate:") {
		row.Tool = "oha"
	}
	if name, ok := strings.CutPrefix(text, "Server Hostname:"); ok && row.Tool == "ab" {
		row.Contestant = strings.TrimSpace(name)
	}
	for _, p := range outputs[row.Tool] {
		at := p.form.FindStringSubmatchIndex(text)
		if at == nil {
			continue
		}
		group := func(i int) (string, int) { return text[at[2*i+2]:at[2*i+3]], before + at[2*i+2] + 1 }
		for i := 0; i < len(p.names); i++ {
			value, column := group(i)
			name := p.names[i]
			switch name {
			case "connections":
				n, err := strconv.Atoi(value)
				if err != nil || n < 1 {
					r.trouble(number, column, "connections: %q is no number of connections", value)
					continue
				}
				row.Connections = n
			case "planned":
				row.Planned = length(value, 0)
			case "pct", "status":
				i++
				v, c := group(i)
				if name == "status" {
					name = "http" + value[:1] + "xx"
				} else {
					name = "p" + strings.TrimSuffix(strings.TrimRight(value, "0"), ".")
					if !strings.Contains(value, ".") {
						name = "p" + value
					}
				}
				r.add(row, name, v, p.unit, number, c)
			default:
				r.add(row, name, value, p.unit, number, column)
			}
		}
		return
	}
}

// finish leaves out rows without figures and works out what the rest say of their load.
func (r *reader) finish() {
	kept := r.doc.Rows[:0]
	for _, row := range r.doc.Rows {
		if len(row.Figures) == 0 {
			continue
		}
		row.describe()
		row.answers()
		kept = append(kept, row)
	}
	r.doc.Rows = kept
}

// answers adds up responses by class where the tool tells them apart: those of no use, and all if nothing else says how many.
func (row *Row) answers() {
	bad, all, seen := 0.0, 0.0, false
	var at *Figure
	for _, class := range []string{"http1xx", "http2xx", "http3xx", "http4xx", "http5xx", "others"} {
		for _, f := range row.All(None, class) {
			at, seen = f, true
			all += f.Value
			if class != "http2xx" && class != "http3xx" {
				bad += f.Value
			}
		}
	}
	if !seen {
		return
	}
	derive := func(metric string, v float64) {
		if row.One(None, metric) == nil {
			row.Figures = append(row.Figures, &Figure{Place: at.Place, Row: row, Metric: metric, Text: strconv.FormatFloat(v, 'f', -1, 64), Value: v, Lo: v, Hi: v, Derived: true})
		}
	}
	derive("non2xx", bad)
	derive("requests", all)
}
