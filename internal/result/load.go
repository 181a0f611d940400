package result

import (
	"dyno/internal/hist"
	"dyno/internal/tcpstat"
)

// Load is what the generator measured in the counted window, after it was drained. The counts add
// up: Started = Succeeded + Failed + sum(Errors) + InFlight and, if there is a plan, Planned =
// Started + NeverStarted.
type Load struct {
	// Planned is how many requests were due, by an open loop's schedule or by number. NeverStarted
	// found no free connection in time, or the window was cut short.
	Planned      int64 `json:"planned,omitempty"`
	NeverStarted int64 `json:"never_started,omitempty"`

	WindowNS int64 `json:"window_ns"` // first send to last answer
	// start of the window until all was drained: what RunQueueNS, LoopCPUNS and SpunNS are of
	WallNS int64 `json:"wall_ns,omitempty"`
	// RateAnswers are the right answers while requests were sent, RateNS how long, RateFromNS the
	// beginning of that time from the window's start, at least 1: see load.Edge. If the rate is not
	// steady, RateFromNS is 0, and the time began with the window. In older recordings the time begins
	// once each connection was answered; where there was no such time, RateFromNS is 0, RateAnswers
	// are all right ones and RateNS is the time that was planned, or WindowNS if that is longer.
	RateAnswers float64 `json:"rate_answers,omitempty"`
	RateNS      int64   `json:"rate_ns,omitempty"`
	RateFromNS  int64   `json:"rate_from_ns,omitempty"`
	// RateSamples is how many samples of 20 ms lie in that time, without its first; RateSDPerSec the standard
	// deviation of their rates, RateMaxPerSec the highest. 0: not recorded, or fewer than two.
	RateSamples   int64   `json:"rate_samples,omitempty"`
	RateSDPerSec  float64 `json:"rate_sd_per_sec,omitempty"`
	RateMaxPerSec float64 `json:"rate_max_per_sec,omitempty"`
	// UnreachableNS is how long no connection could be made when the window ended: the server was
	// gone, and the load ended early.
	UnreachableNS int64 `json:"unreachable_ns,omitempty"`

	Connections int `json:"connections"`
	Established int `json:"established"`
	// RepeatedDials are the dials before the window, since the session began, that were given up and
	// repeated because they took several times as long as the quickest (load.Dials): the server's listen
	// queue was full, or packets were lost. OpeningNS is how long all dials took then; 0: none was repeated.
	RepeatedDials int64 `json:"repeated_dials,omitempty"`
	OpeningNS     int64 `json:"opening_ns,omitempty"`
	// StreamsAllowed is how many requests the server allowed in flight on a connection of HTTP/2, if fewer
	// than were asked for; 0: as many.
	StreamsAllowed int `json:"streams_allowed,omitempty"`

	Started   int64            `json:"started"`
	Succeeded int64            `json:"succeeded"`
	Failed    int64            `json:"failed,omitempty"` // answered, but broke the contract
	Failures  map[string]int64 `json:"failures,omitempty"`
	// never answered, by kind: dial, reset, closed, timeout, parse …
	Errors   map[string]int64 `json:"errors,omitempty"`
	InFlight int64            `json:"in_flight,omitempty"`
	// RunQueueNS is how long the engine's event loops were runnable but not running, summed over
	// them: something else had their CPU.
	RunQueueNS int64 `json:"run_queue_ns"`
	// LoopCPUNS is the CPU time of the event loops, without SpunNS, in which they polled for
	// answers and due times instead of sleeping. Spin says whether they were to do so; nil: it was
	// not recorded.
	Workers   int   `json:"workers,omitempty"`
	LoopCPUNS int64 `json:"loop_cpu_ns,omitempty"`
	SpunNS    int64 `json:"spun_ns,omitempty"`
	Spin      *bool `json:"spin,omitempty"`
	// GapNS is the longest time in which an event loop should have run and did not: it was stopped,
	// or something else had its CPU. Asleep, it may miss load.Nap of it. 0: not recorded.
	GapNS int64 `json:"gap_ns,omitempty"`
	// SilentNS is the longest time, while requests were sent, without any answer although requests
	// waited, in whole samples of 20 ms; 0: below 100 ms, or not recorded.
	SilentNS int64 `json:"silent_ns,omitempty"`
	// StarvedNS is how long requests were due while no connection was free, summed over the event
	// loops; BacklogPeak is how many at most on one. UnevenNS is the part of StarvedNS at whose end
	// another event loop had a connection free.
	StarvedNS   int64 `json:"starved_ns,omitempty"`
	UnevenNS    int64 `json:"uneven_ns,omitempty"`
	BacklogPeak int64 `json:"backlog_peak,omitempty"`
	Redirects   int64 `json:"redirects,omitempty"` // that were followed to the answers
	// SentAgain counts how often a request was sent again, because the server had not processed it
	// (HTTP/2). Its times are from when it was due and first sent.
	SentAgain    int64 `json:"sent_again,omitempty"`
	BytesRead    int64 `json:"bytes_read"`
	BytesWritten int64 `json:"bytes_written"`
	// Service is the HdrHistogram (V2, compressed, base64) of sent -> done in ns, of right answers
	// alone.
	Service string `json:"service_hdr,omitempty"`
	// Quantiles of Service, kept beside it so that a reader needs no HdrHistogram.
	ServiceP50NS int64 `json:"service_p50_ns"`
	ServiceP99NS int64 `json:"service_p99_ns"`
	ServiceMaxNS int64 `json:"service_max_ns"`
	// Of all of Service: the mean and the standard deviation; 0: not recorded.
	ServiceMeanNS int64 `json:"service_mean_ns,omitempty"`
	ServiceSDNS   int64 `json:"service_sd_ns,omitempty"`
	// Of an open loop: due -> done, and due -> sent.
	ResponseP50NS int64 `json:"response_p50_ns,omitempty"`
	ResponseP99NS int64 `json:"response_p99_ns,omitempty"`
	LagP99NS      int64 `json:"lag_p99_ns,omitempty"`
	// CensoredFromNS: quantiles of response from here on are lower bounds, for requests without a
	// right answer had waited so long. Had they waited for good, the quantiles would be
	// ResponseP50MostNS and ResponseP99MostNS; 0: they would be beyond every right answer.
	CensoredFromNS    int64 `json:"censored_from_ns,omitempty"`
	ResponseP50MostNS int64 `json:"response_p50_most_ns,omitempty"`
	ResponseP99MostNS int64 `json:"response_p99_most_ns,omitempty"`
	// InObjective is how many requests of a search's probe had a right response below the objective's limit; 0:
	// none, or not recorded.
	InObjective int64 `json:"in_objective,omitempty"`
	Pace        *Pace `json:"pace,omitempty"` // of an open loop

	// TLS is what its encrypted connections negotiated, those that most did first: the ones that
	// were there at its start and all that were dialled in it. Handshakes were completed in it, in a
	// time of which these are quantiles. Unnotified connections were closed by the server without
	// close_notify (RFC 8446, 6.1).
	TLS            []TLSSession `json:"tls,omitempty"`
	Handshakes     int64        `json:"handshakes,omitempty"`
	HandshakeP50NS int64        `json:"handshake_p50_ns,omitempty"`
	HandshakeP99NS int64        `json:"handshake_p99_ns,omitempty"`
	Unnotified     int64        `json:"unnotified,omitempty"`

	Network *Network `json:"network,omitempty"` // nil: not counted

	// Parts are the shares of the load, where several machines made it.
	Parts []LoadPart `json:"parts,omitempty"`
}

