package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"dyno/internal/plan"
	"dyno/internal/record"
)

// loadExternal makes a trial with an external tool. Errors in the tool's requests are part of its
// report; they do not fail the contestant.
func (b *Bench) loadExternal(ctx context.Context, s Server, o plan.Order) (*record.Trial, error) {
	watched := b.Host.Watch(s)
	outer := clocks(cpuOf(s), b.Generator.CPU)
	t := &record.Trial{Key: o.Key, Contestant: o.Contestant, External: o.External, StartedUnixNS: time.Now().UnixNano()}
	if o.Level != b.run.Plan.First() {
		t.Level = &o.Level
	}
	if err := b.thawed(ctx, o.Contestant, s, o.Epoch, o.Level); err != nil {
		return nil, err
	}
	log, _ := s.Read(ReadLog)
	s.Read(ReadCount)
	inner := clocks(cpuOf(s))
	name := filepath.Join(logFolder, LogName(o.Contestant, fmt.Sprintf("%s%d", o.External, o.Epoch)))
	reported, used, err := b.External[o.External].Load(ctx, b.job(o.Contestant, s, o.Level, o.LoadSeed), b.window(o, nil),
		filepath.Join(b.Folder, name))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		reported.Trouble = fmt.Sprintf("it did not run: %v", err)
	} else {
		reported.LogFile = filepath.ToSlash(name)
	}
	server := inner()[0]
	read(s, ReadCounted, &t.Server)
	if o.Last {
		read(s, ReadTotals, &t.Server)
	}
	if err := b.frozen(o.Contestant, s); err != nil {
		return nil, err
	}
	t.EndedUnixNS, t.Reported = time.Now().UnixNano(), &reported
	all := outer()
	t.Causes = watched(all[0].or(0), all[1].or(0)+used, 0)
	read(s, ReadUsage, &t.Server)
	t.Server.LoggedBytes -= log.Logged
	t.Server.CPUNS = server.ns()
	if used > 0 {
		t.Generator.CPUNS = reading{used, true}.ns()
	}
	t.Causes.GeneratorCPUs = max(1, len(b.Generator.CPUs()))
	return t, nil
}
