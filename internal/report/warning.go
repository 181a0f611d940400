package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/foreign"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// Warning is a sentence that a reader needs before the figures, with a remedy.
type Warning struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// The warnings, in output order.
const (
	Ended       = "ended_early" // no connection could be made when the window ended
	Connections = "connections" // fewer were established than requested
	Streams     = "streams"     // an HTTP/2 server allowed fewer requests in flight than requested, in a closed loop
	Interrupted = "interrupted" // the load was interrupted
	Churn       = "churn"       // the server closed connections, which were dialled again
	Ledger      = "ledger"      // the counts do not add up
	Generator   = "generator"   // the load generator was at its limit
	Paused      = "paused"      // the load generator, or the machine, stood still
	StoodStill  = "stopped"     // the server stood still: no answer came although requests waited
	Longest     = "longest"     // no answer came for long, on few connections
	Starved     = "starved"     // requests were due while no connection was free
	SummaryRate = "rate"        // fewer requests were sent than the schedule planned
	Errors      = "errors"      // some requests failed
	Redirects   = "redirects"   // every response was a redirect, which was not requested
	Unsteady    = "unsteady"    // each connection had few answers for a rate
)

const (
	crowdedFrom = 0.1 // share of time from which the wait for a CPU is the problem
	churnFrom   = 3   // dials per connection, without errors, from which their cost shapes the figures
	fewTurns    = 10  // requests per connection below which no rate is expected
)

// Warnings returns the load's warnings.
func (s *Summary) Warnings() []Warning {
	var all []Warning
	add := func(id, text string) {
		if text != "" {
			all = append(all, Warning{id, text})
		}
	}
	add(Ended, s.ended())
	add(Connections, s.fewer())
	if n := s.Load.StreamsAllowed; n > 0 && s.Load.Pace == nil {
		add(Streams, fmt.Sprintf("fewer requests in flight: the server allows %s on a connection "+
			"(SETTINGS_MAX_CONCURRENT_STREAMS), so the load was lower than requested. Raise its limit, or take more "+
			"connections with %s each", document.Whole(int64(n)), document.Count(n, "stream")))
	}
	if s.Interrupted {
		add(Interrupted, fmt.Sprintf("interrupted after %s: the figures cover that time",
			Duration(float64(s.Wall))))
	}
	add(Ledger, s.unbalanced())
	add(Churn, s.churn())
	if s.Generators == nil {
		add(Generator, s.atLimit())
		add(Paused, s.paused())
	}
	for _, g := range s.Generators {
		all = append(all, g.Warnings...)
	}
	add(s.stopped())
	add(Starved, s.starved())
	add(SummaryRate, s.missed())
	add(Unsteady, s.unsteady())
	add(Redirects, s.redirects())
	add(Errors, s.errors())
	return all
}

// Has reports whether a list contains a warning.
func Has(list []Warning, id string) bool {
	return slices.ContainsFunc(list, func(w Warning) bool { return w.ID == id })
}

func (s *Summary) ended() string {
	l := &s.Load
	if l.UnreachableNS <= 0 {
		return ""
	}
	text := "ended early: no connection could be made in its last " + Duration(float64(l.UnreachableNS))
	if why := s.unconnected(); why != "" {
		text += " (" + why + ")"
	}
	if l.NeverStarted > 0 {
		text += fmt.Sprintf(", so %s of %s requests were never started", document.Whole(l.NeverStarted),
			document.Whole(s.planned()))
	}
	return text + ". Check whether the server is still running, and the end of its log"
}

// unconnected says why connections could not be made; "" if there was no such error.
func (s *Summary) unconnected() string {
	return document.Clean(cmp.Or(s.Detail.Texts["dial"], s.Detail.Texts["handshake"]))
}

