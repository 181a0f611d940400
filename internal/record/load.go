package record

import (
	"dyno/internal/wire"
)

// Load holds the generator's measurements in the counted window, after draining. The counts add up:
// Started = Succeeded + Failed + sum(Errors) + InFlight and, if there is a plan, Planned = Started
// + NeverStarted.
type Load struct {
	// Planned is the number of requests that an open loop's schedule made due, or the requested
	// number. NeverStarted counts those that found no free connection in time, or that a shortened
	// window left out.
	Planned      int64 `json:"planned,omitempty"`
	NeverStarted int64 `json:"never_started,omitempty"`

	WindowNS int64 `json:"window_ns"` // first send to last answer
	// time from the window's start until all was drained: the period for RunQueueNS, LoopCPUNS and
	// SpunNS
	WallNS int64 `json:"wall_ns,omitempty"`
	// RateAnswers counts right answers while requests were sent. RateNS is the length of that time,
	// and RateFromNS its beginning, counted from the window's start, at least 1: see load.Edge. If
	// the rate is not steady, RateFromNS is 0, and the time began with the window. In older
	// recordings the time begins once each connection was answered; if there was no such time,
	// RateFromNS is 0, RateAnswers counts all right answers and RateNS is the planned time, or
	// WindowNS if that is longer.
	RateAnswers float64 `json:"rate_answers,omitempty"`
	RateNS      int64   `json:"rate_ns,omitempty"`
	RateFromNS  int64   `json:"rate_from_ns,omitempty"`
	// RateSamples is the number of samples of 20 ms in that time, without the first; RateSDPerSec
	// is the standard deviation of their rates, RateMaxPerSec the highest rate. 0: not recorded, or
	// fewer than two.
	RateSamples   int64   `json:"rate_samples,omitempty"`
	RateSDPerSec  float64 `json:"rate_sd_per_sec,omitempty"`
	RateMaxPerSec float64 `json:"rate_max_per_sec,omitempty"`
	// UnreachableNS is the time at the window's end during which no connection could be made: the
	// server was gone, and the load ended early.
	UnreachableNS int64 `json:"unreachable_ns,omitempty"`

	Connections int `json:"connections"`
	Established int `json:"established"`
	// RepeatedDials counts the dials before the window, since the session began, that were given up
	// and repeated because they took several times as long as the quickest (load.Dials): the
	// server's listen queue was full, or packets were lost. OpeningNS is the time that all dials
	// took; 0: none was repeated.
	RepeatedDials int64 `json:"repeated_dials,omitempty"`
	OpeningNS     int64 `json:"opening_ns,omitempty"`
	// StreamsAllowed is the least number of requests that the server allowed at some time in flight on an HTTP/2
	// connection, if that is fewer than requested; else 0.
	StreamsAllowed int `json:"streams_allowed,omitempty"`

	Started   int64            `json:"started"`
	Succeeded int64            `json:"succeeded"`
	Failed    int64            `json:"failed,omitempty"` // answered, but broke the contract
	Failures  map[string]int64 `json:"failures,omitempty"`
	// never answered, by kind: dial, reset, closed, timeout, parse …
	Errors   map[string]int64 `json:"errors,omitempty"`
	InFlight int64            `json:"in_flight,omitempty"`
	// RunQueueNS is the time for which the engine's event loops were runnable but not running,
	// summed over loops: something else had their CPU.
	RunQueueNS int64 `json:"run_queue_ns"`
	// LoopCPUNS is the event loops' CPU time, without SpunNS, in which they polled for answers and
	// due times instead of sleeping. Spin says whether they were meant to; nil: not recorded.
	Workers   int   `json:"workers,omitempty"`
	LoopCPUNS int64 `json:"loop_cpu_ns,omitempty"`
	SpunNS    int64 `json:"spun_ns,omitempty"`
	Spin      *bool `json:"spin,omitempty"`
	// GapNS is the longest time in which an event loop should have run and did not: it was stopped,
	// or something else had its CPU. A sleeping loop may miss load.Nap of it. 0: not recorded.
	GapNS int64 `json:"gap_ns,omitempty"`
	// SilentNS is the longest time without any answer, while requests were sent and waited, in
	// whole samples of 20 ms; 0: below 100 ms, or not recorded.
	SilentNS int64 `json:"silent_ns,omitempty"`
	// StarvedNS is the time for which requests were due while no connection was free, summed over
	// event loops; BacklogPeak is the largest number of such requests on one loop. UnevenNS is the
	// part of StarvedNS at whose end another event loop had a free connection.
	StarvedNS   int64 `json:"starved_ns,omitempty"`
	UnevenNS    int64 `json:"uneven_ns,omitempty"`
	BacklogPeak int64 `json:"backlog_peak,omitempty"`
	// SentAgain counts the requests that were sent again because the server had not processed them
	// (HTTP/2). Their times start when they were due and first sent.
	SentAgain    int64 `json:"sent_again,omitempty"`
	BytesRead    int64 `json:"bytes_read"`
	BytesWritten int64 `json:"bytes_written"`
	// Service is the HdrHistogram (V2, compressed, base64) of sent -> done in ns, for right answers
	// only.
	Service string `json:"service_hdr,omitempty"`
	// Responses is the same of due -> done, for all requests that were due, for loads whose
	// histograms are merged. One without a right answer counts with the time that it had waited.
	Responses string `json:"response_hdr,omitempty"`
	// Quantiles of Service, so that a reader needs no HdrHistogram.
	ServiceP50NS int64 `json:"service_p50_ns"`
	ServiceP99NS int64 `json:"service_p99_ns"`
	ServiceMaxNS int64 `json:"service_max_ns"`
	// Mean and standard deviation over Service; 0: not recorded.
	ServiceMeanNS int64 `json:"service_mean_ns,omitempty"`
	ServiceSDNS   int64 `json:"service_sd_ns,omitempty"`
	// For an open loop: due -> done, and due -> sent.
	ResponseP50NS int64 `json:"response_p50_ns,omitempty"`
	ResponseP99NS int64 `json:"response_p99_ns,omitempty"`
	LagP99NS      int64 `json:"lag_p99_ns,omitempty"`
	// CensoredFromNS is the response time from which quantiles are lower bounds, because requests
	// without a right answer had waited that long. Had they waited forever, the quantiles would be
	// ResponseP50MostNS and ResponseP99MostNS; 0: beyond every right answer.
	CensoredFromNS    int64 `json:"censored_from_ns,omitempty"`
	ResponseP50MostNS int64 `json:"response_p50_most_ns,omitempty"`
	ResponseP99MostNS int64 `json:"response_p99_most_ns,omitempty"`
	Pace              *Pace `json:"pace,omitempty"` // of an open loop

	// TLS lists the sessions of the load's encrypted connections, most frequent first: connections
	// open at the start and all dialled during the load. Handshakes were completed during the load.
	// Unnotified connections were closed by the server without close_notify (RFC 8446, 6.1).
	TLS        []TLSSession `json:"tls,omitempty"`
	Handshakes int64        `json:"handshakes,omitempty"`
	Unnotified int64        `json:"unnotified,omitempty"`

	Network *Network `json:"network,omitempty"` // nil: not counted

	// Parts are each machine's share of the load, if several made it.
	Parts []LoadPart `json:"parts,omitempty"`
}

