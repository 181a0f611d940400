package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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

// A program is matched by the mean over the clear calibrations of other sessions on this machine, while its sources stay.
func TestPairUp(t *testing.T) {
	now := record.Run{Host: record.Host{CPU: "x", CPUs: 2, BootID: "b"}}
	const here = "b 1970-01-01"
	done := []Live{calibratedAs("x, 2 CPUs", "a", "v1", 7.1, 1.3, .9), calibratedAs("x, 2 CPUs", "c", "v1", 5.1),
		calibratedAs("y, 2 CPUs", "c", "v1", 3), calibratedAs("x, 2 CPUs", here, "v1", 3)}
	pair := func() (task LiveTask) {
		t.Helper()
		if err := task.pairUp(done, &now); err != nil {
			t.Fatal(err)
		}
		done = append(done, Live{Kind: LivePairs, Judge: liveJudge, Analyses: 1, Scenario: task.Scenario,
			Contestants: task.Contestants, Couple: &Couple{}})
		return task
	}
	first, second, third := pair(), pair(), pair()
	if !slices.Equal(first.Contestants, words("p0|ref+500.00%")) || !slices.Equal(first.Calibrated, words("a|c")) ||
		!slices.Equal(second.Contestants, words("p1|ref+25.00%")) || third.Contestants[0] != "p0" || first.Program != "p0v1" {
		t.Errorf("%+v, %+v, %+v", first, second, third)
	}
	wide := calibratedAs("x, 2 CPUs", "w", "v2", 9)
	wide.Couples[2].Lo /= 2 // a mean that is not known
	done = append(done, calibratedAs("x, 2 CPUs", "d", "v2", 1.3), wide)
	if x := pair(); !slices.Equal(x.Contestants, words("p1|ref+25.00%")) {
		t.Errorf("%+v", x)
	}
	if x := pair(); x.Program != "p0v2" || len(x.Calibrated) != 1 {
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
		"| 0.900 | none |", "| p1 | values | ref+25.00% |",
		"**none** |"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %q in\n%s", want, &page)
		}
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
				l.Couples[1].Cost = 0
				if x := l.matching(&l.Couples[1]); x < .22 || x > .28 || l.Session != session || len(l.Programs) != 3 {
					t.Errorf("matched by %v: %+v", x, l)
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
