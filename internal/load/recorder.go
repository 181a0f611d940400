package load

import (
	"fmt"

	"dyno/internal/record"
)

// Kind is a request's outcome.
type Kind uint8

// The kinds. OK is success; Status to Body are answers that broke their contract; the others are
// requests that got no answer, or only a part.
const (
	OK     Kind = iota
	Status      // not the expected status
	Header      // an expected header is missing or has another value
	Length      // the body has the wrong length, or bytes follow it
	Body        // a body with the right length, but not the expected content

	Dial    // there was no connection to send the request on
	Reset   // the peer reset the connection
	Closed  // the peer closed it, or announced its end and left later requests unanswered
	Timeout // no complete answer within Job.Timeout
	Parse   // the data received is not the protocol
	Write   // the request could not be written

	Handshake   // the connection could not be encrypted
	StreamReset // the peer reset the request's stream (HTTP/2)
	GoAway      // the peer announced that it will not answer the request (HTTP/2)
	Truncated   // the response ended before its length or its last chunk
	kinds
)

func (k Kind) String() string {
	return [kinds]string{"ok", "status", "header", "length", "body", "dial", "reset", "closed", "timeout", "parse",
		"write", "handshake", "stream reset", "goaway", "truncated"}[k]
}

// Recorder counts and times requests in a window, for one worker or for several that lock it. All
// times are ns on one monotonic clock. Counting a request does not allocate, except for the first
// without a right answer. It travels as JSON (Part).
type Recorder struct {
	// The fields that each request touches come first, so that they share few cache lines.
	Service      *record.Histogram // sent -> done for every right answer
	Response     *record.Histogram // due -> done for every right answer; nil: not kept
	FirstByte    *record.Histogram // nil: not kept
	Pace         *Pace             // pace of an open loop, until ClosePace; nil: not kept
	Edge         *Edge             `json:"-"` // nil: no rate is kept
	Slices       *Slices           // nil: no rate is kept
	Started      int64
	BytesRead    int64
	BytesWritten int64
	SentAgain    int64 // requests that the server had not processed
	AfterSpan    int64 // right answers after the rate's span
	FirstSent    int64 // time of the first send
	LastAnswer   int64 // time of the last answer
	// figures by request index in the scenario, over the whole window; nil: not kept
	Each     []record.Each
	Counts   [kinds]int64
	ByStatus [1000]int64 // answers by status code

	Lag       *record.Histogram // due -> sent, or its connection being dialled; nil: not kept
	Connect   *record.Histogram // nil: not kept
	Handshake *record.Histogram // handshake times within the window; nil: there was none

	Handshakes int64               // completed within the window
	Unnotified int64               // encrypted connections that the peer closed without close_notify
	Greeted    *record.Histogram   // handshakes before the window
	Sessions   []record.TLSSession // of encrypted connections, each once, with their number

	Planned      int64
	NeverStarted int64
	InFlight     int64 // neither answered nor broken when the window was cancelled
	RunQueueNS   int64
	CPUNS        int64 // event loop, including SpunNS
	SpunNS       int64 // CPU time spent polling instead of sleeping
	// longest time in which the event loop, or its watcher, should have run and did not
	GapNS       int64
	StarvedNS   int64
	UnevenNS    int64
	BacklogPeak int64

	before, after float64 // parts of right answers outside the rate's span, see count

	// Waiting times of requests without a right answer: HeldService from when a request without any
	// answer was sent, HeldResponse from when any of them was due.
	HeldService, HeldResponse *record.Histogram
	ServiceFrom, ResponseFrom int64             // the shortest wait
	Wrong                     *record.Histogram // sent -> done for every wrong answer
}

// NewRecorder returns an empty Recorder that keeps only Service.
func NewRecorder() *Recorder { return &Recorder{Service: record.NewHistogram()} }

// newDetailed returns a Recorder that keeps everything. paced says that due times differ from send
// times.
func newDetailed(paced bool) *Recorder {
	r := &Recorder{Service: record.NewHistogram(), Connect: record.NewHistogram(), FirstByte: record.NewHistogram()}
	if paced {
		r.Response, r.Lag = record.NewHistogram(), record.NewHistogram()
	}
	return r
}

// histograms returns pointers to r's histograms, in a fixed order, so that two Recorders can be
// walked together.
func (r *Recorder) histograms() []**record.Histogram {
	return []**record.Histogram{&r.Service, &r.Response, &r.Lag, &r.Connect, &r.Handshake, &r.Greeted,
		&r.FirstByte, &r.HeldService, &r.HeldResponse, &r.Wrong}
}

