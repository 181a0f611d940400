package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// leaf is a value of a JSON document that is neither object nor array.
type leaf struct {
	path         []string // keys, and indices as numbers
	text         string
	line, column int
}

// leaves lists the values of a JSON document with their places.
func leaves(data []byte) ([]leaf, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	w := walker{d: d, data: data, line: 1}
	if err := w.value(nil); err != nil {
		line, column := w.place(int(d.InputOffset()))
		var bad *json.SyntaxError
		if errors.As(err, &bad) {
			line, column = w.place(int(bad.Offset) - 1)
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("line %d, column %d: %w", line, column, err)
	}
	return w.list, nil
}

// deepest is how many objects and arrays may lie in each other.
const deepest = 32

type walker struct {
	d    *json.Decoder
	data []byte
	list []leaf

	line, lineStart, seen int
}

// place turns an offset into line and column; offsets that go backwards start over.
func (w *walker) place(offset int) (line, column int) {
	offset = min(max(offset, 0), len(w.data))
	if offset < w.seen {
		w.line, w.lineStart, w.seen = 1, 0, 0
	}
	for ; w.seen < offset; w.seen++ {
		if w.data[w.seen] == '\n' {
			w.line, w.lineStart = w.line+1, w.seen+1
		}
	}
	return w.line, offset - w.lineStart + 1
}

func (w *walker) value(path []string) error {
	token, err := w.d.Token()
	if err != nil {
		return err
	}
	if len(path) > deepest {
		return fmt.Errorf("more than %d levels deep", deepest)
	}
	delim, ok := token.(json.Delim)
	if !ok {
		w.add(path, token)
		return nil
	}
	for i := 0; w.d.More(); i++ {
		key := strconv.Itoa(i)
		if delim == '{' {
			name, err := w.d.Token()
			if err != nil {
				return err
			}
			key, _ = name.(string)
		}
		if err := w.value(append(path[:len(path):len(path)], key)); err != nil {
			return err
		}
	}
	_, err = w.d.Token()
	return err
}

func (w *walker) add(path []string, token json.Token) {
	text, length := "", 0
	switch v := token.(type) {
	case json.Number:
		text, length = v.String(), len(v)
	case string:
		text, length = v, len(v)+2
	case bool:
		text = strconv.FormatBool(v)
		length = len(text)
	case nil:
		length = 4
	}
	line, column := w.place(int(w.d.InputOffset()) - length)
	w.list = append(w.list, leaf{path, text, line, column})
}

// byPath indexes leaves by their path, with dots between.
func byPath(list []leaf) map[string]leaf {
	m := make(map[string]leaf, len(list))
	for _, l := range list {
		m[strings.Join(l.path, ".")] = l
	}
	return m
}

// field is where a tool's JSON has a figure.
type field struct{ path, metric, unit string }

var bombardierFields = []field{
	{"result.timeTakenSeconds", "time", "s"}, {"result.req1xx", "http1xx", ""}, {"result.req2xx", "http2xx", ""}, {"result.req3xx", "http3xx", ""},
	{"result.req4xx", "http4xx", ""}, {"result.req5xx", "http5xx", ""}, {"result.others", "others", ""}, {"result.latency.mean", "latency_mean", "us"},
	{"result.latency.stddev", "latency_stdev", "us"}, {"result.latency.max", "latency_max", "us"}, {"result.rps.mean", "rps_mean", "req/s"},
	{"result.rps.stddev", "rps_stdev", "req/s"}, {"result.rps.max", "rps_max", "req/s"}, {"result.bytesRead", "transferred", "bytes"},
	{"result.bytesWritten", "written", "bytes"},
	{"result.latency.percentiles.50", "p50", "us"}, {"result.latency.percentiles.75", "p75", "us"}, {"result.latency.percentiles.90", "p90", "us"},
	{"result.latency.percentiles.95", "p95", "us"}, {"result.latency.percentiles.99", "p99", "us"},
}

var ohaFields = []field{
	{"summary.total", "time", "s"}, {"summary.slowest", "latency_max", "s"}, {"summary.fastest", "latency_min", "s"}, {"summary.average", "latency_mean", "s"},
	{"summary.requestsPerSec", "rps", "req/s"}, {"summary.totalData", "body_transferred", "bytes"}, {"summary.sizePerSec", "body_throughput", "B/s"},
	{"latencyPercentiles.p10", "p10", "s"}, {"latencyPercentiles.p25", "p25", "s"}, {"latencyPercentiles.p50", "p50", "s"}, {"latencyPercentiles.p75", "p75", "s"},
	{"latencyPercentiles.p90", "p90", "s"}, {"latencyPercentiles.p95", "p95", "s"}, {"latencyPercentiles.p99", "p99", "s"},
	{"latencyPercentiles.p99.9", "p99.9", "s"}, {"latencyPercentiles.p99.99", "p99.99", "s"},
}

// toolJSON reads what bombardier and oha write with their JSON formats; oha's is one object, bombardier's too.
func (r *reader) toolJSON() error {
	list, err := leaves(r.data)
	if err != nil {
		return err
	}
	at := byPath(list)
	row, fields := r.newRow(r.doc.Format), bombardierFields
	if r.doc.Format == "oha" {
		fields = ohaFields
	}
	if l, ok := at["spec.numberOfConnections"]; ok {
		row.Connections, _ = strconv.Atoi(l.text)
	}
	row.Contestant = at["spec.url"].text
	if rate := at["spec.rate"].text; rate != "" && rate != "0" {
		row.Open = true
	}
	row.PerRequest = strings.EqualFold(at["spec.disableKeepAlive"].text, "true")
	for _, f := range fields {
		if l, ok := at[f.path]; ok && l.text != "" {
			r.add(row, f.metric, l.text, f.unit, l.line, l.column)
		}
	}
	for _, l := range list {
		if len(l.path) == 2 && l.path[0] == "statusCodeDistribution" && l.path[1] != "" {
			r.add(row, "http"+l.path[1][:1]+"xx", l.text, "", l.line, l.column)
		}
	}
	r.finish()
	return nil
}
