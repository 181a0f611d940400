package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/internal/plan"
	"dyno/internal/record"
)

// playFake plays a task with a field: servers have their planned costs plus a little noise.
func playFake(t *LiveTask) *record.Run {
	r := plan.Request{
		Contestants: t.Contestants, Controls: []string{"none"}, Primary: "cpu_per_request",
		Alpha: Alpha, Margin: Margin, Budget: 100e9, Seed: t.Seed,
	}
	switch t.Kind {
	case LiveFull:
		r.Profile, r.Budget = "full", 600e9
	case LiveCosts:
		r.Budget = 200e9
	case LivePairs:
		t.Scenario, t.Contestants = "hello", []string{"gin", "ref+3.00%"}
		r.Contestants = t.Contestants
	}
	p, err := plan.New(r, plan.World{Now: time.Unix(1_500_000_000, 0)})
	if err != nil {
		panic(err)
	}
	truth := make([]float64, len(t.Costs))
	for i, cost := range t.Costs {
		truth[i] = -math.Log1p(cost)
	}
	run := &record.Run{Plan: p, Host: record.Host{CPU: "none, family 1", CPUs: 2, BootID: "a"}}
	for _, name := range t.Contestants {
		run.Contestants = append(run.Contestants, record.Contestant{Name: name, BinaryHash: name,
			Layouts: make([]string, p.Links.Layouts-1)})
	}
	playOut(run, newField(Noises[0], truth, p.Rounds, source(t.Seed, "fake", t.Number)))
	return run
}

// fakeFactor is the total cost in ns of one added ns.
const fakeFactor = 1.1

// costsOfFake returns the costs that servers would report: a server is busy for 97 % of a trial.
func costsOfFake(t *LiveTask) []Cost {
	told := make([]Cost, len(t.Costs))
	for i, cost := range t.Costs {
		told[i] = Cost{AddedNS: cost / fakeFactor * .97e9 / rate, Own: cost}
	}
	return told
}

func TestLiveOrder(t *testing.T) {
	if liveTaskAt(0).Kind != LiveFull {
		t.Error("the run of profile full is not the first")
	}
	seeds, orders := map[uint64]bool{}, map[string]bool{}
	for block := range liveRuns / 2 {
		count, order := map[string]int{}, ""
		for n := 1 + 4*block; n <= 4+4*block; n++ {
			task := liveTaskAt(n)
			if !reflect.DeepEqual(task, liveTaskAt(n)) || task.Number != n {
				t.Errorf("task %d is not always the same", n)
			}
			seeds[task.Seed] = true
			kind := task.Kind
			if task.Hog {
				kind += " hog"
			}
			count[kind]++
			order += kind + ";"
		}
		if count["aa"] != 1 || count["aa hog"] != 1 || count["ab"] != 2 {
			t.Errorf("block %d: %v", block, count)
		}
		orders[order] = true
	}
	if len(seeds) != 2*liveRuns || len(orders) < 3 {
		t.Errorf("%d seeds, %d orders of blocks", len(seeds), len(orders))
	}
	count, relinks := map[string]int{}, map[int]bool{}
	for n := firstOfThree; n < firstPair; n++ {
		task := liveTaskAt(n)
		count[task.Kind]++
		if sides := len(task.Contestants); sides != len(task.Costs) ||
			sides != map[string]int{LiveRelinked: 2, LiveCosts: 4}[task.Kind] {
			t.Errorf("task %d: %+v", n, task)
		}
		for _, first := range task.Relinks {
			for seed := first; seed < first+layoutsApart; seed++ {
				if relinks[seed] || seed == 0 {
					t.Fatalf("task %d links with the seed %d, as another one may", n, seed)
				}
				relinks[seed] = true
			}
		}
		if n%3 == (firstOfThree+2)%3 && count[LiveRelinked] != 2*count[LiveCosts] {
			t.Errorf("after task %d: %v", n, count)
		}
	}
	if count[LiveRelinked] != relinkedRuns || count[LiveCosts] != costsRuns ||
		len(relinks) != 2*relinkedRuns*layoutsApart {
		t.Errorf("%v, %d seeds of layouts", count, len(relinks))
	}
}

