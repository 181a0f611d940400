package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// filled sets the cells and comparisons of a plan that is made by hand.
func filled(p record.Plan, uncontrolled ...int) record.Plan {
	p.Complete()
	Ride(&p, uncontrolled, func(of Asking) bool { return of.Scenario == "" || of.Scenario == "pages" })
	return p
}

func standardPlan(contestants ...string) record.Plan {
	return filled(barePlan(contestants...))
}

// barePlan has no cells and comparisons yet.
func barePlan(contestants ...string) record.Plan {
	return record.Plan{
		Format: record.Format, Contestants: contestants, Controls: []string{"ref", "ref'"}, Ceiling: "null", Seed: 7,
		Primary: "throughput",
		Alpha:   .05, Margin: .03, Rounds: 3, Pilots: 1, Epochs: []int{8, 12, 16, 24},
		Load:     record.LoadLength{NS: 4e8, RewarmNS: 3e7},
		BudgetNS: int64(6 * time.Minute),
		Levels:   []record.Level{{Connections: 125, Pipeline: 1}},
	}
}

// arranged sets what profile and preset decide in a plan that is made by hand.
func arranged(p *record.Plan, preset string) {
	if preset == classic {
		p.Processes = record.PerLoad
	}
	if preset == paired {
		p.Complete()
	}
	*p = filled(*p)
	r := &Request{Budget: time.Duration(p.BudgetNS), Requests: p.Load.Requests,
		Duration: time.Duration(p.Load.NS)}
	t, err := presetOf(preset)
	if err != nil {
		panic(err)
	}
	t.arrange(p, r, &Question{Requests: p.Load.Requests}, profileOf(p))
}

// player carries out orders on a clock of its own.
type player struct {
	run   record.Run
	clock int64
	foul  func(Order) record.Causes // causes of a trial; nil for none
	gap   func(Order) int64         // of the generator in a trial; nil for none
	fails func(Order) bool          // the contestant fails at this trial
	slow  float64                   // how much longer than estimated all but the warm-ups take; 0 means 1
	warms map[string]int64          // warm-up times, ns
	rate  func(Order) float64       // that a trial shows; nil for none
	after func()                    // told after each trial; nil for none
	takes func(o *Order) int64      // ns that a trial takes, or a start with its warm-up, of which o has the epoch alone
}

func (p *player) play(t *testing.T, decided func(n int) bool) Stop {
	t.Helper()
	slow := max(1, p.slow)
	epoch := -1
	for range 100_000 {
		o, stop := Next(&p.run, func() bool { return decided(len(Epochs(&p.run))) })
		if stop != "" {
			return stop
		}
		if o.Epoch != epoch {
			epoch = o.Epoch
			for _, name := range Starts(&p.run, epoch) {
				l := record.Launch{Contestant: name, Epoch: epoch, StartedUnixNS: p.clock, WarmupNS: int64(WarmLeast),
					SteadyNS: new(int64)}
				if *l.SteadyNS = p.warms[name]; *l.SteadyNS > 0 || epoch < p.run.Plan.Pilots {
					l.WarmupNS = max(int64(Warmup(&p.run, name, epoch).Least), *l.SteadyNS+int64(warmPilot))
				}
				p.run.Launches = append(p.run.Launches, l)
				if p.takes != nil {
					p.clock += p.takes(&Order{Key: record.Key{Epoch: epoch}})
					continue
				}
				p.clock += int64(slow*float64(startNative)) + l.WarmupNS
			}
		}
		tr := record.Trial{Key: o.Key, Contestant: o.Contestant, StartedUnixNS: p.clock,
			Causes: record.Causes{WallNS: 4e8, ServerCPUs: 1, GeneratorCPUs: 1}}
		if o.Level != p.run.Plan.First() {
			tr.Level = &o.Level
		}
		if p.rate != nil {
			tr.Load = record.Load{WindowNS: 1e9, Succeeded: int64(p.rate(o))}
		}
		if p.foul != nil {
			c := p.foul(o)
			c.WallNS, c.ServerCPUs, c.GeneratorCPUs = 4e8, 1, 1
			tr.Causes = c
		}
		if p.gap != nil {
			tr.Load.GapNS = p.gap(o)
		}
		if p.takes != nil {
			p.clock += p.takes(&o)
		} else {
			p.clock += int64(slow * float64(4.75e8))
		}
		tr.EndedUnixNS = p.clock
		if p.fails != nil && p.fails(o) {
			p.run.Failures = append(p.run.Failures, record.Failure{Contestant: o.Contestant, Stage: "load"})
			continue
		}
		p.run.Trials = append(p.run.Trials, &tr)
		if p.after != nil {
			p.after()
		}
	}
	t.Fatal("the plan does not end")
	return ""
}

