package bench

import (
	"net"
	"os"
	"slices"
	"time"

	"dyno/internal/machine"
	"dyno/internal/record"
)

// Whole describes this machine as one of several, with all CPUs for servers or all for the generator.
func Whole(servers bool) record.Host { return whole(machine.Describe(), servers, 0, nil) }

// whole gives all CPUs that h divides between server and generator to one side; if they are fewer
// than n it gives all, including those that h keeps for background CPU.
func whole(h record.Host, servers bool, n int, all []int) record.Host {
	cpus := slices.Concat(h.ServerCPUs, h.GeneratorCPUs)
	slices.Sort(cpus)
	cpus = slices.Compact(cpus)
	if len(cpus) < min(n, len(all)) {
		cpus = slices.Clone(all)
	}
	h.ServerCPUs, h.GeneratorCPUs, h.SharedCore = nil, cpus, false
	if servers {
		h.ServerCPUs, h.GeneratorCPUs = cpus, nil
	}
	h.Pinned = true // nothing that dyno starts for the other side may use them
	return h
}

// Certificate returns the certificate, in PEM, for the servers that this machine serves over TLS;
// nil if there is none.
func (l *Local) Certificate() ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.identity.Cert == "" {
		return nil, nil
	}
	return os.ReadFile(l.identity.Cert)
}

// listens returns further addresses that servers listen on.
func (l *Local) listens() (more []net.IP) {
	if ip := net.ParseIP(l.opts.Address); ip != nil {
		more = append(more, ip)
	}
	return more
}

// own returns dyno's own account if it serves generators on other machines: there all CPUs are the
// servers'.
func (l *Local) own(used time.Duration) machine.Account {
	if l.opts.Address == "" {
		return machine.Account{}
	}
	return machine.Account{CPUs: l.machine.ServerCPUs, Used: used}
}
