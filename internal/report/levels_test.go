package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/stats"
)

// sweepFixture is a made-up sweep of some epochs: three contestants at 2 delays × 3 connections.
// One fails under load, one has no trial at the last level.
func sweepFixture(epochs int) *Data {
	rng := rand.New(rand.NewPCG(7, 8))
	p := fixturePlan()
	p.Study.Slug, p.Title, p.Origin.Command = "", "GET one value by its number",
		"dyno run --contestants net-http,kestrel,gin --protocol sweep --connections 10,100,1000 --delay 0s,5ms --seed 7"
	p.Contestants, p.Servers.Managed, p.Pilots, p.Epochs, p.Load.NS, p.Levels,
		p.Seed = []string{"net-http", "gin", "kestrel"}, []string{"kestrel"}, 2, []int{epochs}, 1e8, nil, 7
	d := &Data{Results: judge.Results{Run: &record.Run{Plan: p, Host: fixtureHost(), End: &record.End{Reason: "done"}},
		Discarded: 6}}
	for _, f := range fakes {
		if f.c.Control || f.c.Name == "net-http" || f.c.Name == "kestrel" {
			f.c.BinaryHash = "1f" + f.c.Name
			d.Run.Contestants = append(d.Run.Contestants, f.c)
		}
	}
	d.Run.Contestants = append(d.Run.Contestants, record.Contestant{Name: "gin", Title: "Gin", Language: "go",
		Engine: "net/http", BinaryHash: "1f", Version: "v1.11.0"})
	rates := map[string]float64{"net-http": 0.93, "kestrel": 0.71, "ref": 1, "ref'": 1.002}
	for _, delay := range []int64{0, 5e6} {
		for _, c := range []int{10, 100, 1000} {
			at := record.Level{DelayNS: delay, Connections: c, Pipeline: 1}
			d.Run.Plan.Levels = append(d.Run.Plan.Levels, at)
			l := judge.Level{At: at, Absent: map[string]string{"gin": "the run ended before a trial was taken"}}
			for e := range epochs {
				for r := range 3 {
					for _, name := range []string{"net-http", "kestrel", "ref", "ref'"} {
						if name == "kestrel" && delay > 0 && c == 1000 {
							l.Absent[name] = "all its trials lie in rounds or epochs that are discarded or incomplete"
							continue
						}
						rate := rates[name] * 95000 * math.Pow(float64(c)/100, -0.06)
						if delay > 0 {
							rate = min(rate, float64(c)/(float64(delay)/1e9)*0.95)
						}
						rate *= math.Exp(0.03 * rng.NormFloat64())
						l.Trials = append(l.Trials, madeTrial(name, at, e*2, r, rate, 1e8))
					}
				}
			}
			l.Analysis = analysed(judge.Input{Trials: l.Trials, Contestants: p.Contestants,
				Controls: p.Controls, Primary: p.Primary, Alpha: 0.05, Margin: 0.03})
			if delay == 0 {
				l.Analysis.Shares["net-http"] = 0.7 + 0.05*math.Log10(float64(c))
			}
			d.Valid += len(l.Trials)
			d.Levels = append(d.Levels, l)
		}
	}
	broken := madeTrial("gin", record.Level{Connections: 1000, Pipeline: 1}, 2, 1, 80000, 1e8)
	broken.Load.Errors = map[string]int64{"reset": 12}
	d.Run.Trials = []*record.Trial{broken}
	d.Run.Failures = []record.Failure{{Contestant: "gin", Stage: "load", Epoch: 2,
		Reason: "12 of 8,000 requests got no answer: reset 12", LogTail: []string{"accept: too many open files"}}}
	d.Findings = []judge.Finding{
		{ID: judge.ServerCPUs, Title: "foreign CPU on the server's CPUs", State: judge.Pass,
			Text: "others used 1.2 % of the server's CPUs"},
		{ID: judge.Errors, Title: "errors, and connections established", Contestant: "gin", State: judge.Fail,
			Text: "12 requests without a response; 0 trials with fewer connections than planned"},
		{ID: judge.Ceiling, Title: "throughput against the generator's ceiling", Contestant: "net-http",
			State: judge.Fail, Text: "at c=1000 85 % of the ceiling: a lower bound"},
	}
	compareLevels(d)
	return d
}

