package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dyno/internal/record"
)

// calibratedAs returns a calibration in which programs take these multiples of ref's CPU time.
func calibratedAs(machine, session, version string, takes ...float64) Live {
	l := Live{Kind: LiveCalibrate, Judge: liveJudge, Analyses: 1, Machine: machine, Session: session, Scenario: "values",
		Contestants: words("ref|ref+50%|ref+500%"), Programs: words("||")}
	for i, x := range append([]float64{1.6, 6.1}, takes...) {
		c := Couple{Side: Side{Ratio: 1 / x, Lo: .95 / x, Hi: 1.05 / x}}
		if i < 2 {
			c.Cost = []float64{.5, 5}[i]
		} else {
			name := fmt.Sprintf("p%d", i-2)
			l.Contestants, l.Programs = append(l.Contestants, name), append(l.Programs, name+version)
			c.Ratio, c.Elsewhere = 9, Side{Ratio: 1 / x} // short loads mislead
		}
		l.Couples = append(l.Couples, c)
	}
	return l
}

// Two programs of one calibration are compared by their mean ratio in the clear calibrations of other sessions on this
// machine, while their sources stay.
func TestPairUp(t *testing.T) {
	now := record.Run{Host: record.Host{CPU: "x", CPUs: 2, BootID: "b"}}
	const here = "b 1970-01-01"
	done := []Live{calibratedAs("x, 2 CPUs", "a", "v1", 1, 1.2, 2), calibratedAs("x, 2 CPUs", "c", "v1", 1, 1.8),
		calibratedAs("y, 2 CPUs", "c", "v1", 3, 1), calibratedAs("x, 2 CPUs", here, "v1", 3, 1)}
	pair := func() (task LiveTask) {
		t.Helper()
		if err := task.pairUp(done, &now); err != nil {
			t.Fatal(err)
		}
		done = append(done, Live{Kind: LivePairs, Judge: liveJudge, Analyses: 1, Scenario: task.Scenario,
			Expected: task.Expected, Calibrated: task.Calibrated, Contestants: task.Contestants, Couple: &Couple{}})
		return task
	}
	first, second := pair(), pair()
	if !slices.Equal(first.Contestants, words("p0|p1")) || !slices.Equal(first.Calibrated, words("a|c")) ||
		!slices.Equal(first.Programs, words("p0v1|p1v1")) || math.Abs(first.Expected-1/math.Sqrt(1.2*1.8)) > 1e-9 ||
		!slices.Equal(second.Contestants, words("p1|p2")) || math.Abs(second.Expected-1.2/2) > 1e-9 {
		t.Errorf("%+v, %+v", first, second)
	}
	wide := calibratedAs("x, 2 CPUs", "w", "v2", 9, 1)
	wide.Couples[2].Lo /= 2 // a mean that is not known
	done = append(done, calibratedAs("x, 2 CPUs", "d", "v2", 1, 1.3), wide)
	pair() // p0 and p2
	if x := pair(); !slices.Equal(x.Programs, words("p0v2|p1v2")) || len(x.Calibrated) != 1 ||
		math.Abs(x.Expected-1/1.3) > 1e-9 {
		t.Errorf("%+v", x)
	}
	for i, want := range []string{"live calibrate` now", "this session has some; run `live pairs` after"} {
		task := LiveTask{}
		if err := task.pairUp(done[3:3+i], &now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without calibrations in other sessions: %v; want %q", err, want)
		}
	}
	var page bytes.Buffer
	if err := Page(&page, &Results{Live: done}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| p2 | values | a | " + machineOf(&now) + " | 0.111 (",
		"| p0 ÷ p1 | values | a, c | 0.680 |",
		"| **different** |"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %q in\n%s", want, &page)
		}
	}
}

// The second verdict is over what the other sessions found, and their errors count as the run's.
func TestBeyondOtherSessions(t *testing.T) {
	l := Live{Expected: .5, Calibrated: words("a"), Couple: &Couple{Elsewhere: Side{Ratio: .55, Lo: .5, Hi: .605}}}
	if x := l.beyond(); math.Abs(x.Value-1.1) > 1e-9 || math.Abs(x.Lo-1.1*math.Pow(1.1, -math.Sqrt2)) > 1e-9 || l.shows() {
		t.Errorf("%+v", x)
	}
	if l.Expected = .4; !l.shows() {
		t.Error("the interval ends far above what the other session found")
	}
}

// Each session has calibrations of its own; one that is made is not made again.
func TestCalibrate(t *testing.T) {
	var file bytes.Buffer
	played := 0
	for _, session := range []string{"a 2017-07-14", "b 2017-07-14", "b 2017-07-14"} {
		done, err := ReadLive(bytes.NewReader(file.Bytes()), "live.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		err = RunLive(t.Context(), &LiveOptions{Done: done, Kind: LiveCalibrate, More: 1, Session: session,
			Play: func(_ context.Context, task *LiveTask) (*record.Run, []Cost, error) {
				played++
				task.Contestants, task.Costs = words("ref|ref+50%|gin"), []float64{0, .5, .25}
				run := playFake(task)
				run.Host.BootID = session[:1]
				return run, nil, nil
			},
			Keep: func(l Live) error {
				if l.Session != session || len(l.Programs) != 3 {
					t.Errorf("%+v", l)
				}
				return json.NewEncoder(&file).Encode(l)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if played != 3 {
		t.Errorf("%d runs", played)
	}
}
