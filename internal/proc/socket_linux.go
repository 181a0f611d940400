package proc

import (
	"bytes"
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Listening reports whether what listens on the TCP port of the loopback address is all of the tree. pids are the processes that hold such
// sockets, of the tree or not; a socket of another user's process that may not be read makes ours false and adds no pid.
func (p *Process) Listening(port int) (ours bool, pids []int, err error) {
	sockets, err := listeners(port)
	if err != nil || len(sockets) == 0 {
		return false, nil, err
	}
	held := make(map[string]bool)
	for _, pid := range p.Tree() {
		mine := holds(pid, sockets)
		for _, s := range mine {
			held[s] = true
		}
		if len(mine) > 0 {
			pids = append(pids, pid)
		}
	}
	if len(held) == len(sockets) {
		return true, pids, nil
	}
	return false, Owner(port), nil
}

// Owner returns the processes that hold a socket that listens on the TCP port of the loopback address, as far as they may be read.
func Owner(port int) []int {
	sockets, err := listeners(port)
	if err != nil || len(sockets) == 0 {
		return nil
	}
	all, err := processes()
	if err != nil {
		return nil
	}
	var list []int
	for _, s := range all {
		if len(holds(s.pid, sockets)) > 0 {
			list = append(list, s.pid)
		}
	}
	slices.Sort(list)
	return list
}

// Name is the name of process pid, as ps shows it, empty if it is gone.
func Name(pid int) string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// listeners returns the links, "socket:[inode]", of the sockets that answer on port of 127.0.0.1 or ::1.
func listeners(port int) ([]string, error) {
	var list []string
	for _, path := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) && path == "/proc/net/tcp6" {
			continue // no IPv6 here
		}
		if err != nil {
			return nil, err
		}
		list = append(list, parseListeners(data, port, local)...)
	}
	return list, nil
}

// parseListeners reads /proc/net/tcp and tcp6 (kernel Documentation/networking/proc_net_tcp.rst): field 2 is the local address and port in
// hex, 4 the state, of which 0A listens, 10 the inode. It returns the links of those whose address is wanted.
func parseListeners(data []byte, port int, wanted func(address []byte) bool) []string {
	var list []string
	for line := range bytes.Lines(data) {
		fields := bytes.Fields(line)
		if len(fields) < 10 || string(fields[3]) != "0A" || string(fields[9]) == "0" {
			continue
		}
		address, hexPort, _ := bytes.Cut(fields[1], []byte{':'})
		n, err := strconv.ParseUint(string(hexPort), 16, 16)
		if err != nil || int(n) != port || !wanted(address) {
			continue
		}
		list = append(list, "socket:["+string(fields[9])+"]")
	}
	return list
}

// local reports whether a connection to the loopback address can reach address, which is hex in words of four bytes, each in the order of
// the machine. Both orders are tried: one of them means something else only for addresses that no loopback has.
func local(address []byte) bool {
	all := addresses(address)
	return len(all) == 0 || // rather too careful
		slices.ContainsFunc(all, func(a netip.Addr) bool { return a.IsLoopback() || a.IsUnspecified() })
}

// holds returns those of sockets that pid has open.
func holds(pid int, sockets []string) []string {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	var list []string
	for _, name := range names {
		link, err := os.Readlink(dir + "/" + name)
		if err == nil && slices.Contains(sockets, link) && !slices.Contains(list, link) {
			list = append(list, link)
		}
	}
	return list
}
