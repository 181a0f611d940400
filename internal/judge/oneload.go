package judge

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"dyno/internal/document"
	"dyno/internal/foreign"
	"dyno/internal/record"
)

// OneLoad is a single load that no other is compared with, as dyno load makes it: how it was
// planned, and what came of it.
type OneLoad struct {
	Open       bool          // requests were due by a schedule
	Joining    bool          // the connections were to join one by one
	Ramp       time.Duration // closed loop: time over which connections begin
	Depth      int           // closed loop: answers that each connection needs for a steady rate; 0: unknown
	For        time.Duration // planned length; 0 if only a number bounds the load
	Renewing   bool          // connections were to be replaced after a number of requests
	AnyStatus  bool          // no status was requested
	HTTP2      bool          // the load used HTTP/2, not HTTP/1.1
	Objectives []Objective   // given for the load

	Suspended   time.Duration // time for which the whole machine was suspended meanwhile
	Wall        time.Duration // time from the window's start until all was drained
	Interrupted bool
	SentHTTP2   bool // the server sent unrequested HTTP/2 frames

	Load   record.Load
	Detail record.Detail
}

// Findings returns the checks that did not pass: first the failures, of which errors come last because the others may
// explain them, then the warnings.
func (o *OneLoad) Findings() (all []Finding) {
	for _, state := range []State{Fail, Warn} {
		for _, c := range table {
			if c.One.State != state || c.One.text == nil {
				continue
			}
			if text := c.One.text(o); text != "" {
				all = append(all, Finding{ID: c.ID, Title: c.Title, State: state, Text: text})
			}
		}
		if state == Fail {
			slices.Reverse(all)
		}
	}
	return all
}

// OfOneLoad is a check of a single load.
type OfOneLoad struct {
	Key   string // key of the warning in the JSON of dyno load
	State State  // Fail: the load is no success; Warn
	text  func(*OneLoad) string
}

// TextOf returns the text of a check's finding; "" if there is none.
func TextOf(findings []Finding, id string) string {
	if i := slices.IndexFunc(findings, func(f Finding) bool { return f.ID == id }); i >= 0 {
		return findings[i].Text
	}
	return ""
}

// Dialled returns the number of connections that were opened, including those before the window; 0
// if not counted.
func (o *OneLoad) Dialled() int64 { return Latencies{H: o.Detail.Connect}.Count() }

// All returns the number of planned requests; without a plan, the number started.
func (o *OneLoad) All() int64 { return max(o.Load.Planned, o.Load.Started+o.Load.NeverStarted) }

// ErrorShare returns the share of planned requests that failed, got no answer or were never
// started. Requests that an interruption kept from starting do not count.
func (o *OneLoad) ErrorShare() float64 {
	bad := o.Load.Failed + o.Load.Errored()
	if !o.Interrupted {
		bad += o.Load.NeverStarted
	}
	return share(float64(bad), float64(max(o.All(), 1)))
}

// Usage says how the event loops used their time, as shares.
type Usage struct {
	Known      bool // the engine measures it
	CPU, Queue float64
	Spun       float64
	Ceiling    float64 // rate at which the loops would have no time left, for this load; 0: unknown
}

// ceilingFrom is the smallest CPU share for which a ceiling is reported, because an event loop that
// mostly sleeps uses extra CPU for each wake-up.
const ceilingFrom = 0.2

// Usage returns how the event loops used their time.
func (o *OneLoad) Usage() Usage {
	l := &o.Load
	time := float64(l.Workers) * float64(l.Wall())
	if time <= 0 || l.LoopCPUNS+l.SpunNS <= 0 {
		return Usage{}
	}
	u := Usage{Known: true, CPU: float64(l.LoopCPUNS) / time, Queue: float64(l.RunQueueNS) / time,
		Spun: float64(l.SpunNS) / time}
	if u.CPU >= ceilingFrom && l.WindowNS >= JudgedNS {
		u.Ceiling = share(float64(l.Succeeded+l.Failed), float64(l.Wall())/1e9) / u.CPU
	}
	return u
}

const (
	crowdedFrom = 0.1 // share of time from which the wait for a CPU is the problem
	churnFrom   = 3   // dials per connection, without errors, from which their cost shapes the figures
	fewTurns    = 10  // requests per connection below which no rate is expected
)

