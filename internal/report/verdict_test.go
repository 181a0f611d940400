package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"dyno/internal/judge"
)

// A ranking's pairs stand in a table with the better one first.
func TestPairByPair(t *testing.T) {
	base := judge.Pair{A: "fasthttp", B: "hyper", Metric: "throughput", P: 0.0073,
		Verdict: judge.Different, Better: "fasthttp", Ratio: judge.Estimate{Value: 1.42, Lo: 1.38, Hi: 1.47, N: 12}}
	with := func(f func(*judge.Pair)) judge.Pair { p := base; f(&p); return p }
	for _, c := range []struct {
		p    judge.Pair
		want string
	}{
		{base, "fasthttp | hyper | 1.42 (1.38–1.47) | different | 0.007 | "},
		{with(func(p *judge.Pair) {
			p.Better = "hyper"
			p.Ratio = judge.Estimate{Value: 0.5, Lo: 0.4, Hi: 0.8, N: 12}
		}), "hyper | fasthttp | 2.00 (1.25–2.50) | different | 0.007 | "},
		{with(func(p *judge.Pair) { p.Verdict, p.Better = judge.Equivalent, "" }),
			"fasthttp | hyper | 1.42 (1.38–1.47) | equal within 3 % | 0.007 | "},
		{with(func(p *judge.Pair) { p.Verdict = judge.Negligible }),
			"fasthttp | hyper | 1.42 (1.38–1.47) | negligible | 0.007 | certain, but within 3 %"},
		{with(func(p *judge.Pair) { p.Verdict, p.Better = judge.Inconclusive, "" }),
			"fasthttp | hyper | 1.42 (1.38–1.47) | not separated | 0.007 | "},
		{with(func(p *judge.Pair) {
			p.Verdict, p.Better, p.Note = judge.Inconclusive, "", "kestrel stands at the ceiling"
		}), "fasthttp | hyper | 1.42 (1.38–1.47) | not separated | 0.007 | kestrel stands at the ceiling"},
		{with(func(p *judge.Pair) {
			p.Verdict, p.Better, p.Note, p.Ratio = judge.Inconclusive, "", "others took the CPU", judge.Estimate{}
		}), "fasthttp | hyper |  | not compared |  | others took the CPU"},
	} {
		d := fixture()
		d.Verbose = true
		for i, p := range d.Analysis.Pairs {
			if p.A == "fasthttp" && p.B == "hyper" && p.Metric == "throughput" {
				d.Analysis.Pairs[i] = c.p
			}
		}
		row := NewView(d).pairsTable().Rows[0]
		var got []string
		for _, cell := range row.Cells {
			got = append(got, strings.TrimSpace(cell.Value+" "+cell.Side))
		}
		if got := strings.Join(append(got, strings.Join(row.Notes, "; ")), " | "); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestAnswer(t *testing.T) {
	answer := func(change func(*Data)) string {
		d := fixture()
		change(d)
		return strings.Join(NewView(d).Answer(), " ")
	}
	for _, c := range []struct {
		name   string
		change func(*Data)
		want   []string
		not    string
	}{
		{"a winner", func(d *Data) { d.Analysis.Places[0].Hi = 1; d.Analysis.Places[1].Lo = 2 },
			[]string{"fasthttp is fastest: at least 1.00 × hyper (0.99–1.01). Not separated: "}, " or hyper"},
		{"a tie", func(*Data) {}, []string{"fasthttp or hyper is fastest: these 2 are not separated.",
			"Not separated: fasthttp / hyper (equal within 3 %); Iris / net/http (noise: at most 2.9 % apart)",
			"Not run: aspnetcore-mvc (needs .NET SDK >=10.0; install", "Failed: Gin, at load: 3 of 41,002"}, "pairs"},
		{"few data", func(d *Data) { d.Findings = nil }, []string{"Iris / net/http (few data: at most 2.9 % apart)"},
			"noisy"},
		{"two, and a winner", func(d *Data) { two(d, judge.Different) },
			[]string{"fasthttp is faster: at least 1.00 × hyper (0.99–1.01)."}, "separated"},
		{"two, and in other sessions", func(d *Data) { elsewhere(d, judge.Different, judge.Different) },
			[]string{"fasthttp is faster: at least 1.00 × hyper (here 0.99–1.01, in other sessions on this model of CPU " +
				"0.96–1.04)."}, "separated"},
		{"two, and in sessions that nobody measured", func(d *Data) {
			elsewhere(d, judge.Different, judge.Different)
			for i := range d.Analysis.Pairs {
				d.Analysis.Pairs[i].Elsewhere.Sessions = 0
			}
		}, []string{"(here 0.99–1.01, in other sessions 0.96–1.04 given the assumed SDs)."}, "model"},
		{"two, with a bias that nobody measured", func(d *Data) {
			elsewhere(d, judge.Different, judge.Different)
			for i := range d.Analysis.Pairs {
				d.Analysis.Pairs[i].Elsewhere.Programs = 0
			}
		}, []string{"in other sessions 0.96–1.04 given the assumed SDs)."}, "their SD"},
		{"two, here only", func(d *Data) { elsewhere(d, judge.Different, judge.Inconclusive) },
			[]string{"fasthttp is faster here: at least 1.00 × hyper (0.99–1.01); too little to hold in other sessions on " +
				"this model of CPU (0.96–1.04)."}, "separated"},
		{"two revisions, here only", func(d *Data) {
			elsewhere(d, judge.Different, judge.Inconclusive)
			d.Run.Plan.SameProgram = true
		}, []string{"fasthttp is faster: at least 1.00 × hyper (0.99–1.01); too little to hold in"}, " here"},
		{"two, equal here only", func(d *Data) { elsewhere(d, judge.Equivalent, judge.Inconclusive) },
			[]string{"Here fasthttp and hyper are equal within 3 %: 1.00 × (0.99–1.01); they may differ by more in other " +
				"sessions on this model of CPU (0.96–1.04)."}, "separated"},
		{"eight, in other sessions", func(d *Data) {
			for i := range d.Analysis.Pairs {
				d.Analysis.Pairs[i].Elsewhere = &judge.Elsewhere{Verdict: judge.Inconclusive}
			}
		}, []string{"Large enough to hold in other sessions given the assumed SDs: 0 of "}, "pairs"},
		{"three, one different", func(d *Data) {
			for i := range d.Analysis.Pairs {
				p := &d.Analysis.Pairs[i]
				p.Elsewhere = &judge.Elsewhere{Verdict: judge.Different, Sessions: 5, Programs: 5}
				if p.Metric == "throughput" && !(p.A == "fasthttp" && p.B == "kestrel" || p.B == "fasthttp" && p.A == "kestrel") {
					p.Verdict, p.Better = judge.Inconclusive, ""
				}
			}
		}, []string{"The difference is large enough to hold in other sessions on this model of CPU."}, "1 of 1"},
		{"two, equal", func(d *Data) { two(d, judge.Equivalent) },
			[]string{"fasthttp and hyper are equal within 3 %: 1.00 × (0.99–1.01)."}, "separated"},
		{"two, open", func(d *Data) {
			d.Findings, d.Run.Plan.Epochs = nil, []int{8, 24}
			two(d, judge.Inconclusive)
		},
			[]string{"Not separated: fasthttp and hyper: 1.00 × (0.99–1.01); few data: at most 1.2 % apart; run " +
				"longer: --budget 24m."}, "pair"},
		{"two, open, on a busy machine", func(d *Data) {
			two(d, judge.Inconclusive)
			d.Findings = []judge.Finding{{ID: judge.ServerCPUs, State: judge.Warn,
				Text: "other programs used 71 % of the server's CPUs; chromium took 40 % of all CPUs"}}
			p := d.Analysis.Pairs[0]
			p.Metric, p.Verdict, p.Ratio = "cpu_per_request", judge.Different, judge.Estimate{Value: .5, Lo: .4, Hi: .625, N: 8}
			d.Analysis.Pairs = slices.Insert(d.Analysis.Pairs, 0, p)
		}, []string{"hyper needs 2.00 × (1.60–2.50) the CPU of fasthttp per request; their rates are not " +
			"separated: other " +
			"programs used 71 % of the server's CPUs; chromium took 40 % of all CPUs. Not separated: fasthttp and " +
			"hyper"}, "quoted"},
		{"two, without a ratio", func(d *Data) {
			two(d, judge.Inconclusive)
			p := &d.Analysis.Pairs[0]
			p.Note, p.Ratio = "others took the CPU", judge.Estimate{}
		}, []string{"No verdict on fasthttp and hyper: others took the CPU."}, "run longer"},
		{"two, one at the ceiling", func(d *Data) {
			two(d, judge.Inconclusive)
			d.Analysis.Pairs[0].Note = "hyper is at the generator's ceiling"
		}, []string{"No verdict on fasthttp and hyper: hyper is at the generator's ceiling."}, "apart"},
		{"two, open, and their CPU may not be used", func(d *Data) {
			two(d, judge.Inconclusive)
			d.Findings = []judge.Finding{{ID: judge.ServerCPUs, State: judge.Warn, Text: "other programs used 71 %"},
				{ID: judge.Deferred, State: judge.Fail, Contestant: d.Analysis.Pairs[0].A}}
			p := d.Analysis.Pairs[0]
			p.Metric, p.Verdict = "cpu_per_request", judge.Different
			d.Analysis.Pairs = slices.Insert(d.Analysis.Pairs, 0, p)
		}, []string{"Not separated: fasthttp and hyper"}, "needs"},
		{"all separated", func(d *Data) {
			for i := range d.Analysis.Pairs {
				d.Analysis.Pairs[i].Verdict = judge.Different
			}
			for i := range d.Analysis.Places {
				d.Analysis.Places[i].Lo, d.Analysis.Places[i].Hi = i+1, i+1
			}
		}, []string{"All 6 are separated: compared pair by pair, each differs from every other."}, "Not separated"},
		{"none separated", func(d *Data) {
			d.Findings, d.Run.Plan.Epochs = nil, []int{8, 24}
			for i := range d.Analysis.Pairs {
				d.Analysis.Pairs[i].Verdict = judge.Inconclusive
			}
			for i := range d.Analysis.Places {
				d.Analysis.Places[i].Lo, d.Analysis.Places[i].Hi = 1, 6
			}
		}, []string{"Not enough data to rank: none of the 6 servers is shown to be ahead of another; few data: at " +
			"most 8", "run longer: --budget 24m"}, "Not separated"},
		{"an A/A check that differs", func(d *Data) {
			d.Findings = []judge.Finding{{ID: judge.Twins, State: judge.Fail,
				Text: "two identical servers came out different"}}
		}, []string{"This run must not be quoted: two identical"}, ""},
		{"the budget ends before the first load", func(d *Data) {
			d.Analysis.Cells, d.Analysis.Places, d.Run.Trials, d.Run.End.Reason = nil, nil, nil, "budget"
		}, []string{"Nothing was measured: the budget was used up before the first load"}, "quoted"},
		{"a check fails where nothing was measured", func(d *Data) {
			d.Analysis.Cells, d.Analysis.Places = nil, nil
			d.Findings = []judge.Finding{{ID: judge.ServerCPUs, State: judge.Fail, Text: "others took the CPU"}}
		}, []string{"Nothing was measured: no server has a figure."}, "quoted"},
		{"one alone", func(d *Data) {
			for i := range d.Analysis.Places[1:] {
				d.Analysis.Places[i+1].Excluded = "gone"
			}
		}, []string{"Only fasthttp has a figure", "91,400 per second (89,800–93,400)", "× (", "Not ranked: "}, "Of "},
		{"no analysis yet", func(d *Data) {
			d.Analysis.Interim, d.Analysis.Epochs, d.Analysis.Needed, d.Run.End.Reason = 0, 9, 10, "budget"
		}, []string{"Not enough data to rank: 9 of 10 epochs measured (an epoch: all servers freshly started, 3 short " +
			"loads of each); run longer: --budget 8m.",
			"So far fasthttp serves about 1.00 × the requests of hyper."}, "decided"},
		{"interrupted", func(d *Data) {
			d.Analysis.Interim, d.Analysis.Epochs, d.Analysis.Needed, d.Run.End.Reason = 0, 11, 10, "interrupted"
		}, []string{"Not enough data to rank: 11 epochs measured", "The run was interrupted."}, "--budget"},
		{"interrupted at once", func(d *Data) { d.Valid, d.Run.End.Reason = 0, "interrupted" },
			[]string{"The run was interrupted before its first trial that counts."}, "--resume"},
		{"none", func(d *Data) { d.Analysis.Cells, d.Analysis.Places = nil, nil }, []string{"Nothing was measured"},
			"Of "},
	} {
		got := answer(c.change)
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: no %q in %q", c.name, w, got)
			}
		}
		if c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: %q in %q", c.name, c.not, got)
		}
	}
}