// Network is what the load's own TCP connections sent and received in the window. Records made before dyno
// read connections have no Connections: those count all programs in the generator's network namespace.
type Network struct {
	tcpstat.Segments
	// Link is the network card by which packets to the server leave, of several generators that which
	// was used most; "" if the server is on the same machine. LinkBitsPerSec is what it can carry each
	// way, as the card says, LinkShare the share of that in the window, in the direction with more; 0:
	// not known.
	Link           string  `json:"link,omitempty"`
	LinkBitsPerSec int64   `json:"link_bits_per_sec,omitempty"`
	LinkShare      float64 `json:"link_share,omitempty"`
}

// Add adds what another machine counted.
func (n *Network) Add(o *Network) {
	n.Merge(&o.Segments)
	if n.Link == "" || o.LinkShare > n.LinkShare {
		n.Link, n.LinkBitsPerSec, n.LinkShare = o.Link, o.LinkBitsPerSec, o.LinkShare
	}
}

// LoadPart is what one of several machines did of a load.
type LoadPart struct {
	Generator    string `json:"generator"`             // its name
	Connections  int    `json:"connections,omitempty"` // that were established
	Started      int64  `json:"started"`
	Succeeded    int64  `json:"succeeded"`
	ServiceP50NS int64  `json:"service_p50_ns,omitempty"`
	GapNS        int64  `json:"gap_ns,omitempty"`
	RunQueueNS   int64  `json:"run_queue_ns"`
	LoopCPUNS    int64  `json:"loop_cpu_ns,omitempty"`
	Workers      int    `json:"workers,omitempty"`
	// BeganNS is by how much its window began after the common time, which is known to BoundNS.
	BeganNS int64 `json:"began_ns"`
	BoundNS int64 `json:"bound_ns"`
	// The common time, in ns: by the controller's clock and, give or take BoundNS, by the generator's. Each
	// counts from a moment of its own, which is another one in another Session.
	AtNS    int64  `json:"at_ns,omitempty"`
	ClockNS int64  `json:"clock_ns,omitempty"`
	Session string `json:"session,omitempty"`
}

