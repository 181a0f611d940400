package study

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
)

const freshStudy = `title = "What they hold"
source = "A. Uthor, 2018"
scenario = "s"
contestants = ["fast", "slow"]
primary = "memory"
fresh = true
requests = 600
epochs = 9
[[level]]
name = "c10"
load = { connections = 10 }
[[level]]
name = "c30, then"
continues = true
load = { connections = 30 }
[[level]]
name = "c30"
quick = true
load = { connections = 30 }
[[claim]]
id = "threads"
sentences = ["M-01"]
text = "Fast has 1.5 times the threads."
kind = "ratio"
metric = "threads"
a = "fast @ c30"
b = "slow @ c30"
value = 1.5
[[claim]]
id = "grows"
sentences = ["M-01"]
text = "Fast grows."
kind = "trend"
metric = "memory"
cells = ["fast @ c10", "fast @ c30, then"]
direction = "rises"
[[claim]]
id = "cpu"
sentences = ["M-01"]
text = "Fast takes half of the CPU time."
kind = "ratio"
metric = "cpu_time"
a = "fast @ c30, then"
b = "slow @ c30, then"
value = 0.5
[[claim]]
id = "since"
sentences = ["M-01"]
text = "Fast takes half of it in all."
kind = "ratio"
metric = "cpu_since_start"
a = "fast @ c30, then"
b = "slow @ c30, then"
value = 0.5
[[claim]]
id = "sockets"
sentences = ["M-01"]
text = "Fast has more sockets."
kind = "order"
metric = "sockets"
cells = ["slow @ c30, then", "fast @ c30, then"]
[[claim]]
id = "idle"
sentences = ["M-01"]
text = "Before any load both have as many threads."
kind = "equal"
metric = "threads"
a = "fast @ idle"
b = "slow @ idle"
[[claim]]
id = "idle memory"
sentences = ["M-01"]
text = "Before any load fast has half of the memory."
kind = "ratio"
metric = "memory"
a = "fast @ idle"
b = "slow @ idle"
value = 0.5
[[claim]]
id = "idle cpu"
sentences = ["M-01"]
text = "Until then it has used at most 20 ms of CPU time."
kind = "all"
metric = "cpu_since_start"
cells = ["* @ idle"]
at_most = 20000000.0
[[claim]]
id = "tail"
sentences = ["M-01"]
text = "1 % of the requests of slow take longer than 1.5 times those of fast."
kind = "ratio"
metric = "p99"
a = "slow @ c30"
b = "fast @ c30"
value = 1.5
[[claim]]
id = "swap"
sentences = ["M-01"]
text = "Nothing of fast is swapped."
kind = "bound"
metric = "swap_pss"
a = "fast @ c30"
at_most = 0.0
`

const freshFigures = `contestant,level,metric,unit,value,date,source,place,note
fast,"c30, then",threads,threads,82,2018,,top,
fast,"c30, then",cpu_since_start,s,5.51,2018,,top,
fast,"c30, then",sockets,sockets,3,2018,,,
fast,"c30, then",swap_pss,KB,856,2018,,top,
`

// freshRun carries out the study: fast has 10 threads and slow 6; each load on fast takes 0.1 s of
// CPU and a megabyte, on slow twice as much.
func freshRun(t *testing.T, c Choice) (*Study, *record.Run) {
	t.Helper()
	st, err := Read(project(map[string]string{"study.toml": freshStudy, "figures.csv": freshFigures}), "fake")
	if err != nil {
		t.Fatal(err)
	}
	of := func(o plan.Order, tr *record.Trial) {
		slow := int64(1)
		tr.Load.ServiceP99NS, tr.Load.Succeeded = 20e6, 2000
		if o.Contestant == "slow" {
			slow, tr.Load.ServiceP99NS = 2, 30e6
		}
		cpu, since, zero := slow*1e8+int64(o.Epoch)*1e5, slow*1e8*int64(o.Level.Step+1), int64(0)
		pss, threads, sockets := slow*1e6*int64(o.Level.Step+1)+int64(o.Epoch), 10-4*(slow-1), int64(1)
		tr.Server = record.Usage{CPUNS: &cpu, CPUUserTotalNS: &since, CPUSystemTotalNS: &zero, PrivateBytes: &pss,
			Threads: &threads, OpenSockets: &sockets, SwapPSSBytes: &zero, Processes: 1}
	}
	run := carriedOut(t, planned(t, plan.Request{Question: st.Ask(c), Seed: 7}), of)
	for e := range run.Trials[len(run.Trials)-1].Epoch + 1 {
		for i, name := range run.Plan.Contestants { // fast, slow
			cpu, pss, n, zero := int64(1e7), int64(5e5)*int64(1+i)+int64(e), int64(4), int64(0)
			run.Add(record.Record{Idle: &record.Idle{Contestant: name, Epoch: e,
				Server: record.Usage{CPUNS: &cpu, PrivateBytes: &pss, Threads: &n, OpenSockets: &n, SwapPSSBytes: &zero}}})
		}
	}
	return st, run
}