func never(int) bool { return false }

func TestPairedTakesEveryRoundOnceAndStopsAtTheLastAnalysis(t *testing.T) {
	p := player{run: record.Run{Plan: standardPlan("a", "b", "c", "d", "e", "f")}}
	if stop := p.play(t, never); stop != LastAnalysis {
		t.Fatalf("stopped for %q", stop)
	}
	want, err := Estimate(&p.run.Plan)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(Epochs(&p.run)); got != want.Epochs || got < 12 {
		t.Errorf("%d epochs; want %d", got, want.Epochs)
	}
	if got := len(p.run.Trials); got != want.Trials {
		t.Errorf("%d trials; want %d", got, want.Trials)
	}
	type slot struct {
		epoch, round int
		who          string
	}
	seen := map[slot]int{}
	for _, tr := range p.run.Trials {
		seen[slot{tr.Epoch, tr.Round, tr.Contestant}]++
	}
	for s, n := range seen {
		if n != 1 {
			t.Errorf("%v was loaded %d times", s, n)
		}
	}
	if n := len(seen); n != 3*(9+want.Epochs*8) {
		t.Errorf("%d slots; want 3 × (9 in the pilot, with the ceiling, and %d × 8)", n, want.Epochs)
	}
}

func TestOrderIsShuffledAndRepeatable(t *testing.T) {
	first := map[string]int{}
	var orders [2][]string
	for i := range orders {
		p := player{run: record.Run{Plan: standardPlan("a", "b")}}
		p.play(t, never)
		for _, tr := range p.run.Trials {
			orders[i] = append(orders[i], tr.Contestant)
			if tr.Position == 0 && tr.Epoch > 0 {
				first[tr.Contestant]++
			}
		}
	}
	if diff := cmp.Diff(orders[0], orders[1]); diff != "" {
		t.Errorf("the same seed gives another order:\n%s", diff)
	}
	if len(first) != 4 {
		t.Errorf("only %v ever came first", first)
	}
	other := player{run: record.Run{Plan: standardPlan("a", "b")}}
	other.run.Plan.Seed = 8
	other.play(t, never)
	var order []string
	for _, tr := range other.run.Trials {
		order = append(order, tr.Contestant)
	}
	if slices.Equal(order, orders[0]) {
		t.Error("another seed gives the same order")
	}
}

func TestStopsAtTheFirstAnalysisThatDecides(t *testing.T) {
	p := player{run: record.Run{Plan: standardPlan("a", "b")}}
	asked := []int{}
	stop := p.play(t, func(n int) bool { asked = append(asked, n); return n >= 12 })
	if stop != Decided || !slices.Equal(asked, []int{8, 12}) {
		t.Errorf("stopped for %q after looks at %v", stop, asked)
	}
}

// Background discards nothing, and no round is repeated.
func TestBackgroundDiscardsNothing(t *testing.T) {
	p := player{run: record.Run{Plan: standardPlan("a", "b")}}
	p.foul = func(o Order) record.Causes {
		return record.Causes{BackgroundServerNS: 4e8 * int64(o.Position%2), BackgroundGeneratorNS: 2e8, StealNS: 2e7}
	}
	if stop := p.play(t, never); stop != LastAnalysis {
		t.Errorf("stopped for %q", stop)
	}
	if discarded, all := Discarded(&p.run); discarded != 0 || all == 0 || len(Valid(&p.run)) != all {
		t.Errorf("%d of %d trials are discarded; %d count", discarded, all, len(Valid(&p.run)))
	}
}

// stopped plays with a generator that stands still for 0.35 s in the trials that stops tells by their
// number. It returns the trials that count, none of which may be one of these, and how many of these
// come after the pilots.
func (p *player) stopped(t *testing.T, stops func(n int, o Order) bool) (counted []*record.Trial, after int) {
	t.Helper()
	n, stopped := 0, map[record.Key]bool{}
	p.gap = func(o Order) int64 {
		if n++; !stops(n, o) {
			return 1e6
		}
		if stopped[o.Key] = true; !o.Pilot {
			after++
		}
		return 350e6
	}
	p.play(t, never)
	counted = Valid(&p.run)
	for i := range counted {
		if stopped[counted[i].Key] {
			t.Errorf("%+v counts", counted[i].Key)
		}
	}
	return counted, after
}