// TLSSession is what a number of connections negotiated.
type TLSSession struct {
	Version     string `json:"version"`           // "TLS 1.3"
	Suite       string `json:"suite"`             // "TLS_AES_128_GCM_SHA256"
	Group       string `json:"group,omitempty"`   // of the key exchange: "X25519MLKEM768"; "": RSA, or resumed
	ALPN        string `json:"alpn,omitempty"`    // the protocol, "http/1.1"; "": the server chose none
	Resumed     bool   `json:"resumed,omitempty"` // an earlier connection's session
	Connections int64  `json:"connections"`
}

// Words describe the encryption: "TLS 1.3, TLS_AES_128_GCM_SHA256, X25519".
func (s TLSSession) Words() string {
	words := s.Version + ", " + s.Suite
	if s.Group != "" {
		words += ", " + s.Group
	}
	return words
}

// Pace is how evenly the requests of an open loop were sent, and how many of them waited. All
// values are sums over the event loops, each of which sends its share of the arrivals.
type Pace struct {
	// HalfNS is half of the time in which requests fell due. EarlyNS and LateNS are the requests
	// that were due and unanswered, whether sent or not, integrated over its first and its second
	// half: divided by HalfNS they are how many waited on average. 0 where a number bounds the
	// window.
	HalfNS  int64 `json:"half_ns,omitempty"`
	EarlyNS int64 `json:"early_ns,omitempty"`
	LateNS  int64 `json:"late_ns,omitempty"`
	// Bins of 1 ms, those in which nothing went out among them; the requests that went out in them;
	// and the squares of those counts, summed.
	Bins    int64 `json:"bins"`
	Sent    int64 `json:"sent"`
	Squares int64 `json:"squares"`
	// Gaps are the times between the sends of one event loop, each as u = 1 - exp(-arrivals
	// expected in it), counted in equal parts of 0 to 1: all alike if the sends are Poisson. Nil
	// where the arrivals are not to be random.
	Gaps []int64 `json:"gaps,omitempty"`
}

