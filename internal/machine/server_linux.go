package machine

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"
)

// ServerCPUs returns the CPUs, ascending, that the processes listening on a local address may run
// on, for all their threads together. addr is an IP address and a port. ServerCPUs returns an error if
// the processes cannot be found or read. It does not see processes to which a listening process passes
// its connections.
func ServerCPUs(addr string) ([]int, error) {
	_, servers, err := serving(addr)
	if err != nil {
		return nil, err
	}
	var cpus unix.CPUSet
	for _, pid := range servers {
		if err := addAffinity(pid, &cpus); err != nil {
			return nil, fmt.Errorf("read the CPUs of process %d, which listens on %s: %w", pid, addr, err)
		}
	}
	return cpuNumbers(&cpus), nil
}

// serving returns all processes, and the pids of those that listen on a local address, as ServerCPUs has it.
func serving(addr string) (all []stat, servers []int, err error) {
	sockets, err := acceptors(addr)
	if err == nil {
		all, err = processes()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("find the process that listens on %s: %w", addr, err)
	}
	if len(sockets) == 0 {
		return nil, nil, fmt.Errorf("no process of this machine listens on %s (is it in a container, or on another machine?)",
			addr)
	}
	servers, found := holders(pids(all), sockets)
	// systemd, pid 1, hands listening sockets to the services that it starts
	servers = slices.DeleteFunc(servers, func(pid int) bool { return pid == 1 })
	if len(servers) == 0 || !found {
		return nil, nil, fmt.Errorf("dyno may not inspect the process that listens on %s: it is pid 1, or another user's "+
			"(run dyno as that user or as root)", addr)
	}
	return all, servers, nil
}

// addAffinity adds to set the CPUs that each thread of pid may run on.
func addAffinity(pid int, set *unix.CPUSet) error {
	tids, err := threads(pid)
	if err != nil {
		return err
	}
	for _, tid := range tids {
		var own unix.CPUSet
		if err := unix.SchedGetaffinity(tid, &own); errors.Is(err, unix.ESRCH) {
			continue // it ended
		} else if err != nil {
			return err
		}
		for i := range own {
			set[i] |= own[i]
		}
	}
	return nil
}

// acceptors returns the links, "socket:[inode]", of the sockets that accept connections to addr.
func acceptors(addr string) ([]string, error) {
	to, err := netip.ParseAddrPort(addr)
	if err != nil {
		return nil, err
	}
	return listeners(int(to.Port()), func(l listener) bool { return accepts(l, to.Addr()) })
}

// accepts reports whether a socket takes connections to an address.
func accepts(l listener, to netip.Addr) bool {
	return l.address.IsUnspecified() || l.address == to.Unmap().WithZone("")
}