func (o *OneLoad) ended() string {
	l := &o.Load
	if l.UnreachableNS <= 0 {
		return ""
	}
	text := "ended early: no connection could be made in its last " + document.Duration(float64(l.UnreachableNS))
	if why := o.unconnected(); why != "" {
		text += " (" + why + ")"
	}
	if l.NeverStarted > 0 {
		text += fmt.Sprintf(", so %s of %s requests were never started", document.Whole(l.NeverStarted),
			document.Whole(o.All()))
	}
	return text + ". Check whether the server is still running, and the end of its log"
}

// unconnected says why connections could not be made; "" if there was no such error.
func (o *OneLoad) unconnected() string {
	return document.Clean(cmp.Or(o.Detail.Texts["dial"], o.Detail.Texts["handshake"]))
}

func (o *OneLoad) fewer() string {
	l := &o.Load
	if l.Established >= l.Connections {
		return ""
	}
	text := fmt.Sprintf("fewer connections: %s of %s were established, so the load was lower than requested",
		document.Whole(int64(l.Established)), document.Whole(int64(l.Connections)))
	why := o.unconnected()
	if why == "" && o.Joining {
		return text + ". The load ended before all were added: make it longer, or --ramp-up shorter"
	}
	if why != "" {
		text += " (" + why + ")"
	}
	return text + ". Check the server's limits (open files, backlog), or lower -c"
}

// fewerStreams concerns closed loops: in an open loop the requests that are due do not depend on it.
func (o *OneLoad) fewerStreams() string {
	n := o.Load.StreamsAllowed
	if n == 0 || o.Load.Pace != nil {
		return ""
	}
	return fmt.Sprintf("fewer requests in flight: at some time the server allowed %s on a connection "+
		"(SETTINGS_MAX_CONCURRENT_STREAMS), so the load was then lower than requested. Raise its limit, or take more "+
		"connections with %s each",
		document.Whole(int64(n)), document.Count(n, "stream"))
}

func (o *OneLoad) interrupted() string {
	if !o.Interrupted {
		return ""
	}
	return fmt.Sprintf("interrupted after %s: the figures cover that time", document.Duration(float64(o.Wall)))
}

// churn warns about connections that ended although responses came. A connection lost together with
// a request counts as an error instead.
func (o *OneLoad) churn() string {
	dialled, had := o.Dialled(), int64(o.Load.Established)
	if o.Renewing || o.Load.Succeeded+o.Load.Failed == 0 || dialled-o.Load.Errored() <= churnFrom*max(had, 1) {
		return ""
	}
	text := fmt.Sprintf("connections did not last: %s were dialled for %s, so the figures include the cost of "+
		"connecting. The server closed them, or sent more than it was asked for. Configure it to keep them open "+
		"(keep-alive, its time-out, requests per connection), or pass --no-keepalive if this is intended",
		document.Whole(dialled), document.Whole(had))
	if late := dialled - o.Detail.Connect.AtMost([]int64{int64(foreign.Dropped)})[0]; late > 0 {
		text += fmt.Sprintf(". %s took 0.9 s or more, which is usual where the server's listen queue is full: lower -c",
			document.Count(late, "dial"))
	}
	return text
}

func (o *OneLoad) unbalanced() string {
	l := &o.Load
	started := l.Succeeded + l.Failed + l.Errored() + l.InFlight
	if l.Started == started && (l.Planned == 0 || l.Planned == l.Started+l.NeverStarted) {
		return ""
	}
	return fmt.Sprintf("the counts of requests do not add up: %s planned, %s started, %s never started, %s "+
		"accounted for. This is a bug in dyno: please report it",
		document.Whole(l.Planned), document.Whole(l.Started), document.Whole(l.NeverStarted), document.Whole(started))
}

// sending judges how requests were sent. An interruption misses none.
func (o *OneLoad) sending() Sending {
	l := o.Load
	l.LagP99NS, l.ResponseP50NS = int64(o.Lag().Quantile(0.99).NS), int64(o.Response().Quantile(0.5).NS)
	if o.Interrupted {
		l.Planned, l.NeverStarted = l.Started, 0
	}
	return SendingOf(&l, o.Open)
}

