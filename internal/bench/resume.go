package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dyno/internal/contestant"
	"dyno/internal/machine"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// Resume continues an interrupted run in a new epoch, on this machine or another one of the same
// kind. The contestants are built and verified again, and must be the same. Until then nothing is
// recorded: a refusal leaves the run as it was.
func (b *Bench) Resume(ctx context.Context, run *record.Run) (*record.Run, error) {
	b.run, b.servers, b.exact, b.cut = run, map[string]Server{}, newExact(), map[string]int64{}
	if run.End != nil {
		maps.Copy(b.cut, run.End.LogCutBytes)
	}
	epoch, err := plan.Resumable(run)
	if err != nil {
		return run, fmt.Errorf("resume: %w", err)
	}
	here, was, version := b.Host.Describe(), &run.Host, run.Plan.Origin.Dyno
	for i := range run.Resumes {
		r := &run.Resumes[i]
		if r.Host != nil {
			was = r.Host
		}
		if r.Dyno != "" {
			version = r.Dyno
		}
	}
	if err := sameKind(was, &here); err != nil {
		return run, fmt.Errorf("resume: %w; resume it on a machine of that kind, or start a new run", err)
	}
	b.again = &record.Resume{Epoch: epoch, StartedUnixNS: time.Now().UnixNano()}
	if !sameFacts(was, &here) {
		b.again.Host = &here
	}
	if b.Dyno != version {
		b.again.Dyno = b.Dyno
	}
	return b.carryOut(ctx)
}

// goOn records that a resumed run continues. The time until now does not count against its budget.
func (b *Bench) goOn() error {
	again := b.again
	b.again = nil
	if n := len(b.run.Trials); n > 0 {
		again.PausedNS = time.Now().UnixNano() - b.run.Trials[n-1].EndedUnixNS
	}
	return b.record(record.Record{Resume: again})
}

// sameKind returns an error if a run that began on another machine cannot continue here. Kernel
// build, boot and memory may differ.
func sameKind(was, here *record.Host) error {
	var differ []string
	add := func(what string, a, b any) {
		if x, y := fmt.Sprint(a), fmt.Sprint(b); x != y {
			differ = append(differ, fmt.Sprintf("%s: %s, here %s", what, x, y))
		}
	}
	add("machine", was.Name, here.Name)
	add("generators", machines(was.Generators), machines(here.Generators))
	add("CPU", was.CPU, here.CPU)
	add("CPUs", was.CPUs, here.CPUs)
	add("kernel series", machine.KernelSeries(was.Kernel), machine.KernelSeries(here.Kernel))
	add("CPUs of servers", was.ServerCPUs, here.ServerCPUs)
	add("CPUs of the generator", was.GeneratorCPUs, here.GeneratorCPUs)
	add("pinned", was.Pinned, here.Pinned)
	add("CPUs by quota", was.QuotaCPUs, here.QuotaCPUs)
	if len(differ) > 0 {
		return fmt.Errorf("the run began on a different kind of machine (%s)", strings.Join(differ, "; "))
	}
	return nil
}

// machines names a run's further machines, with their CPUs.
func machines(of []record.Host) (all []string) {
	for i := range of {
		cpus := slices.Concat(of[i].ServerCPUs, of[i].GeneratorCPUs)
		all = append(all, fmt.Sprintf("%s: %s %v", of[i].Name, of[i].CPU, cpus))
	}
	return all
}

// sameFacts reports whether two machine descriptions are recorded alike.
func sameFacts(a, b *record.Host) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && string(x) == string(y)
}

// sameProgram returns an error if a contestant's build differs from the start of the run. The
// reference servers, which are part of dyno, only need the same Go version.
//
// Note: a program with the same sources and toolchain but another hash could be taken for one more
// layout of its functions. But nothing shows that it differs only in its layout.
func sameProgram(was, is *record.Contestant) error {
	tool := func(c *record.Contestant) string {
		name, _, _ := strings.Cut(c.Toolchain, " (")
		return name
	}
	for _, d := range []struct{ what, was, is string }{
		{"version", was.Version, is.Version},
		{"toolchain", tool(was), tool(is)},
		{"sources", short(was.Sources), short(is.Sources)},
	} {
		if d.was != d.is && d.was != "" {
			return fmt.Errorf("%s %s at the start of the run, now %s; take the sources and the toolchain that it "+
				"began with, or start a new run", d.what, d.was, cmp.Or(d.is, "none"))
		}
	}
	if was.BinaryHash == is.BinaryHash && slices.Equal(was.Layouts, is.Layouts) {
		return nil
	}
	return fmt.Errorf("program %s (SHA-256) at the start of the run, now %s, though version and toolchain are the "+
		"same; copy the folder \"built\" of dyno's cache from the first machine, or start a new run",
		programs(was), programs(is))
}

// programs shortens the hashes of a contestant's programs.
func programs(c *record.Contestant) string {
	all := []string{short(c.BinaryHash)}
	for _, h := range c.Layouts {
		all = append(all, short(h))
	}
	return strings.Join(all, " ")
}

// short returns the first digits of a hash.
func short(hash string) string { return hash[:min(12, len(hash))] }

// refuse returns the error for a contestant that cannot take part in a resumed run as before.
func refuse(name string, err error) error {
	if failed, is := errors.AsType[*contestant.Failed](err); is && len(failed.Tail) > 0 {
		err = fmt.Errorf("%w; its log ends: %s", err, failed.Tail[len(failed.Tail)-1])
	}
	return fmt.Errorf("resume: %s: %w", name, err)
}
