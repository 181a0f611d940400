package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/internal/record"
)

func cell(name string, level int) record.Cell { return record.Cell{Contestant: name, Level: level} }

// several is a paired comparison of a and b at two levels, and of a with itself between them; beside it c at one
// of them, all but c at a third level, and a with a delay, of which no pair speaks.
func several() record.Plan {
	return filled(severalBare())
}

func severalBare() record.Plan {
	p := barePlan("a", "b", "c")
	p.BudgetNS, p.Epochs = int64(time.Hour), []int{8, 12}
	p.Levels = []record.Level{
		{Connections: 16, Pipeline: 1}, {Connections: 125, Pipeline: 1}, {Connections: 60, Pipeline: 1},
		{DelayNS: 5e6, Connections: 125, Pipeline: 1},
	}
	p.Cells = []record.Cell{cell("a", 0), cell("b", 0), cell("a", 1), cell("b", 1), cell("c", 1), cell("a", 2),
		cell("b", 2), cell("a", 3)}
	p.Family = []record.Comparison{{A: cell("a", 0), B: cell("b", 0)}, {A: cell("a", 1), B: cell("b", 1)},
		{A: cell("a", 0), B: cell("a", 1)}}
	return p
}

// rates are what contestants bear: b is the slowest, and slower still with many connections.
func rates(o Order) float64 {
	r := map[string]float64{"a": 60_000, "b": 40_000, "c": 5_000}[o.Contestant] + float64(o.Round)
	if o.Level.Open() {
		return o.Level.RatePerSec
	}
	return r - 20*float64(o.Level.Connections)
}

// taken is how often each cell was loaded, by epoch and round, of the last attempts.
func taken(run *record.Run) map[string]int {
	out := map[string]int{}
	for i := range run.Trials {
		t := run.Trials[i]
		out[fmt.Sprintf("%d/%d %s@%d", t.Epoch, t.Round, t.Contestant, run.Plan.At(t))]++
	}
	return out
}

func TestControlsAreLeftOut(t *testing.T) {
	p := player{run: record.Run{Plan: filled(severalBare(), 1)}, rate: rates}
	p.play(t, never)
	cost, err := Estimate(&p.run.Plan)
	if got := len(p.run.Trials); err != nil || got != cost.Trials {
		t.Errorf("%d trials; the estimate says %d, %v", got, cost.Trials, err)
	}
	seen := map[string]int{}
	for i := range p.run.Trials {
		tr := p.run.Trials[i]
		seen[fmt.Sprintf("%s@%d", tr.Contestant, p.run.Plan.At(tr))]++
	}
	for _, c := range []string{"ref", "ref'", "null"} {
		if seen[c+"@0"] == 0 || seen[c+"@1"] > 0 {
			t.Errorf("%s has %d trials at level 0, %d at level 1", c, seen[c+"@0"], seen[c+"@1"])
		}
	}
	if seen["a@1"] == 0 {
		t.Error("level 1 is not loaded")
	}
	for level, want := range []int{4, 3} { // a, b and the controls; a, b and c
		if names, judged := Loaded(&p.run.Plan, level); len(names) != want || !judged {
			t.Errorf("level %d: %v, judged %v", level, names, judged)
		}
	}
}

// Levels whose loads are heavy may want fewer epochs than others, or more.
func TestExtraEpochsByLevel(t *testing.T) {
	for _, c := range []struct {
		by   []int
		want map[string]int // trials of cells outside the family, after the pilots
	}{
		{nil, map[string]int{"c@1": 6, "a@2": 6, "b@2": 6, "a@3": 6}},
		{[]int{6, 6, 3, 2}, map[string]int{"c@1": 6, "a@2": 3, "b@2": 3, "a@3": 2}},
		{[]int{6, 8, 3, 6}, map[string]int{"c@1": 8, "a@2": 3, "b@2": 3, "a@3": 6}},
	} {
		p := player{run: record.Run{Plan: several()}, rate: rates}
		p.run.Plan.ExtraEpochs = c.by
		if stop := p.play(t, never); stop != LastAnalysis {
			t.Fatalf("%v: stopped for %q", c.by, stop)
		}
		got := map[string]int{}
		for i := range p.run.Trials {
			tr := p.run.Trials[i]
			at := fmt.Sprintf("%s@%d", tr.Contestant, p.run.Plan.At(tr))
			if _, extra := c.want[at]; extra && tr.Epoch >= p.run.Plan.Pilots {
				got[at]++
			}
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.by, got, c.want)
		}
		if cost, err := Estimate(&p.run.Plan); err != nil || len(p.run.Trials) != cost.Trials {
			t.Errorf("%v: %d trials; the estimate says %d, %v", c.by, len(p.run.Trials), cost.Trials, err)
		}
	}
}