func (s *Summary) fewer() string {
	l := &s.Load
	if l.Established >= l.Connections {
		return ""
	}
	text := fmt.Sprintf("fewer connections: %s of %s were established, so the load was lower than requested",
		document.Whole(int64(l.Established)), document.Whole(int64(l.Connections)))
	why := s.unconnected()
	if why == "" && s.Joining {
		return text + ". The load ended before all were added: make it longer, or --ramp-up shorter"
	}
	if why != "" {
		text += " (" + why + ")"
	}
	return text + ". Check the server's limits (open files, backlog), or lower -c"
}

// churn warns about connections that ended although responses came. A connection lost together with
// a request counts as an error instead.
func (s *Summary) churn() string {
	dialled, had := s.Dialled(), int64(s.Load.Established)
	if s.Renewing || s.Load.Succeeded+s.Load.Failed == 0 || dialled-s.Load.Errored() <= churnFrom*max(had, 1) {
		return ""
	}
	text := fmt.Sprintf("the server closed connections: %s were dialled for %s, so the figures include the cost of "+
		"connecting. Configure the server to keep connections open (keep-alive, its time-out, requests per "+
		"connection), or pass --no-keepalive if this is intended",
		document.Whole(dialled), document.Whole(had))
	if late := dialled - s.Detail.Connect.AtMost([]int64{int64(foreign.Dropped)})[0]; late > 0 {
		text += fmt.Sprintf(". %s took 0.9 s or more, which is usual where the server's listen queue is full: lower -c",
			document.Count(late, "dial"))
	}
	return text
}

func (s *Summary) unbalanced() string {
	l := &s.Load
	started := l.Succeeded + l.Failed + l.Errored() + l.InFlight
	if l.Started == started && (l.Planned == 0 || l.Planned == l.Started+l.NeverStarted) {
		return ""
	}
	return fmt.Sprintf("the counts of requests do not add up: %s planned, %s started, %s never started, %s "+
		"accounted for. This is a bug in dyno: please report it",
		document.Whole(l.Planned), document.Whole(l.Started), document.Whole(l.NeverStarted), document.Whole(started))
}

// sending judges how requests were sent. An interruption misses none.
func (s *Summary) sending() judge.Sending {
	l := s.Load
	l.LagP99NS, l.ResponseP50NS = int64(s.lag().quantile(0.99).ns), int64(s.response().quantile(0.5).ns)
	if s.Interrupted {
		l.Planned, l.NeverStarted = l.Started, 0
	}
	return judge.SendingOf(&l, s.Open)
}

func (s *Summary) atLimit() string {
	u, sent := s.usage(), s.sending()
	if !sent.Limited() {
		return ""
	}
	remedy := "Pass more --threads"
	if u.queue > crowdedFrom {
		remedy = "Other programs, perhaps the server, use its CPUs: separate it from them with taskset"
	}
	how := fmt.Sprintf(
		"its event loops were busy for %s of the time and waited for a CPU for %s", PerCent(u.cpu),
		PerCent(u.queue))
	if !s.Open {
		return "the generator was at its limit: " + how + ". The server may be faster than shown. " + remedy
	}
	text := "the generator was at its limit: it could not send all that was due"
	if sent.Late {
		text = fmt.Sprintf("the generator was at its limit: requests were sent %s late at the 99th percentile",
			Duration(s.lag().quantile(0.99).ns))
	}
	if u.known {
		text += "; " + how
	}
	return text + ". Response times include this delay. " + remedy + ", or lower the rate"
}

// paused judges a load like a trial in a run (V30).
func (s *Summary) paused() string {
	t := record.Trial{Load: s.Load, Causes: record.Causes{SuspendedNS: int64(s.Suspended)}}
	if !judge.Paused(&t) {
		return ""
	}
	if s.Suspended > 0 {
		return fmt.Sprintf("the machine was suspended for %s during the load: no figure is reliable. Repeat the load",
			Duration(float64(s.Suspended)))
	}
	return fmt.Sprintf("the generator stood still for %s, %s of the load: it was stopped, or other programs used "+
		"its CPU. Rates and latencies include this. Keep other programs off its CPUs, and repeat "+
		"the load", Duration(float64(s.Load.GapNS)),
		PerCent(float64(s.Load.GapNS)/float64(s.Load.Wall())))
}