func TestFreshStudy(t *testing.T) {
	st, run := freshRun(t, Choice{})
	if !run.Plan.Fresh() || run.Plan.Load.Requests != 600 || len(run.Plan.Family) != 3 {
		t.Fatalf("%+v", run.Plan)
	}
	d, err := st.JudgeClaims(Evaluate(run), "f")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Verdict{"threads": Confirmed, "grows": Confirmed, "cpu": Confirmed,
		"since":   Confirmed,
		"sockets": Contradicted, "swap": Confirmed, "idle": Confirmed,
		"idle memory": Confirmed, "idle cpu": Confirmed, "tail": Confirmed}
	for _, o := range d.Claims.Outcomes {
		if o.Verdict != want[o.Claim.ID] || strings.Contains(o.Reason, "not planned to compare") {
			t.Errorf("%s: %s, %s", o.Claim.ID, o.Verdict, o.Reason)
		}
	}
	for _, p := range d.Claims.Published {
		if p.Absent != "" || p.Ours.N == 0 {
			t.Errorf("beside a published figure: %+v", p)
		}
	}
	for _, f := range d.Findings {
		if f.ID == judge.WarmUp && !strings.Contains(f.Text, "no warm-up, as planned") {
			t.Errorf("%+v", f)
		}
	}
	d.Width, d.Verbose = 150, true
	out := map[string]string{}
	for form, write := range report.Formats {
		var b bytes.Buffer
		if err := write(&b, d.Data); err != nil && form != "svg" {
			t.Fatal(err)
		}
		out[form] = b.String()
	}
	var page bytes.Buffer
	if err := Readme(&page, d); err != nil {
		t.Fatal(err)
	}
	// tableOf returns the columns and the cells of fast in the table with that title.
	tableOf := func(text, title string) (heads, cells []string) {
		_, text, _ = strings.Cut(text, "**"+title+"** In ")
		for line := range strings.Lines(text) {
			switch row := strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | "); {
			case row[0] == "contestant":
				heads = row
			case row[0] == "fast":
				return heads, row
			}
		}
		return nil, nil
	}
	for title, want := range map[string][2]string{"Memory": {"488 ±0.1 %", "1,950 ±0.1 %"},
		"CPU time": {"10.0 ±0 %", "101 ±0.6 %"}, "CPU time since the start": {"10.0 ±0 %", "200 ±0 %"},
		"Threads": {"4 ±0 %", "10 ±0 %"}, "Open sockets": {"4 ±0 %", "1 ±0 %"}, "Swapped (SwapPss)": {"0 ±0 %", "0 ±0 %"}} {
		for form, text := range map[string]string{"the run": out["markdown"], "the page": page.String()} {
			heads, cells := tableOf(text, title)
			for k, head := range []string{"idle", "c30, then"} {
				if i := slices.Index(heads, head); i < 0 || cells[i] != want[k] {
					t.Errorf("%s, %s, %s: %q in %q; want %s", form, title, head, cells, heads, want[k])
				}
			}
		}
		if !strings.Contains(out["text"], want[0]) || !strings.Contains(out["text"], want[1]) {
			t.Errorf("text: no %v", want)
		}
	}
	html, _, _ := strings.Cut(out["html"], "<script")
	for _, want := range []string{`<section id="held">`, `c30, then</th>`, `<b class="">Threads</b>`} {
		if !strings.Contains(html, want) {
			t.Errorf("the page's table of what the processes hold has no %s", want)
		}
	}
	if strings.Contains(html, "NaN") {
		t.Error("the page has NaN")
	}
	type row struct {
		Contestant, Level, Metric, Unit string
		Value                           float64
	}
	var file struct{ Rows []map[string]any }
	err = json.Unmarshal([]byte(out["json"]), &file)
	before := map[row]bool{}
	for _, r := range file.Rows {
		if r["contestant"] == "fast" && r["level"] == "before the first load" && r["value"] != nil {
			before[row{"fast", "before the first load", r["metric"].(string), r["unit"].(string), r["value"].(float64)}] = true
		}
	}
	for _, want := range []row{{"fast", "before the first load", "threads", "threads", 4},
		{"fast", "before the first load", "cpu_time", "ns", 1e7}} {
		if err != nil || !before[want] {
			t.Errorf("%+v, %v: no %+v", before, err, want)
		}
	}
}

