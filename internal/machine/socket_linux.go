package machine

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"dyno/internal/wire"
)

// listenTries limits Listening's attempts: a contestant may be passing its port to a child at the
// moment.
const listenTries = 5

// Listening reports whether all sockets that listen on a TCP address and port belong to the tree.
// For a loopback address, sockets on every loopback address count. pids are the processes that hold
// the sockets. If ours is false, pids are only those outside the tree; a socket of another user's
// process may not be readable and then adds no pid.
func (p *Process) Listening(at netip.AddrPort) (ours bool, pids []int, err error) {
	for range listenTries {
		sockets, err := listeners(int(at.Port()), reachable(at.Addr()))
		if err != nil || len(sockets) == 0 {
			return false, nil, err
		}
		members := p.Tree()
		if pids, all := holders(members, sockets); all {
			return true, pids, nil
		}
		pids = slices.DeleteFunc(ownerOf(at), func(pid int) bool {
			return slices.Contains(members, pid) || p.take(pid)
		})
		if len(pids) > 0 {
			return false, pids, nil
		}
		time.Sleep(2 * time.Millisecond)
	}
	return false, nil, nil
}

// holders returns the pids that have one of the sockets open, and whether they hold every socket.
func holders(pids []int, sockets []string) (list []int, all bool) {
	held := make(map[string]bool)
	for _, pid := range pids {
		mine := holds(pid, sockets)
		for _, s := range mine {
			held[s] = true
		}
		if len(mine) > 0 {
			list = append(list, pid)
		}
	}
	return list, len(held) == len(sockets)
}

// take adds process pid to the tree if this process adopted it as an orphan, it carries no tree's
// mark, and the tree has no cgroup. It must belong to this tree, because it listens on a port that
// only this tree was given.
func (p *Process) take(pid int) bool {
	s, err := readStat(pid)
	if err != nil || s.started < p.started {
		return false
	}
	living, _ := children.orphans([]stat{s})
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(living) == 0 || p.group != nil || marked(pid, []byte(boxVariable+"=")) {
		return false
	}
	p.members, p.family = append(p.members, s), true
	note(entry{Process: &known{s.pid, s.started, p.serial}})
	return true
}

// ownerOf returns the processes that listen on a TCP address and port, as far as dyno may inspect them.
func ownerOf(at netip.AddrPort) []int {
	sockets, err := listeners(int(at.Port()), reachable(at.Addr()))
	if err != nil || len(sockets) == 0 {
		return nil
	}
	all, _ := processes()
	list, _ := holders(pids(all), sockets)
	slices.Sort(list)
	return list
}

// Name returns the name of process pid as ps shows it, empty if it has ended.
func Name(pid int) string { return read(os.DirFS("/proc"), strconv.Itoa(pid)+"/comm") }

// listeners returns the links, "socket:[inode]", of the TCP sockets that listen on port and satisfy
// wanted.
func listeners(port int, wanted func(listener) bool) ([]string, error) {
	all, err := listening("", port)
	var list []string
	for _, l := range all {
		if l.port == port && wanted(l) {
			list = append(list, l.link)
		}
	}
	return list, err
}

// listener is a socket that accepts connections.
type listener struct {
	address netip.Addr
	port    int
	link    string // "socket:[inode]"
}

// listening returns the TCP sockets that accept connections on port, 0 meaning any. network is the
// /proc folder of a network namespace, "" meaning this process's own. Sockets on other ports may be
// among the result.
func listening(network string, port int) (list []listener, err error) {
	read := func() error {
		for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
			own, err := diagnosed(family, port)
			if err != nil && !(family == unix.AF_INET6 && errors.Is(err, unix.ENOENT)) { // no IPv6 here
				return fmt.Errorf("list listening sockets: %w", err)
			}
			list = append(list, own...)
		}
		return nil
	}
	if network == "" {
		err = read()
	} else {
		err = wire.InNamespace(network+"/ns/net", read)
	}
	return list, err
}

// Listeners returns the addresses that the tree's TCP sockets listen on, each once.
func (p *Process) Listeners() ([]netip.AddrPort, error) {
	held := map[string]bool{}
	for _, pid := range p.Tree() {
		links, _ := openFiles(pid)
		for _, l := range links {
			held[l] = true
		}
	}
	all, err := listening(p.net, 0)
	var list []netip.AddrPort
	for _, l := range all {
		if held[l.link] {
			a := netip.AddrPortFrom(l.address, uint16(l.port))
			if !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
	}
	return list, err
}

// reachable returns a function that reports whether a connection to at can reach a socket.
func reachable(at netip.Addr) func(listener) bool {
	if at.IsLoopback() {
		return local
	}
	return func(l listener) bool { return accepts(l, at) }
}

// local reports whether a connection to the loopback address can reach a socket.
func local(l listener) bool { return l.address.IsLoopback() || l.address.IsUnspecified() }

// holds returns the given sockets that pid has open.
func holds(pid int, sockets []string) []string {
	links, _ := openFiles(pid)
	links = slices.DeleteFunc(links, func(s string) bool { return !slices.Contains(sockets, s) })
	slices.Sort(links)
	return slices.Compact(links)
}

// openFiles returns the links of pid's file descriptors: paths, or "socket:[inode]".
func openFiles(pid int) ([]string, error) {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	var list []string
	for _, name := range names {
		if link, err := os.Readlink(dir + "/" + name); err == nil {
			list = append(list, link)
		}
	}
	return list, err
}
