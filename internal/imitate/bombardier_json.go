package imitate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"

	"dyno/internal/load"
)

// bombardierHeader is a header of the command line.
type bombardierHeader struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// bombardierSpec is what was asked for.
type bombardierSpec struct {
	Connections  int64              `json:"numberOfConnections"`
	Type         string             `json:"testType"`
	Seconds      float64            `json:"testDurationSeconds,omitempty"`
	Requests     int64              `json:"numberOfRequests,omitempty"`
	Method       string             `json:"method"`
	URL          string             `json:"url"`
	Headers      []bombardierHeader `json:"headers,omitempty"`
	BodyFilePath string             `json:"bodyFilePath,omitempty"`
	Body         *string            `json:"body,omitempty"`
	Stream       bool               `json:"stream"`
	Timeout      float64            `json:"timeoutSeconds"`
	Client       string             `json:"client"`
	Rate         float64            `json:"rate,omitempty"`
}

// bombardierResult is what came of it. Latencies are in µs, rates per second.
type bombardierResult struct {
	BytesRead    int64              `json:"bytesRead"`
	BytesWritten int64              `json:"bytesWritten"`
	Seconds      float64            `json:"timeTakenSeconds"`
	Class1       int64              `json:"req1xx"`
	Class2       int64              `json:"req2xx"`
	Class3       int64              `json:"req3xx"`
	Class4       int64              `json:"req4xx"`
	Class5       int64              `json:"req5xx"`
	Others       int64              `json:"others"`
	Errors       []bombardierError  `json:"errors,omitempty"`
	Latency      *bombardierNumbers `json:"latency,omitempty"`
	Rate         *bombardierNumbers `json:"rps,omitempty"`
}

type bombardierNumbers struct {
	Mean        float64             `json:"mean"`
	SD          float64             `json:"stddev"`
	Max         float64             `json:"max"`
	Percentiles *bombardierQuantile `json:"percentiles,omitempty"`
}

type bombardierQuantile struct {
	P50 float64 `json:"50"`
	P75 float64 `json:"75"`
	P90 float64 `json:"90"`
	P95 float64 `json:"95"`
	P99 float64 `json:"99"`
}

// bombardierJSON writes one object on a line without an end.
func bombardierJSON(w io.Writer, f *figures) error {
	o := bombardierFigures(f)
	all := struct {
		Spec   bombardierSpec   `json:"spec"`
		Result bombardierResult `json:"result"`
	}{bombardierSpec{
		Connections: f.asked, Type: "number-of-requests", Requests: f.Requests, Seconds: f.Duration.Seconds(),
		Method: f.Method, URL: f.URL, Headers: f.headers, BodyFilePath: f.BodyFile,
		Timeout: f.Order.Timeout.Seconds(), Client: f.client, Rate: f.Rate, Stream: f.stream,
	}, bombardierResult{
		BytesRead: f.Load.BytesRead, BytesWritten: f.Load.BytesWritten, Seconds: f.Seconds,
		Class1: o.Classes[0], Class2: o.Classes[1], Class3: o.Classes[2], Class4: o.Classes[3], Class5: o.Classes[4],
		Others: o.Others, Errors: o.Errors, Latency: o.Latency.numbers(o.Percentiles),
		Rate: o.Rate.numbers(quantilesOf(f.bombardierRates(), bombardierPercents...)),
	}}
	if f.Requests == 0 {
		all.Spec.Type = "timed"
	}
	if f.BodyFile == "" {
		all.Spec.Body = &f.body
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return err
}

// numbers returns the statistics and percentiles as JSON has them; nil if there are none.
func (s stats) numbers(list []percentile) *bombardierNumbers {
	if s.Count == 0 {
		return nil
	}
	n := &bombardierNumbers{Mean: s.Mean, SD: s.SD, Max: s.Max}
	if len(list) == len(bombardierPercents) {
		n.Percentiles = &bombardierQuantile{list[0].Value, list[1].Value, list[2].Value, list[3].Value, list[4].Value}
	}
	return n
}

// quantilesOf returns percentiles of x.
func quantilesOf(x []float64, percents ...float64) (list []percentile) {
	x = slices.Sorted(slices.Values(x))
	for _, p := range percents {
		if rank := int(p/100*float64(len(x)) + .5); len(x) > 0 {
			list = append(list, percentile{p, x[min(max(rank-1, 0), len(x)-1)]})
		}
	}
	return list
}

// bombardierRates returns the rates of samples of 20 ms, in which those without a response count; with
// a rate of few requests in longer ones, as bombardier takes them.
func (f *figures) bombardierRates() []float64 {
	slices := 1
	if f.Rate > 0 {
		slices = max(1, int(1/f.Rate/load.Slice.Seconds()))
	}
	if x := f.rates(together(f.loops()), slices, true); len(x) > 0 {
		return x
	}
	if f.Seconds > 0 {
		return []float64{f.PerSec()}
	}
	return nil
}

// why describes a kind of requests without a response, in the words of the system where there are any.
func (f *figures) why(kind string) string {
	if kind == load.Timeout.String() {
		return kind
	}
	return cmp.Or(f.Detail.Texts[kind], kind)
}

// bombardierSort puts the most frequent error first.
func bombardierSort(list []bombardierError) {
	slices.SortFunc(list, func(a, b bombardierError) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Description, b.Description))
	})
}
