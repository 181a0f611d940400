package host

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/result"
)

// Spinning is what decides whether event loops may spin: poll for answers and due times without sleeping, which takes a whole CPU each.
type Spinning struct {
	Usable     []int   // CPUs that this process may use
	Quota      float64 // CPUs that a cgroup quota grants it; 0: there is no quota
	Loops      int
	LoopCPUs   []int // that the loops are pinned to; nil: any of Usable
	Remote     bool  // the server is on another machine
	ServerCPUs []int // that a server on this machine may use; nil: not known
}

// Allowed reports whether the loops may spin: each has a CPU of its own, affinity and quota leave one more, and the server is on another machine or
// pinned to other CPUs than the loops. If not, why says so.
func (s Spinning) Allowed() (ok bool, why string) {
	cpus := s.LoopCPUs
	if cpus == nil {
		cpus = s.Usable
	}
	shared := slices.ContainsFunc(s.ServerCPUs, func(cpu int) bool { return slices.Contains(cpus, cpu) })
	switch spare := max(1, len(s.ServerCPUs)); {
	case !s.Remote && len(s.ServerCPUs) == 0:
		return false, "it is not known which CPUs the server may use"
	case !s.Remote && shared:
		return false, "the server may use the event loops' CPUs"
	case len(cpus) < s.Loops:
		return false, fmt.Sprintf("the event loops outnumber their CPUs, %d to %d", s.Loops, len(cpus))
	case len(s.Usable) <= s.Loops:
		return false, "no CPU would be left that this process may use: " + list(s.Usable)
	case s.Quota > 0 && s.Quota < float64(s.Loops+spare):
		return false, fmt.Sprintf("the cgroup quota of %.3g CPUs leaves none to spare", s.Quota)
	}
	return true, ""
}

// SpinAllowed is Spinning.Allowed for the loops of a run on h, whose server and generator are pinned as h has it. Threads that share a core slow each
// other down, so that on such a machine only the loops of an open loop may spin.
func SpinAllowed(h *result.Host, loops int, open bool) (ok bool, why string) {
	if h.SharedCore && !open {
		return false, "server and generator are threads of one core"
	}
	s := Spinning{Usable: slices.Concat(h.ServerCPUs, h.GeneratorCPUs), Quota: h.QuotaCPUs, Loops: loops, LoopCPUs: h.GeneratorCPUs}
	if h.Pinned {
		s.ServerCPUs = h.ServerCPUs
	}
	return s.Allowed()
}

// list writes CPU numbers, "0, 1".
func list(cpus []int) string {
	words := make([]string, len(cpus))
	for i, cpu := range cpus {
		words[i] = strconv.Itoa(cpu)
	}
	return strings.Join(words, ", ")
}

// Limits are the CPUs that this process may use, and how many CPUs' time a cgroup quota grants it; 0: there is no quota.
func Limits() (usableCPUs []int, quotaCPUs float64) {
	q, _ := quotaOf(os.DirFS("/"))
	return usable(), q
}