// compareLevels compares all pairs at each level of a made-up run.
func compareLevels(d *Data) {
	p := &d.Run.Plan
	p.Levels, p.Cells, p.Family, p.ExtraEpochs = nil, nil, nil, nil
	in := judge.Input{Contestants: p.Contestants, Controls: p.Controls, Failed: map[string]string{}, Primary: p.Primary,
		Alpha: p.Alpha, Margin: p.Margin, At: p.At, Analyses: stats.Interims(p.Epochs, slices.Max(p.Epochs), p.Alpha)}
	for i := range d.Levels {
		d.Levels[i].Compared, p.Levels = true, append(p.Levels, d.Levels[i].At)
		in.Trials = append(in.Trials, d.Levels[i].Trials...)
	}
	p.Complete()
	p.Family = nil
	for i := range p.Levels {
		p.Family = append(p.Family, p.PairsAt(i)...)
	}
	for _, f := range d.Run.Failures {
		in.Failed[f.Contestant] = f.Stage + ": " + f.Reason
	}
	in.Family = p.Family
	d.Analysis = analysed(in)
}

// madeTrial is a trial of a contestant that does rate requests per second.
func madeTrial(name string, at record.Level, epoch, round int, rate, windowNS float64) *record.Trial {
	n := int64(rate * windowNS / 1e9)
	cpu, pss := int64(0.97*windowNS), int64(12e6+4000*float64(at.Connections))
	if name == "kestrel" {
		pss *= 5
	}
	p50 := int64(float64(at.Connections)/rate*1e9) * 9 / 10
	return &record.Trial{Key: record.Key{Epoch: epoch, Round: round}, Contestant: name, Level: &at,
		ClocksNS: int64(windowNS), Server: record.Usage{CPUNS: &cpu, PrivateBytes: &pss},
		Load: record.Load{WindowNS: int64(windowNS), Connections: at.Connections, Established: at.Connections,
			Started: n, Succeeded: n, BytesRead: n * 121,
			ServiceP50NS: p50, ServiceP99NS: 4 * p50, ServiceMaxNS: 31 * p50},
		Causes: record.Causes{WallNS: int64(windowNS), ServerCPUs: 1, GeneratorCPUs: 1}}
}

// crowd is a sweep of twenty contestants over connections alone.
func crowd() *Data {
	d := sweepFixture(6)
	d.Run.Plan.Contestants, d.Run.Failures, d.Run.Contestants = nil, nil, nil
	d.Levels = d.Levels[:3]
	for i := range 20 {
		d.Run.Plan.Contestants = append(d.Run.Plan.Contestants, fmt.Sprintf("server-%02d", i))
	}
	for k := range d.Levels {
		l := &d.Levels[k]
		l.Absent = nil
		for i, name := range d.Run.Plan.Contestants {
			for e := range 6 {
				l.Trials = append(l.Trials, madeTrial(name, l.At, e*2, 0, float64(40000+3000*i+500*(e%3)), 1e8))
			}
		}
		l.Analysis = analysed(judge.Input{Trials: l.Trials, Contestants: d.Run.Plan.Contestants,
			Controls: d.Run.Plan.Controls, Primary: "throughput", Alpha: 0.05})
	}
	compareLevels(d)
	return d
}

