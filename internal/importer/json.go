package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// leaf is a value in a JSON document that is neither object nor array.
type leaf struct {
	path         []string // keys, and indices as numbers
	text         string   // "" for null
	line, column int
}

// leaves returns the values in a JSON document with their positions.
func leaves(data []byte) ([]leaf, error) {
	w := walker{Decoder: json.NewDecoder(bytes.NewReader(data)), data: data, line: 1}
	w.UseNumber()
	if err := w.value(nil); err != nil {
		offset := int(w.InputOffset())
		var bad *json.SyntaxError
		if errors.As(err, &bad) {
			offset = int(bad.Offset) - 1
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		line, column := w.place(offset)
		return nil, fmt.Errorf("line %d, column %d: %w", line, column, err)
	}
	return w.list, nil
}

// deepest is the maximum nesting depth of objects and arrays.
const deepest = 32

// walker reads a JSON document token by token. The decoder does not know lines, so the walker
// counts them: line begins at lineStart, and counts the line ends before offset seen.
type walker struct {
	*json.Decoder
	data []byte
	list []leaf

	line, lineStart, seen int
}

// place converts an offset to line and column. Offsets must not decrease; a smaller one counts as
// the previous one.
func (w *walker) place(offset int) (line, column int) {
	offset = min(max(offset, w.seen), len(w.data))
	passed := w.data[w.seen:offset]
	if i := bytes.LastIndexByte(passed, '\n'); i >= 0 {
		w.line, w.lineStart = w.line+bytes.Count(passed, []byte("\n")), w.seen+i+1
	}
	w.seen = offset
	return w.line, offset - w.lineStart + 1
}

// value appends the leaves of the next value, whose path is given.
func (w *walker) value(path []string) error {
	rest := w.data[w.InputOffset():]
	start := len(w.data) - len(bytes.TrimLeft(rest, " \t\r\n,:")) // start of the next token
	token, err := w.Token()
	if err != nil {
		return err
	}
	if len(path) > deepest {
		return fmt.Errorf("more than %d levels deep", deepest)
	}
	delim, ok := token.(json.Delim)
	if !ok {
		text := ""
		if token != nil {
			text = fmt.Sprint(token)
		}
		line, column := w.place(start)
		w.list = append(w.list, leaf{path, text, line, column})
		return nil
	}
	for i := 0; w.More(); i++ {
		key := strconv.Itoa(i)
		if delim == '{' {
			name, err := w.Token()
			if err != nil {
				return err
			}
			key, _ = name.(string)
		}
		if err := w.value(append(path[:len(path):len(path)], key)); err != nil {
			return err
		}
	}
	_, err = w.Token()
	return err
}

// byPath indexes leaves by path, with dots between the keys.
func byPath(list []leaf) map[string]leaf {
	m := make(map[string]leaf, len(list))
	for _, l := range list {
		m[strings.Join(l.path, ".")] = l
	}
	return m
}

// field is a figure in a tool's JSON: its path, dyno's name, and its unit.
type field struct{ path, metric, unit string }

var bombardierFields = []field{
	{"timeTakenSeconds", "time", "s"},
	{"req1xx", "http1xx", ""}, {"req2xx", "http2xx", ""}, {"req3xx", "http3xx", ""}, {"req4xx", "http4xx", ""},
	{"req5xx", "http5xx", ""}, {"others", "others", ""},
	{"latency.mean", "latency_mean", "us"}, {"latency.stddev", "latency_stdev", "us"},
	{"latency.max", "latency_max", "us"},
	{"rps.mean", "rps_mean", "req/s"}, {"rps.stddev", "rps_stdev", "req/s"}, {"rps.max", "rps_max", "req/s"},
	{"bytesRead", "transferred", "bytes"}, {"bytesWritten", "written", "bytes"},
}

var ohaFields = []field{
	{"summary.total", "time", "s"}, {"summary.slowest", "latency_max", "s"}, {"summary.fastest", "latency_min", "s"},
	{"summary.average", "latency_mean", "s"}, {"summary.requestsPerSec", "rps", "req/s"},
	{"summary.totalData", "body_transferred", "bytes"}, {"summary.sizePerSec", "body_throughput", "B/s"},
}

// dynoFields are the fields in dyno load --format json. The rate covers the time in which requests were
// sent.
var dynoFields = []field{
	{"requests_per_sec", "rps", "req/s"}, {"rate_answers", "requests", ""}, {"rate_ns", "time", "ns"},
	{"failed", "failed", ""}, {"errors.timeout", "timeouts", ""}, {"errors.dial", "connect_errors", ""},
	{"response.mean_ns", "latency_mean", "ns"}, {"response.stdev_ns", "latency_stdev", "ns"},
	{"response.max_ns", "latency_max", "ns"}, {"response.p50_ns", "p50", "ns"}, {"response.p90_ns", "p90", "ns"},
	{"response.p95_ns", "p95", "ns"}, {"response.p99_ns", "p99", "ns"}, {"response.p999_ns", "p99.9", "ns"},
}

// k6Fields are the fields in k6's --summary-export, and in the argument of its handleSummary.
var k6Fields = []field{
	{"http_reqs.count", "requests", ""}, {"http_reqs.rate", "rps", "req/s"},
	{"data_received.count", "transferred", "bytes"},
	{"http_req_failed.passes", "failed", ""},
	{"http_req_duration.avg", "latency_mean", "ms"}, {"http_req_duration.min", "latency_min", "ms"},
	{"http_req_duration.med", "p50", "ms"}, {"http_req_duration.max", "latency_max", "ms"},
}

// jsonTools are the tools whose JSON is one object: its fields, and their paths' prefix. What follows
// quantiles in a path is a percentage, whose latency is in unit.
var jsonTools = map[string]struct {
	prefix          string
	fields          []field
	quantiles, unit string
}{
	"bombardier": {"result.", bombardierFields, "latency.percentiles.", "us"},
	"oha":        {"", ohaFields, "latencyPercentiles.p", "s"},
	"dyno":       {prefix: "", fields: dynoFields},
	"k6":         {"metrics.", k6Fields, "http_req_duration.p(", "ms"},
}

// toolJSON reads a tool's JSON output.
func (r *reader) toolJSON() error {
	list, err := leaves(r.data)
	if err != nil {
		return err
	}
	at := byPath(list)
	row, tool := r.newRow(r.doc.Format), jsonTools[r.doc.Format]
	row.Connections, _ = strconv.Atoi(at["spec.numberOfConnections"].text)
	row.Contestant = at["spec.url"].text
	rate := at["spec.rate"].text
	row.Open = rate != "" && rate != "0"
	row.PerRequest = strings.EqualFold(at["spec.disableKeepAlive"].text, "true")
	switch row.Tool {
	case "dyno":
		row.ofDyno(at)
	case "k6":
		at = k6Paths(list, at)
	}
	for _, f := range tool.fields {
		if l := at[tool.prefix+f.path]; l.text != "" {
			r.add(row, f.metric, l.text, f.unit, l.line, l.column)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(at)) {
		percent, is := strings.CutPrefix(path, tool.prefix+tool.quantiles)
		if l := at[path]; is && tool.quantiles != "" && l.text != "" {
			r.add(row, "p"+strings.TrimSuffix(percent, ")"), l.text, tool.unit, l.line, l.column)
		}
	}
	for _, l := range list {
		if len(l.path) == 2 && (l.path[0] == "statusCodeDistribution" || l.path[0] == "status") && l.path[1] != "" {
			r.add(row, "http"+l.path[1][:1]+"xx", l.text, "", l.line, l.column)
		}
	}
	return nil
}
