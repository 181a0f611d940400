package report

import (
	"io"
	"math"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// Formats of the JSON of a load, and of a search; see doc/format.md.
const (
	loadFormat  = 2
	foundFormat = 1
)

// loadJSON is the load in JSON: the keys that a trial's load has, and more.
type loadJSON struct {
	Format         int     `json:"format"`
	RequestsPerSec float64 `json:"requests_per_sec"`

	*record.Load
	Planned    int64  `json:"planned"`
	Failed     int64  `json:"failed"`
	Errored    int64  `json:"errored"`
	InFlight   int64  `json:"in_flight"`
	WallNS     int64  `json:"wall_ns"`
	Dialled    int64  `json:"dialled,omitempty"`
	RunQueueNS *int64 `json:"run_queue_ns,omitempty"`

	Protocol         string  `json:"protocol"`
	Unverified       bool    `json:"unverified,omitempty"`
	Checked          string  `json:"checked,omitempty"`
	HandshakesPerSec float64 `json:"handshakes_per_sec,omitempty"`

	Requests   []eachJSON              `json:"requests,omitempty"`
	Objectives []judge.ObjectiveResult `json:"objectives,omitempty"`

	Messages     map[string]string `json:"messages,omitempty"`
	FirstFailure string            `json:"first_failure,omitempty"`
	Status       map[int]int64     `json:"status,omitempty"`

	Service   times `json:"service,omitempty"`
	Response  times `json:"response,omitempty"`
	Wrong     times `json:"wrong,omitempty"`
	Lag       times `json:"lag,omitempty"`
	Connect   times `json:"connect,omitempty"`
	Handshake times `json:"handshake,omitempty"`
	FirstByte times `json:"first_byte,omitempty"`

	Censored       int64 `json:"censored"`
	CensoredFromNS int64 `json:"censored_from_ns,omitempty"`

	Generator generator `json:"generator"`
	Warnings  []warning `json:"warnings"`

	Interrupted bool      `json:"interrupted,omitempty"`
	CPU         string    `json:"cpu,omitempty"` // model of the CPUs
	Command     string    `json:"command"`
	Target      string    `json:"target"`
	Seed        uint64    `json:"seed"`
	Dyno        string    `json:"dyno"`
	Intervals   []jsonSec `json:"intervals"`
}

// warning is a check that a load did not pass.
type warning struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

func (s *Summary) warnings() []warning {
	all := []warning{}
	for _, f := range s.Findings() {
		all = append(all, warning{judge.ByID(f.ID).One.Key, f.Text})
	}
	return all
}

// times is a latency in JSON: its count, mean, deviation and maximum, the percentiles with enough
// requests beyond them, and the keys that are lower bounds.
type times map[string]any

// generator is what the load generator used, as far as it is known.
type generator struct {
	CPUShare      *float64 `json:"cpu_share,omitempty"`
	RunQueueShare *float64 `json:"run_queue_share,omitempty"`
	NoSpin        string   `json:"no_spin,omitempty"`
	CeilingPerSec *float64 `json:"ceiling_per_sec,omitempty"`
	SuspendedNS   int64    `json:"suspended_ns,omitempty"`
}

// jsonSec is a Second. Its rate is absent if the window did not fill the second.
type jsonSec struct {
	Second         float64  `json:"second"`
	RequestsPerSec *float64 `json:"requests_per_sec,omitempty"`
	Errors         int64    `json:"errors"`
	Failed         int64    `json:"failed"`
	P50NS          int64    `json:"p50_ns,omitempty"`
	P99NS          int64    `json:"p99_ns,omitempty"`
}

// SummaryJSON writes one object; doc/format.md explains its keys.
func SummaryJSON(w io.Writer, s *Summary) error {
	l, d := &s.Load, &s.Detail
	doc := loadJSON{
		Format: loadFormat, RequestsPerSec: round(s.PerSec()), Load: l,
		Planned: s.All(), Failed: l.Failed, Errored: l.Errored(), InFlight: l.InFlight, WallNS: int64(s.Wall),
		Dialled: s.Dialled(), Messages: d.Texts, FirstFailure: d.First, Status: d.Status,
		Requests: s.eachOfJSON(), Objectives: s.Results(),
		Service: timesOf(s.Service()), Response: timesOf(s.Response()), Wrong: timesOf(s.Wrong()), Lag: timesOf(s.Lag()),
		Connect: timesOf(judge.Latencies{H: d.Connect}), Handshake: timesOf(s.Handshake()),
		FirstByte: timesOf(judge.Latencies{H: d.FirstByte}),
		Censored:  s.Primary().Censored, CensoredFromNS: s.Primary().From,
		Generator: s.generator(), Warnings: s.warnings(),
		Interrupted: s.Interrupted, CPU: s.CPU, Command: s.Command, Target: s.Target, Seed: s.Seed,
		Dyno: s.Dyno, Intervals: []jsonSec{},
		Protocol: map[bool]string{false: "HTTP/1.1", true: "HTTP/2"}[s.HTTP2], Unverified: s.Unverified, Checked: s.Checked,
	}
	if s.Usage().Known {
		doc.RunQueueNS = &l.RunQueueNS
	}
	if perSec, ok := l.HandshakesPerSec(); ok {
		doc.HandshakesPerSec = round(perSec)
	}
	for _, sec := range s.Seconds {
		j := jsonSec{Second: sec.second(), Errors: sec.Errored, Failed: sec.Failed, P50NS: sec.P50NS, P99NS: sec.P99NS}
		if s.filled(sec) {
			j.RequestsPerSec = new(round(sec.perSec()))
		}
		doc.Intervals = append(doc.Intervals, j)
	}
	return document.JSON(w, doc)
}

func timesOf(l judge.Latencies) times {
	if l.Count() == 0 {
		return nil
	}
	t, bounds := times{"count": l.Count()}, []string(nil)
	set := func(key string, f judge.Figure) {
		if f.Known {
			t[key] = int64(f.NS + 0.5)
		}
		if f.AtLeast {
			bounds = append(bounds, key)
		}
	}
	set("mean_ns", l.Mean())
	set("stdev_ns", l.StdDev())
	for _, p := range judge.Percentiles {
		set(p.Key, l.Quantile(p.Q))
	}
	set("max_ns", l.Max())
	if bounds != nil {
		t["lower_bounds"] = bounds
	}
	return t
}

func (s *Summary) generator() generator {
	u, g := s.Usage(), generator{NoSpin: s.NoSpin, SuspendedNS: int64(s.Suspended)}
	if u.Known {
		g.CPUShare, g.RunQueueShare = new(share(u.CPU)), new(share(u.Queue))
		if u.Ceiling > 0 {
			g.CeilingPerSec = new(round(u.Ceiling))
		}
	}
	return g
}

func (s Second) second() float64 { return float64(s.StartNS) / 1e9 }

// round rounds a rate to hundredths, as Text's last line does.
func round(v float64) float64 { return math.Round(v*100) / 100 }

// share rounds a share to 0.01 %.
func share(v float64) float64 { return math.Round(v*1e4) / 1e4 }
