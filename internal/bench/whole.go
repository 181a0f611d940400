package bench

import (
	"net"
	"os"
	"slices"
	"time"

	"dyno/internal/host"
	"dyno/internal/result"
)

// Whole describes this machine as one of several, all of whose CPUs are a server's or a generator's.
func Whole(servers bool) result.Host { return whole(host.Describe(), servers, 0, nil) }

// whole gives all CPUs that h divides between server and generator to either; with fewer than n it gives
// all, also those that h keeps for background CPU.
func whole(h result.Host, servers bool, n int, all []int) result.Host {
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
	h.Pinned = true // whatever they are, nothing that dyno starts for the other side may use them
	return h
}

// Certificate returns the certificate of the servers that this machine serves over TLS, PEM; nil if
// there is none.
func (l *Local) Certificate() ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.identity.Cert == "" {
		return nil, nil
	}
	return os.ReadFile(l.identity.Cert)
}

// listens returns the further addresses that servers listen on.
func (l *Local) listens() (more []net.IP) {
	if ip := net.ParseIP(l.opts.Address); ip != nil {
		more = append(more, ip)
	}
	return more
}

// own returns the account of dyno itself where it serves generators on other machines: there all CPUs
// are the servers'.
func (l *Local) own(used time.Duration) host.Account {
	if l.opts.Address == "" {
		return host.Account{}
	}
	return host.Account{CPUs: l.machine.ServerCPUs, Used: used}
}
