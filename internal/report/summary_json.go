package report

import (
	"io"
	"math"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// Format is JSON's version; see doc/format.md.
const Format = 1

// loadJSON is the load in JSON. An absent key was not measured.
type loadJSON struct {
	Format         int     `json:"format"`
	RequestsPerSec float64 `json:"requests_per_sec"`

	Planned      int64 `json:"planned"`
	NeverStarted int64 `json:"never_started"`
	Started      int64 `json:"started"`
	Succeeded    int64 `json:"succeeded"`
	Failed       int64 `json:"failed"`
	Errored      int64 `json:"errored"`
	InFlight     int64 `json:"in_flight"`

	WindowNS int64 `json:"window_ns"`
	WallNS   int64 `json:"wall_ns"`

	RateAnswers float64 `json:"rate_answers"`
	RateNS      int64   `json:"rate_ns"`
	RateFromNS  int64   `json:"rate_from_ns,omitempty"`

	Connections  int   `json:"connections"`
	Established  int   `json:"established"`
	Dialled      int64 `json:"dialled,omitempty"`
	SentAgain    int64 `json:"sent_again,omitempty"`
	BytesRead    int64 `json:"bytes_read"`
	BytesWritten int64 `json:"bytes_written"`

	Protocol         string              `json:"protocol"`
	StreamsAllowed   int                 `json:"streams_allowed,omitempty"`
	TLS              []record.TLSSession `json:"tls,omitempty"`
	Unverified       bool                `json:"unverified,omitempty"`
	Checked          string              `json:"checked,omitempty"`
	Handshakes       int64               `json:"handshakes,omitempty"`
	HandshakesPerSec float64             `json:"handshakes_per_sec,omitempty"`
	Unnotified       int64               `json:"unnotified,omitempty"`

	Requests   []eachJSON              `json:"requests,omitempty"`
	Objectives []judge.ObjectiveResult `json:"objectives,omitempty"`

	Failures     map[string]int64  `json:"failures"`
	Errors       map[string]int64  `json:"errors"`
	Messages     map[string]string `json:"messages,omitempty"`
	FirstFailure string            `json:"first_failure,omitempty"`
	Status       map[int]int64     `json:"status"`

	Service   times `json:"service,omitempty"`
	Response  times `json:"response,omitempty"`
	Wrong     times `json:"wrong,omitempty"`
	Lag       times `json:"lag,omitempty"`
	Connect   times `json:"connect,omitempty"`
	Handshake times `json:"handshake,omitempty"`
	FirstByte times `json:"first_byte,omitempty"`

	Censored       int64 `json:"censored"`
	CensoredFromNS int64 `json:"censored_from_ns,omitempty"`
	StarvedNS      int64 `json:"starved_ns"`
	SilentNS       int64 `json:"silent_ns,omitempty"`
	BacklogPeak    int64 `json:"backlog_peak"`
	UnevenNS       int64 `json:"uneven_ns,omitempty"`

	Generator generator `json:"generator"`
	Warnings  []warning `json:"warnings"`

	UnreachableNS int64     `json:"unreachable_ns,omitempty"`
	Interrupted   bool      `json:"interrupted,omitempty"`
	CPU           string    `json:"cpu,omitempty"` // model of the CPUs
	Command       string    `json:"command"`
	Target        string    `json:"target"`
	Seed          uint64    `json:"seed"`
	Dyno          string    `json:"dyno"`
	Intervals     []jsonSec `json:"intervals"`
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

type generator struct {
	Workers       int      `json:"workers"`
	CPUNS         *int64   `json:"cpu_ns,omitempty"`
	CPUShare      *float64 `json:"cpu_share,omitempty"`
	RunQueueNS    *int64   `json:"run_queue_ns,omitempty"`
	RunQueueShare *float64 `json:"run_queue_share,omitempty"`
	SpunNS        *int64   `json:"spun_ns,omitempty"`
	Spin          *bool    `json:"spin,omitempty"`
	NoSpin        string   `json:"no_spin,omitempty"`
	CeilingPerSec *float64 `json:"ceiling_per_sec,omitempty"`
	GapNS         int64    `json:"gap_ns,omitempty"`
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
		Format: Format, RequestsPerSec: round(s.PerSec()),
		Planned: s.All(), NeverStarted: l.NeverStarted, Started: l.Started, Succeeded: l.Succeeded,
		Failed:  l.Failed,
		Errored: l.Errored(), InFlight: l.InFlight,
		RateAnswers: l.RateAnswers, RateNS: l.RateNS, RateFromNS: l.RateFromNS,
		WindowNS: l.WindowNS, WallNS: int64(s.Wall), Connections: l.Connections, Established: l.Established,
		Dialled: s.Dialled(), SentAgain: l.SentAgain,
		BytesRead: l.BytesRead, BytesWritten: l.BytesWritten,
		Failures: notNil(l.Failures), Errors: notNil(l.Errors), Messages: d.Texts, FirstFailure: d.First,
		Status:   notNil(d.Status),
		Requests: s.eachOfJSON(), Objectives: s.Results(),
		Service: timesOf(s.Service()), Response: timesOf(s.Response()), Wrong: timesOf(s.Wrong()), Lag: timesOf(s.Lag()),
		Connect: timesOf(judge.Latencies{H: d.Connect}), Handshake: timesOf(s.Handshake()),
		FirstByte: timesOf(judge.Latencies{H: d.FirstByte}),
		Censored:  s.Primary().Censored, CensoredFromNS: s.Primary().From, StarvedNS: l.StarvedNS, SilentNS: l.SilentNS,
		BacklogPeak: l.BacklogPeak, UnevenNS: l.UnevenNS,
		Generator: s.generator(), Warnings: s.warnings(),
		UnreachableNS: l.UnreachableNS, Interrupted: s.Interrupted, CPU: s.CPU, Command: s.Command,
		Target: s.Target, Seed: s.Seed,
		Dyno: s.Dyno, Intervals: []jsonSec{},
		Protocol:       map[bool]string{false: "HTTP/1.1", true: "HTTP/2"}[s.HTTP2],
		StreamsAllowed: l.StreamsAllowed, TLS: l.TLS, Unverified: s.Unverified, Checked: s.Checked,
		Handshakes: l.Handshakes, Unnotified: l.Unnotified,
	}
	if perSec, ok := l.HandshakesPerSec(); ok {
		doc.HandshakesPerSec = round(perSec)
	}
	for _, sec := range s.Seconds {
		j := jsonSec{Second: sec.second(), Errors: sec.Errored, Failed: sec.Failed, P50NS: sec.P50NS, P99NS: sec.P99NS}
		if s.filled(sec) {
			j.RequestsPerSec = pointer(round(perSec(sec.Succeeded, sec.LengthNS)))
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
	l, u := &s.Load, s.Usage()
	g := generator{Workers: l.Workers, Spin: l.Spin, NoSpin: s.NoSpin, GapNS: l.GapNS,
		SuspendedNS: int64(s.Suspended)}
	if u.Known {
		g.CPUNS, g.RunQueueNS, g.SpunNS = &l.LoopCPUNS, &l.RunQueueNS, &l.SpunNS
		g.CPUShare, g.RunQueueShare = pointer(share(u.CPU)), pointer(share(u.Queue))
		if u.Ceiling > 0 {
			g.CeilingPerSec = pointer(round(u.Ceiling))
		}
	}
	return g
}

func (s Second) second() float64 { return float64(s.StartNS) / 1e9 }

// round rounds a rate to hundredths, as Text's last line does.
func round(v float64) float64 { return math.Round(v*100) / 100 }

// share rounds a share to 0.01 %.
func share(v float64) float64 { return math.Round(v*1e4) / 1e4 }

func pointer[T any](v T) *T { return &v }

func notNil[K comparable](m map[K]int64) map[K]int64 {
	if m == nil {
		return map[K]int64{}
	}
	return m
}
