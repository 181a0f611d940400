package importer

import (
	"strconv"
	"strings"

	"dyno/internal/conf"
)

// dynoHead is the line of dyno load that describes the load.
var dynoHead = conf.Regexp(`^\S+: .* over ([0-9,]+) connections?, (open|closed) loop\b`)

// Forms of dyno's times and counts: ">= 2.00 s", "-" for unknown values, "120,000".
const (
	dynoTime  = `((?:>= |< )?[0-9.]+ [a-zµ]+|-)`
	dynoCount = `([0-9,]+)`
)

// dynoLines are the lines in dyno load's output that hold figures. The first percentile column is
// the latency that counts. The rate covers the time in which requests were sent.
var dynoLines = []pattern{
	line(`^Reqs/sec\s+([0-9.]+|-)\s+([0-9.]+|-)\s+([0-9.]+|-)`, "rps_mean rps_stdev rps_max", "req/s"),
	line(`^Latency \((?:service|response) time, (?:closed|open) loop\)\s+`+dynoTime+`\s+`+dynoTime+`\s+`+dynoTime,
		"latency_mean latency_stdev latency_max", ""),
	line(`^<num>%\s+((?:>= |< )?[0-9.]+ [a-zµ]+)`, "pct p", ""),
	line(`^HTTP codes: 1xx - `+dynoCount+`, 2xx - `+dynoCount+`, 3xx - `+dynoCount+`, 4xx - `+dynoCount+`, 5xx - `+
		dynoCount,
		"http1xx http2xx http3xx http4xx http5xx", ""),
	line(`^Ledger: .* = `+dynoCount+` succeeded \+ `+dynoCount+` failed \+ `+dynoCount+` errored \+ `+dynoCount+
		` timed out`,
		"succeeded failed errored timeouts", ""),
	line(`^Requests/sec: <num>`, "rps", "req/s"),
}

// dynoText reads the description of the load from the head of dyno's output.
func (r *Row) dynoText(text string) {
	m := dynoHead().FindStringSubmatch(text)
	if m == nil {
		return
	}
	r.Contestant, _, _ = strings.Cut(text, ": ")
	r.Connections, _ = strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	r.words(text)
}

// ofDyno reads the same from dyno's JSON, by path: in a plain closed loop it has only service
// times.
func (r *Row) ofDyno(at map[string]leaf) {
	r.Connections, _ = strconv.Atoi(at["connections"].text)
	r.Contestant = at["target"].text
	for path, l := range at { // figures known only as a lower bound
		if latency, _, ok := strings.Cut(path, ".lower_bounds."); ok {
			delete(at, latency+"."+l.text)
		}
	}
	if _, paced := at["response.count"]; paced {
		r.Open = true
		return
	}
	for path, l := range at {
		if rest, ok := strings.CutPrefix(path, "service."); ok {
			at["response."+rest] = l
		}
	}
}

// words reads the pipelining depth from the load's description, and whether connections were idle
// on purpose.
func (r *Row) words(text string) {
	if m := dynoDepth().FindStringSubmatch(text); m != nil {
		r.Depth, _ = strconv.Atoi(m[1])
	}
	r.Open = strings.Contains(text, "open loop") || strings.Contains(text, "think time")
	r.PerRequest = strings.Contains(text, "1 request per connection")
}

var dynoDepth = conf.Regexp(`, ([0-9]+) in the pipeline of each`)
