package report

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// SummaryText writes the block that users of wrk, bombardier and hey know: warnings first, then
// statistics, percentiles, the requests of a mix, status codes, errors, the ledger, the generator's
// own state, throughput, objectives, and the rate as the last line.
func SummaryText(w io.Writer, s *Summary) error {
	var blocks []document.Block
	for _, warning := range s.Warnings() {
		blocks = append(blocks, document.Paragraph{Label: "WARNING", Style: document.Bad,
			Text: document.Plain(warning.Text)})
	}
	line := func(label, text string) {
		blocks = append(blocks, document.Paragraph{Label: label, Text: document.Plain(text)})
	}
	line("", s.Target+": "+s.Did)
	blocks = append(blocks, s.statistics(), s.percentiles())
	blocks = append(blocks, s.eachTable()...)
	line("HTTP codes", s.codes())
	blocks = append(blocks, s.failures("Failures (responses that broke their contract)", s.Load.Failures)...)
	blocks = append(blocks, s.failures(s.errorsHead(), s.Load.Errors)...)
	if n := s.Dialled(); n > 0 {
		text := fmt.Sprintf("%s requested, %s established, %s dialled", document.Whole(int64(s.Load.Connections)),
			document.Whole(int64(s.Load.Established)), document.Whole(n))
		if again := s.Load.RepeatedDials; again > 0 {
			text += fmt.Sprintf("; opened in %v: %s repeated, because the server's listen queue was full or packets "+
				"were lost", time.Duration(s.Load.OpeningNS).Round(time.Millisecond), document.Count(again, "dial"))
		}
		line("Connections", text)
	}
	if n := s.Load.Redirects; n > 0 {
		line("Redirects", document.Whole(n)+" followed; a latency lasts from the first request to the last response")
	}
	if n := s.Load.SentAgain; n > 0 {
		line("Sent again", document.Count(n, "time")+" a request that the server said it had not processed "+
			"(HTTP/2); a latency counts from when the request was due")
	}
	for _, text := range s.encryption() {
		line("TLS", text)
	}
	if s.Checked != "" {
		line("Checked", s.Checked)
	}
	line("Ledger", s.ledger())
	line("Generator", s.generatorText())
	for _, text := range s.several() {
		line("", text)
	}
	line("Throughput", s.megabytes(s.Load.BytesRead)+" read, "+s.megabytes(s.Load.BytesWritten)+" written")
	for _, v := range s.Verdicts() {
		line("Objective", v.text())
	}
	line("Requests/sec", fixed(s.PerSec()))
	return document.Text(w, &document.Document{Sections: []document.Section{{Blocks: blocks}}},
		document.Options{Color: s.Color})
}

// columns returns table columns: a name, then figures aligned to the right.
func columns(heads ...string) []document.Column {
	list := []document.Column{{Head: heads[0], Lead: true}}
	for _, h := range heads[1:] {
		list = append(list, document.Column{Head: h, Number: true})
	}
	return list
}

// cellsRow returns a table row.
func cellsRow(cells ...string) (r document.Row) {
	for _, c := range cells {
		r.Cells = append(r.Cells, document.Cell{Value: c})
	}
	return r
}

// loop names the primary latency.
func (s *Summary) loop() string {
	switch {
	case s.Detail.Response == nil:
		return "service time, closed loop"
	case s.Open:
		return "response time, open loop"
	}
	return "response time, closed loop"
}

func (s *Summary) statistics() document.Table {
	t := document.Table{Columns: columns("Statistics", "Avg", "Stdev", "Max")}
	rate := cellsRow("Reqs/sec", "-", "-", "-")
	if x := s.whole(); len(x) > 0 {
		mean, stdev, most := meanStdevMax(x)
		rate = cellsRow("Reqs/sec", fixed(mean), fixed(stdev), fixed(most))
		t.After = s.twoRates(mean)
	}
	t.Rows = append(t.Rows, rate)
	add := func(name string, l latency) {
		t.Rows = append(t.Rows, cellsRow(name, l.mean().text(), l.stdev().text(), l.max().text()))
	}
	add("Latency ("+s.loop()+")", s.primary())
	if s.Detail.Response != nil {
		add("Service: sent to done", s.service())
		add("Lag: due to sent", s.lag())
	}
	if l := (latency{h: s.Detail.Connect}); l.count() > 0 {
		add("Connect", l)
	}
	if l := s.handshake(); l.count() > 0 {
		add("Handshake", l)
	}
	if l := (latency{h: s.Detail.FirstByte}); l.count() > 0 {
		add("First byte", l)
	}
	return t
}

