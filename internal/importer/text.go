package importer

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/lazy"
)

// pattern reads figures from one line of a tool's output: each group of form is the figure of that
// name. Its unit follows the number, or else is unit. The names connections and planned go to the
// row; the group "pct" is a percentile, "status" a code, and the next group is its value.
type pattern struct {
	form  func() *regexp.Regexp
	names []string
	unit  string
}

// groups are the numbers that a form names: whole, with decimals, with a unit, and with a unit
// after a blank.
var groups = strings.NewReplacer("<int>", `(\d+)`, "<num>", `([0-9.]+)`, "<val>", `([0-9.]+[\wµ]+)`,
	"<words>", `([0-9.]+ \w+)`)

// line returns a pattern; names are separated by spaces, one for each group.
func line(form, names, unit string) pattern {
	return pattern{lazy.Regexp(groups.Replace(form)), strings.Fields(names), unit}
}

// outputs are the lines of each tool that hold figures.
var outputs = map[string][]pattern{
	"wrk": {
		line(`^Running (\S+) test @`, "planned", ""),
		line(`^\s+\d+ threads and <int> connections`, "connections", ""),
		line(`^\s+Latency\s+<val>\s+<val>\s+<val>\s+[0-9.]+%`, "latency_mean latency_stdev latency_max", ""),
		line(`^\s+Req/Sec\s+([0-9.]+\w*)\s+([0-9.]+\w*)\s+([0-9.]+\w*)\s+[0-9.]+%`,
			"rps_thread_mean rps_thread_stdev rps_thread_max", "req/s"),
		line(`^\s+<num>%\s+<val>\s*$`, "pct p", ""),
		line(`^\s+<int> requests in <val>, <val> read`, "requests time transferred", ""),
		line(`^\s+Socket errors: connect <int>, read <int>, write <int>, timeout <int>`,
			"connect_errors read_errors write_errors timeouts", ""),
		line(`^\s+Non-2xx or 3xx responses: <int>`, "non2xx", ""),
		line(`^Requests/sec:\s+(\S+)`, "rps", "req/s"),
		line(`^Transfer/sec:\s+<val>`, "throughput", "/s"),
	},
	"ab": {
		line(`^Document Length:\s+<int> bytes`, "document_length", "bytes"),
		line(`^Concurrency Level:\s+<int>`, "connections", ""),
		line(`^Time taken for tests:\s+<num> seconds`, "time", "s"),
		line(`^Complete requests:\s+<int>`, "requests", ""),
		line(`^Failed requests:\s+<int>`, "failed", ""),
		line(`^\s+\(Connect: <int>, Receive: <int>, Length: <int>, Exceptions: <int>\)`,
			"connect_errors receive_errors length_errors exceptions", ""),
		line(`^Non-2xx responses:\s+<int>`, "non2xx", ""),
		line(`^Keep-Alive requests:\s+<int>`, "kept_alive", ""),
		line(`^Total transferred:\s+<int> bytes`, "total_transferred", "bytes"),
		line(`^HTML transferred:\s+<int> bytes`, "html_transferred", "bytes"),
		line(`^Requests per second:\s+<num> `, "rps", "req/s"),
		line(`^Time per request:\s+<num> \[ms\] \(mean\)`, "time_per_request", "ms"),
		line(`^Time per request:\s+<num> \[ms\] \(mean, across`, "time_per_request_across", "ms"),
		line(`^Transfer rate:\s+<num> \[Kbytes/sec\]`, "throughput", "KB/s"),
		line(`^Connect:\s+<int>\s+<int>\s+<num>\s+<int>\s+<int>`,
			"connect_min connect_mean connect_stdev connect_median connect_max", "ms"),
		line(`^Processing:\s+<int>\s+<int>\s+<num>\s+<int>\s+<int>`,
			"processing_min processing_mean processing_stdev processing_median processing_max", "ms"),
		line(`^Waiting:\s+<int>\s+<int>\s+<num>\s+<int>\s+<int>`,
			"waiting_min waiting_mean waiting_stdev waiting_median waiting_max", "ms"),
		line(`^Total:\s+<int>\s+<int>\s+<num>\s+<int>\s+<int>`,
			"latency_min latency_mean latency_stdev p50 latency_max", "ms"),
		line(`^\s+<int>%\s+<int>`, "pct p", "ms"),
	},
	"bombardier": {
		line(`^Bombarding \S+ with <int> request\(s\) using <int> connection`, "requests connections", ""),
		line(`^Bombarding \S+ for (\S+) using <int> connection`, "planned connections", ""),
		line(`^\s+Reqs/sec\s+<num>\s+<num>\s+<num>`, "rps_mean rps_stdev rps_max", "req/s"),
		line(`^\s+Latency\s+<val>\s+<val>\s+<val>`, "latency_mean latency_stdev latency_max", ""),
		line(`^\s+<num>%\s+<val>`, "pct p", ""),
		line(`1xx - <int>, 2xx - <int>, 3xx - <int>, 4xx - <int>, 5xx - <int>`,
			"http1xx http2xx http3xx http4xx http5xx", ""),
		line(`^\s+others - <int>`, "others", ""),
		line(`^\s+Throughput:\s+([0-9.]+\w+/s)`, "throughput_rw", ""),
		line(`(?:^|/s|100\.00%|\])\s+([0-9][0-9hm.]*s)(?:\s*Done!)?\s*$`, "time", ""),
	},
	"oha":  append(summary, line(`^\s+Success rate:\s+<num>%`, "success", "%")),
	"hey":  summary,
	"dyno": dynoLines,
	"k6":   k6Lines,
	"h2load": {
		line(`^spawning thread #\d+: <int> total client`, "connections", ""),
		line(`^finished in <val>, ([0-9.]+ req/s), ([0-9.]+\w+/s)`, "time rps throughput", ""),
		line(`^requests: \d+ total, \d+ started, <int> done, \d+ succeeded, <int> failed, <int> errored, <int> timeout`,
			"requests failed errored timeouts", ""),
		line(`^status codes: <int> 2xx, <int> 3xx, <int> 4xx, <int> 5xx`, "http2xx http3xx http4xx http5xx", ""),
		line(`^traffic: \S+ \(<int>\) total`, "transferred", "bytes"),
		line(`^time for request:\s+<val>\s+<val>\s+<val>\s+<val>`,
			"latency_min latency_max latency_mean latency_stdev", ""),
		// since 1.69
		line(`^request\s*:`+strings.Repeat(`\s+<val>`, 7),
			"latency_min latency_max p50 p95 p99 latency_mean latency_stdev", ""),
	},
}

