package report

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"dyno/internal/judge"
	"dyno/internal/record"
)

func TestText(t *testing.T) {
	for name, f := range fixtures {
		golden(t, name+".txt", written(t, Text, f()))
		golden(t, name+"-verbose.txt", written(t, inFull, f()))
	}
	d := fixture()
	d.Color, d.Width = true, 140
	golden(t, "full-color-140.txt", written(t, Text, d))
}

// What stands between a column and the edge must hold at any width that a terminal has; the command
// alone is left whole.
func TestTextWidth(t *testing.T) {
	for name, f := range fixtures {
		for width := 40; width <= 200; width += 10 {
			d := f()
			d.Width = width
			fits(t, fmt.Sprintf("%s at width %d", name, width), string(written(t, Text, d)), min(width, 100))
			fits(t, fmt.Sprintf("all of %s at width %d", name, width), string(written(t, inFull, d)), width)
		}
	}
}

// fits checks the lines of a text; the command, which is there to be copied, stands below its heading.
func fits(t *testing.T, name, text string, width int) {
	t.Helper()
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if n := ansi.StringWidth(l); n > width && !strings.HasPrefix(l, "Again ") && lines[max(0, i-1)] != "Repeat it" {
			t.Errorf("%s: a line of %d: %q", name, n, l)
		}
	}
}

// A whole run is told in 27 lines, its result within the first four.
func TestTextIsShort(t *testing.T) {
	for width, most := range map[int]int{80: 31, 100: 27, 140: 27} {
		d := fixture()
		d.Folder, d.Page, d.Width = "runs/today", "runs/today/report.html", width
		d.Run.Failures, d.Findings = d.Run.Failures[:1], d.Findings[:4] // one could not be built
		d.Run.Plan.Contestants = d.Run.Plan.Contestants[:7]
		d.Analysis.Order = d.Analysis.Order[:7]
		lines := strings.Split(strings.TrimSuffix(string(written(t, Text, d)), "\n"), "\n")
		if len(lines) > most {
			t.Errorf("%d lines at %d columns:\n%s", len(lines), width, strings.Join(lines, "\n"))
		}
		if !strings.Contains(strings.Join(lines[:4], " "), "fastest") {
			t.Errorf("no result in the first lines:\n%s", strings.Join(lines[:4], "\n"))
		}
	}
}

