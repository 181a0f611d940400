package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

const loadPlainEvery = 5 * time.Second // interval between progress lines without a TTY

// LoadView shows a load while it runs. Its only clock is the intervals': on a TTY it draws once for
// each, elsewhere it writes a line every few seconds. It is not safe for concurrent use.
type LoadView struct {
	view     *TerminalView
	title    string
	length   time.Duration // planned; 0: bounded by requests
	requests int64         // planned; 0: bounded by length

	started, errors int64             // totals so far
	rates           []float64         // rates in each interval: so far on a TTY, elsewhere since the last line
	latency         *record.Histogram // latencies in these intervals
	drains          bool              // no more requests are sent; the last answers are awaited
}

// NewLoad returns a view of a load that ends after length or, if that is 0, after a number of
// requests. The other arguments are New's.
func NewLoad(
	out io.Writer, tty, noColor bool, width func() int, title string, length time.Duration, requests int64,
) *LoadView {
	return &LoadView{view: New(out, tty, noColor, width), title: document.Clean(title), length: length,
		requests: requests, latency: record.NewHistogram()}
}

// Start shows that the load begins.
func (l *LoadView) Start() {
	if l.view.tty {
		l.view.draw([]string{l.view.style.title.Render(l.title)})
		return
	}
	fmt.Fprintln(l.view.out, "loading "+l.title)
}

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
	h := cmp.Or(i.Detail.Response, i.Detail.Service)
	if h != nil {
		l.latency.Merge(h)
	}
	switch {
	case v.tty:
		v.draw(l.lines(h, i.Detail.Response != nil, elapsed))
	case elapsed/loadPlainEvery > before/loadPlainEvery:
		v.print(join(l.now(l.latency, i.Detail.Response != nil, l.rates), l.left(elapsed)))
		l.latency.Reset()
		l.rates = l.rates[:0]
	}
}

// Close erases the live lines, so that a summary can follow.
func (l *LoadView) Close() { l.view.Close() }

// lines returns the live lines: the title, the progress, the present rate and latency, the rates so
// far, and a histogram of the latencies so far.
func (l *LoadView) lines(h *record.Histogram, response bool, elapsed time.Duration) []string {
	v := l.view
	done, total := int(min(elapsed, l.length)/time.Millisecond), int(l.length/time.Millisecond)
	if total == 0 {
		done, total = int(l.started), int(l.requests)
	}
	progress := fmt.Sprintf("%d %%", 100*min(done, total)/max(total, 1))
	if left := l.left(elapsed); left != "" {
		progress += ", " + left
	}
	rates := spark(l.rates, min(60, max(5, v.columns()-len(gutter))))
	return append([]string{v.head(elapsed, l.title), v.bar(done, total, progress), gutter +
		l.now(h, response, l.rates[max(len(l.rates)-1, 0):]), gutter +
		v.style.bar.Render(rates)}, latencyLines(l.latency, v.style.bar.Render)...)
}

// now returns one or more intervals in words: rate, latency, errors.
func (l *LoadView) now(h *record.Histogram, response bool, rates []float64) string {
	words := []string{"waiting for the last responses"}
	if !l.drains && len(rates) > 0 {
		mean, _, _ := meanStdevMax(rates)
		words[0] = Rate(mean)
	}
	if !l.drains && h != nil && h.Count() > 0 {
		name := "service p50 "
		if response {
			name = "response p50 "
		}
		words = append(words, name+Duration(float64(h.Quantile(0.5))))
		if judge.Bears(h.Count(), 0.99) {
			words = append(words, "p99 "+Duration(float64(h.Quantile(0.99))))
		}
	}
	trouble := "no errors"
	if l.errors > 0 {
		trouble = l.view.style.bad.Render(document.Count(int(l.errors), "error"))
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

// spark draws the last values, at most width, as bars from 0 to the largest. A value above 0 always
// shows.
func spark(values []float64, width int) string {
	values = values[len(values)-min(max(width, 0), len(values)):]
	s := ""
	for _, v := range values {
		if v <= 0 {
			s += " "
			continue
		}
		s += string([]rune("▁▂▃▄▅▆▇█")[min(7, int(8*v/slices.Max(values)))])
	}
	return s
}
