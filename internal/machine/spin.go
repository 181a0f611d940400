package machine

import (
	"fmt"
	"os"
	"slices"

	"dyno/internal/record"
)

// Spinning holds the facts that decide whether event loops may spin. A spinning loop polls for
// responses and due times without sleeping, and takes a whole CPU.
type Spinning struct {
	Usable     []int   // CPUs that this process may use
	Quota      float64 // CPUs that a cgroup quota grants; 0: there is no quota
	Loops      int
	LoopCPUs   []int // CPUs that the loops are pinned to; nil: any of Usable
	Remote     bool  // the server is on another machine
	ServerCPUs []int // CPUs that a server on this machine may use; nil: unknown
}

// Allowed reports whether the loops may spin, and if not, why. Each loop needs its own CPU,
// affinity and quota must leave one more, and the server must be on another machine or pinned to
// other CPUs than the loops.
func (s Spinning) Allowed() (ok bool, why string) {
	cpus := s.LoopCPUs
	if cpus == nil {
		cpus = s.Usable
	}
	shared := slices.ContainsFunc(s.ServerCPUs, func(cpu int) bool { return slices.Contains(cpus, cpu) })
	switch spare := max(1, len(s.ServerCPUs)); {
	case !s.Remote && len(s.ServerCPUs) == 0:
		return false, "the CPUs that the server may use are unknown"
	case !s.Remote && shared:
		return false, "the server may use the event loops' CPUs"
	case len(cpus) < s.Loops:
		return false, fmt.Sprintf("there are %d event loops for %d CPUs", s.Loops, len(cpus))
	case len(s.Usable) <= s.Loops:
		return false, fmt.Sprintf(
			"no CPU would remain free: this process may use %d, one per event loop", len(s.Usable))
	case s.Quota > 0 && s.Quota < float64(s.Loops+spare):
		return false, fmt.Sprintf("the cgroup quota of %.3g CPUs leaves no CPU free", s.Quota)
	}
	return true, ""
}

// SpinAllowed calls Spinning.Allowed for the event loops in a run on h. Threads that share a core
// slow each other down, so on such a machine only an open loop may spin.
func SpinAllowed(h *record.Host, loops int, open bool) (ok bool, why string) {
	if h.SharedCore && !open {
		return false, "server and generator use threads of the same core"
	}
	s := Spinning{Usable: slices.Concat(h.ServerCPUs, h.GeneratorCPUs), Quota: h.QuotaCPUs, Loops: loops,
		LoopCPUs: h.GeneratorCPUs}
	if h.Pinned {
		s.ServerCPUs = h.ServerCPUs
	}
	return s.Allowed()
}

// Limits returns the CPUs that this process may use, and how many of them a cgroup quota grants; 0
// if there is no quota.
func Limits() (usableCPUs []int, quotaCPUs float64) {
	q, _ := quotaOf(os.DirFS("/"))
	return Usable(), q
}