func (o *OneLoad) atLimit() string {
	u, sent := o.Usage(), o.sending()
	if !sent.Limited() {
		return ""
	}
	remedy := "Pass more --threads"
	if u.Queue > crowdedFrom {
		remedy = "Other programs, perhaps the server, use its CPUs: separate it from them with taskset"
	}
	how := fmt.Sprintf("its event loops were busy for %s of the time and waited for a CPU for %s",
		document.Percent(u.CPU), document.Percent(u.Queue))
	if !o.Open {
		return "the generator was at its limit: " + how + ". The server may be faster than shown. " + remedy
	}
	text := "the generator was at its limit: it could not send all that was due"
	if sent.Late {
		text = fmt.Sprintf("the generator was at its limit: requests were sent %s late at the 99th percentile",
			document.Duration(o.Lag().Quantile(0.99).NS))
	}
	if u.Known {
		text += "; " + how
	}
	return text + ". Response times include this delay. " + remedy + ", or lower the rate"
}

// paused judges a load like a trial in a run (V30).
func (o *OneLoad) paused() string {
	t := record.Trial{Load: o.Load, Causes: record.Causes{SuspendedNS: int64(o.Suspended)}}
	if !Paused(&t) {
		return ""
	}
	if o.Suspended > 0 {
		return fmt.Sprintf("the machine was suspended for %s during the load: no figure is reliable. Repeat the load",
			document.Duration(float64(o.Suspended)))
	}
	return fmt.Sprintf("the generator stood still for %s, %s of the load: it was stopped, or other programs used "+
		"its CPU. Rates and latencies include this. Keep other programs off its CPUs, and repeat "+
		"the load", document.Duration(float64(o.Load.GapNS)),
		document.Percent(float64(o.Load.GapNS)/float64(o.Load.Wall())))
}

// silence returns how long no answer came although requests waited, and whether this is a stop (V39) or, with few
// connections, perhaps a single slow answer; 0: neither.
func (o *OneLoad) silence() (ns int64, few bool) {
	return Stopped(&record.Trial{Load: o.Load, Causes: record.Causes{SuspendedNS: int64(o.Suspended)}})
}

// stopped says that the server stood still. In a closed loop no percentile shows it: each connection waits for one
// answer at a time.
func (o *OneLoad) stopped() string {
	ns, few := o.silence()
	part := document.Percent(share(float64(ns), float64(o.Load.Sending())))
	length := document.Duration(float64(ns)) + ", " + part + " of the load"
	switch {
	case ns == 0 || few:
		return ""
	case o.Open:
		return "no answer for " + length + ", while requests waited"
	}
	return "no answer for " + length + ": a closed loop hides this, use --rate"
}

func (o *OneLoad) longest() string {
	l := &o.Load
	ns, few := o.silence()
	if !few {
		return ""
	}
	text := fmt.Sprintf("no answer for %s on %s although requests waited", document.Duration(float64(ns)),
		document.Count(l.Connections, "connection"))
	if l.ServiceMaxNS > 0 {
		text += fmt.Sprintf("; the longest right answer took %s, the median %s", document.Duration(float64(l.ServiceMaxNS)),
			document.Duration(float64(l.ServiceP50NS)))
	}
	return text
}

func (o *OneLoad) starved() string {
	if !o.sending().Starved {
		return ""
	}
	l := &o.Load
	share := float64(l.StarvedNS) / float64(l.WindowNS) / float64(max(l.Workers, 1))
	text := fmt.Sprintf("for %s of the time requests were due, at most %s at once, while no connection was free: "+
		"response times include the wait for one. ", document.Percent(min(share, 1)), document.Whole(l.BacklogPeak))
	if 2*l.UnevenNS > l.StarvedNS {
		return text + fmt.Sprintf(
			"For %s of that time another event loop had a free connection: lower --threads (%d), or raise -c",
			document.Percent(float64(l.UnevenNS)/float64(l.StarvedNS)), l.Workers)
	}
	return text + "Raise -c; if that does not help, the server cannot keep up with this rate"
}

// unsteady says that the rate does not come from a steady part of the load, and why: see load.Edge.
func (o *OneLoad) unsteady() string {
	l := &o.Load
	if l.Steady() || l.Succeeded == 0 {
		return ""
	}
	left := l.Sending() - int64(o.Ramp)
	why := "requests were sent for only " + document.Duration(float64(left))
	if o.Ramp > 0 {
		why = "after the ramp-up " + why
	}
	switch {
	case left <= 0:
		why = "the load ended before the ramp-up"
	case left >= record.FewestTimes*l.ServiceP50NS: // enough was left, so not all connections were answered
		switch {
		case o.Depth == 0:
			why = "the rate does not come from a steady part of the load"
		case o.Depth == 1:
			why = "a connection got no response"
		default:
			why = fmt.Sprintf("a connection got fewer than %d responses", o.Depth)
		}
	case o.Ramp == 0 && l.Started < fewTurns*int64(l.Established):
		why = fmt.Sprintf("only %s on %s, too few for a rate", document.Count(l.Started, "request"),
			document.Count(l.Established, "connection"))
	default:
		why += fmt.Sprintf(", or %s median service times", document.Sig3(float64(left)/float64(l.ServiceP50NS)))
	}
	return "not steady: " + why + ". Make the load longer"
}

