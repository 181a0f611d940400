package bench

import "dyno/internal/result"

// heap begins to follow the heap of a server that is thawed and at rest, if the plan asks for it;
// the function it returns puts into u what is in use then, and what was allocated between the two.
// A server that cannot tell has neither.
//
// A reading allocates some kilobytes itself. How much is the difference of two in a row.
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
