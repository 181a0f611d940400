package bench

import "dyno/internal/result"

// heap reads the heap of a thawed, idle server, if the plan requests it. The returned function
// reads it again and stores in u the bytes in use and the bytes allocated in between. For a server
// that cannot report its heap it does nothing.
//
// A reading itself allocates some kilobytes, which are measured by two consecutive readings and
// subtracted.
func (b *Bench) heap(s Server) func(u *result.Usage) {
	none := func(*result.Usage) {}
	if !b.run.Plan.Heap {
		return none
	}
	_, first, err := s.Heap()
	if err != nil {
		return none
	}
	_, second, err := s.Heap()
	if err != nil {
		return none
	}
	return func(u *result.Usage) {
		inuse, third, err := s.Heap()
		if err != nil {
			return
		}
		allocated := max(0, third-second-(second-first))
		u.HeapInuseBytes, u.AllocBytes = &inuse, &allocated
	}
}
