package epoll

import (
	"fmt"
	"net"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The hot calls are raw: they never block, so the scheduler need not hear of them, and its entersyscall and exitsyscall would cost
// some 40 ns each. recvfrom and sendto spare what read and write do for files first. All three hand EINTR to the caller.

func recv(fd int, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), 0, 0, 0)
	return int(n), errno
}

func send(fd int, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), unix.MSG_NOSIGNAL, 0, 0)
	return int(n), errno
}

// poll returns what is ready now.
func poll(ep int, events []unix.EpollEvent) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(ep), uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events)), 0, 0, 0)
	return int(n), errno
}

// wait blocks up to ms milliseconds, and so tells the scheduler.
func wait(ep int, events []unix.EpollEvent, ms int) (int, syscall.Errno) {
	n, _, errno := syscall.Syscall6(unix.SYS_EPOLL_PWAIT, uintptr(ep), uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events)), uintptr(ms), 0, 0)
	return int(n), errno
}

// address is where to dial, resolved once.
type address struct {
	family int
	to     unix.Sockaddr
}

func resolve(network, addr string) (address, error) {
	switch network {
	case "unix":
		return address{unix.AF_UNIX, &unix.SockaddrUnix{Name: addr}}, nil
	case "tcp", "tcp4", "tcp6":
		a, err := net.ResolveTCPAddr(network, addr)
		if err != nil {
			return address{}, err
		}
		if ip := a.IP.To4(); ip != nil || a.IP == nil {
			if a.IP == nil {
				ip = net.IPv4(127, 0, 0, 1).To4()
			}
			return address{unix.AF_INET, &unix.SockaddrInet4{Port: a.Port, Addr: [4]byte(ip)}}, nil
		}
		to := &unix.SockaddrInet6{Port: a.Port, Addr: [16]byte(a.IP.To16())}
		if a.Zone != "" {
			i, err := net.InterfaceByName(a.Zone)
			if err != nil {
				return address{}, err
			}
			to.ZoneId = uint32(i.Index)
		}
		return address{unix.AF_INET6, to}, nil
	}
	return address{}, fmt.Errorf("network %q is neither tcp nor unix", network)
}

// own returns a copy for one worker: unix.Connect writes into the Sockaddr.
func (a address) own() address {
	switch to := a.to.(type) {
	case *unix.SockaddrInet4:
		a.to = &unix.SockaddrInet4{Port: to.Port, Addr: to.Addr}
	case *unix.SockaddrInet6:
		a.to = &unix.SockaddrInet6{Port: to.Port, Addr: to.Addr, ZoneId: to.ZoneId}
	case *unix.SockaddrUnix:
		a.to = &unix.SockaddrUnix{Name: to.Name}
	}
	return a
}

// socket starts to connect and registers with ep under id, once for the connection's life. Pending means that EPOLLOUT will tell.
//
// Note: a unix socket leaves EPOLLOUT out. Its peer's every read would raise it (unix_write_space in net/unix/af_unix.c), where TCP
// raises it only after a write fell short (sk_stream_write_space in net/core/stream.c). It connects at once anyway.
func (a *address) socket(ep int, id int32) (fd int, pending bool, err error) {
	fd, err = unix.Socket(a.family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, false, err
	}
	if a.family != unix.AF_UNIX {
		if err = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
			unix.Close(fd)
			return -1, false, err
		}
	}
	switch err = unix.Connect(fd, a.to); err {
	case nil:
	case unix.EINPROGRESS, unix.EINTR:
		pending = true
	default:
		unix.Close(fd)
		return -1, false, err
	}
	if err = unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, fd, a.interest(id, false)); err != nil {
		unix.Close(fd)
		return -1, false, err
	}
	return fd, pending, nil
}

// interest is what a connection registers; full says that a write fell short.
func (a *address) interest(id int32, full bool) *unix.EpollEvent {
	e := &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLET, Fd: id}
	if full || a.family != unix.AF_UNIX {
		e.Events |= unix.EPOLLOUT
	}
	return e
}