// twoRates explains what the two rates average, if they differ by more than 2 %.
func (s *Summary) twoRates(mean float64) string {
	if s.PerSec() == 0 || math.Abs(mean/s.PerSec()-1) <= 0.02 {
		return ""
	}
	return "Reqs/sec averages whole seconds. Requests/sec (last line) averages the time in which requests were sent"
}

func (s *Summary) percentiles() document.Table {
	t := document.Table{Columns: columns("Latency percentiles ("+s.loop()+")", "service")}
	all := []latency{s.primary()}
	if s.Detail.Response != nil {
		all = append(all, s.service(), s.lag())
		t.Columns = columns("Latency percentiles ("+s.loop()+")", "response", "service", "lag")
	}
	missing := false
	for _, p := range percentiles {
		cells := []string{p.name}
		for _, l := range all {
			f := l.quantile(p.q)
			missing = missing || !f.known
			cells = append(cells, f.text())
		}
		t.Rows = append(t.Rows, cellsRow(cells...))
	}
	var notes []string
	if missing {
		notes = append(notes, fmt.Sprintf("-: too few requests to tell: %d must be slower (%d for 99.9%% and above)",
			judge.Beyond(.99), judge.Beyond(.999)))
	}
	if l := s.primary(); l.censored > 0 {
		notes = append(notes, fmt.Sprintf(">=: at least; %s without a right response count with the time they had "+
			"waited, %s or more", document.Count(l.censored, "request"), Duration(float64(l.from))))
	}
	if l := s.wrong(); l.count() > 0 {
		notes = append(notes, fmt.Sprintf("of right responses; %s took p50 %s, p99 %s, max %s",
			document.Count(l.count(), "wrong answer"), l.quantile(.5).text(), l.quantile(.99).text(), l.max().text()))
	}
	t.After = strings.Join(notes, "\n")
	return t
}

// codes returns status codes by class, then one by one.
func (s *Summary) codes() string {
	var classes [6]int64
	others := int64(0)
	for code, n := range s.Detail.Status {
		if class := code / 100; class >= 1 && class <= 5 {
			classes[class] += n
		} else {
			others += n
		}
	}
	var words, each []string
	for class := 1; class <= 5; class++ {
		words = append(words, fmt.Sprintf("%dxx - %s", class, document.Whole(classes[class])))
	}
	if others > 0 {
		words = append(words, "others - "+document.Whole(others))
	}
	for _, code := range slices.Sorted(maps.Keys(s.Detail.Status)) {
		each = append(each, fmt.Sprintf("%d - %s", code, document.Whole(s.Detail.Status[code])))
	}
	text := strings.Join(words, ", ")
	if len(each) > 0 {
		text += " (" + strings.Join(each, ", ") + ")"
	}
	return text
}

// errorsHead is the heading for errors. A redirect that is not followed counts as an error although
// it is a response, and so does a response that is cut short.
func (s *Summary) errorsHead() string {
	redirected, cut := s.Load.Errors["redirect"], s.Load.Errors["truncated"]
	none := "no response"
	if cut > 0 {
		none = "no response, or not all of it"
	}
	switch {
	case redirected == 0:
		return "Errors (" + none + ")"
	case redirected == s.Load.Errored():
		return "Errors (redirects that could not be followed)"
	}
	return "Errors (" + none + ", or a redirect that could not be followed)"
}

