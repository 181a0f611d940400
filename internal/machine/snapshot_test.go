//go:build linux

package machine

import (
	"testing"
)

func TestMeter(t *testing.T) {
	m, err := NewMeter()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var before, after Snapshot
	m.Snapshot(&before)
	if len(before.CPUs) == 0 || before.At.IsZero() || before.CPUs[Usable()[0]].Busy == 0 {
		t.Fatalf("%+v", before)
	}
	for range 5 {
		m.Snapshot(&after)
		if c := Causes(&before, &after, Account{}, Account{}); c.SuspendedNS != 0 {
			t.Errorf("suspended for %d ns in a test that ran on", c.SuspendedNS)
		}
		for cpu := range after.CPUs {
			if after.CPUs[cpu].Busy < before.CPUs[cpu].Busy {
				t.Errorf("busy ticks of CPU %d fell", cpu)
			}
		}
		before, after = after, before
	}
}

func TestSnapshotDoesNotAllocate(t *testing.T) {
	m, err := NewMeter()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var s Snapshot
	m.Snapshot(&s)
	if n := testing.AllocsPerRun(200, func() { m.Snapshot(&s) }); n != 0 { // a thread met anew rounds down to none
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkSnapshot(b *testing.B) {
	m, err := NewMeter()
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	var s Snapshot
	b.ReportAllocs()
	for b.Loop() {
		m.Snapshot(&s)
	}
}
