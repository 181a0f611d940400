package loader

import (
	"fmt"

	"dyno/internal/record"
	"dyno/internal/report"
)

// Latencies are one generator's histograms for one second, each as compact text (record.Histogram.MarshalText),
// so that many fit in memory; "": no histogram.
type Latencies struct {
	Service  string `json:",omitempty"`
	Response string `json:",omitempty"`
	Lag      string `json:",omitempty"`
}

// mostBySecond limits the Latencies of all seconds, in bytes: they are sent in one message. Later seconds
// have none.
const mostBySecond = 8 << 20

// seconds keeps a load's Latencies.
type seconds struct {
	all   []Latencies
	bytes int
	err   error
}

// keep keeps the Latencies of the next second, while there is room.
func (k *seconds) keep(d *record.Detail) {
	if k.err != nil || k.bytes > mostBySecond {
		return
	}
	l, err := latenciesOf(d)
	k.bytes += len(l.Service) + len(l.Response) + len(l.Lag)
	if k.err = err; err == nil && k.bytes <= mostBySecond {
		k.all = append(k.all, l)
	}
}

func latenciesOf(d *record.Detail) (l Latencies, err error) {
	for _, x := range l.pairs(d) {
		if *x.h == nil {
			continue
		}
		text, err := (*x.h).MarshalText()
		if err != nil {
			return l, fmt.Errorf("keep the latencies of a second: %w", err)
		}
		*x.text = string(text)
	}
	return l, nil
}

// textPair is a histogram and its text.
type textPair struct {
	text *string
	h    **record.Histogram
}

func (l *Latencies) pairs(d *record.Detail) []textPair {
	return []textPair{{&l.Service, &d.Service}, {&l.Response, &d.Response}, {&l.Lag, &d.Lag}}
}

// addTo merges l into d's histograms.
func (l *Latencies) addTo(d *record.Detail) error {
	for _, x := range l.pairs(d) {
		if *x.text == "" {
			continue
		}
		h := record.NewHistogram()
		if err := h.UnmarshalText([]byte(*x.text)); err != nil {
			return fmt.Errorf("read the latencies of a second: %w", err)
		}
		if *x.h == nil {
			*x.h = record.NewHistogram()
		}
		(*x.h).Merge(h)
	}
	return nil
}

// BySecond adds percentiles to the seconds in a load's summary, as far as all generators kept them. It merges
// one second at a time.
func BySecond(s *report.Summary, outcomes []*Outcome) error {
	end := len(s.Seconds)
	for _, o := range outcomes {
		if n := len(o.BySecond); n < len(o.Summary.Seconds) {
			end = min(end, n)
		}
	}
	for k := range s.Seconds[:end] {
		counts := &s.Seconds[k]
		var d record.Detail
		for _, o := range outcomes {
			if k < len(o.BySecond) {
				if err := o.BySecond[k].addTo(&d); err != nil {
					return err
				}
			}
		}
		counts.Measured(&d)
	}
	if end < len(s.Seconds) {
		s.Noted = append(s.Noted, report.Warning{ID: report.Seconds, Text: fmt.Sprintf("--csv has "+
			"latencies of the first %d of %d seconds: those of all take more than the machines can send. Make the load shorter",
			end, len(s.Seconds))})
	}
	return nil
}