// sums returns pointers to the counts in r that add up over workers and intervals, in a fixed
// order.
func (r *Recorder) sums() []*int64 {
	return []*int64{&r.Planned, &r.NeverStarted, &r.Started, &r.InFlight, &r.BytesRead, &r.BytesWritten,
		&r.RunQueueNS, &r.CPUNS, &r.SpunNS, &r.StarvedNS, &r.UnevenNS, &r.AfterSpan,
		&r.SentAgain, &r.Handshakes, &r.Unnotified}
}

// Reset empties r and keeps its memory.
func (r *Recorder) Reset() {
	kept := Recorder{}
	for i, h := range r.histograms() {
		if *h != nil {
			(*h).Reset()
		}
		*kept.histograms()[i] = *h
	}
	*r = kept
}

// Sent counts n requests that go out at now.
func (r *Recorder) Sent(n int, now int64) {
	if r.Started == 0 || now < r.FirstSent {
		r.FirstSent = now
	}
	r.Started += int64(n)
}

// ClosePace ends the Pace, if there is one, at the window's end. A window that was cut short has no halves.
func (r *Recorder) ClosePace(cut bool) {
	if r.Pace != nil && cut {
		r.Pace.Sum = record.Pace{}
	}
}

// Late records that a request due at due goes out at now, or that its connection is dialled at now.
func (r *Recorder) Late(due, now int64) {
	if r.Lag != nil {
		r.Lag.Record(now - due)
	}
}

// Done counts a complete answer with that status.
func (r *Recorder) Done(k Kind, status int, due, sent, now int64) {
	r.Counts[k]++
	r.LastAnswer = max(r.LastAnswer, now)
	if k == OK && r.Edge != nil {
		r.count(sent, now)
	}
	if uint(status) < uint(len(r.ByStatus)) {
		r.ByStatus[status]++
	}
	if k != OK {
		r.missed(due, now)
		r.Wrong.Record(now - sent)
		r.Slices.miss(now)
		return
	}
	r.Service.Record(now - sent)
	if now-due >= long {
		r.Slices.wait(due, now)
	}
	if r.Response != nil {
		r.Response.Record(now - due)
	}
	if r.Pace != nil {
		r.Pace.waited(due, now)
	}
}

// Broken counts a request that will never be answered, at now.
func (r *Recorder) Broken(k Kind, due, sent, now int64) {
	r.Counts[k]++
	r.held(due, sent, now)
}

// Flying counts a request that was in flight when the window was cancelled, at now.
func (r *Recorder) Flying(due, sent, now int64) {
	r.InFlight++
	r.held(due, sent, now)
}

// Never counts a request that was due but not started when the window ended, at now.
func (r *Recorder) Never(due, now int64) {
	r.NeverStarted++
	r.held(due, now, now)
}

// NotDue counts n requests that were planned, but not due before the window ended: they have not
// waited yet.
func (r *Recorder) NotDue(n int64) {
	if n > 0 {
		r.room()
		r.HeldResponse.RecordN(0, n)
		r.ResponseFrom = 1
	}
}

// held records how long a request without an answer has waited, as a lower bound. A request that
// was never sent has no service time.
func (r *Recorder) held(due, sent, now int64) {
	r.missed(due, now)
	if now > sent {
		r.HeldService.Record(now - sent)
		r.ServiceFrom = least(r.ServiceFrom, max(now-sent, 1))
	}
}

// missed records how long a request without a right answer has waited since it was due, as a lower
// bound.
func (r *Recorder) missed(due, now int64) {
	r.room()
	r.HeldResponse.Record(now - due)
	r.Slices.wait(due, now)
	if r.Pace != nil {
		r.Pace.waited(due, now)
	}
	r.ResponseFrom = least(r.ResponseFrom, max(now-due, 1))
}

// room makes the histograms for requests without a right answer, once.
func (r *Recorder) room() {
	if r.Wrong == nil {
		r.HeldService, r.HeldResponse, r.Wrong = record.NewHistogram(), record.NewHistogram(), record.NewHistogram()
	}
}

// least returns the smaller of a and b, where 0 means none.
func least(a, b int64) int64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// Undial counts a request, due at due, for which no connection could be made by now: as started,
// and as an error of kind k.
func (r *Recorder) Undial(k Kind, due, now int64) {
	r.Sent(1, now)
	r.Late(due, now)
	r.Broken(k, due, now, now)
}