// In a part of the study, a level that continues another includes the levels before it, and a
// single level is a paired comparison.
func TestFreshPartOfAStudy(t *testing.T) {
	st, run := freshRun(t, Choice{Levels: []string{"c30, then"}})
	if l := run.Plan.Levels; len(l) != 2 || l[0].Connections != 10 || l[1].Step != 1 {
		t.Errorf("%+v", l)
	}
	if _, run = freshRun(t, Choice{Quick: true}); len(run.Plan.Levels) != 1 || !run.Plan.Fresh() {
		t.Errorf("%+v", run.Plan)
	}
	if p := planned(t, plan.Request{Question: st.Ask(Choice{}), Protocol: "classic"}); p.Fresh() ||
		p.Load.Requests != 600 {
		t.Errorf("%+v", p)
	}
}

func TestFreshReadErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"requests = 600\n", "", `:6:1: fresh processes need a number of requests; set "requests"`},
		{"epochs = 9", "rounds = 5", `:8:1: fresh processes are loaded once an epoch`},
		{"epochs = 9", "base = \"c10\"", `:8:1: fresh processes share no round`},
		{"epochs = 9", "epochs = 7", `:8:1: epochs = 7: want 8 or more`},
		{"epochs = 9", "extra_epochs = -1", `:8:1: extra_epochs = -1: want 0 to 100`},
		{"epochs = 9", "looks = [8]", `:8:1: unknown key "looks"`},
		{"fresh = true\n", "", `:13:1: a level can continue the previous one only in a study with fresh = true`},
		{"name = \"c10\"\n", "name = \"c10\"\ncontinues = true\n", `:11:1: a level can continue the previous one`},
		{"continues = true\n", "continues = true\ncontestants = [\"fast\"]\n",
			`:14:1: it continues the level "c10", so it needs the same launch and contestants`},
		{`b = "slow @ c30"`, `b = "slow @ c10"`, `fast @ c30 and slow @ c10 cannot be compared: they load different processes`},
		{`b = "slow @ idle"`, `b = "slow @ c10"`, `an idle process and a loaded one cannot be compared`},
		{"metric = \"memory\"\na = \"fast @ idle\"", "metric = \"p50\"\na = \"fast @ idle\"",
			`an idle process has no p50; want one of memory, cpu_time`},
		{`name = "c10"`, `name = "idle"`, `:10:1: "idle": the name stands for processes before their first load`},
		{`metric = "sockets"`, `metric = "swap_pss"`,
			`swap_pss is a property of the machine and cannot be compared; use the kind bound`},
	} {
		text := strings.Replace(freshStudy, c.old, c.new, 1)
		_, err := Read(project(map[string]string{"study.toml": text}), "fake")
		if err == nil || !strings.Contains(err.Error(), c.want) || text == freshStudy {
			t.Errorf("%v\nwant …%s", err, c.want)
		}
	}
}

// The study on httprouter and fasthttp is estimated to reach its verdicts within its budget.
func TestFreshStudyFitsItsBudget(t *testing.T) {
	st, err := Read(os.DirFS("../.."), "httprouter-vs-fasthttp")
	if err != nil {
		t.Fatal(err)
	}
	for c, most := range map[bool]time.Duration{false: 37 * time.Minute, true: 8 * time.Minute} {
		p := planned(t, plan.Request{Question: st.Ask(Choice{Quick: c})})
		cost, err := plan.Estimate(&p)
		if err != nil || cost.Whole > most || len(cost.Analyses) != map[bool]int{false: 2, true: 1}[c] {
			t.Errorf("quick %v: %v, %v, looks %v", c, cost.Whole, err, cost.Analyses)
		}
		t.Logf("quick %v: %d pairs, %d epochs, %d trials, %v of %v", c, cost.Pairs, cost.Epochs, cost.Trials,
			cost.Whole.Round(time.Second), time.Duration(p.BudgetNS))
	}
}