// A generator that stands still in every fifth trial: none of these counts, and the others of their rounds do.
func TestTrialsWithPausesDoNotCount(t *testing.T) {
	p := player{run: record.Run{Plan: standardPlan("a", "b")}, rate: func(Order) float64 { return 1e4 }}
	counted, stopped := p.stopped(t, func(n int, _ Order) bool { return n%5 == 0 })
	discarded, all := Discarded(&p.run)
	if discarded != stopped || len(counted) != all-discarded || len(Epochs(&p.run)) < 8 {
		t.Errorf("%d of %d trials are discarded, %d were stopped, %d count", discarded, all, stopped, len(counted))
	}
	for _, tr := range p.run.Trials {
		if tr.Attempt > 0 || tr.Take > 0 {
			t.Fatalf("repeated: %+v", tr.Key)
		}
	}
}

func TestBusyMachineEndsWithTheBudget(t *testing.T) {
	p := player{run: record.Run{Plan: standardPlan("a", "b")}}
	p.foul = func(o Order) record.Causes { return record.Causes{StealNS: 4e8} }
	if stop := p.play(t, never); stop != Budget {
		t.Fatalf("stopped for %q", stop)
	}
	if n := len(Epochs(&p.run)); n != 0 {
		t.Errorf("%d epochs count on a machine that was never free", n)
	}
	if over := elapsed(&p.run) - p.run.Plan.BudgetNS; over > 0 {
		t.Errorf("over the budget by %v", time.Duration(over))
	}
}

func TestAnalysisWhenTheBudgetEnds(t *testing.T) {
	p := player{run: record.Run{Plan: standardPlan("a", "b")}}
	p.foul = func(o Order) (c record.Causes) {
		if o.Epoch > 10 { // ten epochs count, after the look at 8 and before that at 12
			c.StealNS = 4e8
		}
		return c
	}
	stop := p.play(t, never)
	before := Analyses(&p.run)
	p.run.End = &record.End{Reason: string(stop)}
	looks := Analyses(&p.run)
	if stop != Budget || len(before) < 3 || len(looks) != 2 || looks[0] != before[0] || looks[1].N != 10 {
		t.Fatalf("stopped for %q; looks %v, then %v", stop, before, looks)
	}
	if sum := looks[0].Alpha + looks[1].Alpha; math.Abs(sum-.04) > 1e-12 {
		t.Errorf("the looks spend %v", sum)
	}
	p.run.End.Reason = Interrupted
	if looks := Analyses(&p.run); !slices.Equal(looks, before) {
		t.Errorf("an interrupted run, which may go on, has the looks %v", looks)
	}
	at := player{run: record.Run{Plan: standardPlan("a", "b")}}
	at.foul = func(o Order) (c record.Causes) {
		if o.Epoch > 8 { // eight epochs count: the budget ends at an analysis
			c.StealNS = 4e8
		}
		return c
	}
	at.run.End = &record.End{Reason: string(at.play(t, never))}
	if looks := Analyses(&at.run); len(looks) != 1 || looks[0].N != 8 || math.Abs(looks[0].Alpha-.04) > 1e-12 {
		t.Errorf("at the analysis where the budget ends: %v", looks)
	}
	at.run.End.Reason = string(Decided)
	if looks := Analyses(&at.run); !slices.Equal(looks, before) {
		t.Errorf("a run that its analysis decided has the looks %v", looks)
	}
	few := player{run: record.Run{Plan: standardPlan("a", "b")}}
	few.foul = func(o Order) (c record.Causes) {
		if o.Epoch > 4 {
			c.StealNS = 4e8
		}
		return c
	}
	few.run.End = &record.End{Reason: string(few.play(t, never))}
	if looks := Analyses(&few.run); looks[0].N < 8 {
		t.Errorf("looks %v after 4 epochs, which can show nothing", looks)
	}
}

// A run whose epochs take twice as long as planned ends within its budget, with the epochs that there are.
func TestBudgetHolds(t *testing.T) {
	six := []string{"a", "b", "c", "d", "e", "f"}
	for _, budget := range []time.Duration{5 * time.Minute, 4 * time.Minute} {
		p := player{run: record.Run{Plan: standardPlan(six...)}}
		p.run.Plan.Epochs, p.run.Plan.BudgetNS = []int{24}, int64(budget)
		p.foul = func(o Order) (causes record.Causes) {
			if o.Epoch > 0 && o.Attempt == 0 { // every round is taken twice
				causes.StealNS = 4e8
			}
			return causes
		}
		stop := p.play(t, never)
		if n, left := len(Epochs(&p.run)), Left(&p.run); stop != Budget || left < 0 || left > 40*time.Second || n > 9 {
			t.Errorf("budget %v: stopped for %q after %d epochs, %v left", budget, stop, n, left)
		}
	}
}