// Network counts the segments on the load's own TCP connections in the window. Records made
// before dyno read connections have no Connections: they count all programs in the generator's
// network namespace.
type Network struct {
	wire.Segments
	// Link is the network card that carries packets to the server, with several generators the most
	// used card; "" if the server is on the same machine. LinkBitsPerSec is the card's stated
	// capacity each way, LinkShare the share used in the window, in the busier direction; 0: not
	// known.
	Link           string  `json:"link,omitempty"`
	LinkBitsPerSec int64   `json:"link_bits_per_sec,omitempty"`
	LinkShare      float64 `json:"link_share,omitempty"`
}

// Add adds another machine's counts.
func (n *Network) Add(o *Network) {
	n.Merge(&o.Segments)
	if n.Link == "" || o.LinkShare > n.LinkShare {
		n.Link, n.LinkBitsPerSec, n.LinkShare = o.Link, o.LinkBitsPerSec, o.LinkShare
	}
}

// LoadPart is one machine's part in a load that several made.
type LoadPart struct {
	Generator    string `json:"generator"`             // machine's name
	Connections  int    `json:"connections,omitempty"` // number of established connections
	Started      int64  `json:"started"`
	Succeeded    int64  `json:"succeeded"`
	ServiceP50NS int64  `json:"service_p50_ns,omitempty"`
	GapNS        int64  `json:"gap_ns,omitempty"`
	RunQueueNS   int64  `json:"run_queue_ns"`
	LoopCPUNS    int64  `json:"loop_cpu_ns,omitempty"`
	Workers      int    `json:"workers,omitempty"`
	// BeganNS is the time from the common start to the beginning of this machine's window, known to
	// ± BoundNS.
	BeganNS int64 `json:"began_ns"`
	BoundNS int64 `json:"bound_ns"`
}

