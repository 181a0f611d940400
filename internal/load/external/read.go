package external

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/importer"
	"dyno/internal/record"
)

// read stores the tool's figures in reported, in base units. A number that the tool does not print
// stays nil.
func (t *Tool) read(out []byte, reported *record.Reported) {
	if t.Name == "bombardier" { // skip the text before its JSON
		if i := strings.IndexByte(string(out), '{'); i > 0 {
			out = out[i:]
		}
	}
	doc, err := importer.Read(t.Name, out, t.Name)
	switch {
	case err != nil:
		reported.Trouble = err.Error()
		return
	case len(doc.Rows) == 0:
		reported.Trouble = "it printed no figures"
		return
	case len(doc.Troubles) > 0:
		reported.Trouble = doc.Troubles[0].String()
	}
	row := doc.Rows[len(doc.Rows)-1]
	reported.WindowNS = nanoseconds(row, "time")
	if reported.Answered = sum(row, "http1xx", "http2xx", "http3xx", "http4xx", "http5xx"); reported.Answered == nil {
		reported.Answered = wholeCount(row.One(importer.None, "requests"))
	}
	reported.MeanNS, reported.MaxNS = nanoseconds(row, "latency_mean"), nanoseconds(row, "latency_max")
	reported.P50NS, reported.P99NS = nanoseconds(row, "p50"), nanoseconds(row, "p99")
	reported.SDNS = nanoseconds(row, "latency_stdev")
	reported.RateMeanPerSec, reported.RateSDPerSec = perSec(row, "rps_mean"), perSec(row, "rps_stdev")
	reported.RateMaxPerSec = perSec(row, "rps_max")
	reported.QuantilesNS = quantiles(row)
	reported.BytesRead = wholeCount(row.One(importer.Bytes, "transferred", "total_transferred"))
	reported.BytesWritten = wholeCount(row.One(importer.Bytes, "written"))
	reported.RatePerSec = perSec(row, "rps")
	reported.Failed, reported.Errors = map[string]int64{}, map[string]int64{}
	ledgers[t.Name](row, reported)
	if reported.RatePerSec == nil && reported.Answered != nil && reported.WindowNS != nil && *reported.WindowNS > 0 {
		v := float64(*reported.Answered) / float64(*reported.WindowNS) * 1e9
		reported.RatePerSec = &v
	}
	if reported.RatePerSec == nil && reported.Trouble == "" {
		reported.Trouble = "it reported no rate"
	}
}

// ledgers convert each tool's error names into the kinds of load.Kind. Each sets only figures that
// its tool reports.
var ledgers = map[string]func(*importer.Row, *record.Reported){
	// wrk prints these lines only if a count is above 0. It counts no request that is never
	// answered.
	"wrk": func(r *importer.Row, t *record.Reported) {
		put(t.Failed, "status", or0(wholeCount(r.One(importer.None, "non2xx"))))
		for kind, name := range map[string]string{"dial": "connect_errors", "read": "read_errors",
			"write": "write_errors", "timeout": "timeouts"} {
			put(t.Errors, kind, or0(wholeCount(r.One(importer.None, name))))
		}
	},
	// ab counts an answer whose length differs from the first among its failed requests; it does
	// not complete unanswered ones.
	"ab": func(r *importer.Row, t *record.Reported) {
		t.KeptAlive = wholeCount(r.One(importer.None, "kept_alive"))
		put(t.Failed, "status", or0(wholeCount(r.One(importer.None, "non2xx"))))
		if failed := wholeCount(r.One(importer.None, "failed")); failed != nil {
			length, remaining := wholeCount(r.One(importer.None, "length_errors")), *failed
			for kind, name := range map[string]string{"dial": "connect_errors", "read": "receive_errors",
				"unanswered": "exceptions"} {
				n := or0(wholeCount(r.One(importer.None, name)))
				put(t.Errors, kind, n)
				remaining -= *n
			}
			if length == nil {
				length = &remaining
			}
			put(t.Failed, "length", length)
		}
		t.Parts = parts(r)
	},
	"bombardier": func(r *importer.Row, t *record.Reported) {
		put(t.Failed, "status", sum(r, "http1xx", "http3xx", "http4xx", "http5xx"))
		put(t.Errors, "unanswered", wholeCount(r.One(importer.None, "others")))
	},
	"h2load": func(r *importer.Row, t *record.Reported) {
		put(t.Failed, "status", sum(r, "http4xx", "http5xx"))
		errored, timeouts := wholeCount(r.One(importer.None, "errored")), wholeCount(r.One(importer.None, "timeouts"))
		put(t.Errors, "timeout", timeouts)
		if errored != nil && timeouts != nil {
			n := max(0, *errored-*timeouts)
			errored = &n
		}
		put(t.Errors, "unanswered", errored)
	},
}

// put sets m[kind], unless the tool did not report n.
func put(m map[string]int64, kind string, n *int64) {
	if n != nil {
		m[kind] = *n
	}
}

// or0 returns n, or a pointer to 0 for a tool that prints a count only if it is above 0.
func or0(n *int64) *int64 {
	if n == nil {
		return new(int64)
	}
	return n
}

// wholeCount rounds a count; nil if there is none.
func wholeCount(f *importer.Figure) *int64 {
	if f == nil || math.IsNaN(f.Value) {
		return nil
	}
	n := int64(math.Round(f.Value))
	return &n
}

// nanoseconds converts a figure in seconds; nil if there is none.
func nanoseconds(r *importer.Row, metric string) *int64 {
	f := r.One(importer.Seconds, metric)
	if f == nil || math.IsNaN(f.Value) {
		return nil
	}
	n := int64(math.Round(f.Value * 1e9))
	return &n
}

// perSec returns a rate; nil if there is none.
func perSec(r *importer.Row, metric string) *float64 {
	f := r.One(importer.PerSec, metric)
	if f == nil || math.IsNaN(f.Value) {
		return nil
	}
	return &f.Value
}

// quantiles returns the percentiles by number; nil if there are none.
func quantiles(r *importer.Row) map[string]int64 {
	var all map[string]int64
	for _, f := range r.Figures {
		percent := strings.TrimPrefix(f.Metric, "p")
		if _, err := strconv.ParseFloat(percent, 64); err != nil || percent == f.Metric {
			continue
		}
		if ns := nanoseconds(r, f.Metric); ns != nil {
			if all == nil {
				all = map[string]int64{}
			}
			all[percent] = *ns
		}
	}
	return all
}

// parts returns the times of a request's parts as ab prints them; nil if one is incomplete.
func parts(r *importer.Row) map[string]record.Times {
	all := map[string]record.Times{}
	for name, prefix := range map[string]string{"connect": "connect_", "processing": "processing_", "waiting": "waiting_",
		"total": "latency_"} {
		time := func(metric string) *int64 { return nanoseconds(r, prefix+metric) }
		least, mean, sd, median, most := time("min"), time("mean"), time("stdev"), time("median"), time("max")
		if name == "total" {
			median = nanoseconds(r, "p50")
		}
		if slices.Contains([]*int64{least, mean, sd, median, most}, nil) {
			return nil
		}
		all[name] = record.Times{MinNS: *least, MeanNS: *mean, SDNS: *sd, MedianNS: *median, MaxNS: *most}
	}
	return all
}

// sum adds up the named figures; nil if there are none.
func sum(r *importer.Row, names ...string) *int64 {
	var total *int64
	for _, name := range names {
		if n := wholeCount(r.One(importer.None, name)); n != nil {
			if total == nil {
				total = new(int64)
			}
			*total += *n
		}
	}
	return total
}
