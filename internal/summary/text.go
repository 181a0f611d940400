package summary

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dyno/internal/analysis"
	"dyno/internal/report"
)

// Text writes the block that users of wrk, bombardier and hey know: what is wrong first, then statistics, percentiles, status codes, errors,
// the ledger, the generator's own state, throughput, and the rate as the last line.
func Text(w io.Writer, s *Summary) error {
	t := text{s, bufio.NewWriter(w)}
	for _, warning := range s.Warnings() {
		t.line(t.red("WARNING: ") + warning.Text)
	}
	t.line("%s: %s", report.Clean(s.Target), s.Did)
	t.statistics()
	t.percentiles()
	t.codes()
	t.failures("Failures (answers that broke their contract):", s.Load.Failures)
	t.failures("Errors (no answer):", s.Load.Errors)
	t.connections()
	t.ledger()
	t.generator()
	t.line("Throughput: %s read, %s written", t.megabytes(s.Load.BytesRead), t.megabytes(s.Load.BytesWritten))
	t.line("Requests/sec: %.2f", s.PerSec())
	return t.out.Flush()
}

type text struct {
	*Summary
	out *bufio.Writer
}

func (t *text) line(format string, args ...any) {
	if len(args) == 0 { // text of others may hold a %
		fmt.Fprintln(t.out, format)
		return
	}
	fmt.Fprintf(t.out, format+"\n", args...)
}

func (t *text) red(s string) string {
	if !t.Color {
		return s
	}
	return "\x1b[31m" + s + "\x1b[0m"
}

// row is one line of a table: a name, then figures.
type row []string

// table writes rows, the first column to the left and the others to the right.
func (t *text) table(indent string, rows []row) {
	var width []int
	for _, r := range rows {
		for i, cell := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, r := range rows {
		l := indent
		for i, cell := range r {
			room := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				l += cell + room
			} else {
				l += "  " + room + cell
			}
		}
		t.line(strings.TrimRight(l, " "))
	}
}

// loop names the latency that counts.
func (t *text) loop() string {
	switch {
	case t.Detail.Response == nil:
		return "service time, closed loop"
	case t.Open:
		return "response time, open loop"
	}
	return "response time, closed loop"
}

func (t *text) statistics() {
	rate := row{"  Reqs/sec", "-", "-", "-"}
	if x := t.whole(); len(x) > 0 {
		mean, stdev, most := meanStdevMax(x)
		rate = row{"  Reqs/sec", fixed(mean), fixed(stdev), fixed(most)}
	}
	rows := []row{{"Statistics", "Avg", "Stdev", "Max"}, rate, latencyRow("Latency ("+t.loop()+")", t.primary())}
	if t.Detail.Response != nil {
		rows = append(rows, latencyRow("  service: sent to done", t.service()), latencyRow("  lag: due to sent", t.lag()))
	}
	for _, x := range []struct {
		name string
		latency
	}{{"Connect", latency{h: t.Detail.Connect}}, {"First byte", latency{h: t.Detail.FirstByte}}} {
		if x.count() > 0 {
			rows = append(rows, latencyRow(x.name, x.latency))
		}
	}
	t.table("", rows)
}

func latencyRow(name string, l latency) row {
	return row{"  " + name, l.mean().text(), l.stdev().text(), l.max().text()}
}

func (t *text) percentiles() {
	columns := []latency{t.primary()}
	rows := []row{{"Latency percentiles (" + t.loop() + ")"}}
	if t.Detail.Response != nil {
		columns = append(columns, t.service(), t.lag())
		t.line(rows[0][0])
		rows = []row{{"", "response", "service", "lag"}}
	} else {
		t.line(rows[0][0])
		rows = nil
	}
	missing := false
	for _, p := range percentiles {
		r := row{p.name}
		for _, l := range columns {
			f := l.quantile(p.q)
			missing = missing || !f.known
			r = append(r, f.text())
		}
		rows = append(rows, r)
	}
	t.table("  ", rows)
	if missing {
		t.line("  -: fewer than %d requests lie beyond it, above 99%% fewer than %d", analysis.Beyond(.99), analysis.Beyond(.999))
	}
	if l := t.primary(); l.censored > 0 {
		t.line("  >=: at least; %s without a right answer stand with what they had waited, from %s on", amount(l.censored, "request"), report.Duration(float64(l.from)))
	}
	if l := t.wrong(); l.count() > 0 {
		t.line("  of right answers; %s took p50 %s, p99 %s, max %s", amount(l.count(), "wrong answer"), l.quantile(.5).text(), l.quantile(.99).text(), l.max().text())
	}
}