// The runs are made in order and kept one by one; an interrupt loses nothing, and the next call continues.
func TestLiveGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("judges a hundred runs")
	}
	var file bytes.Buffer
	var played []int
	stopAt, boot := 6, "a"
	options := func(more int) *LiveOptions {
		done, err := ReadLive(bytes.NewReader(file.Bytes()), "live.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		return &LiveOptions{Done: done, More: more, Session: boot + " 2017-07-15",
			Play: func(_ context.Context, task *LiveTask) (*record.Run, []Cost, error) {
				if task.Number == stopAt {
					return nil, nil, errors.New("interrupted")
				}
				played = append(played, task.Number)
				run := playFake(task)
				run.Host.BootID = boot
				return run, costsOfFake(task), nil
			},
			Keep: func(l Live) error { return json.NewEncoder(&file).Encode(l) },
		}
	}
	if err := RunLive(t.Context(), options(4)); err != nil {
		t.Fatal(err)
	}
	if err := RunLive(t.Context(), options(0)); err == nil || !strings.Contains(err.Error(), "live run 6 (") {
		t.Fatalf("an interrupted run: %v", err)
	}
	stopAt = -1
	if err := RunLive(t.Context(), options(0)); err != nil {
		t.Fatal(err)
	}
	if err := RunLive(t.Context(), options(0)); err != nil { // nothing is missing
		t.Fatal(err)
	}
	boot = "b"
	if err := RunLive(t.Context(), options(0)); err != nil {
		t.Fatal(err)
	}
	if more := played[LiveAll:]; len(more) != pairsRuns || more[0] != firstPair {
		t.Errorf("on another boot %v are made, not the %d pairs", more, pairsRuns)
	}
	var twice []int
	blind := options(0)
	blind.Done[9].Analyses = 0
	again := slices.IndexFunc(blind.Done, func(l Live) bool { return l.Kind == LiveRelinked })
	blind.Done[again].Judge = ""
	blind.Keep = func(l Live) error {
		if l.Number != 9 && l.Number != again {
			t.Errorf("run %d is made again, where 9 came to no look, and %d was judged otherwise", l.Number, again)
		}
		twice = append(twice, l.Number)
		return nil
	}
	if err := RunLive(t.Context(), blind); err != nil {
		t.Fatal(err)
	}
	if len(twice) != 2 {
		t.Errorf("made again: %v", twice)
	}
	if old := (&Results{Live: blind.Done}).liveCouples(LiveRelinked, 0, true); len(old) != 1 {
		t.Errorf("%d old rows", len(old))
	}
	played = played[:LiveAll]
	for i, n := range played {
		if i != n {
			t.Fatalf("played %v", played)
		}
	}
	checkLive(t, &Results{Live: options(0).Done[:LiveAll+pairsRuns]})
}

// checkLive checks the bars, the records and the page of live runs.
func checkLive(t *testing.T, p *Results) {
	t.Helper()
	for _, b := range p.LiveBars() {
		if !b.Met || b.Open {
			t.Errorf("%+v", b)
		}
	}
	factor := p.factor()
	if math.Abs(factor-fakeFactor) > .05 {
		t.Errorf("a factor of %v", factor)
	}
	missed := 0
	for i := range p.Live {
		l := &p.Live[i]
		task := liveTaskAt(l.Number)
		for j, c := range l.couples() {
			if c.Cost != task.Costs[j+1] || math.Abs(fakeFactor*c.costs()-c.Cost) > .004 || c.Throughput.Ratio == 0 {
				t.Errorf("run %d: %+v", l.Number, c)
			}
			if c.Cost >= liveCost && !c.Found { // both servers seemed to move, by chance
				missed++
			}
		}
		if len(l.couples()) != len(task.Costs)-1 || l.Epochs < 3 || l.Seconds < 5 ||
			l.Started != "2017-07-14T02:40:00Z" || l.DiscardedShare != 0 || l.Machine != "none, family 1, 2 CPUs" {
			t.Errorf("%+v", l)
		}
	}
	if missed > oddRuns(liveRuns) {
		t.Errorf("5 %% was not found in %d runs", missed)
	}
	var page bytes.Buffer
	if err := Page(&page, p); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page.String(), "NaN") || strings.Contains(page.String(), "%!") {
		t.Errorf("a figure is not one:\n%s", &page)
	}
	breakBars(t, p)
}

