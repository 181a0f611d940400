package report

import (
	"cmp"
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
	"dyno/internal/stats"
)

// SummaryForms are the forms of a load's summary by name.
var SummaryForms = map[string]func(io.Writer, *Summary) error{
	"text": SummaryText, "json": SummaryJSON, "csv": SummaryCSV,
	"html":     func(w io.Writer, s *Summary) error { return document.HTML(w, titled(s.Target, s.document())) },
	"markdown": func(w io.Writer, s *Summary) error { return document.Markdown(w, titled(s.Target, s.document()), 3) },
}

// titled gives the document of a load the title that a page needs.
func titled(target string, d *document.Document) *document.Document {
	d.Title = "Load of " + target
	return d
}

// SummaryText writes the block that users of wrk, bombardier and hey know.
func SummaryText(w io.Writer, s *Summary) error {
	return document.Text(w, s.document(), document.Options{Color: s.Color})
}

// document returns warnings first, then statistics, percentiles, the requests of a mix, status codes, errors, the
// ledger, the generator's own state, throughput, objectives, and the rate as the last line.
func (s *Summary) document() *document.Document {
	var blocks []document.Block
	for _, f := range s.Findings() {
		blocks = append(blocks, document.Paragraph{Label: "WARNING", Style: document.Bad, Text: document.Plain(f.Text)})
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
	text := fmt.Sprintf("%s requested, %s established", document.Whole(int64(s.Load.Connections)),
		document.Whole(int64(s.Load.Established)))
	if n := s.Dialled(); n > 0 { // else all were made before a warm-up
		text += ", " + document.Whole(n) + " dialled"
	}
	if again := s.Load.RepeatedDials; again > 0 {
		text += fmt.Sprintf("; opened in %v: %s repeated, because the server's listen queue was full or packets "+
			"were lost", time.Duration(s.Load.OpeningNS).Round(time.Millisecond), document.Count(again, "dial"))
	}
	line("Connections", text)
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
	line("Throughput", s.megabytes(s.Load.BytesRead)+" read, "+s.megabytes(s.Load.BytesWritten)+" written")
	for _, r := range s.Results() {
		line("Objective", objectiveText(&r))
	}
	line("Requests/sec", fixed(s.PerSec()))
	return &document.Document{Sections: []document.Section{{Blocks: blocks}}}
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
		mean, stdev := stats.Mean(x), math.NaN()
		if len(x) > 2 {
			stdev = stats.StdDev(x)
		}
		rate = cellsRow("Reqs/sec", fixed(mean), fixed(stdev), fixed(slices.Max(x)))
		t.After = s.twoRates(mean)
	}
	t.Rows = append(t.Rows, rate)
	add := func(name string, l judge.Latencies) {
		t.Rows = append(t.Rows, cellsRow(name, timeText(l.Mean()), timeText(l.StdDev()), timeText(l.Max())))
	}
	add("Latency ("+s.loop()+")", s.Primary())
	if s.Detail.Response != nil {
		add("Service: sent to done", s.Service())
		add("Lag: due to sent", s.Lag())
	}
	if l := (judge.Latencies{H: s.Detail.Connect}); l.Count() > 0 {
		add("Connect", l)
	}
	if l := s.Handshake(); l.Count() > 0 {
		add("Handshake", l)
	}
	if l := (judge.Latencies{H: s.Detail.FirstByte}); l.Count() > 0 {
		add("First byte", l)
	}
	return t
}

// twoRates explains what the two rates average, if they differ by more than 2 %.
func (s *Summary) twoRates(mean float64) string {
	if s.PerSec() == 0 || math.Abs(mean/s.PerSec()-1) <= 0.02 {
		return ""
	}
	return "Reqs/sec averages whole seconds. Requests/sec (last line) averages the time in which requests were sent" +
		map[bool]string{true: ", from the end of the ramp-up on"}[s.Load.RateFromNS > 1]
}