// classicFixture is a made-up classic run: three contestants, two loads of 200,000 requests each, one of them broken.
func classicFixture() *Data {
	p := fixturePlan()
	p.Study.Slug, p.Title, p.Origin.Command = "", "GET one value by its number",
		"dyno run --contestants iris-mvc,gin,kestrel --protocol classic --requests 200000 --epochs 2 --seed 7"
	p.Contestants, p.Controls, p.Servers.Managed, p.Pilots, p.Rounds, p.Epochs, p.Load.Requests, p.Load.RewarmNS,
		p.Processes = []string{"iris-mvc", "gin", "kestrel"}, nil, nil, 0, 1, []int{2}, 200_000, 0, record.PerLoad
	d := &Data{Results: judge.Results{Run: &record.Run{Plan: p, Host: fixtureHost(), End: &record.End{Reason: "done"}},
		Discarded: 1}}
	for _, f := range fakes {
		if f.c.Name == "iris-mvc" || f.c.Name == "kestrel" {
			f.c.BinaryHash = "1f" + f.c.Name
			d.Run.Contestants = append(d.Run.Contestants, f.c)
		}
	}
	d.Run.Contestants = append(d.Run.Contestants, record.Contestant{Name: "gin", Title: "Gin", Language: "go",
		Engine: "net/http", BinaryHash: "1f", Version: "v1.11.0"})
	for e, rates := range []map[string]float64{{"iris-mvc": 71000, "gin": 80000, "kestrel": 52000},
		{"iris-mvc": 55500, "kestrel": 60400}} {
		for _, name := range p.Contestants {
			if rates[name] == 0 {
				continue
			}
			t := madeTrial(name, p.First(), e, 0, rates[name], 200_000/rates[name]*1e9)
			t.Load.Succeeded, t.Load.Started, t.Level = 200_000, 200_000, nil
			d.Run.Launches = append(d.Run.Launches, record.Launch{Contestant: name, Epoch: e, ReadyNS: 11e6})
			switch {
			case name == "gin":
				t.Load.Succeeded, t.Load.Errors = 199_988, map[string]int64{"reset": 9, "timeout": 3}
			case name == "kestrel" && e == 1:
				t.Causes.BackgroundServerNS, t.Server.PrivateBytes = t.Causes.WallNS/4, nil
			case name == "kestrel":
				t.Server.PrivateBytes = nil
			}
			d.Loads = append(d.Loads, t)
		}
	}
	d.Run.Trials, d.Valid = d.Loads, len(d.Loads)
	d.Run.Failures = []record.Failure{{Contestant: "gin", Stage: "load",
		Reason:  "12 of 200000 requests got no answer: reset 9, timeout 3",
		LogTail: []string{"accept: too many open files"}}}
	d.Findings = []judge.Finding{
		{ID: judge.Errors, Title: "errors, and connections established", Contestant: "gin", State: judge.Fail,
			Text: "12 requests without a response; 0 trials with fewer connections than planned"},
		{ID: judge.SameProcesses, Title: "server's processes", Contestant: "kestrel", State: judge.Fail,
			Text: "2 different programs were started under this name"},
	}
	return d
}

// unjudgedNothing is a run in which nobody got so far as a trial, and which was cut off.
func unjudgedNothing(processes string) *Data {
	d := nothing()
	d.Analysis, d.Run.Plan.Processes = nil, processes
	return d
}

var unjudgedFixtures = map[string]func() *Data{
	"sweep": func() *Data { return sweepFixture(6) }, "sweep-early": func() *Data { return sweepFixture(2) },
	"classic": classicFixture,
}

func TestUnjudgedForms(t *testing.T) {
	for name, f := range unjudgedFixtures {
		for ext, write := range map[string]Writer{"txt": Text, "csv": CSV, "json": JSON, "svg": SVG} {
			if name != "sweep" && ext != "txt" && name != "classic" || name == "classic" && ext == "svg" {
				continue // of an early sweep the words differ, the forms do not
			}
			golden(t, name+"."+ext, written(t, write, f()))
		}
		golden(t, name+"-verbose.txt", written(t, inFull, f()))
	}
}

// hostileUnjudged are runs whose texts try to leave their place.
func hostileUnjudged() []*Data {
	var list []*Data
	for _, f := range unjudgedFixtures {
		d, evil := f(), hostile()
		d.Run.Plan.Title, d.Run.Plan.Origin.Command, d.Run.Plan.Scenario = evil.Run.Plan.Title, evil.Run.Plan.Title,
			evil.Run.Plan.Title
		for i := range d.Run.Contestants {
			c := &d.Run.Contestants[i]
			c.Title, c.Version, c.Language, c.Differs = evil.Run.Plan.Title+c.Name, evil.Run.Plan.Title,
				evil.Run.Plan.Title, []string{evil.Run.Plan.Title}
		}
		for i := range d.Run.Failures {
			d.Run.Failures[i].Reason = evil.Run.Plan.Title
		}
		for i := range d.Levels {
			d.Levels[i].Absent = map[string]string{"kestrel": evil.Run.Plan.Title}
		}
		for i := range d.Findings {
			d.Findings[i].Text = evil.Run.Plan.Title
		}
		list = append(list, d)
	}
	return list
}

