package machine

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ServerCPUs returns the CPUs, ascending, that the processes listening on a local address may run
// on, for all their threads together. If network is "unix", addr is a socket's path; otherwise addr
// is an IP address and a port. ServerCPUs returns an error if the processes cannot be found or
// read. It does not see processes to which a listening process passes its connections.
func ServerCPUs(network, addr string) ([]int, error) {
	_, servers, err := serving(network, addr)
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
func serving(network, addr string) (all []stat, servers []int, err error) {
	sockets, err := acceptors(network, addr)
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
func acceptors(network, addr string) ([]string, error) {
	if network == "unix" {
		data, err := os.ReadFile("/proc/net/unix")
		return parseUnixListeners(data, addr), err
	}
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

// parseUnixListeners reads /proc/net/unix (proc_pid_net(5)): field 4 holds flags, in which 10000
// hex marks a listening socket (__SO_ACCEPTCON), field 7 the inode; the rest is the path as the
// server gave it.
func parseUnixListeners(data []byte, path string) []string {
	var list []string
	for line := range bytes.Lines(data) {
		fields := strings.Fields(string(line))
		if len(fields) < 8 || !strings.HasSuffix(strings.TrimRight(string(line), "\n"), " "+path) {
			continue
		}
		if flags, err := strconv.ParseUint(fields[3], 16, 64); err == nil && flags&0x10000 != 0 {
			list = append(list, "socket:["+fields[6]+"]")
		}
	}
	return list
}