// breakBars breaks each bar.
func breakBars(t *testing.T, p *Results) {
	t.Helper()
	factor, wrong := p.factor(), map[string]int{}
	for i := range p.Live {
		l := &p.Live[i]
		wrong[l.Kind]++
		switch {
		case l.Kind == LiveFull:
			l.Seconds = liveSeconds + 1
		case wrong[l.Kind] > mostRelinked+1:
		case l.Kind == LiveSame || l.Kind == LiveRelinked:
			l.Verdict = "negligible"
		case l.Kind == LivePairs:
			l.Elsewhere = Side{}
		case l.Kind == LiveCost:
			l.Found, l.Hi = false, l.truth(factor)-.001
		default:
			for j := range l.Couples {
				c := &l.Couples[j]
				c.Found, c.Hi = false, c.truth(factor)-.001
			}
		}
	}
	for i := range p.Live {
		for j := range p.Live[i].Couples { // off by 0.25 %
			c := &p.Live[i].Couples[j]
			c.Ratio, c.Throughput.Ratio = c.truth(factor)*1.0025, .9975/c.truth(factor)
		}
	}
	for _, b := range p.LiveBars() {
		if b.Met {
			t.Errorf("%+v", b)
		}
	}
	for i := range p.Live {
		p.Live[i].Analyses = 0
	}
	for _, b := range p.LiveBars() {
		if !b.Open {
			t.Errorf("none came to an analysis, and yet %+v", b)
		}
	}
	if oddRuns(20) != 3 || oddRuns(40) != 5 || oddRuns(0) != 0 {
		t.Errorf("of 20 runs %d may go wrong, of 40 %d", oddRuns(20), oddRuns(40))
	}
}

// A run's bias is the mean bias of its pairs, each against that pair's true ratio.
func TestLiveBias(t *testing.T) {
	couple := func(cost, off, rates float64) Couple {
		c := Couple{Cost: .5, Added: cost}
		c.Ratio, c.Throughput.Ratio = math.Exp(-off)/(1+cost), math.Exp(rates)*(1+cost)
		return c
	}
	p := &Results{}
	for range 8 {
		p.Live = append(p.Live, Live{Kind: LiveCosts, Analyses: 1, Judge: liveJudge,
			Couples: []Couple{couple(.02, .001, 0), couple(.1, .003, .004)}})
	}
	p.Live = append(p.Live, Live{Kind: LiveCosts, Couples: []Couple{couple(.02, 9, 9)}}) // no interim analysis
	for rates, want := range map[bool]float64{false: .002, true: .002} {
		errs := p.liveErrors(LiveCosts, 0, rates, false)
		if len(errs) != 8 || math.Abs(errs[0]-want) > 1e-12 {
			t.Errorf("rates %t: %v, want %v", rates, errs, want)
		}
	}
	if b := p.biasBar("CPU/request", false); !b.Open ||
		!strings.HasPrefix(b.Worst, "+0.20 % (+0.20 % to +0.20 %), p = 0.0078") {
		t.Errorf("%+v", b)
	}
}

// A run with a failed server or without an end is not kept.
func TestLiveUnfit(t *testing.T) {
	for _, spoil := range []func(*record.Run){
		func(r *record.Run) { r.Failures = []record.Failure{{Contestant: "ref", Stage: "load", Reason: "gone"}} },
		func(r *record.Run) { r.End = nil },
		func(r *record.Run) { r.Trials = nil },
	} {
		err := RunLive(t.Context(), &LiveOptions{More: 1,
			Play: func(_ context.Context, task *LiveTask) (*record.Run, []Cost, error) {
				run := playFake(task)
				spoil(run)
				return run, nil, nil
			},
			Keep: func(Live) error { t.Error("it was kept"); return nil },
		})
		if err == nil {
			t.Error("no error")
		}
	}
}

func TestReadLive(t *testing.T) {
	for _, bad := range []string{`{"kind":"ac"}`, `{"kind":"aa","what":1}`, `{`} {
		if _, err := ReadLive(strings.NewReader("\n"+bad), "live.jsonl"); err == nil ||
			!strings.HasPrefix(err.Error(), "live.jsonl:2: ") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	for _, b := range (&Results{}).LiveBars() {
		if !b.Open {
			t.Errorf("not tried, and yet %+v", b)
		}
	}
}
