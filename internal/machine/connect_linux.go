package machine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"dyno/internal/wire"
)

// A relay costs a server more than a direct connection, as it changes when the server waits. So this program makes
// the connections itself where it can: a filter of seccomp(2) on the launcher's thread, which the tree inherits, stops
// connect(2), and a connected socket of this program's network replaces the caller's. What is not connected so
// (io_uring, a socket that an epoll already watches) reaches the relay.

// opener opens connections for a tree.
type opener struct {
	filter int
	to     map[netip.AddrPort]string // by address the file of the network namespace, "" for this program's
}

// Of linux/seccomp.h.
const (
	notifyIDValid = 0x40082102
	notifyAddFD   = 0x40182103
)

type (
	notification struct {
		id         uint64
		pid, flags uint32
		call, arch uint32
		at         uint64
		args       [6]uint64
	}
	response struct {
		id           uint64
		value        int64
		errno, flags int32
	}
	addition struct {
		id                    uint64
		flags, from, to, mode uint32
	}
)

// newOpener returns an opener for the processes that the calling thread starts from now on. It serves until they and
// the thread have ended.
func newOpener(addrs []string) (*opener, error) {
	o := &opener{to: map[netip.AddrPort]string{}}
	for _, addr := range addrs {
		addr, space, _ := strings.Cut(addr, "@")
		at, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil {
			return nil, err
		}
		port := at.AddrPort()
		o.to[netip.AddrPortFrom(port.Addr().Unmap(), port.Port())] = space
	}
	arch := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]
	load, equal, ret := uint16(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS), uint16(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K),
		uint16(unix.BPF_RET|unix.BPF_K)
	program := []unix.SockFilter{
		{Code: load, K: 4}, // the architecture
		{Code: equal, Jf: 3, K: arch},
		{Code: load, K: 0}, // the call
		{Code: equal, Jf: 1, K: unix.SYS_CONNECT},
		{Code: ret, K: unix.SECCOMP_RET_USER_NOTIF},
		{Code: ret, K: unix.SECCOMP_RET_ALLOW},
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	// A signal must not restart a call whose socket has been replaced. Linux 5.19 knows the flag.
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW |
		unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags,
		uintptr(unsafe.Pointer(&filter)))
	if errno != 0 {
		return nil, fmt.Errorf("seccomp: %w", errno)
	}
	o.filter = int(fd)
	return o, nil
}

// serve answers until no process has the filter.
func (o *opener) serve() {
	defer unix.Close(o.filter)
	for {
		fds := []unix.PollFd{{Fd: int32(o.filter), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); err != nil && err != unix.EINTR {
			return
		}
		if fds[0].Revents&unix.POLLIN == 0 {
			if fds[0].Revents != 0 {
				return
			}
			continue
		}
		n := &notification{}
		if ioctl(o.filter, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(n)) != nil {
			continue // the caller has ended
		}
		go func() {
			r := response{id: n.id}
			if answered, errno := o.connect(n); answered {
				r.errno = -int32(errno)
			} else {
				r.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
			}
			ioctl(o.filter, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r))
		}()
	}
}

