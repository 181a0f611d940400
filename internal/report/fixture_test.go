package report

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dyno/internal/judge"
	"dyno/internal/record"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

// golden compares got with a file in testdata.
func golden[T string | []byte](t *testing.T, name string, got T) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run go test ./internal/report -update", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); if that is right, run with -update:\n%s", path, diff)
	}
}

// written is what a writer writes.
func written(t *testing.T, w Writer, d *Data) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := w(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// inFull writes a text with all details.
func inFull(w io.Writer, d *Data) error {
	full := *d
	full.Verbose = true
	return Text(w, &full)
}

// fake is one made-up contestant: its truth as ratios to the yardstick.
type fake struct {
	c                   record.Contestant
	rate, cpu, p50, mem float64
	lo, hi              int
	lowerBound          bool
}

// closedMetrics are those of every closed loop.
var closedMetrics = slices.DeleteFunc(slices.Clone(judge.Metrics),
	func(m judge.Metric) bool { return m.Open() || m.Rare })

// analysed is the analysis of a fixture's trials, with the metrics that the goldens show: a metric
// that dyno has besides must not change them.
func analysed(in judge.Input) *judge.Analysis {
	shown := func(name string) bool {
		return slices.Contains([]string{"throughput", "cpu_per_request", "p50", "p99", "memory", "response_p50",
			"response_p99"}, name)
	}
	a := judge.Analyse(in)
	a.Cells = slices.DeleteFunc(a.Cells, func(c judge.Cell) bool { return !shown(c.Metric) })
	a.Pairs = slices.DeleteFunc(a.Pairs, func(p judge.Pair) bool { return !shown(p.Metric) })
	return a
}

var fakes = []fake{
	{rate: 0.982, cpu: 1.018, p50: 1.02, mem: 0.93, lo: 1, hi: 2, lowerBound: true,
		c: record.Contestant{Name: "fasthttp", Title: "fasthttp",
			Language: "go", Framework: "github.com/valyala/fasthttp", Version: "v1.65.0", Engine: "fasthttp",
			Toolchain: "go1.26.8 (PATH)", BuildNS: 2.1e9, HeaderBytes: 121, BodyBytes: 5}},
	{rate: 0.979, cpu: 1.02, p50: 1.03, mem: 0.71, lo: 1, hi: 2,
		c: record.Contestant{Name: "hyper", Title: "hyper",
			Language: "rust", Framework: "hyper", Version: "1.7.0", Engine: "hyper",
			Toolchain: "rustc 1.91.0 (PATH)", BuildNS: 31e9, HeaderBytes: 98, BodyBytes: 5}},
	{rate: 0.911, cpu: 1.10, p50: 1.08, mem: 1.04, lo: 3, hi: 4,
		c: record.Contestant{Name: "iris", Title: "Iris",
			Language: "go", Framework: "github.com/kataras/iris/v12", Version: "v12.2.11", Engine: "net/http",
			Toolchain: "go1.26.8 (PATH)", BuildNS: 8.4e9, HeaderBytes: 133, BodyBytes: 5}},
	{rate: 0.902, cpu: 1.09, p50: 1.09, mem: 1.01, lo: 3, hi: 4,
		c: record.Contestant{Name: "net-http", Title: "net/http",
			Language: "go", Framework: "net/http", Version: "go1.26.8", Engine: "net/http",
			Toolchain: "go1.26.8 (PATH)", BuildNS: 1.2e9, HeaderBytes: 127, BodyBytes: 5}},
	{rate: 0.781, cpu: 1.29, p50: 1.27, mem: 1.31, lo: 5, hi: 5,
		c: record.Contestant{Name: "iris-mvc", Title: "Iris MVC",
			Language: "go", Framework: "github.com/kataras/iris/v12", Version: "v12.2.11", Engine: "net/http",
			Toolchain: "go1.26.8 (PATH)", BuildNS: 8.8e9, HeaderBytes: 133, BodyBytes: 5,
			Tuning: []string{"iris.WithoutPathCorrection: as its own MVC guide has it"}}},
	{rate: 0.543, cpu: 1.86, p50: 1.81, mem: 6.4, lo: 6, hi: 6,
		c: record.Contestant{Name: "kestrel", Title: "Kestrel",
			Language: "csharp", Framework: "Microsoft.AspNetCore", Version: "10.0.2", Engine: "kestrel", Managed: true,
			Toolchain: ".NET SDK 10.0.102 (shared/dotnet)", BuildNS: 14e9, HeaderBytes: 146, BodyBytes: 5,
			Differs: []string{"chunked: it sends no Content-Length for a string result"}}},
	{rate: 1, cpu: 1, p50: 1, mem: 1, c: record.Contestant{Name: "ref", Title: "ref", Language: "go",
		Framework: "net/http",
		Version:   "go1.26.8", Engine: "net/http", Control: true, Toolchain: "dyno itself", HeaderBytes: 127,
		BodyBytes: 5}},
	{rate: 1.002, cpu: 0.999, p50: 0.998, mem: 1.003, c: record.Contestant{Name: "ref'", Title: "ref'", Language: "go",
		Framework: "net/http",
		Version:   "go1.26.8", Engine: "net/http", Control: true, Toolchain: "dyno itself", HeaderBytes: 127,
		BodyBytes: 5}},
}

// fixture is a whole run of six contestants that stand, one that is unavailable and one that
// failed, all drawn from one seed.
func fixture() *Data {
	rng := rand.New(rand.NewPCG(2017, 8))
	d := &Data{Results: judge.Results{Run: &record.Run{Plan: fixturePlan(), Host: fixtureHost()}, Valid: 12*3*8 +
		11, Discarded: 24,
		Analysis: &judge.Analysis{Primary: "throughput", Epochs: 12, Interim: 2, AlphaAt: 0.0125, Margin: 0.03,
			Shares: map[string]float64{"fasthttp": 0.843}}}}
	d.Run.End = &record.End{Reason: "last analysis", EndedUnixNS: 1763722245e9, MeasuredUnits: 12}
	base := map[string]float64{"throughput": 93412, "cpu_per_request": 10230, "p50": 1.284e6, "memory": 14.9e6}
	for _, f := range fakes {
		f.c.BinaryHash = fmt.Sprintf("%x", sha256.Sum256([]byte(f.c.Name)))
		d.Run.Contestants = append(d.Run.Contestants, f.c)
		for e := range 13 {
			l := record.Launch{Contestant: f.c.Name, Epoch: e, StartedUnixNS: 1763721892e9,
				ReadyNS: int64(9e6 + 4e6*rng.Float64()), WarmupNS: 5e8,
				WarmupRequests: int64(f.rate * 46000), Warmup: "flat",
				SteadyNS: new(int64)}
			if f.c.Managed {
				l.ReadyNS, l.WarmupNS, l.Warmup = l.ReadyNS*23, 8e9, "warmed"
				*l.SteadyNS = int64(31e8 + 1e8*(e*5%13))
				if e == 4 {
					l.Warmup = "slowdown"
				}
			}
			d.Run.Launches = append(d.Run.Launches, l)
		}
		for _, m := range closedMetrics {
			r := map[string]float64{"throughput": f.rate, "cpu_per_request": f.cpu, "p50": f.p50,
				"memory": f.mem}[m.Name]
			cell := judge.Cell{Contestant: f.c.Name, Metric: m.Name, Level: around(rng, base[m.Name]*r, 0.02, 12),
				Ratio: around(rng, r, 0.008, 12)}
			if f.c.Name == "ref" {
				cell.Ratio = judge.Estimate{}
			}
			if f.c.Name == "hyper" && m.Name == "memory" {
				cell = judge.Cell{Contestant: "hyper", Metric: "memory", Absent: "PSS could not be read"}
			}
			d.Analysis.Cells = append(d.Analysis.Cells, cell)
		}
		if !f.c.Control {
			d.Analysis.Order = append(d.Analysis.Order, f.c.Name)
			d.Analysis.Places = append(d.Analysis.Places,
				judge.Place{Contestant: f.c.Name, Lo: f.lo, Hi: f.hi, LowerBound: f.lowerBound})
		}
	}
	fixturePairs(rng, d.Analysis)
	fixtureFailures(d)
	d.Findings = []judge.Finding{
		{ID: judge.ServerCPUs, Title: "foreign CPU on the server's CPUs", State: judge.Pass,
			Text: "others used 1.2 % of the server's CPUs"},
		{ID: judge.Withheld, Title: "steal", State: judge.Warn, Text: "the hypervisor withheld 1.4 %"},
		{ID: judge.Discarded, Title: "share of discarded rounds", State: judge.Pass,
			Text: "7.4 % of the trials lie in discarded rounds"},
		{ID: judge.Twins, Title: "A/A check: the reference against its copy", State: judge.Pass,
			Text: "ref against ref': 0.998 (0.989–1.009), equivalent"},
		{ID: judge.Ceiling, Title: "throughput against the generator's ceiling", Contestant: "fasthttp",
			State: judge.Fail,
			Text:  "84.3 % of the ceiling of this generator for this shape of load: a lower bound"},
		{ID: judge.Ceiling, Title: "throughput against the generator's ceiling", Contestant: "iris",
			State: judge.Pass, Text: "51 % of the ceiling of this generator for this shape of load"},
		{ID: judge.Busy, Title: "server busy", Contestant: "kestrel", State: judge.Warn,
			Text: "it used 93.1 % of its CPUs"},
		{ID: judge.SameProcesses, Title: "server's processes", Contestant: "hyper", State: judge.Fail,
			Text: "its number of processes changed 2 times within an epoch"},
		{ID: judge.Contract, Title: "every response within its contract", Contestant: "gin", State: judge.Fail,
			Text: "3 of 41,002 responses broke the contract"},
	}
	return d
}

// around is an estimate near a true value, with an interval about as wide as the noise.
func around(rng *rand.Rand, truth, noise float64, n int) judge.Estimate {
	v := truth * math.Exp(noise/4*rng.NormFloat64())
	return judge.Estimate{Value: v, Lo: v * (1 - noise*(0.8+rng.Float64()/2)),
		Hi: v * (1 + noise*(0.8+rng.Float64()/2)), N: n}
}

func fixturePairs(rng *rand.Rand, a *judge.Analysis) {
	for _, m := range closedMetrics {
		for i, x := range fakes[:6] {
			for _, y := range fakes[i+1 : 6] {
				a.Pairs = append(a.Pairs, fixturePair(rng, m, x, y))
			}
		}
	}
	a.AACheck = &judge.Pair{A: "ref", B: "ref'", Metric: "throughput", P: 0.42,
		Verdict: judge.Equivalent,
		Ratio:   judge.Estimate{Value: 0.998, Lo: 0.989, Hi: 1.009, N: 12}}
}

func fixturePair(rng *rand.Rand, m judge.Metric, x, y fake) judge.Pair {
	of := map[string]func(fake) float64{"throughput": func(f fake) float64 { return f.rate },
		"cpu_per_request": func(f fake) float64 { return f.cpu },
		"p50":             func(f fake) float64 { return f.p50 },
		"memory":          func(f fake) float64 { return f.mem }}[m.Name]
	p := judge.Pair{A: x.c.Name, B: y.c.Name, Metric: m.Name, Ratio: around(rng, of(x)/of(y), 0.011, 12),
		Verdict: judge.Different}
	p.P = 0.0073
	p.Better = p.A
	switch gap := math.Abs(math.Log(of(x) / of(y))); {
	case x.c.Name == "fasthttp" && y.c.Name == "hyper":
		p.Verdict, p.Better, p.P = judge.Equivalent, "", 1
	case gap < 0.012:
		p.Verdict, p.Better, p.P = judge.Inconclusive, "", 0.0244
		p.Ratio.Lo *= 0.985
	case gap < 0.03:
		p.Verdict = judge.Negligible
	}
	if p.Better != "" && (p.Ratio.Value > 1) != m.More {
		p.Better = p.B
	}
	return p
}

// fixtureFailures adds one contestant without its toolchain and one that broke its contract after four epochs.
func fixtureFailures(d *Data) {
	d.Run.Contestants = append(d.Run.Contestants, record.Contestant{Name: "gin", Title: "Gin", Language: "go",
		Framework: "github.com/gin-gonic/gin",
		Version:   "v1.11.0", Engine: "net/http", Toolchain: "go1.26.8 (PATH)",
		BinaryHash: fmt.Sprintf("%x", sha256.Sum256([]byte("gin"))), HeaderBytes: 130, BodyBytes: 5})
	d.Run.Failures = []record.Failure{
		{Contestant: "aspnetcore-mvc", Stage: "toolchain", Reason: "needs .NET SDK >=10.0",
			Hint: "install it from https://dotnet.microsoft.com/download or set DYNO_DOTNET"},
		{Contestant: "gin", Stage: "load", Epoch: 5,
			Reason:  "3 of 41,002 responses broke the contract: body \"valu\" where \"value\" was due",
			LogFile: "logs/gin-5.log", LogTail: []string{"[GIN] listening on 127.0.0.1:40123",
				"panic: runtime error: <nil> & \"quotes\"", "goroutine 1 [running]:"}},
	}
	d.Analysis.Order = append(d.Analysis.Order, "aspnetcore-mvc", "gin")
	d.Analysis.Places = append(d.Analysis.Places,
		judge.Place{Contestant: "aspnetcore-mvc", Excluded: "needs .NET SDK >=10.0"},
		judge.Place{Contestant: "gin", Excluded: "broke its contract"})
	d.Analysis.Cells = append(d.Analysis.Cells,
		judge.Cell{Contestant: "aspnetcore-mvc", Metric: "throughput", Absent: "needs .NET SDK >=10.0"},
		judge.Cell{Contestant: "gin", Metric: "throughput", Level: judge.Estimate{Value: 84100, Lo: 82000,
			Hi: 86000, N: 4},
			Ratio: judge.Estimate{Value: 0.895, Lo: 0, Hi: math.Inf(1), N: 4}})
}

func fixturePlan() record.Plan {
	return record.Plan{Format: record.Format, Processes: record.PerEpoch,
		Origin: record.Origin{Dyno: "v0.1.0", Command: "dyno run studies/iris-vs-netcore-2017 --seed 2017 " +
			"--budget 6m", StartedUnixNS: 1763721892e9},
		Profile: "standard",
		Study:   record.OfStudy{Slug: "iris-vs-netcore-2017"}, Title: "Go vs .NET Core in terms of HTTP " +
			"performance (2017)", Scenario: "values",
		Contestants: []string{"iris-mvc", "aspnetcore-mvc", "iris", "kestrel", "net-http", "fasthttp", "hyper", "gin"},
		Controls:    []string{"ref", "ref'"}, Servers: record.Servers{Managed: []string{"kestrel", "aspnetcore-mvc"}},
		Levels: []record.Level{{Connections: 125, Pipeline: 1}},
		Seed:   2017, Primary: "throughput", Alpha: 0.05, Margin: 0.03, Rounds: 3, Pilots: 1, Epochs: []int{8, 12},
		Load: record.LoadLength{NS: 4e8, RewarmNS: 3e7}, BudgetNS: 36e10}
}

func fixtureHost() record.Host {
	return record.Host{OS: "linux", Kernel: "6.18.5", CPU: "AMD EPYC 7763", CPUs: 2, ServerCPUs: []int{0},
		GeneratorCPUs: []int{1}, Pinned: true,
		MemoryBytes: 8326737920, Governor: "unknown", Hypervisor: "KVM", FileLimit: 1048576}
}

// nothing is a run in which no contestant got so far as a trial.
func nothing() *Data {
	p := fixturePlan()
	p.Contestants = []string{"iris-mvc", "kestrel"}
	return &Data{Results: judge.Results{Run: &record.Run{Plan: p, Host: fixtureHost(), End: &record.End{Reason: "failed"},
		Failures: []record.Failure{
			{Contestant: "iris-mvc", Stage: "build", Reason: "exit status 1", Hint: "see its log",
				LogTail: []string{"main.go:7:2: undefined: iris"}},
			{Contestant: "kestrel", Stage: "toolchain", Reason: "needs .NET SDK >=10.0", Hint: "install it"},
		}}, Analysis: &judge.Analysis{Primary: "throughput", Margin: 0.03}}}
}

// early is a run of two contestants that was interrupted in its third epoch, before the first look.
func early() *Data {
	d := fixture()
	d.Run.Plan.Contestants = []string{"iris-mvc", "kestrel"}
	d.Run.Failures, d.Run.End, d.Valid, d.Discarded, d.Findings = nil, nil, 24, 0, nil
	a := d.Analysis
	a.Epochs, a.Interim, a.Order, a.Shares = 2, 0, []string{"iris-mvc", "kestrel"}, nil
	a.Places = []judge.Place{{Contestant: "iris-mvc", Lo: 1, Hi: 2},
		{Contestant: "kestrel", Lo: 1, Hi: 2}}
	wide := func(e *judge.Estimate, lo float64) { e.Lo, e.Hi, e.N = lo, math.Inf(1), 2 }
	keep := map[string]bool{"iris-mvc": true, "kestrel": true, "ref": true, "ref'": true}
	var cells []judge.Cell
	for _, c := range a.Cells {
		if keep[c.Contestant] {
			wide(&c.Level, math.Inf(-1))
			c.Least, c.Most = .96*c.Level.Value, 1.03*c.Level.Value
			if c.Ratio.N > 0 {
				wide(&c.Ratio, 0)
			}
			cells = append(cells, c)
		}
	}
	var pairs []judge.Pair
	for _, p := range a.Pairs {
		if p.A == "iris-mvc" && p.B == "kestrel" {
			wide(&p.Ratio, 0)
			p.P, p.Verdict, p.Better = 1, judge.Inconclusive, ""
			pairs = append(pairs, p)
		}
	}
	var built []record.Contestant
	for _, c := range d.Run.Contestants {
		if keep[c.Name] {
			built = append(built, c)
		}
	}
	a.Cells, a.Pairs, d.Run.Contestants = cells, pairs, built
	wide(&a.AACheck.Ratio, 0)
	a.AACheck.P, a.AACheck.Verdict = 1, judge.Inconclusive
	return d
}

var fixtures = map[string]func() *Data{"full": fixture, "nothing": nothing, "early": early}

// hostile is a run whose free texts try to leave their place in each format.
func hostile() *Data {
	d := fixture()
	const evil = "</title><script>alert(1)</script>\x1b[2J\x07 \u202e| `x` \"' {{.}} ]]> \n# <!-- &amp; \x00"
	d.Run.Plan.Title, d.Run.Plan.Origin.Command, d.Run.Plan.Scenario = evil, evil, evil
	d.Run.Host.CPU = evil
	for i := range d.Run.Contestants {
		c := &d.Run.Contestants[i]
		c.Title, c.Version, c.Engine, c.Language, c.Toolchain = evil+c.Name, evil, evil, evil, evil
		c.Differs = []string{evil}
	}
	for i := range d.Run.Failures {
		f := &d.Run.Failures[i]
		f.Reason, f.Hint, f.LogTail = evil, evil, []string{evil, evil}
	}
	for i := range d.Findings {
		d.Findings[i].Text = evil
	}
	return d
}
