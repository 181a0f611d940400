package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"

	"dyno/internal/analysis"
	"dyno/internal/document"
	"dyno/internal/report"
	"dyno/internal/result"
)

const loadPlainEvery = 5 * time.Second // progress lines of a load without a TTY

// LoadView shows a load while it runs. Its only clock is that of the intervals: on a TTY it draws once for each, elsewhere it writes a line
// every few seconds. Not safe for concurrent use.
type LoadView struct {
	view     *View
	title    string
	length   time.Duration // planned; 0: bounded by requests
	requests int64         // planned; 0: bounded by length

	started, errors int64     // of all so far
	rates           []float64 // of each interval so far
	drains          bool      // nothing is sent any more, answers are awaited
}

// NewLoad returns a view on out of a load that lasts so long, or so many requests; see New for the rest.
func NewLoad(out io.Writer, tty bool, noColor bool, width func() int, title string, length time.Duration, requests int64) *LoadView {
	return &LoadView{view: New(out, tty, noColor, width), title: document.Clean(title), length: length, requests: requests}
}

// Start shows that connections are being made and the load begins.
func (l *LoadView) Start() {
	if l.view.tty {
		l.view.draw([]string{l.view.style.title.Render(l.title)})
		return
	}
	fmt.Fprintln(l.view.out, "loading "+l.title)
}

// Tick takes in an interval of the load and shows it.
func (l *LoadView) Tick(i result.Interval) {
	l.started += i.Load.Started
	l.errors += i.Load.Failed + i.Load.Errored()
	if l.drains = l.length > 0 && i.StartNS >= int64(l.length); !l.drains && i.LengthNS > 0 {
		l.rates = append(l.rates, float64(i.Load.Succeeded)/(float64(i.LengthNS)/1e9))
	}
	v, before := l.view, l.view.now
	elapsed := time.Duration(i.StartNS + i.LengthNS)
	v.now = time.Time{}.Add(elapsed)
	switch {
	case v.tty:
		v.draw(l.lines(&i, elapsed))
	case elapsed/loadPlainEvery > before.Sub(time.Time{})/loadPlainEvery:
		v.print(join(l.now(&i), l.left(elapsed)))
	}
}

// Close erases the live lines, so that a summary can follow.
func (l *LoadView) Close() { l.view.Close() }

// lines are what the live part shows: the title, how far the load is, what it does now, and how the rate went.
func (l *LoadView) lines(i *result.Interval, elapsed time.Duration) []string {
	v := l.view
	lines := []string{v.style.faint.Render(fmt.Sprintf("%5s", clock(elapsed))) + "  " + v.style.title.Render(l.title)}
	done, total := int(min(elapsed, l.length)/time.Millisecond), int(l.length/time.Millisecond)
	if total == 0 {
		done, total = int(l.started), int(l.requests)
	}
	progress := fmt.Sprintf("%d %%", 100*min(done, total)/max(total, 1))
	if left := l.left(elapsed); left != "" {
		progress += ", " + left
	}
	room := v.columns() - len(gutter) - 2 - lipgloss.Width(progress)
	lines = append(lines, gutter+v.style.bar.Render(Bar(done, total, min(30, max(5, room))))+"  "+progress, gutter+l.now(i))
	return append(lines, gutter+v.style.bar.Render(Spark(l.rates, min(60, max(5, v.columns()-len(gutter))))))
}

// now is the interval in words.
func (l *LoadView) now(i *result.Interval) string {
	words := []string{"waiting for the last answers"}
	if !l.drains && len(l.rates) > 0 {
		words[0] = report.Rate(l.rates[len(l.rates)-1])
	}
	h := i.Detail.Response
	if h == nil {
		h = i.Detail.Service
	}
	if !l.drains && h != nil && h.Count() > 0 {
		words = append(words, "p50 "+report.Duration(float64(h.Quantile(0.5))))
		if analysis.Bears(h.Count(), 0.99) {
			words = append(words, "p99 "+report.Duration(float64(h.Quantile(0.99))))
		}
	}
	trouble := "no errors"
	if l.errors > 0 {
		trouble = l.view.style.bad.Render(count(int(l.errors), "error"))
	}
	return strings.Join(append(words, trouble), "  ")
}

// left says what is left: by the plan, or by the rate so far.
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

// Spark draws the last of the values as bars from 0 to the largest of them; one that is not 0 is never drawn as such.
func Spark(values []float64, width int) string {
	if width = min(max(width, 0), len(values)); width == 0 {
		return ""
	}
	values = values[len(values)-width:]
	most := 0.0
	for _, v := range values {
		most = max(most, v)
	}
	var b strings.Builder
	for _, v := range values {
		switch {
		case v <= 0:
			b.WriteByte(' ')
		default:
			b.WriteRune([]rune("▁▂▃▄▅▆▇█")[min(7, int(8*v/most))])
		}
	}
	return b.String()
}