func (t *text) codes() {
	var classes [6]int64
	others := int64(0)
	for code, n := range t.Detail.Status {
		if class := code / 100; class >= 1 && class <= 5 {
			classes[class] += n
		} else {
			others += n
		}
	}
	var words []string
	for class := 1; class <= 5; class++ {
		words = append(words, fmt.Sprintf("%dxx - %s", class, count(classes[class])))
	}
	if others > 0 {
		words = append(words, "others - "+count(others))
	}
	t.line("HTTP codes:")
	t.line("  " + strings.Join(words, ", "))
	words = nil
	for _, code := range slices.Sorted(maps.Keys(t.Detail.Status)) {
		words = append(words, fmt.Sprintf("%d - %s", code, count(t.Detail.Status[code])))
	}
	if len(words) > 0 {
		t.line("  " + strings.Join(words, ", "))
	}
}

// failures lists what went wrong by kind, with the last words of the system, and the first answer that broke its contract.
func (t *text) failures(head string, kinds map[string]int64) {
	if len(kinds) == 0 {
		return
	}
	t.line(head)
	var rows []row
	for _, k := range sorted(kinds) {
		rows = append(rows, row{k.kind, count(k.n)})
	}
	width := 0
	for _, r := range rows {
		width = max(width, len(r[1]))
	}
	for _, r := range rows {
		l := fmt.Sprintf("  %-8s %*s", r[0], width, r[1])
		if why := report.Clean(t.Detail.Texts[r[0]]); why != "" {
			l += "  last: " + why
		}
		t.line(l)
	}
	if _, ours := kinds["status"]; t.Detail.First != "" && (ours || kinds["header"]+kinds["length"]+kinds["body"] > 0) {
		t.line("  the first: " + report.Clean(t.Detail.First))
	}
}

func (t *text) connections() {
	if n := t.Dialled(); n > 0 {
		t.line("Connections: %s asked for, %s established, %s dialled",
			count(int64(t.Load.Connections)), count(int64(t.Load.Established)), count(n))
	}
}

func (t *text) ledger() {
	l := &t.Load
	t.line("Ledger: planned %s = %s started + %s never started; started = %s succeeded + %s failed + %s errored + %s timed out + %s in flight",
		count(t.planned()), count(l.Started), count(l.NeverStarted),
		count(l.Succeeded), count(l.Failed), count(l.Errored()-t.TimedOut()), count(t.TimedOut()), count(l.InFlight))
}

func (t *text) generator() {
	words := []string{amount(int64(t.Load.Workers), "event loop")}
	if u := t.usage(); u.known {
		words = append(words, "CPU "+report.PerCent(u.cpu), "run queue "+report.PerCent(u.queue))
		if spin := t.Load.Spin; spin != nil && *spin {
			words = append(words, "spun "+report.PerCent(u.spun))
		} else if spin != nil && (t.Open || t.SpinAsked == "on") {
			words = append(words, "no spin ("+t.NoSpin+")")
		}
		if u.ceiling > 0 {
			words = append(words, "ceiling for this load about "+report.Rate(u.ceiling))
		}
	} else {
		words = []string{"not measured by this engine"}
	}
	for _, p := range percentiles {
		if lag := t.lag().quantile(p.q); lag.known && (p.q == 0.5 || p.q == 0.99) {
			words = append(words, "lag "+strings.TrimSuffix(p.key, "_ns")+" "+lag.text())
		}
	}
	t.line("Generator: " + strings.Join(words, ", "))
}

func (t *text) megabytes(n int64) string {
	return report.Sig3(perSec(n, t.span())/1e6) + " MB/s"
}

// count prints n with a comma between thousands.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

func amount(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return count(n) + " " + noun
}

// number prints a rate as someone would say it: whole from 100 on.
func number(v float64) string {
	if v >= 100 {
		return count(int64(v + 0.5))
	}
	return report.Sig3(v)
}

// fixed prints with two decimals, as the tools do that this block is known from; NaN is "-".
func fixed(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
