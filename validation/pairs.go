package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/refserver"
)

// calibrations are the runs of kind calibrate: the scenario, ref, reference servers that cost more, programs.
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

// pairUp completes a run of pairs: of the programs in clear calibrations of other sessions on run's machine, two of one
// calibration, with their mean ratio there. It takes a pair with the fewest runs in done, then of programs with the
// fewest, then the most equal.
func (t *LiveTask) pairUp(done []Live, run *record.Run) error {
	var all []LiveTask
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
		for _, two := range couples(len(l.Couples)) {
			a, b := &l.Couples[two[0]], &l.Couples[two[1]]
			if max(a.Cost, b.Cost) > 0 || a.Hi > clearly*a.Lo || b.Hi > clearly*b.Lo {
				continue // a reference server, or a mean that is not known
			}
			names := []string{l.Contestants[two[0]+1], l.Contestants[two[1]+1]}
			programs := []string{l.Programs[two[0]+1], l.Programs[two[1]+1]}
			at := slices.IndexFunc(all, func(x LiveTask) bool {
				return x.Scenario == l.Scenario && slices.Equal(x.Contestants, names)
			})
			if at < 0 {
				at, all = len(all), append(all, *t)
			}
			x := &all[at]
			if !slices.Equal(x.Programs, programs) { // other sources, or none yet
				x.Calibrated, x.Programs, x.Expected = nil, programs, 1
			}
			x.Scenario, x.Contestants, x.Calibrated = l.Scenario, names, append(x.Calibrated, l.Session)
			n := float64(len(x.Calibrated))
			x.Expected *= math.Pow(b.Elsewhere.Ratio/a.Elsewhere.Ratio/x.Expected, 1/n) // their geometric mean
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("no calibration of another session on %s: %s after another boot or on another day",
			machineOf(run), advice)
	}
	made := func(x LiveTask) (n, each int) {
		for _, l := range done {
			if l.Kind == LivePairs && l.analysed() {
				n += int(when(l.Scenario == x.Scenario && slices.Equal(l.Contestants, x.Contestants), 1))
				for _, name := range x.Contestants {
					each += int(when(slices.Contains(l.Contestants, name), 1))
				}
			}
		}
		return n, each
	}
	*t = slices.MinFunc(all, func(x, y LiveTask) int {
		n, each := made(x)
		m, others := made(y)
		return cmp.Or(cmp.Compare(n, m), cmp.Compare(each, others),
			cmp.Compare(math.Abs(math.Log(x.Expected)), math.Abs(math.Log(y.Expected))))
	})
	t.Costs = []float64{0, 0} // as both take the same, less what was expected
	return nil
}

// beyond returns the second interval over what the other sessions found, wider by √(N/(N−1)): they are N sessions with
// the run's own, which share the interval's error.
func (l *Live) beyond() judge.Estimate {
	e, n := &l.Couple.Elsewhere, float64(len(l.Calibrated))
	wider := math.Sqrt((n + 1) / n)
	return judge.Estimate{Value: e.Ratio / l.Expected, Lo: e.Ratio / l.Expected * math.Pow(e.Lo/e.Ratio, wider),
		Hi: e.Ratio / l.Expected * math.Pow(e.Hi/e.Ratio, wider)}
}

// shows reports whether the second verdict claims another ratio than the other sessions found, or there is none.
func (l *Live) shows() bool {
	return l.Couple.Elsewhere.Hi == 0 || different(judge.VerdictOf(l.beyond(), Margin))
}

// bootOf returns the boot of a judge.SessionOf.
func bootOf(session string) string {
	boot, _, _ := strings.Cut(session, " ")
	return boot
}

// pairsBar returns the bar for different programs whose ratio is known from other sessions.
func (p *Results) pairsBar() Bar {
	all, boots, models := p.liveCouples(LivePairs, 0, false), map[string]*Rate{}, map[string]bool{}
	for _, c := range all {
		boot := bootOf(c.run.Session)
		if boots[boot] == nil {
			boots[boot] = &Rate{}
		}
		boots[boot].Of, boots[boot].Hits = boots[boot].Of+1, boots[boot].Hits+int(when(c.run.shows(), 1))
		models[c.run.Machine] = true
	}
	r := count(all, func(c liveCouple) bool { return c.run.shows() })
	b := liveBar("live, different programs less their ratio in other sessions: different in the second verdict", r,
		2*pairsRuns)
	b.Limit, b.Met, b.Open = "≤ 1 of 20 on each boot, of two or more", r.Of > 0, b.Open || len(boots) < 2
	for _, on := range boots {
		b.Met, b.Open = b.Met && pairsRuns*on.Hits <= on.Of, b.Open || on.Of < pairsRuns
	}
	b.Worst += fmt.Sprintf("; boots: %d, models of CPU: %d", len(boots), len(models))
	return b
}

// CalibrationTable lists the programs in calibrations.
func (g page) CalibrationTable() table {
	t := table{words("program|scenario|session|machine|CPU time of ref's|in other sessions")}
	for _, l := range g.Live {
		for j, c := range l.Couples {
			if l.Kind == LiveCalibrate && c.Cost == 0 {
				t = append(t, []string{l.Contestants[j+1], l.Scenario, l.Session, l.Machine, ratio(1/c.Ratio, 1/c.Hi, 1/c.Lo),
					ratio(1/c.Elsewhere.Ratio, 1/c.Elsewhere.Hi, 1/c.Elsewhere.Lo)})
			}
		}
	}
	return t
}

// PairTable lists the runs of different programs whose ratio is known from other sessions.
func (g page) PairTable() table {
	head := words("programs|scenario|other sessions|they found|session|here|second verdict's interval|" +
		"over what they found|")
	return tableOf(head, g.liveCouples(LivePairs, 0, false), func(c liveCouple) []string {
		l, e, x := c.run, &c.Elsewhere, c.run.beyond()
		return []string{strings.Join(l.Contestants, " ÷ "), l.Scenario, strings.Join(l.Calibrated, ", "),
			fmt.Sprintf("%.3f", l.Expected), l.Session, ratio(c.Ratio, c.Lo, c.Hi), ratio(e.Ratio, e.Lo, e.Hi),
			ratio(x.Value, x.Lo, x.Hi), bold(map[bool]string{true: "different", false: "not different"}[l.shows()], !l.shows())}
	})
}