func (o *OneLoad) missed() string {
	if !o.sending().Missed {
		return ""
	}
	if o.For <= 0 {
		return fmt.Sprintf("rate missed: %s of %s requests were sent", document.Whole(o.Load.Started),
			document.Whole(o.All()))
	}
	return fmt.Sprintf("rate missed: %s of %s/s were sent", document.Short(float64(o.Load.Started)/o.For.Seconds()),
		document.Short(float64(o.All())/o.For.Seconds()))
}

// redirects warns if only redirects came back although any status was accepted.
func (o *OneLoad) redirects() string {
	n := int64(0)
	for code, answers := range o.Detail.Status {
		if code/100 == 3 && code != http.StatusNotModified {
			n += answers
		} else if answers > 0 {
			return ""
		}
	}
	if n == 0 || !o.AnyStatus {
		return ""
	}
	return fmt.Sprintf("all %s are redirects (3xx), so the load measures a redirect and not its target. Load the "+
		"target (curl -I shows it), or pass --expect-status 3xx if this is intended", document.Count(n, "answer"))
}

// errors lists the kinds of errors, most frequent first.
func (o *OneLoad) errors() string {
	share := o.ErrorShare()
	if share == 0 {
		return ""
	}
	kinds := slices.Concat(MostFirst(o.Load.Failures), MostFirst(o.Load.Errors))
	if !o.Interrupted && o.Load.NeverStarted > 0 {
		kinds = append(kinds, Tally{"never started", o.Load.NeverStarted})
	}
	slices.SortStableFunc(kinds, func(a, b Tally) int { return cmp.Compare(b.N, a.N) })
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = document.Whole(k.N) + " " + cmp.Or(ErrorPhrases[k.Kind], k.Kind)
	}
	return fmt.Sprintf("errors: %s of %s requests: %s", document.Percent(share), document.Whole(o.All()),
		strings.Join(words, ", ")) + o.tryHTTP2()
}

// tryHTTP2 suggests HTTP/2 if no request was answered and the server speaks HTTP/2: it said so, or
// it may have closed each connection for that reason, without a byte or, over TLS, without an
// agreed protocol (ALPN).
func (o *OneLoad) tryHTTP2() string {
	l := &o.Load
	closed := l.BytesRead == 0 && l.Errored() > 0
	if len(l.TLS) > 0 {
		closed = !slices.ContainsFunc(l.TLS, func(t record.TLSSession) bool { return t.ALPN != "" })
	}
	form := "h2c"
	if len(l.TLS) > 0 {
		form = "h2"
	}
	switch {
	case o.HTTP2 || l.Succeeded+l.Failed > 0 || l.UnreachableNS > 0:
	case o.SentHTTP2:
		return ". The server speaks HTTP/2: pass --http " + form
	case closed && l.Errored() == l.Errors["closed"]+l.Errors["reset"]:
		return ". If the server speaks HTTP/2 alone, pass --http " + form
	}
	return ""
}

// ErrorPhrases explain the kinds of failures and errors.
var ErrorPhrases = map[string]string{
	"status": "wrong status", "header": "wrong header", "length": "wrong length", "body": "wrong body",
	"dial": "without a connection", "reset": "reset by the server", "closed": "closed without a response",
	"timeout": "timed out", "parse": "malformed response", "write": "could not be sent",
	"handshake": "without a TLS handshake", "stream reset": "whose stream the server reset",
	"goaway": "refused by GOAWAY", "truncated": "whose response was cut short",
}

// Tally counts one kind of failure or error.
type Tally struct {
	Kind string
	N    int64
}

// MostFirst returns m's counts, most frequent first.
func MostFirst(m map[string]int64) []Tally {
	var list []Tally
	for kind, n := range m {
		list = append(list, Tally{kind, n})
	}
	slices.SortFunc(list, func(a, b Tally) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Kind, b.Kind)) })
	return list
}
