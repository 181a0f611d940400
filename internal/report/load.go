package report

import (
	"cmp"
	"io"
	"strings"
	"time"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/stats"
)

const loadPlainEvery = 5 * time.Second // interval between progress lines without a TTY

// LoadView shows a load while it runs. Its only clock is the intervals': on a TTY it replaces its last line for
// each, elsewhere it writes a line every few seconds. It is not safe for concurrent use.
type LoadView struct {
	view     *TerminalView
	title    string
	length   time.Duration // planned; 0: bounded by requests
	requests int64         // planned; 0: bounded by length

	started, errors int64             // totals so far
	rates           []float64         // rates in each interval since the last line
	latency         *record.Histogram // latencies in these intervals
	drains          bool              // no more requests are sent; the last answers are awaited
}

// NewLoad returns a view of a load that ends after length or, if that is 0, after a number of
// requests. The other arguments are New's.
func NewLoad(out io.Writer, tty bool, width func() int, title string, length time.Duration, requests int64) *LoadView {
	return &LoadView{view: New(out, tty, width), title: document.Clean(title), length: length,
		requests: requests, latency: record.NewHistogram()}
}

// Start shows that the load begins.
func (l *LoadView) Start() { io.WriteString(l.view.out, "loading "+l.title+"\n") }

// Tick adds an interval of the load and shows it.
func (l *LoadView) Tick(i record.Interval) {
	l.started += i.Load.Started
	l.errors += i.Load.Failed + i.Load.Errored()
	if l.drains = l.length > 0 && i.StartNS >= int64(l.length); !l.drains && i.LengthNS > 0 {
		l.rates = append(l.rates, float64(i.Load.Succeeded)/(float64(i.LengthNS)/1e9))
	}
	v, before := l.view, l.view.now.Sub(time.Time{})
	elapsed := time.Duration(i.StartNS + i.LengthNS)
	v.now = time.Time{}.Add(elapsed)
	if h := cmp.Or(i.Detail.Response, i.Detail.Service); h != nil {
		l.latency.Merge(h)
	}
	show := v.print
	if v.tty {
		show = v.draw
	} else if elapsed/loadPlainEvery == before/loadPlainEvery {
		return
	}
	show(join(l.now(i.Detail.Response != nil), l.left(elapsed)))
	l.latency.Reset()
	l.rates = l.rates[:0]
}

// Close erases the line that shows the present, so that a summary can follow.
func (l *LoadView) Close() { l.view.Close() }

// now returns the intervals since the last line in words: rate, latency, errors.
func (l *LoadView) now(response bool) string {
	words, h := []string{"waiting for the last responses"}, l.latency
	if !l.drains && len(l.rates) > 0 {
		words[0] = Rate(stats.Mean(l.rates))
	}
	if !l.drains && h.Count() > 0 {
		name := "service p50 "
		if response {
			name = "response p50 "
		}
		words = append(words, name+document.Duration(float64(h.Quantile(0.5))))
		if judge.Bears(h.Count(), 0.99) {
			words = append(words, "p99 "+document.Duration(float64(h.Quantile(0.99))))
		}
	}
	trouble := "no errors"
	if l.errors > 0 {
		trouble = document.Count(int(l.errors), "error")
	}
	return strings.Join(append(words, trouble), "  ")
}

// left returns the remaining time: by the plan, or by the rate so far.
func (l *LoadView) left(elapsed time.Duration) string {
	if l.drains {
		return ""
	}
	left := l.length - elapsed
	if l.length == 0 {
		if l.started == 0 || l.requests == 0 {
			return ""
		}
		left = time.Duration(float64(elapsed) * float64(l.requests-l.started) / float64(l.started))
	}
	return about(max(left, 0)) + " left"
}
