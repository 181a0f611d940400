package importer

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/conf"
)

// pattern reads figures from one line in a tool's output: names has a name for each group in form.
// The unit follows the number, or else is unit. The names connections and planned go to the row;
// the group "pct" is a percentile, "status" a code, and the next group is its value.
type pattern struct {
	form  func() *regexp.Regexp
	names []string
	unit  string
}

// groups are the numbers that a form names: whole, with decimals, with a unit, and with a unit
// after a blank.
var groups = strings.NewReplacer("<int>", `(\d+)`, "<num>", `([0-9.]+)`, "<val>", `([0-9.]+[\wµ]+)`,
	"<words>", `([0-9.]+ \w+)`)

// line returns a pattern; names are separated by spaces, one for each group. Indentation is
// ignored: pages add and remove it.
func line(form, names, unit string) pattern {
	return pattern{conf.Regexp(groups.Replace(leading().ReplaceAllString(form, indent))), strings.Fields(names), unit}
}

// leading is the beginning of a form; indent may precede a line: blanks, and the > of a quotation.
var leading = conf.Regexp(`^\^(?:\\s[*+])?`)

const indent = `^[\s>]*`

// outputs are, for each tool, the lines that hold figures.
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
		line(`^Bombarding \S+ with <int> requests?(?:\(s\))? using <int> connection`, "requests connections", ""),
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
	"oha": append(summary, line(`^\s+Success rate:\s+<num>%`, "success", "%")),
	"hey": summary,
	"k6":  k6Lines,
	"h2load": {
		line(`^spawning thread #\d+: <int> total client`, "clients", ""),
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

// summary has the lines that oha and hey have in common. Their bytes count bodies, without headers.
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

// headings are the lines that begin an output. If the first is missing, the next one begins it.
// Each contains word, which is cheap to look for in a million lines.
var headings = []struct {
	tool, word string
	banner     bool // always begins an output, before all other lines
	form       func() *regexp.Regexp
}{
	{"wrk", " test @ ", true, conf.Regexp(indent + `Running .* test @ `)},
	{"wrk", " thread", false, conf.Regexp(indent + `\d+ threads? and \d+ connections?\s*$`)},
	{"wrk", "Thread Stats", false, conf.Regexp(indent + `Thread Stats\s+Avg\s`)},
	{"ab", "ApacheBench", true, conf.Regexp(indent + `This is ApacheBench`)},
	{"ab", "Server Software:", false, conf.Regexp(indent + `Server Software:`)},
	{"bombardier", "Bombarding ", true, conf.Regexp(indent + `Bombarding `)},
	{"bombardier", "[=", false, conf.Regexp(indent + `(?:\d+ / \d+ )?\[=+\]\s`)}, // the full progress bar
	{"bombardier", "Statistics", false, conf.Regexp(indent + `Statistics\s+Avg\s+Stdev\s+Max`)},
	{"h2load", "starting benchmark...", true, conf.Regexp(indent + `starting benchmark\.\.\.`)},
	{"h2load", "finished in ", false, conf.Regexp(indent + `finished in \S+, \S+ req/s`)},
	{"hey", "Summary:", true, conf.Regexp(indent + `Summary:`)},
	{"oha", "Success rate:", false, conf.Regexp(indent + `Success rate:\s+[0-9.]+%`)},
	{"hey", "Total:", false, conf.Regexp(indent + `Total:\s+[0-9.]+ secs`)},
}

// heading reports whether a line is a heading, and for which tool's output. The key is "" for a
// banner; no other heading occurs twice in one output.
func heading(line string) (tool, key string, ok bool) {
	for _, h := range headings {
		if strings.Contains(line, h.word) && h.form().MatchString(line) {
			if h.banner {
				return h.tool, "", true
			}
			return h.tool, h.word, true
		}
	}
	if strings.Contains(line, "..:") { // k6's summary has no head: each metric comes once
		if m := k6Line().FindStringSubmatch(line); m != nil {
			return "k6", m[1], true
		}
	}
	return "", "", false
}

// alike reports whether two tools print the same summary: one additional line identifies oha.
func alike(a, b string) bool {
	return a == b || (a == "hey" || a == "oha") && (b == "hey" || b == "oha")
}

// outputText reads outputs made of lines, one after the other.
type outputText struct {
	*reader
	row     *Row
	seen    map[string]bool // headings, and forms of lines with figures, in the current output
	command string          // the latest command line that no output followed
}

// begin starts the row for an output.
func (o *outputText) begin(tool, text string) {
	o.row = o.newRow(tool)
	o.row.Load, o.command = o.command, ""
	clear(o.seen)
	for _, word := range strings.Fields(text) {
		if strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://") {
			o.row.Contestant = word
		}
	}
}