// merge adds o to r.
func (r *Recorder) merge(o *Recorder) {
	mine := r.histograms()
	for i, h := range o.histograms() {
		if *h == nil {
			continue
		}
		if *mine[i] == nil {
			*mine[i] = record.NewHistogram()
		}
		(*mine[i]).Merge(*h)
	}
	if o.Started > 0 && (r.Started == 0 || o.FirstSent < r.FirstSent) {
		r.FirstSent = o.FirstSent
	}
	r.LastAnswer = max(r.LastAnswer, o.LastAnswer)
	r.ServiceFrom, r.ResponseFrom = least(r.ServiceFrom, o.ServiceFrom), least(r.ResponseFrom, o.ResponseFrom)
	sums := r.sums()
	for i, n := range o.sums() {
		*sums[i] += *n
	}
	r.GapNS, r.BacklogPeak = max(r.GapNS, o.GapNS), max(r.BacklogPeak, o.BacklogPeak)
	r.before, r.after = r.before+o.before, r.after+o.after
	if o.Edge != nil {
		r.Edge = o.Edge
	}
	if o.Slices != nil {
		r.Slices = r.Slices.merge(o.Slices)
	}
	if o.Pace != nil {
		r.Pace = r.Pace.merge(o.Pace)
	}
	if r.Each != nil {
		r.mergeEach(o)
	}
	for _, one := range o.Sessions {
		r.encrypted(one, one.Connections)
	}
	for k, n := range o.Counts {
		r.Counts[k] += n
	}
	for s, n := range o.ByStatus {
		r.ByStatus[s] += n
	}
}

// Merge adds up the Recorders for one window, which ended at now, and encodes the histogram.
func Merge(recorders []*Recorder, now int64) (record.Load, error) {
	all := NewRecorder()
	for _, r := range recorders {
		all.merge(r)
	}
	l := all.load(now)
	all.close(&l, now)
	var err error
	if l.Service, err = all.Service.Encode(serviceDigits); err != nil {
		return l, fmt.Errorf("merge recorders: %w", err)
	}
	return l, nil
}

// load returns r as a Load without its histogram. The window ended at now.
func (r *Recorder) load(now int64) record.Load {
	l := record.Load{
		Planned: r.Planned, NeverStarted: r.NeverStarted, Started: r.Started,
		Succeeded: r.Counts[OK], InFlight: r.InFlight,
		BytesRead: r.BytesRead, BytesWritten: r.BytesWritten,
		RunQueueNS: r.RunQueueNS, LoopCPUNS: max(r.CPUNS-r.SpunNS, 0), SpunNS: r.SpunNS, GapNS: r.GapNS,
		StarvedNS: r.StarvedNS, UnevenNS: r.UnevenNS, BacklogPeak: r.BacklogPeak,
		SentAgain: r.SentAgain,
	}
	if r.Pace != nil {
		l.Pace = new(r.Pace.Sum)
	}
	r.negotiated(&l)
	for k := Status; k < kinds; k++ {
		switch n := r.Counts[k]; {
		case n == 0:
		case k <= Body:
			l.Failed += n
			l.Failures = count(l.Failures, k, n)
		default:
			l.Errors = count(l.Errors, k, n)
		}
	}
	if r.Started > 0 {
		if r.LastAnswer < r.FirstSent { // no answer came: the window lasts until the wait ended
			r.LastAnswer = now
		}
		l.WindowNS = r.LastAnswer - r.FirstSent
	}
	return l
}

// detail returns r in full. It shares r's histograms.
func (r *Recorder) detail() record.Detail {
	d := record.Detail{Service: r.Service, Response: r.Response, Lag: r.Lag, Connect: r.Connect,
		Handshake: r.Greeted, FirstByte: r.FirstByte, Each: r.Each, Status: map[int]int64{}}
	if r.Handshakes > 0 {
		d.Handshake = r.Handshake
	}
	if r.HeldService != nil {
		d.Unanswered, d.UnansweredFromNS = r.HeldService.Count()+r.HeldService.Over(), r.ServiceFrom
		d.Service.Merge(r.HeldService)
		if d.Response != nil {
			d.Censored, d.CensoredFromNS = r.HeldResponse.Count()+r.HeldResponse.Over(), r.ResponseFrom
			d.Response.Merge(r.HeldResponse)
		}
		if r.Wrong.Count()+r.Wrong.Over() > 0 {
			d.Wrong = r.Wrong
		}
	}
	for s, n := range r.ByStatus {
		if n > 0 {
			d.Status[s] = n
		}
	}
	return d
}

func count(m map[string]int64, k Kind, n int64) map[string]int64 {
	if m == nil {
		m = map[string]int64{}
	}
	m[k.String()] = n
	return m
}

// serviceDigits is the recorded histogram's precision: 1 % is finer than any margin, and a trial's
// record takes a third of the space it would with 3 digits. The quantiles beside it have 3.
const serviceDigits = 2
