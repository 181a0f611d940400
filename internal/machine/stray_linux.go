package machine

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Strayed returns an error if a thread in the tree may run on CPUs that the tree was not pinned to:
// the thread has changed its own affinity. It returns nil for an unpinned tree. Call it while the
// tree is frozen; it costs a system call per thread.
func (p *Process) Strayed() error {
	if p.cpus.Count() == 0 {
		return nil
	}
	for _, m := range p.current() {
		var now unix.CPUSet
		if err := addAffinity(m.pid, &now); err != nil {
			continue // it ended
		}
		for i := range now {
			now[i] &^= p.cpus[i]
		}
		if now.Count() > 0 {
			return fmt.Errorf("its process %d (%s) was pinned to CPUs %v and now may run on %v; a contestant must "+
				"not change its CPUs",
				m.pid, Name(m.pid), cpuNumbers(&p.cpus), cpuNumbers(&now))
		}
	}
	return nil
}

// cpuNumbers returns the CPUs in a set, in ascending order.
func cpuNumbers(set *unix.CPUSet) (list []int) {
	for cpu := 0; len(list) < set.Count(); cpu++ {
		if set.IsSet(cpu) {
			list = append(list, cpu)
		}
	}
	return list
}