// summary has the lines that oha and hey have in common. Their bytes are those of bodies, without
// headers.
var summary = []pattern{
	line(`^\s+Total:\s+<words>`, "time", ""),
	line(`^\s+Slowest:\s+<words>`, "latency_max", ""),
	line(`^\s+Fastest:\s+<words>`, "latency_min", ""),
	line(`^\s+Average:\s+<words>`, "latency_mean", ""),
	line(`^\s+Requests/sec:\s+<num>`, "rps", "req/s"),
	line(`^\s+Total data:\s+<words>`, "body_transferred", ""),
	line(`^\s+Size/sec:\s+<words>`, "body_throughput", "/s"),
	line(`^\s+<num>%%? in <words>`, "pct p", ""),
	line(`^\s+\[([0-9]{3})\]\s+<int> responses`, "status responses", ""),
}

// headings are the beginnings of the lines that start an output.
var headings = []struct{ prefix, tool string }{
	{"Running ", "wrk"}, {"This is ApacheBench", "ab"}, {"Bombarding ", "bombardier"}, {"starting benchmark...",
		"h2load"}, {"Summary:", "hey"},
}

// heading reports whether a line begins a tool's output, and which tool's.
func heading(line string) (tool string, ok bool) {
	for _, h := range headings {
		if strings.HasPrefix(line, h.prefix) && (h.tool != "wrk" || strings.Contains(line, " test @ ")) {
			return h.tool, true
		}
	}
	if dynoHead().MatchString(line) {
		return "dyno", true
	}
	if k6Line().MatchString(line) {
		return "k6", true
	}
	return "", false
}

