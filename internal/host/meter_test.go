//go:build linux

package host

import (
	"runtime"
	"sync"
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
	if len(before.CPUs) == 0 || before.At.IsZero() || before.CPUs[usable()[0]].Busy == 0 {
		t.Fatalf("%+v", before)
	}
	if len(m.threads) < 2 {
		t.Errorf("%d threads met", len(m.threads))
	}
	// Threads that end take nothing off: a goroutine that leaves locked takes its thread along.
	for range 5 {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				runtime.LockOSThread()
				for range 1_000_000 {
				}
			})
		}
		m.Snapshot(&after)
		wg.Wait()
		if after.RunQueue < before.RunQueue {
			t.Errorf("the run queue's delay fell from %v to %v", before.RunQueue, after.RunQueue)
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
