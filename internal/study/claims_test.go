package study

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
)

var update = flag.Bool("update", false, "write the goldens")

// fakeStudy has three contestants at three levels, with a claim for every verdict.
const fakeStudy = `title = "Fast against slow"
question = "Which is faster?"
source = "A. Uthor, Fast and slow, 2017"
scenario = "s"
contestants = ["fast", "slow", "odd", "gone"]
primary = "throughput"
budget = "2h"
notes = ["Ours are newer: see [the record](trials.jsonl.gz)."]
[published_on]
cpu = "i7"
command = "bench -c 10"
[unavailable]
never = "its module is lost"
[[level]]
name = "c10"
quick = true
load = { connections = 10 }
[[level]]
load = { connections = 20 }
[[level]]
name = "late"
quick = true
launch = { delay = "10ms" }
load = { connections = 10 }
contestants = ["fast", "slow"]
[[claim]]
id = "ratio"
sentences = ["F-01"]
text = "Fast is twice as fast."
place = "table 1"
kind = "ratio"
a = "fast @ c10"
b = "slow @ c10"
value = 2.1
[[claim]]
id = "direction"
sentences = ["F-01"]
text = "Fast is six times as fast."
kind = "ratio"
a = "fast @ c10"
b = "slow @ c10"
value = 6
[[claim]]
id = "reversed"
sentences = ["F-01"]
text = "Slow is faster."
kind = "order"
cells = ["slow @ c20", "fast @ c20"]
[[claim]]
id = "tie"
sentences = ["F-01"]
text = "With a delay both are equal."
kind = "equal"
a = "fast @ late"
b = "slow @ late"
[[claim]]
id = "bound"
sentences = ["F-01"]
text = "A delay of 10 ms and 10 connections allow 1,000 requests per second."
kind = "bound"
a = "fast @ late"
at_most = 1000
[[claim]]
id = "drop"
sentences = ["F-01"]
text = "Fast loses a third with more connections."
kind = "drop"
a = "fast @ c20"
b = "fast @ c10"
value = 30
[[claim]]
id = "excess"
sentences = ["F-01"]
text = "Fast loses more than slow."
kind = "drop"
a = "fast @ c20"
b = "fast @ c10"
than = ["slow @ c20", "slow @ c10"]
[[claim]]
id = "trend"
sentences = ["F-01"]
text = "Fast's lead shrinks."
kind = "trend"
cells = ["fast @ c10", "fast @ c20"]
over = ["slow @ c10", "slow @ c20"]
direction = "falls"
[[claim]]
id = "lines"
sentences = ["F-01"]
text = "Fast takes half of the lines."
kind = "ratio"
metric = "lines_of_code"
a = "fast @ c10"
b = "slow @ c10"
value = 0.5
[[claim]]
id = "bytes"
sentences = ["F-01"]
text = "An answer of fast has 120 bytes."
kind = "bound"
metric = "response_bytes"
a = "fast @ c10"
at_least = 120
at_most = 120
[[claim]]
id = "failed"
sentences = ["F-01"]
text = "Odd is faster than slow."
kind = "order"
cells = ["odd @ c10", "slow @ c10"]
[[claim]]
id = "unavailable"
sentences = ["F-01"]
text = "Gone is faster than slow."
kind = "order"
cells = ["gone @ c10", "slow @ c10"]
[[claim]]
id = "never"
sentences = ["F-01"]
text = "Never is faster than slow."
kind = "order"
cells = ["never @ c10", "slow @ c10"]
[[claim]]
id = "each"
sentences = ["F-01"]
text = "Fast is the faster one at each level."
kind = "order"
cells = ["fast @ c10", "fast @ c20"]
over = ["slow @ c10", "slow @ c20"]
[[claim]]
id = "most"
sentences = ["F-01"]
text = "Most contestants serve 90,000 requests per second."
kind = "most"
cells = ["* @ c10"]
at_least = 90000
[[claim]]
id = "most-late"
sentences = ["F-01"]
text = "With a delay most lose nine tenths of slow's rate."
kind = "most"
cells = ["* @ late"]
over = ["slow @ c20"]
at_most = 0.1
[[claim]]
id = "most-others"
source = "B. Other, Re-run, 2018"
text = "Most others serve more than slow."
kind = "most"
cells = ["* @ c10"]
over = ["slow @ c10"]
at_least = 1.0
[[claim]]
id = "memory"
sentences = ["F-01"]
text = "Both need as much memory."
kind = "equal"
metric = "memory"
a = "fast @ c10"
b = "slow @ c10"
[[claim]]
id = "words"
sentences = ["F-01"]
text = "The author likes fast."
not_testable = "a preference"
[[claim]]
id = "all"
sentences = ["F-02", "F-03"]
text = "Both answer all requests rightly."
kind = "all"
metric = "wrong_answers"
cells = ["fast @ c10", "slow @ c10"]
at_most = 0
[[claim]]
id = "moved"
sentences = ["F-03"]
text = "Fast moves twice the bytes of slow."
kind = "ratio"
metric = "bytes_per_sec"
a = "fast @ c10"
b = "slow @ c10"
value = 2
[[claim]]
id = "apart"
sentences = ["F-03"]
text = "With a delay they are less apart."
kind = "spread"
cells = ["* @ late"]
over = ["fast @ c10", "slow @ c10"]
at_most = 1
[[claim]]
id = "again"
sentences = ["F-03"]
text = "Several repetitions gave the same memory."
kind = "repeats"
metric = "memory"
a = "fast @ c10"
within = 1.01
[[claim]]
id = "unrecorded"
sentences = ["F-03"]
text = "Fast allocates less."
kind = "order"
metric = "alloc_per_request"
cells = ["fast @ c10", "slow @ c10"]
`