// text reads outputs made of lines, one after the other. A line such as "$ hey -c 50 …" before an
// output gives the command, which supplements the output. An output begins at its banner, or else
// at a line that the current output already has.
func (r *reader) text() {
	o := &outputText{reader: r, seen: map[string]bool{}}
	forced, lineNumber := r.doc.Format, 0
	for raw := range bytes.Lines(r.data) {
		lineNumber++
		text := strings.TrimRight(string(raw), "\r\n")
		before := strings.LastIndex(text, "\r") + 1 // a progress bar drawn over itself
		text, at := untypeset(text[before:])
		if line, ok := strings.CutPrefix(strings.TrimSpace(text), "$ "); ok {
			o.command = line
			continue
		}
		if line := strings.Trim(text, "$>#%*` \t"); line != "" && commandIn(line) == line {
			o.command = line
			continue
		}
		tool, key, begins := heading(text)
		if begins {
			begins = o.row == nil || key == "" || !alike(o.row.Tool, tool) || o.seen[key]
		}
		// A forced format begins at the first line that is not blank, whatever it says.
		if forced != "text" {
			begins = begins && alike(tool, forced) || o.row == nil && strings.TrimSpace(text) != ""
			tool = forced
		}
		if begins {
			o.begin(tool, text)
		}
		if o.row != nil {
			o.seen[key] = true
			o.line(text, lineNumber, func(i int) int { return before + at(i) + 1 })
		}
	}
}

// repeats are names of figures that an output has several lines for.
var repeats = []string{"pct", "status", "clients"}

// line reads the figures in an output line. at converts offsets in text to columns in the file.
func (o *outputText) line(text string, lineNumber int, at func(int) int) {
	if o.row.Tool == "hey" && strings.Contains(text, "Success rate:") {
		o.row.Tool = "oha"
	}
	if o.row.Tool == "ab" {
		name, value, _ := strings.Cut(strings.TrimLeft(text, " \t>"), ":")
		switch value = strings.TrimSpace(value); name {
		case "Server Hostname":
			o.row.Contestant = value
		case "Server Port": // several servers on one host differ in it
			o.row.Contestant += ":" + value
		}
	}
	for _, p := range outputs[o.row.Tool] {
		places := p.form().FindStringSubmatchIndex(text)
		if places == nil {
			continue
		}
		if form := p.form().String(); !slices.Contains(repeats, p.names[0]) {
			if o.seen[form] {
				o.begin(o.row.Tool, "")
			}
			o.seen[form] = true
		}
		o.figures(p, text, places, lineNumber, at)
		return
	}
}

// figures reads a pattern's groups, which matched at these places in text.
func (o *outputText) figures(p pattern, text string, places []int, lineNumber int, at func(int) int) {
	row := o.row
	group := func(i int) (string, int) { return text[places[2*i+2]:places[2*i+3]], at(places[2*i+2]) }
	for i := 0; i < len(p.names); i++ {
		value, column := group(i)
		name := p.names[i]
		switch name {
		case "connections", "clients":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				o.trouble(lineNumber, column, "connections: %q is not a number of connections", value)
				continue
			}
			if name == "connections" {
				row.Connections = 0 // clients are counted per thread
			}
			row.Connections += n
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
		o.add(row, name, value, p.unit, lineNumber, column)
	}
}

// finish removes rows without figures, and completes the others from their descriptions and counts.
func (r *reader) finish() {
	r.doc.Rows = slices.DeleteFunc(r.doc.Rows, func(row *Row) bool { return len(row.Figures) == 0 })
	for _, row := range r.doc.Rows {
		row.describe()
		row.answers()
		for _, f := range row.Figures { // one number per process in a cell
			row.Processes = max(row.Processes, f.Many)
		}
		if row.Tool == "ab" && row.Load == "" && row.One(None, "kept_alive") == nil {
			row.PerRequest = true // with -k, ab prints the number of requests that kept their connection
		}
	}
}

// answers adds up responses by class if the tool counts them: unsuccessful ones, and all, unless
// another figure has the number.
func (r *Row) answers() {
	bad, all := 0.0, 0.0
	var last *Figure
	for _, f := range r.All(None, AnswerClasses...) {
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
