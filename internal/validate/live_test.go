package validate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"dyno/internal/plan"
	"dyno/internal/result"
)

// playFake plays a task with a field: costs are what they are said to be, and a little noise.
func playFake(t LiveTask) *result.Run {
	r := plan.Request{
		Contestants: t.Contestants[:], Controls: []string{"none"}, Primary: "cpu_per_request",
		Alpha: Alpha, Margin: Margin, Budget: 100e9, Seed: t.Seed,
	}
	if t.Kind == LiveFull {
		r.Profile, r.Budget = "full", 600e9
	}
	p, err := plan.New(r, plan.World{Now: time.Unix(1_500_000_000, 0)})
	if err != nil {
		panic(err)
	}
	truth := []float64{math.Log1p(liveCost), 0}
	if t.Kind == LiveSame {
		truth[0] = 0
	}
	run := &result.Run{Plan: p, Host: result.Host{CPU: "none", CPUs: 2}}
	playOut(run, newField(Noises[0], truth, p.Rounds, source(t.Seed, "fake", t.Number)))
	return run
}

// addedToFake is by how many ns a request of the second costs more than one of the first: a server
// is busy for 97 % of a trial.
const addedToFake = liveCost * .97e9 / (rate * (1 + liveCost))

func TestLiveOrder(t *testing.T) {
	if LiveTaskAt(0).Kind != LiveFull {
		t.Error("the run of profile full is not the first")
	}
	seeds, orders := map[uint64]bool{}, map[string]bool{}
	for block := range liveRuns / 2 {
		count, order := map[string]int{}, ""
		for n := 1 + 4*block; n <= 4+4*block; n++ {
			task := LiveTaskAt(n)
			if task != LiveTaskAt(n) || task.Number != n {
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
}

// The runs are made in their order, kept one by one; an end in between loses nothing, and the next
// goes on.
func TestLiveGoesOn(t *testing.T) {
	var file bytes.Buffer
	var played []int
	stopAt := 6
	options := func(more int) *LiveOptions {
		done, err := ReadLive(bytes.NewReader(file.Bytes()), "live.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		return &LiveOptions{Done: done, More: more,
			Play: func(_ context.Context, task LiveTask) (*result.Run, float64, error) {
				if task.Number == stopAt {
					return nil, 0, errors.New("interrupted")
				}
				played = append(played, task.Number)
				return playFake(task), addedToFake, nil
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
	blind := options(0)
	blind.Done[9].Analyses = 0
	if err := RunLive(t.Context(), &LiveOptions{Done: blind.Done, Play: blind.Play, Keep: func(l Live) error {
		if l.Number != 9 {
			t.Errorf("run %d is made again, where 9 came to no look", l.Number)
		}
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	played = played[:LiveAll]
	if err := RunLive(t.Context(), options(2)); err != nil {
		t.Fatal(err)
	}
	for i, n := range played {
		if i != n {
			t.Fatalf("played %v", played)
		}
	}
	if len(played) != LiveAll+2 {
		t.Errorf("%d runs instead of %d", len(played), LiveAll+2)
	}
	checkLive(t, &Results{Live: options(0).Done[:LiveAll]})
}

// checkLive checks the bars, the records and the page of live runs.
func checkLive(t *testing.T, p *Results) {
	t.Helper()
	for _, b := range p.LiveBars() {
		if !b.Met || b.Open {
			t.Errorf("%+v", b)
		}
	}
	missed := 0
	for i := range p.Live {
		l := &p.Live[i]
		if l.Kind != LiveSame && !l.Found { // its two seemed to move, by chance
			missed++
		}
		if l.Kind != LiveSame && (math.Abs(l.cost()-liveCost) > .003 || l.Cost != liveCost) || l.Epochs < 8 ||
			l.Seconds < 30 || l.Throughput.Ratio == 0 ||
			l.Started != "2017-07-14T02:40:00Z" || l.DiscardedShare != 0 || l.Machine != "none, 2 CPUs" {
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
	if rows := strings.Count(page.String(), "| A/A |") + strings.Count(page.String(), "| A/B |") +
		strings.Count(page.String(), "| A/B, full |"); rows != LiveAll {
		t.Errorf("the page has %d of %d runs:\n%s", rows, LiveAll, &page)
	}
	if strings.Contains(page.String(), "NaN") || strings.Contains(page.String(), "%!") {
		t.Errorf("a figure is not one:\n%s", &page)
	}
	breakBars(t, p)
}

// breakBars breaks each bar.
func breakBars(t *testing.T, p *Results) {
	t.Helper()
	same, cost := 0, 0
	for i := range p.Live {
		switch l := &p.Live[i]; {
		case l.Kind == LiveFull:
			l.Seconds = liveSeconds + 1
		case l.Kind == LiveSame && same < 4:
			l.Verdict = "negligible"
			same++
		case l.Kind == LiveCost && cost < 4:
			l.Found, l.Hi = false, l.truth()-.001
			cost++
		}
	}
	for _, b := range p.LiveBars() {
		if b.Met {
			t.Errorf("%+v", b)
		}
	}
	for i := range p.Live[LiveAll-4:] {
		p.Live[LiveAll-4+i].Analyses = 0
	}
	for _, b := range p.LiveBars()[:3] {
		if !b.Open {
			t.Errorf("not all came to a look, and yet %+v", b)
		}
	}
	if oddRuns(20) != 3 || oddRuns(40) != 5 || oddRuns(0) != 0 {
		t.Errorf("of 20 runs %d may go wrong, of 40 %d", oddRuns(20), oddRuns(40))
	}
}

// A run in which a server failed, or that did not end, is kept nowhere.
func TestLiveUnfit(t *testing.T) {
	for _, spoil := range []func(*result.Run){
		func(r *result.Run) { r.Failures = []result.Failure{{Contestant: "ref", Stage: "load", Reason: "gone"}} },
		func(r *result.Run) { r.End = nil },
		func(r *result.Run) { r.Trials = nil },
	} {
		err := RunLive(t.Context(), &LiveOptions{More: 1,
			Play: func(_ context.Context, task LiveTask) (*result.Run, float64, error) {
				run := playFake(task)
				spoil(run)
				return run, 0, nil
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