// failures lists failures by kind, with the system's last message if there is one, and the first
// answer that broke its contract.
func (s *Summary) failures(head string, kinds map[string]int64) []document.Block {
	if len(kinds) == 0 {
		return nil
	}
	t := document.Table{Columns: columns(head, "requests")}
	list := sorted(kinds)
	explained := slices.ContainsFunc(list, func(k tally) bool { return s.Detail.Texts[k.kind] != "" })
	if explained {
		t.Columns = append(t.Columns, document.Column{Head: "last message"})
	}
	for _, k := range list {
		row := cellsRow(k.kind, document.Whole(k.n))
		if explained {
			row = cellsRow(k.kind, document.Whole(k.n), s.Detail.Texts[k.kind])
		}
		t.Rows = append(t.Rows, row)
	}
	if _, ours := kinds["status"]; s.Detail.First != "" && (ours || kinds["header"]+kinds["length"]+kinds["body"] > 0) {
		t.After = "the first: " + s.Detail.First
	}
	return []document.Block{t}
}

// encryption lists the connections' TLS sessions, and the number of handshakes.
func (s *Summary) encryption() (lines []string) {
	for _, t := range s.Load.TLS {
		words := []string{document.Count(t.Connections, "connection") + " with " + t.Version, t.Suite}
		if t.Group != "" {
			words = append(words, t.Group)
		}
		if t.ALPN != "" {
			words = append(words, t.ALPN)
		}
		switch {
		case t.Resumed:
			words = append(words, "resumed")
		case s.Unverified:
			words = append(words, "certificate not verified")
		}
		lines = append(lines, strings.Join(words, ", "))
	}
	if perSec, ok := s.Load.HandshakesPerSec(); ok {
		h := s.handshake()
		lines = append(lines, fmt.Sprintf("%s during the load, %s/s; p50 %s, p99 %s",
			document.Count(s.Load.Handshakes, "handshake"), shortNumber(perSec), h.quantile(.5).text(),
			h.quantile(.99).text()))
	}
	if n := s.Load.Unnotified; n > 0 {
		lines = append(lines, fmt.Sprintf("the server closed %s without close_notify", document.Count(n, "connection")))
	}
	return lines
}

// ledger accounts for all requests. A closed loop that ends by time plans no number.
func (s *Summary) ledger() string {
	l := &s.Load
	begun := document.Whole(l.Started) + " started"
	if s.Open || s.For == 0 || l.NeverStarted > 0 {
		begun = fmt.Sprintf("planned %s = %s + %s never started; started", document.Whole(s.planned()), begun,
			document.Whole(l.NeverStarted))
	}
	return begun + fmt.Sprintf(" = %s succeeded + %s failed + %s errored + %s timed out + %s in flight",
		document.Whole(l.Succeeded), document.Whole(l.Failed), document.Whole(l.Errored()-s.TimedOut()),
		document.Whole(s.TimedOut()), document.Whole(l.InFlight))
}

func (s *Summary) generatorText() string {
	words := []string{document.Count(int64(s.Load.Workers), "event loop")}
	if u := s.usage(); u.known {
		words = append(words, "CPU "+PerCent(u.cpu), "waited for a CPU "+PerCent(u.queue))
		if spin := s.Load.Spin; spin != nil && *spin {
			words = append(words, "polled "+PerCent(u.spun))
		} else if spin != nil && s.Open {
			words = append(words, "did not poll ("+s.NoSpin+")")
		}
		if u.ceiling > 0 {
			words = append(words, "ceiling for this load about "+Rate(u.ceiling))
		}
	} else {
		words = []string{"not measured by this engine"}
	}
	for _, p := range percentiles {
		if lag := s.lag().quantile(p.q); lag.known && (p.q == 0.5 || p.q == 0.99) {
			words = append(words, "lag "+strings.TrimSuffix(p.key, "_ns")+" "+lag.text())
		}
	}
	return strings.Join(words, ", ")
}

func (s *Summary) megabytes(n int64) string {
	v, _ := s.Load.Along(n)
	return Sig3(v/1e6) + " MB/s"
}

// shortNumber formats a rate: from 100 on without decimals.
func shortNumber(v float64) string {
	if v >= 100 {
		return document.Whole(int64(v + 0.5))
	}
	return Sig3(v)
}

// fixed formats with two decimals, as wrk and bombardier do; NaN is "-".
func fixed(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