// two leaves the first two, with that verdict.
func two(d *Data, verdict judge.Verdict) {
	a := d.Analysis
	d.Run.Plan.Contestants, d.Run.Failures, d.Run.Contestants = []string{"fasthttp", "hyper"}, nil,
		d.Run.Contestants[:2]
	a.Order, a.Places = a.Order[:2], a.Places[:2]
	for i := range a.Pairs {
		a.Pairs[i].Verdict = verdict
	}
	if verdict == judge.Different {
		a.Places[0].Hi, a.Places[1].Lo = 1, 2
	}
}

// TestMoreGroups: a few groups that are not separated are named without their reasons, of many the place.
func TestMoreGroups(t *testing.T) {
	for groups, want := range map[int]string{
		4: "; s8 / s9 (equal within 3 %).",
		6: "; s8 / s9 (equal within 3 %); also s11 / s12; s14 / s15.",
		9: "; s8 / s9 (equal within 3 %); 5 more groups under “Pair by pair” in the details."} {
		d := fixture()
		a := d.Analysis
		a.Pairs, d.Run.Failures, d.Run.Contestants, d.Run.Plan.Contestants = nil, nil, nil, nil
		for i := range 3 * groups { // of each three the last differs from all
			name := fmt.Sprint("s", i-1)
			d.Run.Plan.Contestants = append(d.Run.Plan.Contestants, name)
			for j := range i {
				p := judge.Pair{A: fmt.Sprint("s", j-1), B: name, Metric: a.Primary, Verdict: judge.Different,
					Ratio: judge.Estimate{Value: 1, Lo: 0.99, Hi: 1.01, N: 8}}
				if i%3 == 1 && j == i-1 {
					p.Verdict = judge.Equivalent
				}
				a.Pairs = append(a.Pairs, p)
			}
		}
		v := NewView(d)
		var rows []Row
		for _, name := range d.Run.Plan.Contestants {
			rows = append(rows, Row{Name: name, Title: name})
		}
		if got := v.notSeparated(rows); !strings.HasSuffix(got, want) {
			t.Errorf("%d groups: %s\nwant at its end %s", groups, got, want)
		}
	}
}