// stopped judges a load like a trial in a run (V39). In a closed loop no percentile shows a stop:
// each connection waits for one answer at a time.
func (s *Summary) stopped() (id, text string) {
	l := &s.Load
	ns, few := judge.Stopped(&record.Trial{Load: *l, Causes: record.Causes{SuspendedNS: int64(s.Suspended)}})
	length := fmt.Sprintf("%s, %s of the load", Duration(float64(ns)),
		PerCent(float64(ns)/float64(l.Sending())))
	switch {
	case ns == 0:
		return StoodStill, ""
	case few:
		text = fmt.Sprintf("no answer for %s on %s although requests waited", Duration(float64(ns)),
			document.Count(l.Connections, "connection"))
		if l.ServiceMaxNS > 0 {
			text += fmt.Sprintf("; the longest right answer took %s, the median %s",
				Duration(float64(l.ServiceMaxNS)), Duration(float64(l.ServiceP50NS)))
		}
		return Longest, text
	case s.Open:
		return StoodStill, "no answer for " + length + ", while requests waited"
	}
	return StoodStill, "no answer for " + length + ": a closed loop hides this, use --rate"
}

func (s *Summary) starved() string {
	if !s.sending().Starved {
		return ""
	}
	l := &s.Load
	share := float64(l.StarvedNS) / float64(l.WindowNS) / float64(max(l.Workers, 1))
	text := fmt.Sprintf("for %s of the time requests were due, at most %s at once, while no connection was free: "+
		"response times include the wait for one. ",
		PerCent(min(share, 1)), document.Whole(l.BacklogPeak))
	if 2*l.UnevenNS > l.StarvedNS {
		return text + fmt.Sprintf(
			"For %s of that time another event loop had a free connection: lower --threads (%d), or raise -c",
			PerCent(float64(l.UnevenNS)/float64(l.StarvedNS)), l.Workers)
	}
	return text + "Raise -c; if that does not help, the server cannot keep up with this rate"
}

// unsteady says that the rate does not come from a steady part of the load, and why: see load.Edge.
func (s *Summary) unsteady() string {
	l := &s.Load
	if l.Steady() || l.Succeeded == 0 {
		return ""
	}
	left, turn := l.Sending()-int64(s.Ramp), int64(s.Pause)+l.ServiceP50NS
	why := "requests were sent for only " + Duration(float64(left))
	if s.Ramp > 0 {
		why = "after the ramp-up " + why
	}
	switch {
	case left <= 0:
		why = "the load ended before the ramp-up"
	case left >= max(record.FewestTimes*l.ServiceP50NS, turn): // enough was left, so not all connections were answered
		switch {
		case s.Generators != nil || s.Depth == 0:
			why = "the rate is not of a steady part of the load"
		case s.Depth == 1:
			why = "a connection got no response"
		default:
			why = fmt.Sprintf("a connection got fewer than %d responses", s.Depth)
		}
	case s.Ramp == 0 && l.Started < fewTurns*int64(l.Established):
		why = fmt.Sprintf("only %s on %s, too few for a rate", document.Count(l.Started, "request"),
			document.Count(l.Established, "connection"))
	case left < record.FewestTimes*l.ServiceP50NS:
		why += fmt.Sprintf(", or %s median service times", Sig3(float64(left)/float64(l.ServiceP50NS)))
	default:
		why += ", less than one think time and one median service time, " + Duration(float64(turn))
	}
	return "not steady: " + why + ". Make the load longer"
}