// Response returns the median response time (due -> done) or, if beyond is set, the 99th
// percentile. most is its upper limit, as if requests without a right answer had waited forever; 0
// means beyond every right answer.
func (l *Load) Response(beyond bool) (ns, most int64) {
	ns, most = l.ResponseP50NS, l.ResponseP50MostNS
	if beyond {
		ns, most = l.ResponseP99NS, l.ResponseP99MostNS
	}
	if l.CensoredFromNS == 0 || ns < l.CensoredFromNS {
		most = ns
	}
	return ns, most
}

// Raised is the limit by which requests without a right answer may raise a percentile. Below it,
// the percentile is still shown as known.
const Raised = 0.01

// Errored returns the number of requests without an answer, of all kinds.
func (l *Load) Errored() int64 {
	var n int64
	for _, v := range l.Errors {
		n += v
	}
	return n
}

// Detail is everything that was measured of a load. It exists in memory only. A nil histogram was
// not measured.
//
// Censored requests are planned requests without a right answer: wrong, broken, timed out, without
// a connection, in flight at the end, or never started. Response counts them with the time since
// they were due, which is a lower bound. A quantile at or above CensoredFromNS is therefore a lower
// bound too. Service likewise counts requests that were sent and have no answer. Wrong counts wrong
// answers; Service does not.
type Detail struct {
	Service   *hist.Histogram // sent -> done
	Wrong     *hist.Histogram // sent -> done of wrong answers; nil: there was none
	Response  *hist.Histogram // due -> done; nil in a closed loop without think time, where it equals Service
	Lag       *hist.Histogram // due -> sent, or where each request has a dial of its own, due -> dial
	Connect   *hist.Histogram // dial -> established, of every connection dialled
	Handshake *hist.Histogram // established -> encrypted, in the load, or where none was, before it; nil: in the clear
	FirstByte *hist.Histogram // sent -> first byte of the answer read

	Censored       int64
	CensoredFromNS int64 // the least of what they had waited; 0 if there is none

	Unanswered       int64
	UnansweredFromNS int64

	Each []Each // of the requests of a mix, as the scenario has them; nil: not kept

	Status map[int]int64     // answers by status code
	Texts  map[string]string // the last message of the system, by kind of error
	First  string            // the first answer that broke its contract, its beginning
}

// Each is the outcome of one request of a mix. Requests that were never sent are not counted,
// because a request is chosen at random only when it is sent.
type Each struct {
	Succeeded, Failed, Unanswered int64
	// Latency is that of right answers, from due or sent to done as Detail.Response or
	// Detail.Service; nil: the mix has no such request under load. The Censored count in it with
	// the time they had waited, at least CensoredFromNS.
	Latency        *hist.Histogram
	Censored       int64
	CensoredFromNS int64
}

// ResponseAtMost returns the quantile q of Response as if censored requests had waited forever; 0
// means beyond every right answer. It is slightly too high, because the censored requests also
// count with the time that they had waited.
func (d *Detail) ResponseAtMost(q float64) int64 {
	all := d.Response.Count() + d.Response.Over()
	rank := (q*float64(all) + float64(d.Censored)) / float64(max(d.Response.Count(), 1))
	if rank > 1 {
		return 0
	}
	return d.Response.Quantile(rank)
}

// Within returns how many requests had a right response below the limit, in ns.
func (d *Detail) Within(limit int64) int64 {
	return max(d.Response.AtMost([]int64{limit - 1})[0]-d.Censored, 0)
}

// Interval is what was completed in one part of a load.
type Interval struct {
	StartNS, LengthNS int64 // from the start of the window
	Load              Load  // without histogram and quantiles
	Detail            Detail
}

// MemoryAt is the memory of a process tree at a time, counted from the start of the window. The
// first reading is at the start, the last at the end.
type MemoryAt struct {
	AtNS     int64 `json:"at_ns"`
	PSSBytes int64 `json:"pss_bytes"`
}
