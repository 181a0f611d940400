package bench

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/record"
)

// fakeTool reports a rate, except for b, where it does not run.
type fakeTool struct {
	host *fakeHost
	logs []string
}

func (f *fakeTool) Load(ctx context.Context, job load.Job, w load.Window, log string) (record.Reported, time.Duration,
	error) {
	f.logs = append(f.logs, filepath.Base(log))
	if job.Connections != 4 || w.For != time.Second || len(f.host.thawed) != 1 {
		f.host.t.Errorf("%d connections, %v, thawed %v", job.Connections, w.For, f.host.thawed)
	}
	if f.host.thawed[0] == "b" {
		return record.Reported{}, 0, errors.New("no such file")
	}
	rate := 1000.0
	return record.Reported{RatePerSec: &rate, Errors: map[string]int64{"read": 7}}, 250 * time.Millisecond, nil
}

// Whatever happens to the external load generator is in its trial, and fails no contestant.
func TestExternalLoads(t *testing.T) {
	b, h, _, _ := set(t)
	tool := &fakeTool{host: h}
	b.External, b.Folder = map[string]External{"wrk": tool}, t.TempDir()
	h.followed = true
	p := small("a", "b")
	p.Processes, p.External, p.Load.NS, p.Load.RewarmNS = record.PerLoad, []string{"wrk"}, 1e9, 0
	p.Controls, p.Rounds, p.Pilots, p.Epochs = nil, 1, 0, []int{1}
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil || len(run.Failures) > 0 || len(run.Trials) != 6 {
		t.Fatalf("%v, %+v, %d trials", err, run.Failures, len(run.Trials))
	}
	for i, name := range []string{"a", "b", "null"} {
		own, driven := run.Trials[2*i], run.Trials[2*i+1]
		if own.Contestant != name || own.External != "" || own.Reported != nil || own.Load.Succeeded == 0 ||
			len(own.Memory) < 2 {
			t.Errorf("own: %+v", own)
		}
		if driven.Contestant != name || driven.External != "wrk" || driven.Reported == nil ||
			driven.Load.Succeeded != 0 ||
			driven.Load.Connections != 0 {
			t.Fatalf("driven: %+v", driven)
		}
		switch told := driven.Reported; {
		case name == "b" && (told.Trouble != "it did not run: no such file" || told.RatePerSec != nil ||
			driven.Generator.CPUNS != nil || told.LogFile != ""):
			t.Errorf("%+v", told)
		case name != "b" && (*told.RatePerSec != 1000 || *driven.Generator.CPUNS != 25e7 ||
			told.LogFile != "logs/"+name+"-wrk0.log"):
			t.Errorf("%+v", told)
		}
	}
	if len(tool.logs) != 3 {
		t.Errorf("logs %q", tool.logs)
	}
}
