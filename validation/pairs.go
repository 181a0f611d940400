package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/refserver"
)

// calibrations are the runs of kind calibrate: the scenario, ref, reference servers that cost more and more, programs.
var calibrations = [][]string{
	words("values|ref|ref+50%|iris|iris-mvc|net-http"),
	words("values|ref|ref+50%|ref+500%|express|fastify|node-http"),
	words("hello|ref|ref+50%|beego|chi|echo|gin|gorilla-mux|iris"),
	words("hello|ref|ref+50%|bone|flamego|goframe|macaron|martini|negroni"),
	words("values|ref|ref+50%|aspnetcore-addmvc|aspnetcore-mvc|kestrel"),
}

// clearly is the ratio of an interval's ends up to which a calibration counts: ± 10 %.
const clearly = 1.21

// calibrate makes t one of the calibrations.
func (t *LiveTask) calibrate(servers []string) {
	t.Kind, t.Scenario, t.Contestants = LiveCalibrate, servers[0], servers[1:]
	for _, name := range t.Contestants {
		control, _, _ := refserver.ParseControl(name)
		t.Costs = append(t.Costs, control.Extra)
	}
}

// matching returns the added cost with which a reference server takes as much CPU time per request as the second server
// of c: on the straight line between the two nearest reference servers in the run. It is below 0 if that server takes
// less than ref. The second verdict's ratio counts, which allows for the bias of short loads.
func (l *Live) matching(c *Couple) float64 {
	want, cost, takes, slope := 1/c.Elsewhere.Ratio, 0., 1., 0. // those of ref
	for _, a := range l.Couples {
		if a.Cost > 0 && (slope == 0 || want > takes) {
			slope = (1/a.Ratio - takes) / (a.Cost - cost)
			cost, takes = a.Cost, 1/a.Ratio
		}
	}
	return cost + (want-takes)/slope
}

// matched names the reference server with an added cost; it is "" for a cost that none has.
func matched(cost float64) string {
	if !(cost >= .001 && cost <= 10) {
		return ""
	}
	return fmt.Sprintf("ref+%.2f%%", 100*cost)
}

// pairUp completes a run of pairs: of the programs that reference servers match, by the mean over clear calibrations in other
// sessions on run's machine, it takes the one with the fewest runs in done.
func (t *LiveTask) pairUp(done []Live, run *record.Run) error {
	var all []LiveTask // with the added cost in Costs[1]
	advice := "run `go run ./validation live calibrate` now, and `live pairs`"
	for i := range done {
		l := &done[i]
		if l.Kind != LiveCalibrate || !l.analysed() || l.Machine != machineOf(run) {
			continue
		}
		if l.Session == judge.SessionOf(run) {
			advice = "this session has some; run `live pairs`"
			continue
		}
		for j, name := range l.Contestants[1:] {
			at := slices.IndexFunc(all, func(x LiveTask) bool { return x.Scenario == l.Scenario && x.Contestants[0] == name })
			if c := &l.Couples[j]; c.Cost > 0 || c.Hi > clearly*c.Lo {
				continue // a reference server, or a mean that is not known
			}
			if at < 0 {
				at, all = len(all), append(all, *t)
			}
			x := &all[at]
			if x.Program != l.Programs[j+1] { // other sources, or none yet
				x.Calibrated, x.Program, x.Costs = nil, l.Programs[j+1], []float64{0, 0}
			}
			x.Calibrated = append(x.Calibrated, l.Session)
			x.Costs[1] += (l.matching(&l.Couples[j]) - x.Costs[1]) / float64(len(x.Calibrated))
			x.Scenario, x.Contestants = l.Scenario, []string{name, matched(x.Costs[1])}
		}
	}
	all = slices.DeleteFunc(all, func(x LiveTask) bool { return x.Contestants[1] == "" })
	if len(all) == 0 {
		return fmt.Errorf("no calibration of another session on %s: %s after another boot or on another day",
			machineOf(run), advice)
	}
	made := func(x LiveTask) int {
		return count(done, func(l Live) bool {
			return l.Kind == LivePairs && l.analysed() && l.Scenario == x.Scenario && l.Contestants[0] == x.Contestants[0]
		}).Hits
	}
	*t = slices.MinFunc(all, func(x, y LiveTask) int { return cmp.Compare(made(x), made(y)) })
	t.Costs = []float64{0, 0} // as both take the same
	return nil
}

// shows reports whether the second verdict claims a difference, or there is none.
func (c *Couple) shows() bool {
	return c.Elsewhere.Hi == 0 || different(judge.Verdict(c.Elsewhere.Verdict))
}

// pairsBar returns the bar for different programs with equal means.
func (p *Results) pairsBar() Bar {
	all, boots, models := p.liveCouples(LivePairs, 0, false), map[string]bool{}, map[string]bool{}
	for _, c := range all {
		boot, _, _ := strings.Cut(c.run.Session, " ")
		boots[boot], models[c.run.Machine] = true, true
	}
	r := count(all, func(c liveCouple) bool { return c.shows() })
	b := liveBar("live, different programs with equal means: different in the second verdict", r, pairsRuns)
	b.Limit, b.Met, b.Open = "≤ 1 of 20, over two boots or more", r.Hits <= 1, b.Open || len(boots) < 2
	b.Worst += fmt.Sprintf("; boots: %d, models of CPU: %d", len(boots), len(models))
	return b
}

// CalibrationTable lists the programs in calibrations.
func (g page) CalibrationTable() table {
	t := table{words("program|scenario|session|machine|CPU time of ref's|in other sessions|matched by")}
	for _, l := range g.Live {
		for j, c := range l.Couples {
			if l.Kind == LiveCalibrate && c.Cost == 0 {
				t = append(t, []string{l.Contestants[j+1], l.Scenario, l.Session, l.Machine, ratio(1/c.Ratio, 1/c.Hi, 1/c.Lo),
					ratio(1/c.Elsewhere.Ratio, 1/c.Elsewhere.Hi, 1/c.Elsewhere.Lo), cmp.Or(matched(l.matching(&c)), "none")})
			}
		}
	}
	return t
}

// PairTable lists the runs of different programs with equal means.
func (g page) PairTable() table {
	head := words("program|scenario|against|calibrated in|compared in|here|verdict|in other sessions|verdict")
	return tableOf(head, g.liveCouples(LivePairs, 0, false), func(c liveCouple) []string {
		l, e := c.run, &c.Elsewhere
		return []string{l.Contestants[0], l.Scenario, l.Contestants[1], strings.Join(l.Calibrated, ", "), l.Session,
			ratio(c.Ratio, c.Lo, c.Hi), c.Verdict, ratio(e.Ratio, e.Lo, e.Hi), bold(cmp.Or(e.Verdict, "none"), !c.shows())}
	})
}