func TestFailedContestantLeavesTheOthers(t *testing.T) {
	p := player{run: record.Run{Plan: standardPlan("a", "b", "c")}}
	p.fails = func(o Order) bool { return o.Contestant == "b" && o.Epoch == 2 && o.Round == 1 }
	if stop := p.play(t, never); stop != LastAnalysis {
		t.Fatalf("stopped for %q", stop)
	}
	for _, tr := range p.run.Trials {
		if tr.Contestant == "b" && (tr.Epoch > 2 || tr.Epoch == 2 && tr.Round > 1) {
			t.Fatal("a failed contestant is loaded again")
		}
	}
	if n := len(Epochs(&p.run)); n < 8 {
		t.Errorf("%d epochs of the others count", n)
	}
	two := player{run: record.Run{Plan: standardPlan("a", "b")}}
	two.fails = p.fails
	if stop := two.play(t, never); stop != Nobody {
		t.Errorf("with one contestant left the run stopped for %q", stop)
	}
}

// A run that ends before 8 epochs, between two analyses, is judged there: of a single pair after 7 with what is left of
// alpha, else by one more early analysis.
func TestEndsBeforeEightEpochs(t *testing.T) {
	for n, share := range map[int]float64{7: .8, 6: .1, 5: .1} {
		p := player{run: record.Run{Plan: standardPlan("a", "b")}}
		p.run.Plan.Epochs = stats.Candidates(true, 24)
		p.foul = func(o Order) (c record.Causes) {
			if o.Epoch > n {
				c.StealNS = 4e8
			}
			return c
		}
		p.run.End = &record.End{Reason: string(p.play(t, never))}
		all := Analyses(&p.run)
		i := slices.IndexFunc(all, func(a stats.Interim) bool { return a.N == n })
		if i < 0 || math.Abs(all[i].Alpha-share*.05) > 1e-12 || all[i].Early != (n < 7) || n > 5 && i < len(all)-1 {
			t.Errorf("after %d epochs: %v", n, all)
		}
	}
}

// A machine slower than estimated does fewer epochs, and all of alpha that is left is spent on these.
func TestSlowMachineIsJudgedAtItsEnd(t *testing.T) {
	p := player{run: record.Run{Plan: standardPlan("a", "b", "c", "d", "e", "f")}, slow: 1.8}
	planned := Analyses(&p.run)
	if stop := p.play(t, never); stop != Budget {
		t.Errorf("stopped for %q", stop)
	}
	p.run.End = &record.End{Reason: string(Budget)}
	n, last := len(Epochs(&p.run)), planned[len(planned)-1]
	if all := Analyses(&p.run); n < 9 || n >= last.N || all[len(all)-1].N != n || all[len(all)-1].Alpha < last.Alpha {
		t.Errorf("%d epochs, analyses %v, planned %v", n, all, planned)
	}
	if over := elapsed(&p.run) - p.run.Plan.BudgetNS; over > 0 {
		t.Errorf("over the budget by %v", time.Duration(over))
	}
}

func TestBudgetThatReachesNoVerdictIsRefused(t *testing.T) {
	p := standardPlan("a", "b", "c", "d", "e", "f")
	p.BudgetNS = int64(time.Minute)
	_, err := Estimate(&p)
	if err == nil {
		t.Fatal("a minute for 15 pairs was accepted")
	}
	t.Log(err)
	p.BudgetNS = int64(leastIn(t, err.Error()))
	if _, err := Estimate(&p); err != nil {
		t.Errorf("the least budget that was named is refused too: %v", err)
	}
}

// leastIn reads the budget that an error names.
func leastIn(t *testing.T, msg string) time.Duration {
	t.Helper()
	_, rest, _ := strings.Cut(msg, "pass --budget ")
	word, _, _ := strings.Cut(rest, " ")
	d, err := time.ParseDuration(word)
	if err != nil {
		t.Fatalf("no budget in %q", msg)
	}
	return d
}

// No epoch of a run of two repeats a layout, and which it has is drawn.
func TestLayouts(t *testing.T) {
	p := &record.Plan{Seed: 1, Links: record.Links{Layouts: LayoutsOf(2)}}
	orders := map[string]bool{}
	for cycle := range 3 {
		for _, name := range []string{"a", "b"} {
			var order []int
			for e := range p.Links.Layouts {
				order = append(order, Layout(p, name, cycle*p.Links.Layouts+e))
			}
			orders[fmt.Sprint(order)] = true
			slices.Sort(order)
			for i, at := range order {
				if i != at {
					t.Fatalf("%s, cycle %d: %v", name, cycle, order)
				}
			}
		}
	}
	if len(orders) != 6 {
		t.Errorf("%d orders of 6", len(orders))
	}
	for contestants, want := range map[int]int{1: 16, 2: 16, 4: 16, 5: 12, 7: 9, 16: 4, 66: 4} {
		if got := LayoutsOf(contestants); got != want {
			t.Errorf("%d contestants: %d layouts, want %d", contestants, got, want)
		}
	}
}