// text reads outputs that are lines, one after the other. A line such as "$ hey -c 50 …" before an
// output gives the command, which supplements the output.
func (r *reader) text() {
	var row *Row
	command, number, forced, seen := "", 0, r.doc.Format, map[string]bool{}
	for raw := range bytes.Lines(r.data) {
		number++
		text := strings.TrimRight(string(raw), "\r\n")
		before := strings.LastIndex(text, "\r") + 1 // a progress bar drawn over itself
		text = text[before:]
		if line, ok := strings.CutPrefix(strings.TrimSpace(text), "$ "); ok {
			command = line
			continue
		}
		tool, begins := heading(text)
		// A forced format begins at the first line that is not blank, whatever that says.
		if forced != "text" {
			begins = begins && (tool == forced || tool == "hey" && forced == "oha") ||
				row == nil && strings.TrimSpace(text) != ""
			tool = forced
		}
		if m := k6Line().FindStringSubmatch(text); m != nil { // its summary has no head: a metric comes once
			begins = row == nil || row.Tool != "k6" || seen[m[1]]
			if begins {
				clear(seen)
			}
			seen[m[1]] = true
		}
		if begins {
			row = r.newRow(tool)
			for _, word := range strings.Fields(text) {
				if strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://") {
					row.Contestant = word
				}
			}
			row.Load, command = command, ""
		}
		if row != nil {
			r.outputLine(row, text, number, before)
		}
	}
	r.finish()
}

// outputLine reads the figures in a line of row's output. The bytes of the line before text are not
// part of it.
func (r *reader) outputLine(row *Row, text string, number, before int) {
	if row.Tool == "hey" && strings.Contains(text, "Success rate:") {
		row.Tool = "oha"
	}
	if name, ok := strings.CutPrefix(text, "Server Hostname:"); ok && row.Tool == "ab" {
		row.Contestant = strings.TrimSpace(name)
	}
	if row.Tool == "dyno" {
		row.dynoText(text)
	}
	for _, p := range outputs[row.Tool] {
		at := p.form().FindStringSubmatchIndex(text)
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
					r.trouble(number, column, "connections: %q is not a number of connections", value)
					continue
				}
				row.Connections = n
				continue
			case "planned":
				row.Planned = length(value, 0)
				continue
			case "pct":
				name = "p" + value
				if strings.Contains(value, ".") {
					name = "p" + strings.TrimSuffix(strings.TrimRight(value, "0"), ".")
				}
			case "status":
				name = "http" + value[:1] + "xx"
			}
			if name != p.names[i] {
				i++
				value, column = group(i)
			}
			r.add(row, name, value, p.unit, number, column)
		}
		return
	}
}

// finish removes rows without figures, and completes the others from their descriptions and counts.
func (r *reader) finish() {
	r.doc.Rows = slices.DeleteFunc(r.doc.Rows, func(row *Row) bool { return len(row.Figures) == 0 })
	for _, row := range r.doc.Rows {
		row.describe()
		row.answers()
	}
}

// answers adds up responses by class if the tool counts them: unsuccessful ones, and all, unless
// another figure has their number.
func (r *Row) answers() {
	bad, all := 0.0, 0.0
	var last *Figure
	for _, f := range r.All(None, answerClasses...) {
		last = f
		all += f.Value
		if f.Metric != "http2xx" && f.Metric != "http3xx" {
			bad += f.Value
		}
	}
	if last == nil {
		return
	}
	for _, total := range []struct {
		metric string
		v      float64
	}{{"non2xx", bad}, {"requests", all}} {
		if r.One(None, total.metric) == nil {
			text := strconv.FormatFloat(total.v, 'f', -1, 64)
			r.compute(last.Place, total.metric, total.v, None, text).Derived = true
		}
	}
}