func TestRoundsLoadTheFamilyAndFirstRoundsTheRest(t *testing.T) {
	p := player{run: record.Run{Plan: several()}, rate: rates}
	if stop := p.play(t, never); stop != LastAnalysis {
		t.Fatalf("stopped for %q", stop)
	}
	cost, err := Estimate(&p.run.Plan)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(p.run.Trials); got != cost.Trials {
		t.Errorf("%d trials; the estimate says %d", got, cost.Trials)
	}
	if last := lastEpoch(&p.run); last+1 != p.run.Plan.Pilots+cost.Epochs || cost.Epochs != 12+6 {
		t.Errorf("%d epochs; the estimate says %d after the pilot", last+1, cost.Epochs)
	}
	seen := taken(&p.run)
	at := func(epoch, round int, cells ...string) {
		t.Helper()
		for _, c := range cells {
			if k := fmt.Sprintf("%d/%d %s", epoch, round, c); seen[k] != 1 {
				t.Errorf("%s was loaded %d times", k, seen[k])
			}
			delete(seen, fmt.Sprintf("%d/%d %s", epoch, round, c))
		}
	}
	family := []string{"a@0", "b@0", "a@1", "b@1", "ref@0", "ref'@0", "ref@1", "ref'@1"}
	for r := range 3 {
		at(0, r, append(family, "null@0", "null@1")...) // the pilot
	}
	for turn := range 12 {
		epoch := 1 + 2*turn
		if turn >= 6 { // the part that no pair speaks of has had its epochs
			epoch = 13 + turn - 6
		} else {
			at(epoch, 0, "c@1", "a@2", "b@2")
			at(epoch+1, 0, "a@3")
		}
		for r := range 3 {
			at(epoch, r, family...)
		}
	}
	if len(seen) > 0 {
		t.Errorf("loaded besides: %v", seen)
	}
	for _, n := range Starts(&p.run, 2) {
		if n != "a" {
			t.Errorf("%s is started where only a is loaded", n)
		}
	}
}

// Holm's family is what is named, and a part without pairs has no say in when it is decided.
func TestFamilyDecides(t *testing.T) {
	p := several()
	c, err := Estimate(&p)
	if err != nil || c.Pairs != 3 || c.Analyses[0].N != 8 {
		t.Errorf("%+v, %v", c, err)
	}
	if c.FirstVerdict >= c.Whole || c.FirstVerdict < c.Whole/4 {
		t.Errorf("first verdict after %v of %v", c.FirstVerdict, c.Whole)
	}
	asked := []int{}
	pl := player{run: record.Run{Plan: p}, rate: rates}
	stop := pl.play(t, func(n int) bool { asked = append(asked, n); return true })
	if stop != Decided || len(asked) != 1 || asked[0] != 8+6 {
		t.Errorf("%q after looks at %v valid epochs", stop, asked)
	}
	for _, name := range []string{"a", "b"} {
		pl := player{run: record.Run{Plan: p}, rate: rates, fails: func(o Order) bool {
			return o.Contestant == name && o.Epoch == 3
		}}
		want := map[string]Stop{"a": Nobody, "b": LastAnalysis}[name]
		if stop := pl.play(t, never); stop != want {
			t.Errorf("without %s it stops for %q", name, stop)
		}
	}
}

// Where all have failed that a part loads, the run goes on with the others.
func TestPartOfNobodyIsLeftOut(t *testing.T) {
	p := several()
	p.Cells[7] = cell("c", 3)
	pl := player{run: record.Run{Plan: p}, rate: rates, fails: func(o Order) bool {
		return o.Contestant == "c" && o.Epoch == 2
	}}
	if stop := pl.play(t, never); stop != LastAnalysis {
		t.Errorf("stopped for %q", stop)
	}
	if n := counted(&pl.run); n != 12 {
		t.Errorf("%d epochs of those that are left", n)
	}
}

