package bench

import (
	"dyno/internal/contestant"
	"dyno/internal/record"
)

// Heap is a contestant's own report: heap bytes in use, bytes allocated since its launch, and
// goroutines started since then. Inuse and Goroutines are 0 if it cannot report them.
type Heap struct{ Inuse, Allocated, Goroutines int64 }

// heap reads a thawed, idle server's heap, if the plan asks. The returned function reads it again
// and stores in u the bytes in use, and the bytes allocated and the goroutines started in between.
// If a server cannot report its heap it does nothing.
//
// A reading itself allocates some kilobytes and starts a goroutine, which two consecutive readings
// measure, to be subtracted.
func (b *Bench) heap(s Server) func(u *record.Usage) {
	none := func(*record.Usage) {}
	if !b.run.Plan.Heap {
		return none
	}
	first, err1 := s.Read(ReadHeap)
	second, err2 := s.Read(ReadHeap)
	if err1 != nil || err2 != nil {
		return none
	}
	return func(u *record.Usage) {
		r, err := s.Read(ReadHeap)
		if err != nil {
			return
		}
		third := r.Heap
		within := func(of func(Heap) int64) *int64 {
			return new(max(0, of(third)-of(second.Heap)-(of(second.Heap)-of(first.Heap))))
		}
		u.AllocBytes = within(func(h Heap) int64 { return h.Allocated })
		if third.Inuse > 0 {
			u.HeapInuseBytes = &third.Inuse
		}
		if third.Goroutines > 0 {
			u.GoroutinesStarted = within(func(h Heap) int64 { return h.Goroutines })
		}
	}
}

// reportsHeap reports whether a contestant serves heap figures. Note: the language decides, not a
// key in the manifest, because all contestants in Go and .NET have the harness, which a test
// checks.
func reportsHeap(m *contestant.Manifest) bool {
	return m.Path != "" && (m.Language == "go" || m.Language == "csharp")
}