// Trust has what is fine on one line, and each trouble on a line of its own with what to do, the
// worst first.
func TestTrust(t *testing.T) {
	d := fixture()
	d.Findings = []judge.Finding{{ID: judge.Contract, State: judge.Pass}, {ID: judge.Twins, State: judge.Pass},
		{ID: judge.Calibrated, State: judge.Warn}, {ID: judge.Drift, Contestant: "iris", State: judge.Fail},
		{ID: judge.FreshStarts, Contestant: "iris", State: judge.CannotTell, Text: "spread", Longer: true},
		{ID: judge.Dependence, State: judge.CannotTell, Text: "few"}}
	d.Run.End.Reason, d.Run.Plan.Epochs = "budget", []int{24}
	d.Folder = "runs/1"
	got := ""
	for _, it := range NewView(d).trust() {
		got += fmt.Sprintf("%-5s %s\n", it.Label, it.Text)
	}
	want := `Trust answers right (what was compared is not recorded) · two copies of one server came out equal
!     Iris: its speed changed during the run
!     response times include an unknown part of the load generator's own; dyno doctor measures it
?     cannot tell if the data are enough: Iris: spread (and 1 more finding); run longer: --budget 12m
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	d.Valid, d.Findings = 0, d.Findings[:3]
	if first := NewView(d).trust()[0].Text.String(); first != "nothing was measured:" {
		t.Errorf("without a valid trial: %q", first)
	}
}

func TestToBestCell(t *testing.T) {
	for _, c := range []struct {
		e    judge.Estimate
		want string
	}{
		{judge.Estimate{Value: 1, Lo: 1, Hi: 1}, "1.00 "},
		{judge.Estimate{Value: 1.346, Lo: 1.306, Hi: 1.411}, "1.35 (1.31–1.41)"},
		{judge.Estimate{Value: 13.1, Lo: 12.39, Hi: 13.7}, "13.1 (12.4–13.7)"},
		{judge.Estimate{Value: 1.02, Lo: 1.001, Hi: 1.04}, "1.020 (1.001–1.040)"}, // which is not 1
		{judge.Estimate{Value: 1.4, Lo: 0, Hi: math.Inf(1)}, "1.40 "},
		{judge.Estimate{}, " "},
	} {
		if got := toBestCell(c.e); got.Value+" "+got.Side != c.want {
			t.Errorf("%v: %q %q, want %q", c.e, got.Value, got.Side, c.want)
		}
	}
}

// Colour only adds: without the escape codes the text is the same.
func TestTextColorOnlyAdds(t *testing.T) {
	d := fixture()
	plain := string(written(t, Text, d))
	d.Color = true
	colored := string(written(t, Text, d))
	if colored == plain {
		t.Fatal("no colour")
	}
	if got := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(colored, ""); got != plain {
		t.Errorf("colour changed the text:\n%s", got)
	}
}

func TestTextHostile(t *testing.T) {
	got := string(written(t, Text, hostile()))
	for _, r := range got {
		if r < ' ' && r != '\n' || r == 0x7f || r == '\u202e' {
			t.Errorf("control character %q reached the terminal", r)
		}
	}
}

// rated adds open loops after the epochs to a fixture, in which one server has this p99.
func rated(d *Data, p99 judge.Cell) {
	l := &judge.Level{At: record.Level{Connections: 125, Pipeline: 1, RatePerSec: 35_530, RateShare: .7},
		Loaded: d.Run.Plan.Contestants, Analysis: &judge.Analysis{Epochs: 1}}
	for _, name := range l.Loaded {
		for range 2 {
			l.Trials = append(l.Trials, &record.Trial{Contestant: name, Load: record.Load{WindowNS: 2.5e9}})
		}
		c := judge.Cell{Metric: "response_p99", Least: .96e6, Most: 1.02e6, Level: judge.Estimate{Value: 1e6, N: 1}}
		if name == "iris" {
			c = p99
		}
		c.Contestant = name
		l.Analysis.Cells = append(l.Analysis.Cells, c)
	}
	d.Rated = l
}

// A column without figures has no unit: no values choose one.
func TestColumnsWithoutFigures(t *testing.T) {
	d := fixture()
	rated(d, judge.Cell{Metric: "response_p99", Level: judge.Estimate{Value: 1e6, N: 1}})
	page := strings.ReplaceAll(string(written(t, HTML, d)), "\u00a0", " ")
	if !strings.Contains(page, "response p99 ms") || !strings.Contains(page, "response p99.9") ||
		strings.Contains(page, "p99.9 ns") {
		t.Error("p99.9, of which there are no figures, has a unit, or p99 has none")
	}
	for i := range d.Rated.Analysis.Cells {
		d.Rated.Analysis.Cells[i].Absent = "too few requests"
	}
	if got := string(written(t, Text, d)); !strings.Contains(got, " p99 ") || strings.Contains(got, "p99 ns") {
		t.Errorf("p99 without figures has a unit:\n%s", got)
	}
}

// The answer has tails of an open loop alone, and says at which rate; without one it has none.
func TestTailsHaveARate(t *testing.T) {
	if got := string(written(t, Text, fixture())); strings.Contains(got, "p99") {
		t.Errorf("a tail without an open loop:\n%s", got)
	}
	d := fixture()
	d.NoRated = "the run ended before them"
	if got := string(written(t, Text, d)); !strings.Contains(got, "? no open loops, so no p99: the run ended before them") {
		t.Errorf("not said why there is no tail:\n%s", got)
	}
	d = fixture()
	rated(d, judge.Cell{Metric: "response_p99", Level: judge.Estimate{N: 1}, Absent: "too few requests (900 of 1,000)"})
	got := strings.Join(strings.Fields(string(written(t, Text, d))), " ")
	for _, want := range []string{" p99 ms ", " 1.00 ", "p99: response time in an open loop of 35,530 requests/s, 70 % of " +
		"the slowest's throughput, in 16 loads of 2.50 s; single loads differ from it by up to 4 %; not ranked",
		"p99 –: too few requests (900 of 1,000)", "–: not measured"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	d.Verbose = true
	if got := string(written(t, Text, d)); !strings.Contains(got, "In an open loop: c=125, 35,530/s") {
		t.Errorf("no table of the open loop:\n%s", got)
	}
}

// While each server uses its whole CPU, its rate, the CPU per request and the median service time
// are one number, and the answer shows one of them.
func TestOneOfWhatRestates(t *testing.T) {
	saturated := func() *Data {
		d := fixture()
		for i, f := range fakes[:6] {
			rate := d.Analysis.Cell(f.c.Name, "throughput").Level.Value
			d.Analysis.Places[i].LowerBound = false
			d.Analysis.Cell(f.c.Name, "cpu_per_request").Level.Value = .97e9 / rate
			d.Analysis.Cell(f.c.Name, "p50").Level.Value = 125e9 / rate
		}
		return d
	}
	d := saturated()
	p := NewView(d)
	if got := p.restated(); !slices.Equal(got, []string{"cpu_per_request", "p50"}) {
		t.Errorf("%v", got)
	}
	if got := p.shortMetrics(); len(got) != 1 || got[0].Name != "memory" {
		t.Errorf("%v", got)
	}
	if got := p.shortWords(p.ranked(), p.shortMetrics()); !strings.Contains(got, "not shown: CPU µs and p50 ms, which "+
		"restate req/s within 3 % (each server used 90 % of its CPU or more)") {
		t.Errorf("%q", got)
	}
	d.Analysis.Primary = "cpu_per_request"
	if got := NewView(d).restated(); !slices.Equal(got, []string{"throughput", "p50"}) {
		t.Errorf("%v", got)
	}
	d = saturated()
	d.Analysis.Cell("kestrel", "p50").Level.Value *= 1.2
	if got := NewView(d).restated(); !slices.Equal(got, []string{"cpu_per_request"}) {
		t.Errorf("another p50: %v", got)
	}
	for what, change := range map[string]func(*Data){
		"two CPUs":                 func(d *Data) { d.Run.Host.ServerCPUs = []int{0, 1} },
		"not pinned":               func(d *Data) { d.Run.Host.Pinned = false },
		"as published":             func(d *Data) { d.Run.Plan.Levels[0].AsPublished = true },
		"an idle server":           func(d *Data) { d.Analysis.Cell("kestrel", "cpu_per_request").Level.Value /= 2 },
		"a server with no CPU":     func(d *Data) { d.Analysis.Cell("kestrel", "cpu_per_request").Absent = "not read" },
		"the generator's limit":    func(d *Data) { d.Analysis.Places[0].LowerBound = true },
		"memory decides":           func(d *Data) { d.Analysis.Primary = "memory" },
		"an open loop from before": func(d *Data) { d.Run.Plan.Levels[0].RatePerSec = 9 },
	} {
		d := saturated()
		change(d)
		if got := NewView(d).restated(); got != nil {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// Records from before dyno read private memory call their memory what it is.
func TestMemoryByItsName(t *testing.T) {
	n := int64(5 << 20)
	for want, u := range map[string]record.Usage{"private memory": {PrivateBytes: &n}, "memory (PSS)": {PSSBytes: &n}} {
		d := fixture()
		d.Run.Trials = append(d.Run.Trials, &record.Trial{Contestant: "iris", Server: u})
		if got := NewView(d).memoryWords(); got != want {
			t.Errorf("%q; want %s", got, want)
		}
	}
}

// TestServicesText: only services that the run started were frozen, and on CPUs that it gave.
func TestServicesText(t *testing.T) {
	d := fixture()
	d.Run.Host = record.Host{Pinned: true, GeneratorCPUs: []int{0}}
	d.Run.Contestants = append(d.Run.Contestants, record.Contestant{Name: "cache", URL: "tcp://localhost:6379"},
		record.Contestant{Name: "db", Framework: "PostgreSQL", Version: "17.2"})
	for _, c := range []struct {
		services []record.Service
		want     string
	}{
		{nil, ""},
		{[]record.Service{{Name: "db"}},
			"db (PostgreSQL 17.2) on the generator's CPUs (0), frozen with the contestant that calls it"},
		{[]record.Service{{Name: "cache"}},
			"cache (tcp://localhost:6379) ran before the run, which neither stops nor freezes it"},
		{[]record.Service{{Name: "db"}, {Name: "cache"}},
			"db (PostgreSQL 17.2) on the generator's CPUs (0), frozen with the contestant that calls it; " +
				"cache (tcp://localhost:6379) ran before the run, which neither stops nor freezes it"},
	} {
		d.Run.Plan.Services = c.services
		if got := NewView(d).servicesText(); got != c.want {
			t.Errorf("got %q\nwant %q", got, c.want)
		}
	}
}