// The same records give the same orders, however they came about.
func TestNextIsAFunctionOfTheRecords(t *testing.T) {
	full := player{run: record.Run{Plan: several()}, rate: rates}
	full.foul = func(o Order) (c record.Causes) {
		if o.Attempt == 0 && (o.Epoch*7+o.Round)%5 == 0 {
			c.StealNS = 4e8
		}
		return c
	}
	full.play(t, never)
	for n := range full.run.Trials {
		prefix := record.Run{Plan: full.run.Plan, Trials: full.run.Trials[:n]}
		for range 2 {
			o, stop := Next(&prefix, func() bool { return false })
			tr := full.run.Trials[n]
			if stop != "" || o.Key != tr.Key || o.Contestant != tr.Contestant || o.Level != prefix.Plan.LevelOf(tr) {
				t.Fatalf("after %d trials %+v (%s); it was %+v of %s", n, o, stop, tr.Key, tr.Contestant)
			}
		}
	}
}

// An epoch whose first round was discarded, or that was cut off, is made up for.
func TestSideCellsGetTheirEpochs(t *testing.T) {
	p := player{run: record.Run{Plan: several()}, rate: rates}
	p.foul = func(o Order) (c record.Causes) {
		if o.Epoch == 3 && o.Round == 0 {
			c.StealNS = 4e8
		}
		return c
	}
	p.play(t, never)
	valid := 0
	for _, tr := range Valid(&p.run) {
		if tr.Contestant == "b" && p.run.Plan.At(tr) == 2 {
			valid++
		}
	}
	if valid != 6 {
		t.Errorf("%d valid trials of b at the third level; want 6", valid)
	}
}

// However many epochs lost the first round, each is looked at once: twice the epochs take twice the memory.
func TestManyLostFirstRounds(t *testing.T) {
	p := player{run: record.Run{Plan: several()}, rate: rates}
	p.run.Plan.Epochs = []int{40}
	p.foul = func(o Order) (c record.Causes) {
		if o.Epoch >= p.run.Plan.Pilots && o.Round == 0 {
			c.StealNS = 4e8
		}
		return c
	}
	p.play(t, never)
	half := p.run
	half.Trials = half.Trials[:len(half.Trials)/2]
	few := testing.AllocsPerRun(1, func() { Valid(&half) })
	if many := testing.AllocsPerRun(1, func() { Valid(&p.run) }); many > 2.5*few {
		t.Errorf("%d epochs: %v allocations; %d: %v", lastEpoch(&half), few, lastEpoch(&p.run), many)
	}
}

func TestFamilyIsResumed(t *testing.T) {
	p := player{run: record.Run{Plan: several()}, rate: rates}
	want := p.play(t, never)
	for i, tr := range p.run.Trials {
		if tr.Epoch == 5 && tr.Round == 1 {
			p.run.Trials = p.run.Trials[:i+2] // its first round is complete, with the cells beside the family
			break
		}
	}
	epoch, err := Resumable(&p.run)
	if err != nil || epoch != 6 {
		t.Fatalf("epoch %d, %v", epoch, err)
	}
	p.run.Resumes = []record.Resume{{Epoch: epoch}}
	if got := p.play(t, never); got != want {
		t.Errorf("it ended by %q; uninterrupted by %q", got, want)
	}
	valid := 0
	for _, tr := range Valid(&p.run) {
		if at := p.run.Plan.At(tr); at == 2 && tr.Contestant == "b" {
			valid++
		}
	}
	if valid != 6 {
		t.Errorf("%d valid trials of b at the third level; want 6", valid)
	}
}

