package imitate

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"text/template"

	"dyno/internal/hist"
	"dyno/internal/http1"
	"dyno/internal/load"
	"dyno/internal/summary"
)

// figures are what a load measured, as far as tools print it.
type figures struct {
	*Order
	*summary.Summary
	Seconds float64         // from the start of the load until every response was there
	first   *http1.Response // of a request before the load; nil if the tool does not ask
}

// Answered returns the number of requests with a response, right or wrong.
func (f *figures) Answered() int64 { return f.Load.Succeeded + f.Load.Failed }

// Counted returns the number of requests that the tool's rate counts: those with a response, and of ab
// also those that ended without one on an open connection.
func (f *figures) Counted() int64 {
	if f.tool.unanswered {
		return f.Answered() + f.Load.Errored() - f.Errors(load.Dial, load.Handshake)
	}
	return f.Answered()
}

// PerSec returns the tool's rate over the whole time.
func (f *figures) PerSec() float64 { return f.over(f.Counted()) }

// over returns n per second.
func (f *figures) over(n int64) float64 {
	if f.Seconds <= 0 {
		return 0
	}
	return float64(n) / f.Seconds
}

// Errors returns the number of requests without a response, of those kinds.
func (f *figures) Errors(kinds ...load.Kind) (n int64) {
	for _, k := range kinds {
		n += f.Load.Errors[k.String()]
	}
	return n
}

// Failures returns the number of wrong responses, of those kinds.
func (f *figures) Failures(kinds ...load.Kind) (n int64) {
	for _, k := range kinds {
		n += f.Load.Failures[k.String()]
	}
	return n
}

// Class returns the number of responses with a status of that class: 2 is 200 to 299.
func (f *figures) Class(class int) (n int64) {
	for status, answers := range f.Detail.Status {
		if status/100 == class {
			n += answers
		}
	}
	return n
}

// service returns the times from sending a request to its response, right or wrong. Those without a
// response count with what they had waited.
func (f *figures) service() times { return merged(f.Detail.Service, f.Detail.Wrong) }

// response returns the times from when a request was due, or its connection was dialled, to its
// response. Where connections stay open and no rate is given, they are service times.
func (f *figures) response() times {
	if f.Detail.Response != nil {
		return merged(f.Detail.Response)
	}
	return f.service()
}

// times is a distribution of times, in ns.
type times struct{ h *hist.Histogram }

func merged(all ...*hist.Histogram) times {
	h := hist.New()
	for _, o := range all {
		if o != nil {
			h.Merge(o)
		}
	}
	return times{h}
}

// stats returns what tools print of a distribution, in units of per ns.
func (t times) stats(per float64) stats {
	mean, n := t.h.Mean(), float64(t.h.Count())
	sd := 0.
	if n > 1 { // of a sample
		sd = t.h.StdDev() * math.Sqrt(n/(n-1))
	}
	return stats{Count: t.h.Count(), Min: float64(t.h.Min()) / per, Mean: mean / per, SD: sd / per,
		Median: t.quantile(.5) / per, Max: float64(t.h.Max()) / per, Within: 100 * t.h.Within(mean-sd, mean+sd)}
}

func (t times) quantile(q float64) float64 { return float64(t.h.Quantile(q)) }

// quantiles returns percentiles in units of per ns.
func (t times) quantiles(per float64, percents ...float64) (list []percentile) {
	if t.h.Count() == 0 {
		return nil
	}
	for _, p := range percents {
		list = append(list, percentile{p, t.quantile(p/100) / per})
	}
	return list
}

// percentile is a value that a share of all, in per cent, does not exceed.
type percentile struct{ Percent, Value float64 }

// stats describe a sample. Within is the share of it, in per cent, at most a standard deviation from
// the mean.
type stats struct {
	Count                              int64
	Min, Mean, SD, Median, Max, Within float64
}

// describe returns the statistics of x but for its median.
func describe(x []float64) stats {
	n := float64(len(x))
	if n == 0 {
		return stats{}
	}
	s := stats{Count: int64(n), Min: x[0]}
	for _, v := range x {
		s.Mean += v / n
		s.Min, s.Max = min(s.Min, v), max(s.Max, v)
	}
	for _, v := range x {
		s.SD += (v - s.Mean) * (v - s.Mean)
	}
	s.SD = math.Sqrt(s.SD / max(n-1, 1))
	for _, v := range x {
		if math.Abs(v-s.Mean) <= s.SD {
			s.Within += 100 / n
		}
	}
	return s
}

// loops returns the responses of each event loop, right or wrong, in each load.Slice.
func (f *figures) loops() (all [][]int32) {
	for i, right := range f.Detail.Slices {
		counts := slices.Clone(right)
		for k, n := range f.Detail.WrongSlices[i] {
			counts[k] += n
		}
		all = append(all, counts)
	}
	return all
}

// rates returns the rates of responses in samples of that many slices of load.Slice, one event
// loop after another, as far as they lie in the load's time. With idle a sample without a response
// counts; otherwise its time is part of the next one.
func (f *figures) rates(loops [][]int32, slices int, idle bool) (perSec []float64) {
	length := load.Slice.Seconds()
	whole := int(f.Seconds / length)
	for _, counts := range loops {
		n, span := 0., 0
		for _, c := range counts[:min(len(counts), whole)] {
			n, span = n+float64(c), span+1
			if span%slices == 0 && (idle || n > 0) {
				perSec = append(perSec, n/(float64(span)*length))
				n, span = 0, 0
			}
		}
	}
	return perSec
}

// together adds up the slices of all event loops.
func together(loops [][]int32) [][]int32 {
	var sum []int32
	for _, counts := range loops {
		for i, c := range counts {
			if i == len(sum) {
				sum = append(sum, 0)
			}
			sum[i] += c
		}
	}
	return [][]int32{sum}
}

// units are the units of a quantity, the smallest first: each is worth scale of the one before.
type units struct {
	scale float64
	names []string
}

// format writes v in the unit in which it is below 0.85 of the next, as wrk and bombardier do. v is in
// the smallest unit.
func (u units) format(v float64, decimals int) string {
	i := 0
	for ; i < len(u.names)-1 && v >= 0.85*u.scale; i++ {
		v /= u.scale
	}
	return fmt.Sprintf("%.*f%s", decimals, v, u.names[i])
}

var (
	shortTimes = units{1000, []string{"us", "ms"}}
	longTimes  = units{60, []string{"s", "m"}}
)

// microseconds writes a time in µs: "697.00us", "4.05ms", "1.32s".
func microseconds(v float64) string {
	if v >= 1e6 {
		return longTimes.format(v/1e6, 2)
	}
	return shortTimes.format(v, 2)
}

// printer returns a function that fills a template with what data makes of the figures.
func printer[T any](text string, funcs template.FuncMap, data func(*figures) T) func(io.Writer, *figures) error {
	parsed := sync.OnceValue(func() *template.Template {
		return template.Must(template.New("").Funcs(funcs).Parse(text))
	})
	return func(w io.Writer, f *figures) error { return parsed().Execute(w, data(f)) }
}