// connect answers a call of connect(2): it replaces the caller's socket and returns what the call is to return, 0 or an
// error. It returns false if the kernel is to go on with the call.
func (o *opener) connect(n *notification) (bool, unix.Errno) {
	addr, ok := calledAddr(n)
	space, served := o.to[addr]
	if !ok || !served {
		return false, 0
	}
	pid := tgid(int(n.pid))
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false, 0
	}
	defer unix.Close(process)
	number := int(n.args[0])
	theirs, err := unix.PidfdGetfd(process, number, 0)
	if err != nil || ioctl(o.filter, notifyIDValid, unsafe.Pointer(&n.id)) != nil {
		return false, 0
	}
	defer unix.Close(theirs)
	protocol, err := unix.GetsockoptInt(theirs, unix.SOL_SOCKET, unix.SO_PROTOCOL)
	_, unconnected := unix.Getpeername(theirs)
	if err != nil || protocol != unix.IPPROTO_TCP || unconnected == nil || watched(pid, number) {
		return false, 0
	}
	var to unix.Sockaddr = &unix.SockaddrInet6{Port: int(addr.Port()), Addr: addr.Addr().As16()} // of IPv4: mapped
	family, err := unix.GetsockoptInt(theirs, unix.SOL_SOCKET, unix.SO_DOMAIN)
	switch {
	case err != nil || family == unix.AF_INET && !addr.Addr().Is4():
		return false, 0
	case family == unix.AF_INET:
		to = &unix.SockaddrInet4{Port: int(addr.Port()), Addr: addr.Addr().As4()}
	}
	ours := -1
	err = wire.InNamespace(space, func() error {
		ours, err = unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return false, 0
	}
	defer unix.Close(ours)
	for _, option := range [][2]int{{unix.SOL_SOCKET, unix.SO_KEEPALIVE}, {unix.IPPROTO_TCP, unix.TCP_NODELAY},
		{unix.IPPROTO_TCP, unix.TCP_KEEPIDLE}, {unix.IPPROTO_TCP, unix.TCP_KEEPINTVL},
		{unix.IPPROTO_TCP, unix.TCP_KEEPCNT}, {unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT}} {
		if value, err := unix.GetsockoptInt(theirs, option[0], option[1]); err == nil {
			unix.SetsockoptInt(ours, option[0], option[1], value)
		}
	}
	flags, err := unix.FcntlInt(uintptr(theirs), unix.F_GETFL, 0)
	if err == nil {
		_, err = unix.FcntlInt(uintptr(ours), unix.F_SETFL, flags)
	}
	if err != nil {
		return false, 0
	}
	tried, _ := unix.Connect(ours, to).(unix.Errno) // EINPROGRESS if theirs does not block
	if tried != 0 && tried != unix.EINPROGRESS {
		return true, tried
	}
	add := addition{id: n.id, flags: unix.SECCOMP_ADDFD_FLAG_SETFD, from: uint32(ours), to: uint32(number),
		mode: closedOnExec(pid, number)}
	return ioctl(o.filter, notifyAddFD, unsafe.Pointer(&add)) == nil, tried
}

// calledAddr returns the address that a call of connect(2) has, if it is one of IP.
func calledAddr(n *notification) (netip.AddrPort, bool) {
	var raw [28]byte
	b := raw[:min(n.args[2], uint64(len(raw)))]
	if len(b) < 16 {
		return netip.AddrPort{}, false
	}
	local := unix.Iovec{Base: &b[0], Len: uint64(len(b))}
	_, err := unix.ProcessVMReadv(int(n.pid), []unix.Iovec{local},
		[]unix.RemoteIovec{{Base: uintptr(n.args[1]), Len: len(b)}}, 0)
	if err != nil {
		return netip.AddrPort{}, false
	}
	port := binary.BigEndian.Uint16(b[2:])
	switch family := binary.NativeEndian.Uint16(b); {
	case family == unix.AF_INET:
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[4:8])), port), true
	case family == unix.AF_INET6 && len(b) >= 24:
		return netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[8:24])).Unmap(), port), true
	}
	return netip.AddrPort{}, false
}

// tgid returns the process of a thread; the thread itself if it cannot be told.
func tgid(thread int) int {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", thread))
	process := thread
	if _, rest, ok := bytes.Cut(b, []byte("\nTgid:")); ok {
		fmt.Sscan(string(rest), &process)
	}
	return process
}

// watched reports whether an epoll of the process watches a descriptor, which would lose a replaced one.
func watched(pid, number int) bool {
	open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, file := range open {
		if what, _ := os.Readlink(file); what != "anon_inode:[eventpoll]" {
			continue
		}
		info, _ := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%s", pid, filepath.Base(file)))
		for line := range bytes.Lines(info) {
			var watched int
			if _, err := fmt.Sscanf(string(line), "tfd: %d", &watched); err == nil && watched == number {
				return true
			}
		}
	}
	return false
}

// closedOnExec returns O_CLOEXEC if a process's descriptor has it, and else 0.
func closedOnExec(pid, number int) uint32 {
	info, _ := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", pid, number))
	var flags uint32
	if _, rest, ok := bytes.Cut(info, []byte("flags:")); ok {
		fmt.Sscanf(string(rest), "%o", &flags)
	}
	return flags & unix.O_CLOEXEC
}

func ioctl(fd int, request uintptr, at unsafe.Pointer) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(at))
		switch errno {
		case 0:
			return nil
		case unix.EINTR:
		default:
			return errno
		}
	}
}