const fakeFigures = `contestant,level,metric,unit,value,date,source,place,note
fast,c10,throughput,1/s,"123456.5",2017-08-19,,p. 1,
fast,c10,time:1000000,s,8,2017-08-19,,p. 1,
fast,c10,latency_mean,ms,0.4,2017-08-19,,p. 1,
fast,c10,bytes_per_sec,MiB/s,20,2017-08-19,,p. 1,
fast,c10,memory,MB,12,2017-08-19,,p. 1,read by eye
fast,c10,lines_of_code,lines,27,2017-08-19,,p. 1,
slow,c20,throughput,1/s,40000,2017-08-19,,p. 2,
fast,c20,drop:fast @ c10,%,30,2017-08-19,,p. 2,
fast,c20,lead:slow @ c20,%,58,2017-08-19,,p. 2,
fast,c20,lead:odd @ c10,%,1,2017-08-19,,p. 2,
odd,c10,throughput,1/s,1,2017-08-19,,p. 2,
never,c10,throughput,1/s,2,2017-08-19,,p. 2,
`

func project(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{"scenarios/s.toml": {}}
	for _, name := range []string{"fast", "slow", "odd", "gone", "lone"} {
		m["contestants/go/"+name+"/contestant.toml"] = &fstest.MapFile{}
	}
	for name, text := range files {
		m["studies/fake/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func readFake(t *testing.T) *Study {
	t.Helper()
	st, err := Read(project(map[string]string{"study.toml": fakeStudy, "figures.csv": fakeFigures}), "fake")
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// fakeRun carries out the study's plan on servers with known speed and noise: fast and slow differ
// by a factor of 2 at ten connections, of 1.6 at twenty, and not at all with a delay.
func fakeRun(t *testing.T, st *Study, c Choice) *record.Run {
	t.Helper()
	r := plan.Request{Question: st.Ask(c), Command: "dyno run fake", Seed: 7}
	p, err := plan.New(r, plan.World{Dyno: "v0", Now: time.Unix(1_500_000_000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	p.Ceiling, p.Epochs = "", []int{12} // nobody plays the one
	if _, err := plan.Estimate(&p); err != nil {
		t.Fatal(err)
	}
	run := &record.Run{Plan: p, Host: record.Host{OS: "linux", CPU: "a " +
		"CPU", CPUs: 2, ServerCPUs: []int{0}, GeneratorCPUs: []int{1}, Pinned: true, MemoryBytes: 8 << 30}}
	for _, name := range []string{"fast", "slow", "odd", "gone"} {
		run.Contestants = append(run.Contestants, record.Contestant{Name: name, Title: name, Language: "go",
			Version: "v1", BinaryHash: "00"})
	}
	run.Failures = []record.Failure{{Contestant: "odd", Stage: "verify", Reason: "it answers " +
		"500"}, {Contestant: "gone", Stage: "toolchain", Reason: "needs Node.js"}}
	rng := rand.New(rand.NewPCG(1, 2))
	now := p.Origin.StartedUnixNS
	for {
		o, stop := plan.Next(run, func() bool { return Analyse(run).Decided() })
		if stop != "" {
			run.End = &record.End{Reason: string(stop)}
			return run
		}
		rate := 50_000 * math.Exp(0.01*rng.NormFloat64())
		switch level := o.Level; {
		case level.DelayNS > 0:
			rate = 990 * math.Exp(0.0002*rng.NormFloat64())
		case o.Contestant == "fast" && level.Connections == 10:
			rate *= 2
		case o.Contestant == "fast":
			rate *= 1.44
		case o.Contestant == "slow" && level.Connections == 20:
			rate *= 0.9
		}
		n := int64(rate * float64(o.TrialNS) / 1e9)
		level := o.Level
		cpu, pss := o.TrialNS*99/100, int64(10<<20)
		now += o.TrialNS
		run.Add(record.Record{Trial: &record.Trial{Key: o.Key, Contestant: o.Contestant, Level: &level,
			StartedUnixNS: now - o.TrialNS, EndedUnixNS: now,
			ClocksNS: o.TrialNS,
			Load: record.Load{WindowNS: o.TrialNS, RateAnswers: float64(n), RateNS: o.TrialNS, RateFromNS: 1,
				Connections: level.Connections, Established: level.Connections,
				Started: n, Succeeded: n, BytesRead: 120 * n,
				BytesWritten: 70 * n, ServiceP50NS: int64(1e9 * float64(level.Connections) / rate),
				ServiceP99NS: 2e9, ServiceMaxNS: 3e9},
			Server: record.Usage{CPUNS: &cpu, PrivateBytes: &pss, Processes: 1}, Generator: record.Usage{CPUNS: &cpu},
			Causes: record.Causes{WallNS: o.TrialNS, ServerCPUs: 1, GeneratorCPUs: 1}}})
	}
}

func evaluatedFake(t *testing.T, c Choice) *Judged {
	t.Helper()
	return judgedBy(t, readFake(t), c)
}

// fakeWith evaluates a run of the fake study with more in its file.
func fakeWith(t *testing.T, more string) *Judged {
	t.Helper()
	st, err := Read(project(map[string]string{"study.toml": fakeStudy + more, "figures.csv": fakeFigures}), "fake")
	if err != nil {
		t.Fatal(err)
	}
	return judgedBy(t, st, Choice{})
}

func judgedBy(t *testing.T, st *Study, c Choice) *Judged {
	t.Helper()
	d, err := st.JudgeClaims(Evaluate(fakeRun(t, st, c)), "studies/fake")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestClaims(t *testing.T) {
	d := evaluatedFake(t, Choice{})
	want := map[string]Verdict{"ratio": Confirmed, "direction": SmallerLead, "reversed": Contradicted, "tie": Confirmed,
		"bound": Confirmed, "drop": Confirmed, "excess": Confirmed, "trend": Confirmed, "lines": NotTestable,
		"bytes": Confirmed, "failed": Inconclusive, "unavailable": NotRun, "never": NotTestable,
		"each": Confirmed, "most": Inconclusive, "most-late": Confirmed,
		"most-others": Inconclusive, "memory": Confirmed, "words": NotTestable,
		"all": Confirmed, "moved": Confirmed, "apart": Confirmed, "again": Confirmed, "unrecorded": NotRun}
	for _, o := range d.Claims.Outcomes {
		if o.Verdict != want[o.Claim.ID] {
			t.Errorf("%s: %s (%s), want %s; %+v", o.Claim.ID, o.Verdict, o.Reason, want[o.Claim.ID], o.Shown)
		}
	}
	if d.Claims.Changed {
		t.Error("claims that were not changed are said to be")
	}
	golden(t, "claims.md", written(t, Readme, d))
	golden(t, "claims.txt", written(t, ClaimsText, d))
	golden(t, "claims.json", written(t, ClaimsJSON, d))
	d.Verbose = true
	for name, form := range map[string]report.Writer{"text": report.Text, "markdown": report.Markdown,
		"html": report.HTML, "json": report.JSON} {
		if page := string(written(t, form, d.Data)); !strings.Contains(page, "Fast is twice as "+
			"fast.") || !strings.Contains(page, "smaller lead") {
			t.Errorf("the claims are missing in the form %s", name)
		}
	}
}

// With --quick claims at other levels are not run, and the others are judged.
func TestQuickClaims(t *testing.T) {
	d := evaluatedFake(t, Choice{Quick: true})
	for _, o := range d.Claims.Outcomes {
		notRun := slices.ContainsFunc(o.Claim.All(), func(c Cell) bool { return c.Level == "c20" }) ||
			o.Claim.ID == "unrecorded" ||
			o.Claim.ID == "unavailable"
		if (o.Verdict == NotRun) != notRun {
			t.Errorf("%s: %s (%s)", o.Claim.ID, o.Verdict, o.Reason)
		}
	}
}

// TestLeftOut: the study's contestants that are not in a run are named beside its question.
func TestLeftOut(t *testing.T) {
	if d := evaluatedFake(t, Choice{}); len(d.Claims.LeftOut) > 0 {
		t.Errorf("a whole run leaves out %q", d.Claims.LeftOut)
	}
	st := readFake(t)
	run := fakeRun(t, st, Choice{})
	st.Contestants = append(st.Contestants, "added")
	c, err := st.JudgeClaims(Evaluate(run), "studies/fake")
	if err != nil || !slices.Equal(c.LeftOut, []string{"added"}) {
		t.Errorf("%q, %v", c.LeftOut, err)
	}
}

// A failed check excludes the figures that it concerns, and a claim that was changed after the run
// is reported.
func TestExcludedClaims(t *testing.T) {
	st := readFake(t)
	run := fakeRun(t, st, Choice{})
	for i := range run.Trials {
		if t := run.Trials[i]; t.Contestant == "slow" && t.Level.Connections == 10 {
			t.Server.CPUNS = new(int64)
			*t.Server.CPUNS = t.Load.WindowNS / 2 // the check of a busy server fails, at this level
		}
	}
	st.Claims[0].Value = 2.2
	d := Evaluate(run)
	c, err := st.JudgeClaims(d, "x")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range c.Outcomes {
		switch o.Claim.ID {
		case "ratio", "direction", "excess", "trend":
			if o.Verdict != Inconclusive || !strings.Contains(o.Reason, "server busy") {
				t.Errorf("%s: %s (%s), want it excluded", o.Claim.ID, o.Verdict, o.Reason)
			}
		case "reversed":
			if o.Verdict != Contradicted {
				t.Errorf("%s: %s (%s): the failure is of another level", o.Claim.ID, o.Verdict, o.Reason)
			}
		case "lines":
			if o.Verdict != NotTestable {
				t.Errorf("%s: %s (%s): it needs no load", o.Claim.ID, o.Verdict, o.Reason)
			}
		}
	}
	if !c.Changed {
		t.Error("a claim was changed after the run, and nothing says so")
	}
	st.Slug = "other"
	if _, err := st.JudgeClaims(d, "x"); err == nil {
		t.Error("another study's trials were judged")
	}
}

// An amended claim shows its outcome under the claim that an earlier run was planned with, and
// nothing for a later run.
func TestAmendedClaims(t *testing.T) {
	st := readFake(t)
	before := fakeRun(t, st, Choice{})
	c := &st.Claims[slices.IndexFunc(st.Claims, func(c Claim) bool { return c.ID == "bound" })]
	c.Was = &Was{Claim: Claim{AtLeast: c.AtLeast, AtMost: c.AtMost}, Why: "a thousandth was meant"}
	c.AtMost = new(float64)
	*c.AtMost = *c.Was.AtMost / 1000
	for _, amended := range []bool{true, false} {
		run := before
		if !amended {
			run = fakeRun(t, st, Choice{})
		}
		d, err := st.JudgeClaims(Evaluate(run), "x")
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range d.Claims.Outcomes {
			want := Verdict("")
			if amended && o.Claim.ID == "bound" {
				want = Confirmed
			}
			if o.Before != want || o.Claim.ID == "bound" && o.Verdict != Contradicted {
				t.Errorf("%s: %s, before %q, want %q", o.Claim.ID, o.Verdict, o.Before, want)
			}
		}
		text := strings.Join(strings.Fields(string(written(t, ClaimsText, d))), " ")
		if d.Claims.Changed || strings.Contains(text, "was planned: 1 claim. The study's page") != amended ||
			strings.Contains(text, "a thousandth was meant. As it was before: confirmed.") != amended {
			t.Errorf("%v, %s", amended, text)
		}
	}
}

// A run without a valid trial confirms nothing, not even that all answers were right.
func TestClaimsOfNothing(t *testing.T) {
	st := readFake(t)
	run := fakeRun(t, st, Choice{})
	for i := range run.Trials {
		c := &run.Trials[i].Causes
		c.WallNS, c.ServerCPUs, c.GeneratorCPUs = run.Trials[i].Load.WindowNS, 1, 1
		c.StealNS = c.WallNS / 2
	}
	d := Evaluate(run)
	c, err := st.JudgeClaims(d, "x")
	if err != nil || d.Valid != 0 {
		t.Fatalf("%v, %d valid trials", err, d.Valid)
	}
	for _, o := range c.Outcomes {
		if o.Verdict == Confirmed || o.Verdict == Contradicted {
			t.Errorf("%s: %s (%s)", o.Claim.ID, o.Verdict, o.Reason)
		}
	}
}

func TestPlanned(t *testing.T) {
	st := readFake(t)
	p := planned(t, plan.Request{Question: st.Ask(Choice{})})
	own := slices.DeleteFunc(slices.Clone(p.Cells), func(c record.Cell) bool { return !slices.Contains(p.Contestants, c.Contestant) })
	if len(p.Levels) != 3 || len(own) != 10 || p.Study.Slug != "fake" || p.Study.ClaimsHash == "" ||
		p.BudgetNS != 2*3600e9 {
		t.Errorf("%+v", p)
	}
	var family []string
	for _, f := range p.Family {
		family = append(family, fmt.Sprintf("%s%d-%s%d", f.A.Contestant, f.A.Level, f.B.Contestant, f.B.Level))
	}
	want := "fast0-slow0 slow1-fast1 fast2-slow2 fast1-fast0 slow1-slow0 odd0-slow0 gone0-slow0"
	if got := strings.Join(family, " "); got != want {
		t.Errorf("family %s, want %s", got, want)
	}
	second := record.Cell{Contestant: "ref", Level: 1}
	if st.Levels[1].Controls = new(bool); !p.Has(second) {
		t.Errorf("no controls at the second level: %v", p.Cells)
	}
	if p = planned(t, plan.Request{Question: st.Ask(Choice{})}); p.Has(second) || !p.Has(record.Cell{Contestant: "ref"}) {
		t.Errorf("controls of the first level alone are wanted: %v", p.Cells)
	}
	one := planned(t, plan.Request{Question: st.Ask(Choice{Levels: []string{"late"}})})
	if len(one.Levels) != 1 || !one.Ranks() || one.First().DelayNS != 10e6 ||
		!slices.Equal(one.Contestants, []string{"fast", "slow"}) {
		t.Errorf("one level: %+v", one)
	}
}

func written[D any](t *testing.T, form func(io.Writer, D) error, d D) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := form(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is another (%v); go test -update writes it anew:\n%s", file, err, got)
	}
}

// A classic run decides nothing; its own time to complete stands beside the published one, measured.
func TestClassicClaims(t *testing.T) {
	st := readFake(t)
	p := planned(t, plan.Request{Question: st.Ask(Choice{Levels: []string{"c10"}}), Protocol: "classic",
		Requests: 1_000_000})
	run := &record.Run{Plan: p, Contestants: []record.Contestant{{Name: "fast"}, {Name: "slow"}}}
	for i, name := range []string{"fast", "slow"} {
		run.Trials = append(run.Trials, &record.Trial{Contestant: name, Key: record.Key{Position: i},
			Load: record.Load{WindowNS: 9e9 * int64(i+1), Succeeded: 1_000_000, BytesRead: 120e6, BytesWritten: 70e6}})
	}
	d := Evaluate(run)
	c, err := st.JudgeClaims(d, "x")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range c.Outcomes {
		want := NotRun
		switch o.Claim.ID {
		case "lines", "words", "never":
			want = NotTestable
		case "bytes", "all":
			want = Confirmed
		}
		if o.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", o.Claim.ID, o.Verdict, o.Reason, want)
		}
	}
	f := c.Published[1]
	if f.N != 1_000_000 || f.Ours.Value != 9e9 || f.Metric.Computed != "" {
		t.Errorf("the time to complete is %+v", f)
	}
	if rate := c.Published[0]; math.Abs(rate.Ours.Value-1e6/9) > 1 {
		t.Errorf("the rate is %+v", rate)
	}
}

// A run continues while a claim's pair is open on the claim's own metric, even if the run's primary
// metric has decided it.
func TestClaimsDecided(t *testing.T) {
	st := readFake(t)
	st.Claims = st.Claims[:1]
	st.Claims[0].Metric = "memory"
	run := &record.Run{Plan: planned(t, plan.Request{Question: st.Ask(Choice{})})}
	pair := func(metric string, v judge.Verdict, note string) judge.Pair {
		return judge.Pair{A: "fast", B: "slow", Metric: metric, Verdict: v, Note: note}
	}
	throughput := pair("throughput", judge.Different, "")
	for _, c := range []struct {
		name   string
		memory judge.Pair
		want   bool
	}{
		{"open", pair("memory", judge.Inconclusive, ""), false},
		{"taken back", pair("memory", judge.Inconclusive, "at the ceiling"), true},
		{"decided", pair("memory", judge.Equivalent, ""), true},
	} {
		a := &judge.Analysis{Primary: "throughput", Pairs: []judge.Pair{throughput, c.memory}}
		if got := st.Decided(run, a); got != c.want || !a.Decided() {
			t.Errorf("%s: settled %v, want %v", c.name, got, c.want)
		}
	}
	if err := st.Whole(run); err != nil {
		t.Error(err)
	}
	run.Plan = planned(t, plan.Request{Question: st.Ask(Choice{Quick: true})})
	if err := st.Whole(run); err == nil || !strings.Contains(err.Error(), `"c20"`) {
		t.Errorf("a quick run is whole: %v", err)
	}
}

// At the generator's ceiling the faster contestant has a direction and no magnitude, and the slower
// has neither; every limit and count takes its rate as a lower bound only. The same holds if the
// generator is too busy (V01).
func TestClaimsAtTheCeiling(t *testing.T) {
	st := readFake(t)
	run := fakeRun(t, st, Choice{})
	for _, share := range []float64{0.9, 0.7} { // at 0.7 it is V01 that fails
		for who, want := range map[string]Verdict{"fast": SameDirection, "slow": Inconclusive} {
			d := Evaluate(run)
			for i := range d.Levels {
				d.Levels[i].Analysis.Shares = map[string]float64{who: share}
			}
			c, err := st.JudgeClaims(d, "x")
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range c.Outcomes {
				wrong := false
				switch o.Claim.ID {
				case "ratio":
					wrong = o.Verdict != want
				case "equal":
					wrong = o.Verdict != Inconclusive
				case "bound": // of fast
					open := o.Verdict == Inconclusive && strings.Contains(o.Reason, "ceiling")
					wrong = open != (who == "fast")
				case "most-late":
					wrong = o.Verdict != Inconclusive
				}
				if wrong {
					t.Errorf("%s at %v of the ceiling: %s: %s (%s), %+v", who, share, o.Claim.ID, o.Verdict, o.Reason, o.Shown)
				}
			}
		}
	}
}

// A contestant that still moves leaves its claims open, with that reason; so does the run's note on
// a pair.
func TestMovingClaims(t *testing.T) {
	st := readFake(t)
	for _, mark := range []func(*judge.Analysis){
		func(a *judge.Analysis) {
			for i := range a.Pairs {
				a.Pairs[i].Note = "still rising 6 % (3–10) over the epoch"
			}
		},
		func(a *judge.Analysis) {
			a.Trends = nil
			for level := range 2 {
				a.Trends = append(a.Trends, judge.Trend{Cell: record.Cell{Contestant: "fast", Level: level}, Metric: "throughput",
					Change: judge.Estimate{Value: 1.06, Lo: 1.03, Hi: 1.1, N: 12}, Moving: true})
			}
			for i := range a.Pairs {
				a.Pairs[i].Verdict = judge.Inconclusive
			}
		},
	} {
		d := Evaluate(fakeRun(t, st, Choice{}))
		mark(d.Analysis)
		c, err := st.JudgeClaims(d, "x")
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range c.Outcomes {
			switch o.Claim.ID {
			case "ratio", "direction", "reversed", "drop", "excess", "trend", "each":
				if o.Verdict != Inconclusive || !strings.Contains(o.Reason, "still rising 6 % (3–10) over the epoch") {
					t.Errorf("%s: %s (%s)", o.Claim.ID, o.Verdict, o.Reason)
				}
			}
		}
	}
}

// A difference far beyond a contestant's movement stands, and its claims are judged by the widened
// interval.
func TestMovingClaimsFarApart(t *testing.T) {
	st := readFake(t)
	d := Evaluate(fakeRun(t, st, Choice{}))
	for level := range 2 {
		d.Analysis.Trends = append(d.Analysis.Trends, judge.Trend{Cell: record.Cell{Contestant: "fast", Level: level},
			Metric: "throughput", Change: judge.Estimate{Value: 1.02, Lo: 1.01, Hi: 1.03, N: 12}, Moving: true})
	}
	for i := range d.Analysis.Pairs {
		if p := &d.Analysis.Pairs[i]; p.Metric == "throughput" && p.Verdict == judge.Different {
			p.Ratio.Lo, p.Ratio.Hi = p.Ratio.Lo/1.1, p.Ratio.Hi*1.1
		}
	}
	c, err := st.JudgeClaims(d, "x")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Verdict{"ratio": Confirmed, "direction": SmallerLead,
		"reversed": Contradicted, "each": Confirmed, "trend": Confirmed, "drop": SameDirection}
	for _, o := range c.Outcomes {
		if v, asked := want[o.Claim.ID]; asked && o.Verdict != v {
			t.Errorf("%s: %s (%s), want %s; %+v", o.Claim.ID, o.Verdict, o.Reason, v, o.Shown)
		}
	}
}

// Stored trials judge a pair that the run was not planned to compare, and the reason says so.
func TestUnplannedClaims(t *testing.T) {
	st := readFake(t)
	d := Evaluate(fakeRun(t, st, Choice{}))
	st.Claims = st.Claims[:1]
	st.Claims[0].A, st.Claims[0].B = "fast @ c10", "slow @ c20" // 2.22
	c, err := st.JudgeClaims(d, "x")
	if err != nil {
		t.Fatal(err)
	}
	if o := c.Outcomes[0]; o.Verdict != Confirmed || !strings.Contains(o.Reason, "not planned") || o.Epochs != 12 {
		t.Errorf("%s (%s), %+v", o.Verdict, o.Reason, o.Shown)
	}
}

// Metrics that depend on a whole load with its cold start are judged only by whole loads; threads
// only if servers have more than one CPU.
func TestUntestableHere(t *testing.T) {
	st := readFake(t)
	run := fakeRun(t, st, Choice{})
	e := &evidence{study: st, run: run}
	cell := ParseCell("fast @ c10")
	for _, metric := range []string{"rate_sd", "rate_max", "service_sd", "service_max"} {
		if v, why := e.Missing(cell, metric); v != NotTestable || !strings.Contains(why, "repeated cold loads") {
			t.Errorf("%s: %s, %s", metric, v, why)
		}
	}
	if v, why := e.Missing(cell, "threads"); v != NotTestable || !strings.Contains(why, "one CPU") {
		t.Errorf("%s, %s", v, why)
	}
	run.Plan.Processes, run.Host.ServerCPUs = record.PerPart, []int{0, 1}
	for _, metric := range []string{"rate_sd", "service_max", "threads"} {
		if why := e.untestable(cell, metric); why != "" {
			t.Errorf("%s: %s", metric, why)
		}
	}
}

// Claims that dyno adds, and claims that restate a figure, are shown and not counted; a withdrawn
// claim was one of the run's but is none now.
func TestCountedClaims(t *testing.T) {
	st := readFake(t)
	run := fakeRun(t, st, Choice{})
	st.Claims[0].Withdrawn = "it is true by construction"
	st.Claims[2].Source = "Ours: a load that the article did not make"
	st.Claims[3].Restates = "direction"
	d, err := st.JudgeClaims(Evaluate(run), "x")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(d.Claims.Outcomes); n != len(st.Claims)-1 || len(d.Claims.Withdrawn) != 1 || d.Claims.Changed {
		t.Errorf("%d outcomes of %d claims, %d withdrawn", n, len(st.Claims), len(d.Claims.Withdrawn))
	}
	var text bytes.Buffer
	if err := ClaimsText(&text, d); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"withdrawn", "what dyno adds", "restates the figure of direction"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if n := d.Claims.published(); n != len(st.Claims)-3 {
		t.Errorf("%d claims are counted, want %d", n, len(st.Claims)-3)
	}
}