// TLSSession is a session that some connections negotiated.
type TLSSession struct {
	Version     string `json:"version"`           // for example "TLS 1.3"
	Suite       string `json:"suite"`             // for example "TLS_AES_128_GCM_SHA256"
	Group       string `json:"group,omitempty"`   // group for the key exchange: "X25519MLKEM768"; "": RSA, or resumed
	ALPN        string `json:"alpn,omitempty"`    // the protocol, "http/1.1"; "": the server chose none
	Resumed     bool   `json:"resumed,omitempty"` // an earlier connection's session
	Connections int64  `json:"connections"`
}

// Words describes the encryption: "TLS 1.3, TLS_AES_128_GCM_SHA256, X25519".
func (s TLSSession) Words() string {
	words := s.Version + ", " + s.Suite
	if s.Group != "" {
		words += ", " + s.Group
	}
	return words
}

// Pace describes how many of an open loop's requests waited. EarlyNS and LateNS are sums over the event
// loops, each of which sends its share of the arrivals.
type Pace struct {
	// HalfNS is half the time in which requests fell due. EarlyNS and LateNS integrate the number
	// of due and unanswered requests, sent or not, over the first and the second half: divided by
	// HalfNS they give the mean number waiting. 0 if a number of requests ends the window.
	HalfNS  int64 `json:"half_ns,omitempty"`
	EarlyNS int64 `json:"early_ns,omitempty"`
	LateNS  int64 `json:"late_ns,omitempty"`
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

// Raised is the largest share by which requests without a right answer may raise a percentile that
// is still shown as known.
const Raised = 0.01

// Errored returns the number of requests without an answer, of any kind.
func (l *Load) Errored() int64 {
	var n int64
	for _, v := range l.Errors {
		n += v
	}
	return n
}

// Detail holds all measurements of a load. It exists in memory only. A nil histogram was not
// measured.
//
// Censored requests are planned requests without a right answer: wrong, broken, timed out, without
// a connection, in flight at the end, or never started. Response counts them with the time since
// they were due, which is a lower bound. A quantile at or above CensoredFromNS is therefore a lower
// bound too. Service likewise counts requests that were sent and have no answer. Wrong counts wrong
// answers; Service does not.
type Detail struct {
	Service   *Histogram // sent -> done
	Wrong     *Histogram // sent -> done for wrong answers; nil: there was none
	Response  *Histogram // due -> done; nil in a closed loop on kept connections, where it equals Service
	Lag       *Histogram // due -> sent or, if each request dials, due -> dial
	Connect   *Histogram // dial -> established, for every connection dialled
	Handshake *Histogram // established -> encrypted, in the load or, if none was, before it; nil: in the clear
	FirstByte *Histogram // sent -> first byte of the answer

	Censored       int64
	CensoredFromNS int64 // the shortest wait of a censored request; 0 if there is none

	Unanswered       int64
	UnansweredFromNS int64

	Each []Each // figures by request in a mix, in the scenario's order; nil: not kept

	Status map[int]int64     // answers by status code
	Texts  map[string]string // the system's last message, by kind of error
	First  string            // beginning of the first answer that broke its contract
}

// Each is the outcome for one request of a mix. Requests that were never sent are not counted,
// because a request is chosen at random only when it is sent.
type Each struct {
	Succeeded, Failed, Unanswered int64
	// Latency is for right answers, from due or sent to done as in Detail.Response or
	// Detail.Service; nil: the mix has no such request under load. It also counts the Censored
	// requests with the time they had waited, at least CensoredFromNS.
	Latency        *Histogram
	Censored       int64
	CensoredFromNS int64
}

// ResponseAtMost returns quantile q of Response as if censored requests had waited forever; 0 means
// beyond every right answer. It is slightly too high, because the censored requests also count with
// the time that they had waited.
func (d *Detail) ResponseAtMost(q float64) int64 {
	all := d.Response.Count() + d.Response.Over()
	rank := (q*float64(all) + float64(d.Censored)) / float64(max(d.Response.Count(), 1))
	if rank > 1 {
		return 0
	}
	return d.Response.Quantile(rank)
}

// Within returns the number of requests that had a right response below the limit, in ns.
func (d *Detail) Within(limit int64) int64 {
	return max(d.Response.AtMost([]int64{limit - 1})[0]-d.Censored, 0)
}

// Interval holds the results completed in one part of a load.
type Interval struct {
	StartNS, LengthNS int64 // time from the start of the window
	Load              Load  // without histogram and quantiles
	Detail            Detail
}