// TestNotMeasured: the reason why several have no figure fits one as well.
func TestNotMeasured(t *testing.T) {
	d := fixture()
	for i := range d.Analysis.Cells {
		if c := &d.Analysis.Cells[i]; c.Contestant == "iris" || c.Contestant == "hyper" {
			c.Absent = "it has no valid trials"
		}
	}
	if got := strings.Join(NewView(d).Answer(), " "); !strings.Contains(got, "(not measured: no valid trials)") {
		t.Error(got)
	}
}

// The primary metric stands first, and it alone gives the pairs.
func TestOtherPrimary(t *testing.T) {
	d := fixture()
	d.Run.Plan.Primary, d.Analysis.Primary = "cpu_per_request", "cpu_per_request"
	got := string(written(t, inFull, d))
	if i, j := strings.Index(got, "CPU µs"), strings.Index(got, "req/s  "); i < 0 || i > j {
		t.Error("the primary metric is not the first column")
	}
	if !strings.Contains(got, "The ratio of the first’s CPU per request to the second’s.") {
		t.Error("the pairs are not of the primary metric")
	}
}

// Before the first analysis the one that is ahead by their pair leads, also where rows stand the other way.
func TestTooFewNamesTheLeader(t *testing.T) {
	for metric, want := range map[string]string{"throughput": "So far Kestrel serves about 2.04 × the requests of " +
		"Iris MVC.",
		"cpu_per_request": "So far Iris MVC uses about 0.49 × the CPU per request of Kestrel."} {
		d := early()
		d.Run.Plan.Primary, d.Analysis.Primary = metric, metric
		for i := range d.Analysis.Pairs {
			p := &d.Analysis.Pairs[i]
			p.Ratio.Value = 0.49
			if p.A != "iris-mvc" {
				p.Ratio.Value = 1 / 0.49
			}
		}
		v := NewView(d)
		if got := strings.Join(v.Answer(), " "); !strings.Contains(got, want) {
			t.Errorf("by %s: no %q in %q", metric, want, got)
		}
	}
}

