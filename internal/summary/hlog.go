package summary

import (
	"fmt"
	"io"
	"time"

	"dyno/internal/document"
	"dyno/internal/hist"
	"dyno/internal/result"
)

// Hlog writes intervals as a HdrHistogram log, format 1.3 (HistogramLogWriter of
// github.com/HdrHistogram/HdrHistogram): a line for each interval with its start and length in
// seconds, its maximum in ms, and the histogram in ns, V2 compressed. Where response and service
// both were measured, each has a line, tagged with its name.
type Hlog struct {
	w   io.Writer
	err error
}

// NewHlog writes the head of a log of a load that started at start.
func NewHlog(w io.Writer, start time.Time, about string) *Hlog {
	l := &Hlog{w: w}
	seconds := float64(start.UnixMilli()) / 1000
	l.printf("#[dyno load: %s]\n#[Histogram log format version 1.3]\n", document.Clean(about))
	l.printf("#[StartTime: %.3f (seconds since epoch), %s]\n#[BaseTime: %.3f (seconds since epoch)]\n", seconds,
		start.UTC().Format(time.RFC3339), seconds)
	l.printf("%s\n", `"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"`)
	return l
}

// Add writes the lines of one interval.
func (l *Hlog) Add(i result.Interval) {
	tag := ""
	if i.Detail.Response != nil {
		l.histogram("Tag=response,", i, i.Detail.Response)
		tag = "Tag=service,"
	}
	if i.Detail.Service != nil {
		l.histogram(tag, i, i.Detail.Service)
	}
}

func (l *Hlog) histogram(tag string, i result.Interval, h *hist.Histogram) {
	text, err := h.Encode(3)
	if err != nil {
		l.fail(err)
		return
	}
	l.printf("%s%.3f,%.3f,%.6f,%s\n", tag, float64(i.StartNS)/1e9, float64(i.LengthNS)/1e9, float64(h.Max())/1e6, text)
}

func (l *Hlog) printf(format string, args ...any) {
	if l.err == nil {
		_, err := fmt.Fprintf(l.w, format, args...)
		l.fail(err)
	}
}

func (l *Hlog) fail(err error) {
	if err != nil && l.err == nil {
		l.err = fmt.Errorf("write histogram log: %w", err)
	}
}

// Err returns the first error of writing.
func (l *Hlog) Err() error { return l.err }