// Every form says what kind of run it is, names every contestant, and says nothing that the protocol cannot.
func TestUnjudgedSaysSo(t *testing.T) {
	for name, f := range unjudgedFixtures {
		label := familyLabel
		if name == "classic" {
			label = loadsLabel
		}
		for form, write := range Formats {
			if name == "classic" && form == "svg" {
				if err := write(io.Discard, f()); err == nil {
					t.Error("a chart of a classic run")
				}
				continue
			}
			d := f()
			got := regexp.MustCompile(`(?s)<style>.*?</style>`).ReplaceAllString(string(written(t, write, d)), "")
			got = strings.Join(strings.Fields(got), " ")
			if !strings.Contains(strings.ToLower(got), strings.ToLower(label)) {
				t.Errorf("%s of %s does not say %q", form, name, label)
			}
			for _, c := range d.Run.Contestants {
				if c.Name != "ref'" && !strings.Contains(got, c.Title) && !strings.Contains(got, c.Name) {
					t.Errorf("%s of %s: %s is missing", form, name, c.Name)
				}
			}
			if !strings.Contains(got, "got no answer") {
				t.Errorf("%s of %s does not say why Gin has no figure", form, name)
			}
			for _, no := range []string{"tier<", ">Rank<", "Holm", "A/A check", "not separated"} {
				if strings.Contains(got, no) && (name == "classic" || len(no) < 7) {
					t.Errorf("%s of %s speaks of %q", form, name, no)
				}
			}
		}
	}
}

func TestUnjudgedShapes(t *testing.T) {
	all := append(hostileUnjudged(), sweepFixture(1), sweepFixture(6), classicFixture(), crowd(),
		unjudgedNothing(record.PerEpoch), unjudgedNothing(record.PerLoad),
		&Data{Results: judge.Results{Run: &record.Run{Plan: record.Plan{Processes: record.PerEpoch}}}},
		&Data{Results: judge.Results{Run: &record.Run{Plan: record.Plan{Processes: record.PerLoad}}}})
	for i, d := range all {
		page := string(written(t, HTML, d))
		balanced(t, page)
		if strings.Count(page, "<script") != 1 || strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
			t.Errorf("%d: markup passed through, or a place that is no number", i)
		}
		if rows, err := csv.NewReader(bytes.NewReader(written(t, CSV, d))).ReadAll(); err != nil || len(rows) == 0 {
			t.Errorf("%d: %v", i, err)
		}
		if !json.Valid(written(t, JSON, d)) {
			t.Errorf("%d: no JSON", i)
		}
		tidy(t, fmt.Sprint(i), string(written(t, Markdown, d)))
		for _, width := range []int{40, 60, 100, 160} {
			if len(d.Run.Plan.Family) > 0 && width < 100 {
				continue // no name is cut in the column of those that it is compared with
			}
			d.Width = width
			text := string(written(t, inFull, d))
			fits(t, fmt.Sprintf("%d at width %d", i, width), text, width)
			if strings.ContainsAny(text, "\x1b\x07\x00") {
				t.Errorf("%d: a control character: %q", i, text)
			}
		}
		if d.Run.Plan.Processes == record.PerLoad || len(d.Run.Plan.Contestants) == 0 {
			continue
		}
		dec := xml.NewDecoder(bytes.NewReader(written(t, SVG, d)))
		for {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%d: %v", i, err)
			}
		}
	}
}

// Of more contestants than lines can be told apart, the best have bars at each level.
func TestSweepCrowd(t *testing.T) {
	got := string(written(t, SVG, crowd()))
	if bars := strings.Count(got, `class="bar"`); bars != MostBars || !strings.Contains(got, "The best 12 of 20.") {
		t.Errorf("%d bars, want %d", bars, MostBars)
	}
}