// A single pair is not counted.
func TestTallyOfOnePair(t *testing.T) {
	for there, want := range map[judge.Verdict]string{
		judge.Different: "The pair is different. The difference is large enough to hold in other sessions on this model of " +
			"CPU. The chance",
		judge.Inconclusive: "The pair is different. The difference is too little to hold in other sessions",
	} {
		d := fixture()
		elsewhere(d, judge.Different, there)
		v := NewView(d)
		if got := v.tally(v.pairsOf(v.ranked())); !strings.HasPrefix(got, want) {
			t.Errorf("%q; want %q", got, want)
		}
	}
}

// In JSON the standard deviation that a second verdict assumes stands beside it.
func TestElsewhereAssumed(t *testing.T) {
	for sessions, want := range map[int]bool{0: true, 5: false} {
		d := fixture()
		elsewhere(d, judge.Different, judge.Different)
		for i := range d.Analysis.Pairs {
			d.Analysis.Pairs[i].Elsewhere.Sessions = sessions
		}
		if got := string(written(t, JSON, d)); strings.Contains(got, `"assumed_sd_log": 0.01`) != want {
			t.Errorf("%d sessions: %s", sessions, got)
		}
	}
}

// A command without its secrets says that they are to be written into it.
func TestAgainWithoutSecrets(t *testing.T) {
	d := fixture()
	const says = "write your secrets where *** stands"
	for _, want := range []bool{false, true} {
		for _, form := range []func(io.Writer, *Data) error{Text, inFull, HTML} {
			if got := string(written(t, form, d)); strings.Contains(got, says) != want {
				t.Errorf("%v: %s", want, got)
			}
		}
		d.Run.Plan.Origin.Command += " -H 'X-Api-Key: ***'"
	}
}

// elsewhere leaves two servers, with a verdict here and one in other sessions.
func elsewhere(d *Data, here, there judge.Verdict) {
	two(d, here)
	for i := range d.Analysis.Pairs {
		d.Analysis.Pairs[i].Elsewhere = &judge.Elsewhere{Ratio: judge.Estimate{Value: 1, Lo: .96, Hi: 1.04}, Verdict: there,
			Sessions: 5, Programs: 5}
	}
}
