package load

import (
	"fmt"

	"dyno/internal/hist"
	"dyno/internal/http1"
	"dyno/internal/result"
	"dyno/internal/scenario"
)

// Kind is what became of a request.
type Kind uint8

// The kinds. OK is success; Status to Header are answers that broke their contract; Dial to Write are requests that got no answer.
const (
	OK     Kind = iota
	Status      // another status than expected
	Header      // an expected header is missing or has another value
	Length      // the body's length, or bytes after its end
	Body        // a body of the right length, but not the expected one

	Dial    // there was no connection to send it on
	Reset   // the peer reset the connection
	Closed  // the peer closed it, or announced its end and left later requests unanswered
	Timeout // no complete answer within Job.Timeout
	Parse   // what came back is no HTTP/1.1
	Write   // the request could not be written
	kinds
)

func (k Kind) String() string {
	return [kinds]string{"ok", "status", "header", "length", "body", "dial", "reset", "closed", "timeout", "parse", "write"}[k]
}

// Recorder is the ledger of one worker, or of several that lock it. All times are ns on one monotonic clock. Nothing in it allocates once
// it is made.
type Recorder struct {
	Service      *hist.Histogram // sent -> done of every answer, right or wrong
	Started      int64
	InFlight     int64 // neither answered nor broken when the window was cancelled
	BytesRead    int64
	BytesWritten int64
	counts       [kinds]int64
	first        int64 // send
	last         int64 // answer
}

// NewRecorder returns an empty Recorder.
func NewRecorder() *Recorder { return &Recorder{Service: hist.New()} }

// Reset empties r and keeps its memory.
func (r *Recorder) Reset() {
	r.Service.Reset()
	*r = Recorder{Service: r.Service}
}

// Sent counts n requests that go out at now.
func (r *Recorder) Sent(n int, now int64) {
	if r.Started == 0 || now < r.first {
		r.first = now
	}
	r.Started += int64(n)
}

// Done counts an answer.
func (r *Recorder) Done(k Kind, sent, now int64) {
	r.counts[k]++
	r.last = max(r.last, now)
	r.Service.Record(now - sent)
}

// Lost counts n requests that will never be answered.
func (r *Recorder) Lost(k Kind, n int) { r.counts[k] += int64(n) }

// Undial counts a request that found no connection: started and lost at once.
func (r *Recorder) Undial(now int64) {
	r.Sent(1, now)
	r.Lost(Dial, 1)
}

// Merge folds the ledgers of the workers of one window, which ended at now.
func Merge(recorders []*Recorder, now int64) (result.Load, error) {
	var l result.Load
	var counts [kinds]int64
	all := hist.New()
	first, last := int64(-1), int64(-1)
	for _, r := range recorders {
		all.Merge(r.Service)
		l.Started += r.Started
		l.InFlight += r.InFlight
		l.BytesRead += r.BytesRead
		l.BytesWritten += r.BytesWritten
		for k, n := range r.counts {
			counts[k] += n
		}
		if r.Started > 0 && (first < 0 || r.first < first) {
			first = r.first
		}
		last = max(last, r.last)
	}
	l.Succeeded = counts[OK]
	for k := Status; k < kinds; k++ {
		switch n := counts[k]; {
		case n == 0:
		case k <= Body:
			l.Failed += n
			l.Failures = count(l.Failures, k, n)
		default:
			l.Errors = count(l.Errors, k, n)
		}
	}
	if first >= 0 {
		if last < first { // no answer came: the window is as long as it was waited for
			last = now
		}
		l.WindowNS = last - first
	}
	l.ServiceP50NS, l.ServiceP99NS, l.ServiceMaxNS = all.Quantile(0.5), all.Quantile(0.99), all.Max()
	var err error
	if l.Service, err = all.Encode(serviceDigits); err != nil {
		return l, fmt.Errorf("merge recorders: %w", err)
	}
	return l, nil
}

func count(m map[string]int64, k Kind, n int64) map[string]int64 {
	if m == nil {
		m = map[string]int64{}
	}
	m[k.String()] = n
	return m
}

// serviceDigits are those of the histogram that is recorded: 1 % is finer than any margin, and a trial's record three times smaller than
// with 3 digits. The quantiles beside it have 3.
const serviceDigits = 2

// Judge compares a complete response with its contract. The headers have been judged by CheckHeaders, as headers says; surplus means
// that bytes follow which belong to no response.
func Judge(p *http1.Parser, w *scenario.Want, headers, surplus bool) Kind {
	switch {
	case p.Status != w.Status:
		return Status
	case !headers:
		return Header
	case surplus:
		return Length
	case !w.CheckBody || w.Head || p.Matches():
		return OK
	case p.Length != int64(len(w.Body)):
		return Length
	}
	return Body
}

// CheckHeaders reports whether every wanted header stands in the field lines, with a value that matches.
func CheckHeaders(fields []byte, wanted []scenario.Header) bool {
	for i := range wanted {
		if !has(fields, &wanted[i]) {
			return false
		}
	}
	return true
}

func has(fields []byte, h *scenario.Header) bool {
	for {
		name, value, rest, ok := http1.NextField(fields)
		if !ok {
			return false
		}
		if http1.EqualFold(name, h.Name) && h.Match(value) {
			return true
		}
		fields = rest
	}
}

// ConnectionSeed derives the seed of connection i by SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), so that neighbours have nothing in
// common. Both engines use it: the same job sends the same bytes.
func (j *Job) ConnectionSeed(i int) uint64 {
	z := j.Seed + (uint64(i)+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Host is the value of the Host header: HostHeader, or else Addr, or "localhost" for a unix socket, whose path no server would accept.
func (j *Job) Host() string {
	switch {
	case j.HostHeader != "":
		return j.HostHeader
	case j.Network == "unix":
		return "localhost"
	}
	return j.Addr
}