// A level without a figure breaks a line; it is not drawn at zero.
func TestSweepGap(t *testing.T) {
	s := viewOf(sweepFixture(6))
	if f := s.figure(s.rows[1], judge.Metrics[0], 5); s.rows[1].Name != "kestrel" || f.Absent == "" {
		t.Fatalf("%s: %+v", s.rows[1].Name, f)
	}
	got := string(written(t, SVG, sweepFixture(6)))
	// net/http and ref have six marks in two plots and as many labels, kestrel five.
	if n := strings.Count(got, `class="whisker"`); n != 17 {
		t.Errorf("%d whiskers, want 17", n)
	}
	if n := strings.Count(got, `class="stroke"`); n != 4+4+3 {
		t.Errorf("%d strokes, want 11", n)
	}
}

func TestPanels(t *testing.T) {
	level := func(delay int64, c int) judge.Level {
		return judge.Level{At: record.Level{DelayNS: delay, Connections: c, Pipeline: 1}}
	}
	for _, c := range []struct {
		levels []judge.Level
		titles string
		ticks  string
	}{
		{[]judge.Level{level(0, 10), level(0, 1000)}, "", "c=10 c=1000"},
		{[]judge.Level{level(0, 10), level(0, 100), level(5e6, 10), level(5e6, 100)}, "no delay;delay 5 ms", "c=10 c=100 c=10 c=100"},
		{[]judge.Level{level(0, 10), level(5e6, 10)}, "", "c=10 5 ms"},
		{[]judge.Level{level(5e6, 100)}, "", "5 ms, c=100"},
		{[]judge.Level{{At: record.Level{Connections: 9, Records: 100}}, {At: record.Level{Connections: 9, Records: 10}}}, "",
			"100 records 10 records"},
	} {
		s := viewOf(&Data{Results: judge.Results{Run: &record.Run{Plan: record.Plan{Processes: record.PerEpoch,
			Levels: make([]record.Level, 2)}},
			Levels: c.levels}})
		var titles, ticks []string
		for _, p := range s.panels() {
			titles = append(titles, p.Title)
			for _, tick := range p.Ticks {
				ticks = append(ticks, tick.Text)
			}
		}
		if strings.Join(titles, ";") != c.titles || strings.Join(ticks, " ") != c.ticks {
			t.Errorf("%q with ticks %q, want %q with %q", titles, ticks, c.titles, c.ticks)
		}
	}
}

func TestClassicMiddle(t *testing.T) {
	c := viewOf(classicFixture())
	iris := c.rows[0]
	time, rate := c.figure(iris, judge.LoadMetrics[0], 0), c.figure(iris, judge.ClassicNamed("throughput"), 0)
	if n := time.Value / 1e9 * rate.Value; math.Abs(n-200_000) > 1 {
		t.Errorf("%v s at %v/s are %v requests", time.Value/1e9, rate.Value, n)
	}
	if rate.Least >= rate.Most || rate.N != 2 {
		t.Errorf("%+v", rate)
	}
}

// A larger budget is advised only where the budget limited the run; more epochs, where their one number
// did.
func TestLonger(t *testing.T) {
	d := sweepFixture(6)
	for _, c := range []struct {
		reason string
		epochs []int
		want   string
	}{{"last analysis", d.Run.Plan.Epochs, "; run longer: --epochs 12"}, {"budget", []int{3, 5, 8}, "; run longer: --budget 2m"},
		{"last analysis", []int{3, 8, 24}, "; run longer: --budget 2m"}, {"last analysis", []int{3, 6}, ""},
		{"decided", []int{3, 6, 24}, ""}, {"interrupted", []int{3, 6, 24}, ""}, {"failed", []int{3, 6, 24}, ""}} {
		d.Run.End.Reason, d.Run.Plan.Epochs, d.Run.Plan.BudgetNS = c.reason, c.epochs, 60e9
		if got := NewView(d).runLonger(2); got != c.want || BudgetLimited(d) != strings.Contains(c.want, "--budget") {
			t.Errorf("%s of %d: %q, want %q", c.reason, c.epochs, got, c.want)
		}
	}
	d.Findings = []judge.Finding{{ID: judge.FreshStarts, State: judge.Warn}}
	if got := itemsText(NewView(d).trust()); strings.Contains(got, "budget") {
		t.Errorf("advice that does not help: %s", got)
	}
	if d.Run.End.Reason, d.Run.Plan.Epochs = "budget", []int{24}; !strings.Contains(itemsText(NewView(d).trust()), "--budget 2m") {
		t.Error("no advice that helps")
	}
}