func (s *Summary) percentiles() document.Table {
	t := document.Table{Columns: columns("Latency percentiles ("+s.loop()+")", "service")}
	all := []judge.Latencies{s.Primary()}
	if s.Detail.Response != nil {
		all = append(all, s.Service(), s.Lag())
		t.Columns = columns("Latency percentiles ("+s.loop()+")", "response", "service", "lag")
	}
	missing := false
	for _, p := range judge.Percentiles {
		cells := []string{p.Name}
		for _, l := range all {
			f := l.Quantile(p.Q)
			missing = missing || !f.Known
			cells = append(cells, timeText(f))
		}
		t.Rows = append(t.Rows, cellsRow(cells...))
	}
	var notes []string
	if missing {
		notes = append(notes, fmt.Sprintf("-: too few requests to tell: %d must be slower (%d for 99.9%% and above)",
			judge.Beyond(.99), judge.Beyond(.999)))
	}
	if l := s.Primary(); l.Censored > 0 {
		notes = append(notes, fmt.Sprintf(">=: at least; %s without a right response count with the time they had "+
			"waited, %s or more", document.Count(l.Censored, "request"), document.Duration(float64(l.From))))
	}
	if l := s.Wrong(); l.Count() > 0 {
		notes = append(notes, fmt.Sprintf("of right responses; %s took p50 %s, p99 %s, max %s",
			document.Count(l.Count(), "wrong answer"), timeText(l.Quantile(.5)), timeText(l.Quantile(.99)), timeText(l.Max())))
	}
	t.After = strings.Join(notes, "\n")
	return t
}

// codes counts the answers by status.
func (s *Summary) codes() string {
	var each []string
	for _, code := range slices.Sorted(maps.Keys(s.Detail.Status)) {
		each = append(each, fmt.Sprintf("%d - %s", code, document.Whole(s.Detail.Status[code])))
	}
	return cmp.Or(strings.Join(each, ", "), "none")
}

// errorsHead is the heading for errors. A response that is cut short counts as one.
func (s *Summary) errorsHead() string {
	if s.Load.Errors["truncated"] > 0 {
		return "Errors (no response, or not all of it)"
	}
	return "Errors (no response)"
}

// failures lists failures by kind, with the system's last message if there is one, and the first
// answer that broke its contract.
func (s *Summary) failures(head string, kinds map[string]int64) []document.Block {
	if len(kinds) == 0 {
		return nil
	}
	t := document.Table{Columns: columns(head, "requests")}
	list := judge.MostFirst(kinds)
	explained := slices.ContainsFunc(list, func(k judge.Tally) bool { return s.Detail.Texts[k.Kind] != "" })
	if explained {
		t.Columns = append(t.Columns, document.Column{Head: "last message"})
	}
	for _, k := range list {
		row := cellsRow(k.Kind, document.Whole(k.N))
		if explained {
			row = cellsRow(k.Kind, document.Whole(k.N), s.Detail.Texts[k.Kind])
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
		h := s.Handshake()
		lines = append(lines, fmt.Sprintf("%s during the load, %s/s; p50 %s, p99 %s",
			document.Count(s.Load.Handshakes, "handshake"), document.Short(perSec), timeText(h.Quantile(.5)),
			timeText(h.Quantile(.99))))
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
		begun = fmt.Sprintf("planned %s = %s + %s never started; started", document.Whole(s.All()), begun,
			document.Whole(l.NeverStarted))
	}
	return begun + fmt.Sprintf(" = %s succeeded + %s failed + %s errored + %s timed out + %s in flight",
		document.Whole(l.Succeeded), document.Whole(l.Failed), document.Whole(l.Errored()-s.TimedOut()),
		document.Whole(s.TimedOut()), document.Whole(l.InFlight))
}

func (s *Summary) generatorText() string {
	words := []string{document.Count(int64(s.Load.Workers), "event loop")}
	if u := s.Usage(); u.Known {
		words = append(words, "CPU "+PerCent(u.CPU), "waited for a CPU "+PerCent(u.Queue))
		if spin := s.Load.Spin; spin != nil && *spin {
			words = append(words, "polled "+PerCent(u.Spun))
		} else if spin != nil && s.Open {
			words = append(words, "did not poll ("+s.NoSpin+")")
		}
		if u.Ceiling > 0 {
			words = append(words, "ceiling for this load about "+Rate(u.Ceiling))
		}
	} else {
		words = []string{"not measured by this engine"}
	}
	for _, p := range judge.Percentiles {
		if lag := s.Lag().Quantile(p.Q); lag.Known && (p.Q == 0.5 || p.Q == 0.99) {
			words = append(words, "lag "+strings.TrimSuffix(p.Key, "_ns")+" "+timeText(lag))
		}
	}
	if s.CPU != "" {
		words = append(words, "on "+s.CPU)
	}
	return strings.Join(words, ", ")
}

func (s *Summary) megabytes(n int64) string {
	v, _ := s.Load.Along(n)
	return document.Sig3(v/1e6) + " MB/s"
}

// fixed formats with two decimals, as wrk and bombardier do; NaN is "-".
func fixed(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