func (s *Summary) missed() string {
	if !s.sending().Missed {
		return ""
	}
	if s.For <= 0 {
		return fmt.Sprintf("rate missed: %s of %s requests were sent", document.Whole(s.Load.Started),
			document.Whole(s.planned()))
	}
	return fmt.Sprintf("rate missed: %s of %s/s were sent", shortNumber(float64(s.Load.Started)/s.For.Seconds()),
		shortNumber(float64(s.planned())/s.For.Seconds()))
}

// redirects warns if only redirects came back although any status was accepted.
func (s *Summary) redirects() string {
	n := int64(0)
	for code, answers := range s.Detail.Status {
		if code/100 == 3 {
			n += answers
		} else if answers > 0 {
			return ""
		}
	}
	if n == 0 || !s.AnyStatus {
		return ""
	}
	follow := "pass --follow, or"
	if s.HTTP2 { // --follow is for HTTP/1.1 only
		follow = "or pass"
	}
	return fmt.Sprintf("all %s are redirects (3xx), so the load measures a redirect and not its target. Load the "+
		"target (curl -I shows it), %s --expect-status 3xx if this is intended", document.Count(n, "answer"), follow)
}

// errors lists the kinds of errors, most frequent first.
func (s *Summary) errors() string {
	share := s.ErrorShare()
	if share == 0 {
		return ""
	}
	kinds := slices.Concat(sorted(s.Load.Failures), sorted(s.Load.Errors))
	if !s.Interrupted && s.Load.NeverStarted > 0 {
		kinds = append(kinds, tally{"never started", s.Load.NeverStarted})
	}
	slices.SortStableFunc(kinds, func(a, b tally) int { return cmp.Compare(b.n, a.n) })
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = document.Whole(k.n) + " " + cmp.Or(phrases[k.kind], k.kind)
	}
	return fmt.Sprintf("errors: %s of %s requests: %s", shareText(share), document.Whole(s.planned()),
		strings.Join(words, ", ")) + s.tryHTTP2()
}

// tryHTTP2 suggests HTTP/2 if no request was answered and the server speaks HTTP/2: it said so, or
// it may have closed each connection for that reason, without a byte or, over TLS, without an
// agreed protocol (ALPN).
func (s *Summary) tryHTTP2() string {
	l := &s.Load
	closed := l.BytesRead == 0 && l.Errored() > 0
	if len(l.TLS) > 0 {
		closed = !slices.ContainsFunc(l.TLS, func(t record.TLSSession) bool { return t.ALPN != "" })
	}
	switch {
	case s.HTTP2 || l.Succeeded+l.Failed > 0 || l.UnreachableNS > 0:
	case s.SentHTTP2:
		return ". The server speaks HTTP/2: pass --http2"
	case closed && l.Errored() == l.Errors["closed"]+l.Errors["reset"]:
		return ". If the server speaks HTTP/2 alone, pass --http2"
	}
	return ""
}

// phrases explain the kinds of failures and errors.
var phrases = map[string]string{
	"status": "wrong status", "header": "wrong header", "length": "wrong length", "body": "wrong body",
	"dial": "without a connection", "reset": "reset by the server", "closed": "closed without a response",
	"timeout": "timed out",
	"parse":   "malformed response", "write": "could not be sent", "handshake": "without a TLS handshake",
	"stream reset": "whose stream the server reset", "goaway": "refused by GOAWAY",
	"redirect": "whose redirect could not be followed", "truncated": "whose response was cut short",
}

// shareText returns a share as a percentage that is never rounded to 0 %.
func shareText(share float64) string {
	if share < 0.0005 {
		return "less than 0.1 %"
	}
	return PerCent(share)
}

type tally struct {
	kind string
	n    int64
}

// sorted returns m's counts, most frequent first.
func sorted(m map[string]int64) []tally {
	var list []tally
	for kind, n := range m {
		list = append(list, tally{kind, n})
	}
	slices.SortFunc(list, func(a, b tally) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.kind, b.kind)) })
	return list
}
