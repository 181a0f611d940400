package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/stats"
)

func TestParseCondition(t *testing.T) {
	for _, c := range []struct {
		text, want string
		below      bool
		limit      float64
	}{
		{"throughput<-3%", "throughput<-3%", true, -.03},
		{"cpu_per_request>3%", "cpu_per_request>3%", false, .03},
		{" p50 > +2.5 % ", "p50>+2.5%", false, .025},
		{"memory>0%", "memory>0%", false, 0},
		{"memory<-.5%", "memory<-.5%", true, -.005},
	} {
		got, err := parseCondition(c.text, false)
		if err != nil || got.text != c.want || got.below != c.below || math.Abs(got.limit-c.limit) > 1e-12 ||
			!strings.HasPrefix(got.text, got.metric.Name) {
			t.Errorf("%q: %+v, %v", c.text, got, err)
		}
	}
	for text, want := range map[string]string{
		"":                        "column 1: want a metric: throughput, cpu_per_request, p50, memory",
		"<3%":                     "column 1: want a metric",
		"  througput<-3%":         `column 3: no metric "througput"; did you mean "throughput"?`,
		"throughput":              "column 11: want < or >",
		"throughput-3%":           "column 11: want < or >",
		"throughput<=3%":          "column 11: want < or >",
		"throughput<":             "column 12: want a percentage",
		"throughput<abc%":         "column 12: want a percentage",
		"throughput<1.2.3%":       "column 12: want a percentage",
		"throughput<-100%":        "column 12: -100%: no metric can change by that much",
		"throughput < -3":         "column 16: want % after the number",
		"throughput<-3 percent":   "column 15: want % after the number",
		"memory>3%,p50>3%":        "column 10: unexpected text after %",
		"heap_inuse>5%":           "column 1: want a metric: throughput, cpu_per_request, p50, memory",
		"threads > 5 %":           "column 1: want a metric",
		"response_p999>5%":        "column 1: want a metric",
		"response_p50>5%":         "column 1: response_p50 is measured in an open loop: give --rate",
		"cpu_per_request > 3 % x": "column 23: unexpected text after %",
	} {
		if _, err := parseCondition(text, false); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Open-loop metrics belong only to open-loop conditions.
func TestConditionMetrics(t *testing.T) {
	if _, err := parseCondition("response_p99>10%", true); err != nil {
		t.Error(err)
	}
	_, err := parseCondition("response_p99>10%", false)
	if err == nil || !strings.Contains(err.Error(), "column 1: response_p99 is measured in an open loop: give --rate") {
		t.Error(err)
	}
	for _, name := range []string{"server_cpu_share", "threads", "response_p999"} { // not in every comparison
		if _, err = parseCondition(name+">1%", true); err == nil || !strings.Contains(err.Error(), ": want a metric: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	var out bytes.Buffer
	cmd := compareCommand()
	cmd.SetOut(&out)
	help(cmd, nil)
	for _, name := range conditionMetrics(true) {
		if !strings.Contains(out.String(), name) {
			t.Errorf("compare --help does not name the metric %s", name)
		}
	}
}

// FuzzParseCondition: a parsed condition can be parsed again, with the same meaning.
func FuzzParseCondition(f *testing.F) {
	for _, s := range []string{"throughput<-3%", " p50 > 2.5 %", "memory>=1%", "é<3%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseCondition(text, false)
		if err != nil {
			return
		}
		again, err := parseCondition(c.text, false)
		if err != nil || again.text != c.text || again.limit != c.limit || again.below != c.below {
			t.Errorf("%q: %+v, %+v, %v", text, c, again, err)
		}
	})
}

// two are the sides in these tests.
var two = []string{"base", "head"}

// found is an analysis with one pair under each metric, head over base.
func found(look int, verdict judge.Verdict, better string, value, lo, hi float64) *judge.Analysis {
	a := &judge.Analysis{Primary: "cpu_per_request", Interim: look, AlphaAt: .0125, Margin: .03,
		Shares: map[string]float64{}}
	for _, m := range judge.Metrics {
		a.Pairs = append(a.Pairs, judge.Pair{A: "base", B: "head", Metric: m.Name, Verdict: verdict, Better: better,
			Ratio: judge.Estimate{Value: 1 / value, Lo: 1 / hi, Hi: 1 / lo, N: 8}})
	}
	return a
}

// likelyOf sets the 80 % interval of head over base under each metric.
func likelyOf(value, lo, hi float64) func(*judge.Analysis) {
	return func(a *judge.Analysis) {
		for i := range a.Pairs {
			a.Pairs[i].Likely = judge.Estimate{Value: 1 / value, Lo: 1 / hi, Hi: 1 / lo, N: 8}
		}
	}
}

// Equal servers on a shared runner: a run's noise and its bursts differ from run to run, and so
// does the number of epochs within the budget. At most 5 % of the runs fail.
func TestGateOnSharedRunner(t *testing.T) {
	cs, err := parseConditions([]string{"cpu_per_request>3%"}, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, median := range []float64{.01, .03, .06, .12} { // SD of an epoch's ratio
		const reps = 1000
		wrong := 0
		for seed := range uint64(reps) {
			rng := rand.New(rand.NewPCG(seed, uint64(1e4*median)))
			sd := median * math.Exp(.5*rng.NormFloat64())
			var trials []*record.Trial
			for e := range 2 + rng.IntN(11) {
				for i, name := range []string{"base", "head"} {
					cost := 1e4 * math.Exp(sd/math.Sqrt2*rng.NormFloat64())
					if rng.IntN(10) == 0 { // beside a neighbour
						cost *= 1.2
					}
					cpu := int64(1e4 * cost)
					trials = append(trials, &record.Trial{Key: record.Key{Epoch: e + 1, Position: i}, Contestant: name,
						Load: record.Load{WindowNS: 1e8, Succeeded: 1e4}, Server: record.Usage{CPUNS: &cpu}})
				}
			}
			a := judge.Analyse(judge.Input{Trials: trials, Contestants: []string{"base", "head"}, Alpha: .05,
				Analyses: []stats.Interim{{N: 8, Alpha: .025}, {N: 12, Alpha: .025}},
				Primary:  "cpu_per_request", Margin: .03})
			for _, j := range judged(&record.Plan{Levels: []record.Level{{}}, Contestants: two}, a, cs) {
				if fails([]judgement{j}, false) {
					wrong++
				}
			}
		}
		if lo, _ := stats.ClopperPearson(wrong, reps, .95); lo > .05 {
			t.Errorf("at %g %% of noise an epoch, %d of %d runs of equal servers fail", 100*median, wrong, reps)
		}
		t.Logf("at %g %% of noise an epoch, %d of %d runs of equal servers fail", 100*median, wrong, reps)
	}
}

func TestJudgeCondition(t *testing.T) {
	for _, c := range []struct {
		text       string
		lo, hi     float64
		look       int
		want       state
		mayBecome  bool
		spoil      func(*judge.Analysis)
		noteOfWhom string
	}{
		{text: "throughput<-3%", lo: .90, hi: .96, look: 1, want: failed},
		{text: "throughput<-3%", lo: .95, hi: .98, look: 1, want: inconclusive, mayBecome: true},
		{text: "throughput<-3%", lo: .98, hi: 1.01, look: 1, want: passed},
		{text: "cpu_per_request>3%", lo: 1.039, hi: 1.053, look: 1, want: failed},
		{text: "cpu_per_request>3%", lo: 1.02, hi: 1.053, look: 1, want: inconclusive, mayBecome: true},
		{text: "cpu_per_request>3%", lo: .9, hi: 1.02, look: 1, want: passed},
		{text: "cpu_per_request>3%", lo: 1.9, hi: 2.1, look: 0, want: failed},
		{text: "cpu_per_request>3%", lo: .9, hi: 1.02, look: 0, want: inconclusive, mayBecome: true,
			noteOfWhom: "no interim analysis"},
		{text: "cpu_per_request>3%", lo: 0, hi: 40, look: 0, want: unshown, mayBecome: true,
			noteOfWhom: "too few epochs", spoil: likelyOf(20.36, 4, 90)},
		{text: "cpu_per_request>3%", lo: 0, hi: 40, look: 0, want: inconclusive, mayBecome: true,
			noteOfWhom: "no interim analysis", spoil: likelyOf(20.36, .9, 90)},
		{text: "cpu_per_request>3%", lo: .99, hi: 1.09, look: 1, want: unshown, mayBecome: true,
			noteOfWhom: "which lies within the interval", spoil: likelyOf(1.04, 1.001, 1.08)},
		{text: "cpu_per_request>3%", lo: .99, hi: 1.06, look: 1, want: inconclusive, mayBecome: true,
			spoil: likelyOf(1.025, 1.001, 1.05)},
		{text: "throughput<-3%", lo: .9, hi: 1.01, look: 1, want: unshown, mayBecome: true,
			spoil: likelyOf(.955, .92, .99)},
		{text: "throughput<-3%", lo: .5, hi: .6, look: 1, want: failed,
			spoil: func(a *judge.Analysis) { a.Shares["base"] = .9 }},
		{text: "cpu_per_request>3%", lo: 0, hi: math.Inf(1), look: 1, want: inconclusive, mayBecome: true},
		{text: "throughput<-3%", lo: .98, hi: 1.01, look: 1, want: inconclusive, noteOfWhom: "limit",
			spoil: func(a *judge.Analysis) { a.Shares["base"] = .9 }},
		{text: "throughput<-3%", look: 1, want: inconclusive, mayBecome: true, noteOfWhom: "others took",
			spoil: func(a *judge.Analysis) {
				for i := range a.Pairs {
					a.Pairs[i].Ratio, a.Pairs[i].Note = judge.Estimate{}, "others took the CPU"
				}
			}},
		{text: "memory>5%", look: 1, want: unmeasured, noteOfWhom: "no figure",
			spoil: func(a *judge.Analysis) { a.Pairs = nil }},
	} {
		cond, err := parseCondition(c.text, false)
		if err != nil {
			t.Fatal(err)
		}
		a := found(c.look, judge.Different, "head", (c.lo+c.hi)/2, c.lo, c.hi)
		if c.spoil != nil {
			c.spoil(a)
		}
		if j := cond.judge(a, record.Cell{Contestant: "head"},
			record.Cell{Contestant: "base"}); j.state != c.want || j.open != c.mayBecome ||
			!strings.Contains(j.note, c.noteOfWhom) {
			t.Errorf("%s at (%v–%v), look %d: %+v", c.text, c.lo, c.hi, c.look, j)
		}
	}
}

// A run continues while a condition may still be decided, even if the pair is.
func TestAnswered(t *testing.T) {
	cs, err := parseConditions([]string{"cpu_per_request>3%", "memory>5%"}, false)
	if err != nil {
		t.Fatal(err)
	}
	p := &record.Plan{Levels: []record.Level{{}}, Contestants: two}
	if js := judged(p, found(1, judge.Different, "base", 1.1, 1.08, 1.12), cs); !answered(js) || !gateDecided(js) {
		t.Error("all is decided, and the run goes on")
	}
	if js := judged(p, found(1, judge.Different, "base", 1.04, 1.01, 1.06), cs); answered(js) || gateDecided(js) {
		t.Error("a condition is open, and the run ends")
	}
	if js := judged(p, found(1, judge.Different, "base", 1.045, 1.035, 1.06), cs); answered(js) || !gateDecided(js) {
		t.Error("a condition has failed, and the gate goes on")
	}
	if js := judged(p, found(1, judge.Inconclusive, "", 1.005, .99, 1.02), cs); !gateDecided(js) {
		t.Error("the change is known to be within each limit, and the gate goes on until the pair is decided")
	}
}

// With several numbers of CPUs a condition is judged on each, and fails if one does.
func TestAnswerOnCPUs(t *testing.T) {
	cs, err := parseConditions([]string{"cpu_per_request>3%"}, false)
	if err != nil {
		t.Fatal(err)
	}
	run := &record.Run{Plan: record.Plan{Levels: []record.Level{{CPUs: 1}, {CPUs: 2}}, Contestants: two,
		FailIf: []string{"cpu_per_request>3%"}}}
	for level := range 2 {
		run.Plan.Family = append(run.Plan.Family, record.Comparison{A: record.Cell{Contestant: "base", Level: level},
			B: record.Cell{Contestant: "head", Level: level}})
	}
	a := found(1, judge.Different, "base", 1.046, 1.039, 1.053)
	for _, p := range found(1, judge.Equivalent, "", 1.004, .988, 1.02).Pairs {
		p.AtA, p.AtB = 1, 1
		a.Pairs = append(a.Pairs, p)
	}
	data := &report.Data{Results: judge.Results{Run: run, Analysis: a}}
	got, err := answer(data, "")
	if err != nil || len(got) != 2 || got[0].state != failed || got[1].state != passed || !fails(got, false) {
		t.Errorf("states %v", got)
	}
	out := addedText(t, data)
	for _, want := range []string{"failed  +4.6 % (here +3.9 % to +5.3 %)  head on 1 CPU\n",
		"passed  +0.4 % (here −1.2 % to +2 %)    head on 2 CPUs\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if !answered(judged(&run.Plan, &judge.Analysis{Pairs: a.Pairs, Interim: 1,
		CellShares: map[record.Cell]float64{{Contestant: "head", Level: 1}: .9}}, cs)) {
		t.Error("what is at the generator's limit is not decided by more epochs")
	}
	rate, err := parseConditions([]string{"throughput>300%"}, false)
	if err != nil {
		t.Fatal(err)
	}
	a.CellShares = map[record.Cell]float64{{Contestant: "head", Level: 1}: .9}
	js := judged(&run.Plan, a, rate)
	if len(js) != 2 || js[0].state != passed || js[1].state != inconclusive || !strings.Contains(js[1].note, "limit") {
		t.Errorf("at the generator's limit on 2 CPUs: %+v", js)
	}
}

// twinned adds an A/A check that found a difference of 5 %.
func twinned(a *judge.Analysis) *judge.Analysis {
	a.AACheck = &judge.Pair{Ratio: judge.Estimate{Value: 1.05, Lo: 1.03, Hi: 1.07, N: 8}}
	return a
}

// addedText is what is added to a report, as text.
func addedText(t *testing.T, data *report.Data) string {
	t.Helper()
	d, out := &document.Document{Sections: data.Added.BelowAnswer}, strings.Builder{}
	if err := document.Text(&out, d, document.Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestAnswer(t *testing.T) {
	oneLevel := record.Plan{Levels: []record.Level{{}}, Contestants: two, FailIf: []string{"cpu_per_request>3%"}}
	run := func(hash string) *record.Run {
		return &record.Run{Plan: oneLevel, Contestants: []record.Contestant{{Name: "base", BinaryHash: "a"},
			{Name: "head", BinaryHash: hash}}}
	}
	for _, c := range []struct {
		run      *record.Run
		a        *judge.Analysis
		findings []judge.Finding
		failed   bool
		want     []string
	}{
		{run("b"), found(1, judge.Different, "base", 1.046, 1.039, 1.053), nil, true,
			[]string{"fail-if cpu_per_request>3%  failed  +4.6 % (here +3.9 % to +5.3 %)"}},
		{run("b"), found(1, judge.Different, "head", .8, .78, .83), nil, false,
			[]string{"passed  −20 % (here −22 % to −17 %)"}},
		{run("a"), found(1, judge.Equivalent, "", 1.004, .988, 1.02), nil, false,
			[]string{"passed  +0.4 % (here −1.2 % to +2 %)", "\nalike.\n"}},
		{run("b"), found(0, judge.Inconclusive, "", 2, 0, math.Inf(1)), nil, false, []string{"too few epochs"}},
		{run("b"), &judge.Analysis{Primary: "cpu_per_request"}, nil, true,
			[]string{"  not measured  ", "one of the two has no figure"}},
		{run("b"), found(1, judge.Different, "base", 1.5, 1.4, 1.6),
			[]judge.Finding{{ID: judge.Twins, State: judge.Fail}}, false,
			[]string{"inconclusive", "A/A check fails"}},
		{run("b"), twinned(found(1, judge.Different, "base", 1.5, 1.4, 1.6)),
			[]judge.Finding{{ID: judge.Twins, State: judge.Fail}}, true, []string{"  failed  "}},
		{run("b"), twinned(found(1, judge.Different, "base", 1.06, 1.04, 1.08)),
			[]judge.Finding{{ID: judge.Twins, State: judge.Fail}}, false, []string{"A/A check fails"}},
		{run("b"), found(1, judge.Different, "head", .3, .28, .32),
			[]judge.Finding{{ID: judge.Deferred, Contestant: "head", State: judge.Fail, Text: "it worked between loads"}}, true,
			[]string{"  not shown  ", "it worked between loads"}},
		{run("b"), found(1, judge.Different, "head", .3, .28, .32),
			[]judge.Finding{{ID: judge.Errors, Contestant: "head", State: judge.Fail, Text: "9 requests without"}}, true,
			[]string{"  not shown  ", "9 requests without"}},
	} {
		data := &report.Data{Results: judge.Results{Run: c.run, Analysis: c.a, Findings: c.findings}}
		got, err := answer(data, "alike")
		out := addedText(t, data)
		if err != nil || fails(got, false) != c.failed {
			t.Errorf("states %v\n%s", got, out)
		}
		open := strings.Contains(out, "  inconclusive  ")
		if fails(got, true) != (c.failed || open) || strings.Contains(out, "only with --strict") != open {
			t.Errorf("states %v with --strict\n%s", got, out)
		}
		for _, w := range c.want {
			if !strings.Contains(out, w) {
				t.Errorf("no %q in\n%s", w, out)
			}
		}
	}
}