func TestPlansThatCannotBeAreRefused(t *testing.T) {
	for want, spoil := range map[string]func(*record.Plan){
		"level 1 repeats level 0":         func(p *record.Plan) { p.Levels[1] = p.Levels[0] },
		"c is in no cell":                 func(p *record.Plan) { p.Cells = slices.Delete(p.Cells, 4, 5) },
		"can decide only in an open loop": func(p *record.Plan) { p.Primary = "response_p50" },
		"cannot reach a verdict on 3":     func(p *record.Plan) { p.BudgetNS = int64(40 * time.Second) },
	} {
		p := several()
		spoil(&p)
		if _, err := Estimate(&p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	p := several()
	p.BudgetNS = int64(40 * time.Second)
	_, err := Estimate(&p)
	p.BudgetNS = int64(leastIn(t, err.Error()))
	if _, err := Estimate(&p); err != nil {
		t.Errorf("the least budget that was named is refused too: %v", err)
	}
}

// Profile full reaches a verdict on four contestants within five minutes.
func TestFullDecidesInTime(t *testing.T) {
	for k := 2; k <= 4; k += 2 {
		p := record.Plan{Profile: "full", Controls: references,
			Ceiling: "null", Alpha: .05, Margin: .03, Primary: "throughput",
			BudgetNS: int64(10 * time.Minute), Levels: []record.Level{{Connections: 125, Pipeline: 1}}}
		for i := range k {
			p.Contestants = append(p.Contestants, string(rune('a'+i)))
		}
		arranged(&p, paired)
		c, err := Estimate(&p)
		if err != nil || c.FirstVerdict > 5*time.Minute || c.Pairs != k*(k-1)/2 || len(p.Family) != c.Pairs {
			t.Errorf("%d contestants: %+v, %v", k, c, err)
		}
		t.Logf("%d contestants: looks %v, first verdict %v, whole %v", k, c.Analyses, c.FirstVerdict, c.Whole)
	}
}

// A plan at one level is what it was: the interim analyses are those of its pairs alone.
func TestOneLevelHasNoExtraCells(t *testing.T) {
	p := standardPlan("a", "b", "c")
	run := &record.Run{Plan: p}
	if len(cellsIn(&p, 0, true))+len(cellsIn(&p, 5, true)) > 0 || len(extras(run, 5)) > 0 || roundsIn(&p, 5) != p.Rounds {
		t.Error("cells beside the family")
	}
	if n := pairs(&p); n != 3 {
		t.Errorf("%d pairs", n)
	}
}

// relays is a paired comparison of two that call a service, in two scenarios and with two numbers of records.
func relays() record.Plan {
	p := barePlan("a", "b")
	p.Levels, p.BudgetNS, p.Epochs, p.Services, p.Ceiling = nil, int64(time.Hour), []int{8}, records, "records"
	for _, scenario := range []string{"", "other"} {
		for _, n := range []int{10, 500} {
			p.Levels = append(p.Levels, record.Level{Connections: 125, Pipeline: 1, Scenario: scenario, Records: n})
		}
	}
	p.Family = []record.Comparison{{A: cell("a", 0), B: cell("b", 0)}, {A: cell("a", 3), B: cell("b", 3)}}
	return filled(p)
}

// The null server is loaded at the levels of those scenarios that it has an answer to, and there
// alone.
func TestNullShowsTheCeilingWhereItCan(t *testing.T) {
	p := barePlan("a", "b")
	p.Levels = nil
	for i, scenario := range []string{"", "pages", "drawn"} {
		p.Levels = append(p.Levels, record.Level{Connections: 125, Pipeline: 1, Scenario: scenario})
		p.Family = append(p.Family, record.Comparison{A: cell("a", i), B: cell("b", i)})
	}
	p = filled(p)
	var at []int
	for _, e := range slots(&p, 0) {
		if e.Contestant == "null" {
			at = append(at, e.Level)
		}
	}
	if !slices.Equal(at, []int{0, 1}) {
		t.Errorf("null is loaded at the levels %v", at)
	}
}

func TestServiceShowsTheCeilingOfEachLevel(t *testing.T) {
	run := record.Run{Plan: relays()}
	pilot := slots(&run.Plan, 0)
	for _, level := range []int{0, 1, 3} { // at 1 nothing is compared, but its number of records is like that of 3
		if !slices.ContainsFunc(pilot, func(e slot) bool { return e.Cell == cell("records", level) }) {
			t.Errorf("the pilots do not ask the service at level %d", level)
		}
	}
	if slices.ContainsFunc(pilot, func(e slot) bool { return e.Cell == cell("records", 2) }) {
		t.Error("the pilots ask the service again for as many records")
	}
	for _, e := range slots(&run.Plan, 1) {
		if e.Contestant == "records" {
			t.Errorf("the service is asked after the pilots: %+v", e)
		}
	}
	if got := fmt.Sprint(Asked(&run.Plan,
		"a")); got != "[10 records 500 records scenario other, 10 records scenario other, 500 records]" {
		t.Errorf("a is asked %s", got)
	}
	if warm := Warmups(&run, 1, "a"); len(warm) != 2 || warm[0].Records != 10 || warm[1].Scenario != "other" {
		t.Errorf("a is warmed up at %+v", warm)
	}
	p := &run.Plan
	if RecordsSeed(p, 1) == RecordsSeed(p, 2) || RecordsSeed(p, 1) == RecordsSeed(&record.Plan{Seed: 8}, 1) {
		t.Error("the records of an epoch do not follow from it and the seed")
	}
}

// records is a service that answers with a level's number of records.
var records = []record.Service{{Name: "records", Records: true}}
